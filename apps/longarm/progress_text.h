// SPDX-License-Identifier: Apache-2.0
// What a long search is at.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace longarm::app {

/// One line that changes on a terminal, a line now and then elsewhere.
class ProgressText {
 public:
  ~ProgressText() { clear(); }
  void show(const std::string& text) {
    if (is_terminal_) {
      fmt::print(stderr, "\r{:100}\r{}", "", text);
      return;
    }
    const auto wall = std::chrono::steady_clock::now();
    if (wall - last_ >= std::chrono::seconds(10)) {
      last_ = wall;
      fmt::print(stderr, "{}\n", text);
    }
  }
  void clear() const {
    if (is_terminal_) {
      fmt::print(stderr, "\r{:100}\r", "");
    }
  }

 private:
  bool is_terminal_ = isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace longarm::app
