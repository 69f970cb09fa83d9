// SPDX-License-Identifier: Apache-2.0
// How far a run has come, on one line of a terminal.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "longarm/core/time.h"

namespace longarm::app {

/// "simulating   3.450 / 12.300 s   28 %   120x real time", rewritten in place on a terminal only;
/// "simulating   3.450 s   120x real time" where nobody knows the end, Time::max().
class ProgressLine {
 public:
  explicit ProgressLine(const char* verb) : verb_(verb) {}

  void show(Time now, Time end) {
    const auto wall = std::chrono::steady_clock::now();
    const bool is_due = wall - last_ > std::chrono::milliseconds(100);
    if (!is_terminal_ || !is_due) {
      return;
    }
    last_ = wall;
    const double simulated = to_seconds(now.time_since_epoch());
    const double elapsed = std::chrono::duration<double>(wall - start_).count();
    const double total = to_seconds(end.time_since_epoch());
    const std::string part =
        end == Time::max() ? ""
                           : fmt::format("/ {:.3f} s {:4.0f} %", total, 100.0 * simulated / total);
    fmt::print(stderr, "\r{} {:9.3f} {}  {:.0f}x real time ", verb_, simulated,
               part.empty() ? "s" : part, simulated / elapsed);
    is_shown_ = true;
  }
  void clear() {
    if (is_shown_) {
      fmt::print(stderr, "\r{:70}\r", "");
    }
  }

 private:
  const char* verb_;
  bool is_terminal_ = isatty(STDERR_FILENO) != 0;
  bool is_shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = start_;
};

}  // namespace longarm::app
