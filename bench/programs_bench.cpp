// SPDX-License-Identifier: Apache-2.0
// What it costs to run a program in simulated time: a system call that is handed over, and a tick
// of 1 ms, beside the same natively. Everything is on one core.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "longarm/programs/kernel/output_file.h"
#include "longarm/programs/supervisor/supervisor.h"

namespace {

using namespace longarm;

// --- the program that is measured: this one, with arguments
// ----------------------------------------

constexpr long kBillion = 1'000'000'000;

/// getsockopt(2) of a descriptor that is none: answered at once, natively and by us.
void make_calls(long count) {
  for (long i = 0; i < count; ++i) {
    ::syscall(SYS_getsockopt, -1, 0, 0, nullptr, nullptr);
  }
}

void sleep_ticks(long count) {
  timespec next{};
  ::clock_gettime(CLOCK_MONOTONIC, &next);
  for (long i = 0; i < count; ++i) {
    next.tv_nsec += 1'000'000;
    next.tv_sec += next.tv_nsec / kBillion;
    next.tv_nsec %= kBillion;
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec != next.tv_sec || now.tv_nsec != next.tv_nsec) {
      std::exit(1);
    }
  }
}

void read_clock(long count) {
  for (long i = 0; i < count; ++i) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
  }
}

int be_program(const std::string& what, long count) {
  if (what == "calls") {
    make_calls(count);
  } else if (what == "ticks") {
    sleep_ticks(count);
  } else if (what == "readings") {
    read_clock(count);
  }
  return 0;
}

// --- measuring
// --------------------------------------------------------------------------------------

double now_s() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Of the simulation alone: starting a program costs milliseconds.
double simulated_s(const std::vector<std::string>& command) {
  sim::Kernel clock;
  auto made = programs::Supervisor::make(clock);
  if (!made) {
    fmt::print(stderr, "{}\n", made.error().message);
    std::exit(1);
  }
  std::unique_ptr<programs::Supervisor> supervisor = std::move(made).value();
  programs::KernelOptions options;
  options.free_calls = ~std::uint64_t{0};
  programs::Kernel kernel(clock, *supervisor, options);
  supervisor->set_kernel(kernel);
  int status = -1;
  programs::ProgramOptions program;
  program.command = command;
  program.host = &kernel.add_host({});
  program.ended = [&](int ending) { status = ending; };
  const auto launched = supervisor->launch(program);
  const double begin = now_s();
  const Result<Time> done = clock.run_until(Time(std::chrono::hours(1000)));
  const double end = now_s();
  if (!launched || !done || status != 0) {
    fmt::print(stderr, "the program failed: {}\n",
               !launched ? launched.error().message
               : !done   ? done.error().message
                         : "inexact");
    std::exit(1);
  }
  supervisor.reset();
  return end - begin;
}

double native_s(const std::string& what, long count) {
  const double begin = now_s();
  be_program(what, count);
  return now_s() - begin;
}

/// The least of several: what others do on this machine only adds.
template <typename Measure>
double least(const Measure& measure) {
  double best = measure();
  for (int i = 0; i < 4; ++i) {
    best = std::min(best, measure());
  }
  return best;
}

double per_unit_us(const std::string& self, const std::string& what, long count) {
  const auto run = [&](long times) { return simulated_s({self, what, std::to_string(times)}); };
  return (least([&] { return run(count); }) - least([&] { return run(0); })) * 1e6 /
         static_cast<double>(count);
}

/// A byte to another process and back through pipes, natively on one core: two of the changes from
/// one process to another that each handed-over call needs.
double hand_over_us(long count) {
  int there[2];
  int back[2];
  if (::pipe(there) != 0 || ::pipe(back) != 0) {
    std::exit(1);
  }
  char byte = 0;
  const pid_t child = ::fork();
  if (child == 0) {
    while (::read(there[0], &byte, 1) == 1 && ::write(back[1], &byte, 1) == 1) {
    }
    ::_exit(0);
  }
  const double seconds = least([&] {
    const double begin = now_s();
    for (long i = 0; i < count; ++i) {
      if (::write(there[1], &byte, 1) != 1 || ::read(back[0], &byte, 1) != 1) {
        std::exit(1);
      }
    }
    return now_s() - begin;
  });
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return seconds * 1e6 / static_cast<double>(count);
}

}  // namespace

int main(int count, char** words) {
  if (count == 3) {
    return be_program(words[1], std::atol(words[2]));
  }
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(static_cast<unsigned>(::sched_getcpu()), &core);
  ::sched_setaffinity(0, sizeof core, &core);

  std::array<char, 4096> self{};
  if (::readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) {
    return 1;
  }
  constexpr long kCalls = 50'000;
  constexpr long kReadings = 10'000'000;
  const double hand_over = hand_over_us(kCalls);
  const double native_call = least([&] { return native_s("calls", kCalls); }) * 1e6 / kCalls;
  const double native_reading =
      least([&] { return native_s("readings", kReadings); }) * 1e9 / kReadings;
  const double call = per_unit_us(self.data(), "calls", kCalls);
  const double tick = per_unit_us(self.data(), "ticks", kCalls);
  const double reading = per_unit_us(self.data(), "readings", kReadings) * 1e3;
  fmt::print("on one core                     native     simulated     ratio\n");
  fmt::print("a byte through pipes and back  {:6.2f} us\n", hand_over);
  fmt::print("a system call                  {:6.2f} us {:9.2f} us {:9.1f}\n", native_call, call,
             call / native_call);
  fmt::print("a tick of 1 ms                1000.00 us {:9.2f} us {:9.4f}\n", tick, tick / 1000.0);
  fmt::print("reading a clock                {:6.2f} ns {:9.2f} ns {:9.2f}\n", native_reading,
             reading, reading / native_reading);
  fmt::print("a call costs {:.2f} of the byte's way, a tick {:.2f}\n", call / hand_over,
             tick / hand_over);
}
