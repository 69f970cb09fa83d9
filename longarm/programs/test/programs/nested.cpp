// SPDX-License-Identifier: Apache-2.0
// A program for tests: runs programs itself, or says why it cannot.
#include <cstdio>

#include "longarm/programs/supervisor/supervisor.h"

int main() {
  using namespace longarm;
  sim::Kernel clock;
  Result<std::unique_ptr<programs::Supervisor>> made = programs::Supervisor::make(clock);
  if (!made) {
    std::printf("%s\n", made.error().message.c_str());
    return 1;
  }
  std::unique_ptr<programs::Supervisor> supervisor = std::move(made).value();
  programs::Kernel kernel(clock, *supervisor);
  supervisor->set_kernel(kernel);
  programs::ProgramOptions options;
  options.command = {"true"};
  options.host = &kernel.add_host({});
  const Result<programs::Thread*> launched = supervisor->launch(options);
  std::printf("%s\n", launched ? "launched" : launched.error().message.c_str());
  supervisor.reset();
}
