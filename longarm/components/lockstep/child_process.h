// SPDX-License-Identifier: Apache-2.0
// A program that was started on the user's behalf, and that does not outlive us.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm::components {

class ChildProcess {
 public:
  /// As the shell would start it, with more variables in its environment. What it prints goes to
  /// our standard error.
  static Result<ChildProcess> start(const std::string& command,
                                    const std::map<std::string, std::string>& variables);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  /// Ends it, and what it started, if it has not ended.
  ~ChildProcess();

  /// How it ended ("exit code 3", "signal 11"), waiting at most so long by the wall clock.
  std::optional<std::string> wait(Duration patience);

 private:
  explicit ChildProcess(int id) : id_(id) {}

  int id_ = -1;
  std::optional<std::string> ending_;
};

}  // namespace longarm::components
