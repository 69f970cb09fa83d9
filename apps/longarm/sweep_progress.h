// SPDX-License-Identifier: Apache-2.0
// How far a study has come: a bar on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace longarm::app {

/// "[#######.............]  37 / 100 runs  19.2 runs/s  3 s left"
class SweepBar {
 public:
  void show(std::size_t done, std::size_t total, std::size_t done_here) {
    const auto wall = std::chrono::steady_clock::now();
    const auto pause = is_terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(10);
    if (wall - last_ < pause || total == 0) {
      return;
    }
    last_ = wall;
    const std::string bar(20 * done / total, '#');
    const double elapsed = std::chrono::duration<double>(wall - start_).count();
    const double rate = static_cast<double>(done_here) / elapsed;
    const double left = static_cast<double>(total - done) / rate;
    fmt::print(stderr, "{}[{:.<20}] {:4} / {} runs  {:.1f} runs/s  {}{}", is_terminal_ ? "\r" : "",
               bar, done, total, rate, done_here > 0 ? time_text(left) + " left" : "",
               is_terminal_ ? "    " : "\n");
    is_shown_ = is_terminal_;
  }
  void clear() {
    if (is_shown_) {
      fmt::print(stderr, "\r{:79}\r", "");
    }
  }

 private:
  static std::string time_text(double seconds) {
    if (seconds < 100.0) {
      return fmt::format("{:.0f} s", seconds);
    }
    return seconds < 6000.0 ? fmt::format("{:.0f} min", seconds / 60.0)
                            : fmt::format("{:.1f} h", seconds / 3600.0);
  }

  bool is_terminal_ = isatty(STDERR_FILENO) != 0;
  bool is_shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = start_;
};

}  // namespace longarm::app
