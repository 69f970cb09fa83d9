// SPDX-License-Identifier: Apache-2.0
// A program that we started and that ends with us.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "longarm/core/result.h"

namespace longarm::network::external {

/// Runs in a process group of its own, with nothing to read and its output on our stderr. It does
/// not outlive the thread that started it, even if we are killed.
class ChildProcess {
 public:
  /// Program (looked for on the PATH unless it has a slash) and arguments.
  static Result<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& words);
  /// Kills it, and what it has started.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// How it ended, if it has: "exited with status 3", "was killed by signal 11 (…)".
  std::optional<std::string> ended();
  /// Gives it so long to end by itself.
  std::optional<std::string> wait(std::chrono::milliseconds patience);

 private:
  explicit ChildProcess(pid_t process) : process_(process) {}

  pid_t process_;
  std::optional<std::string> how_;
};

}  // namespace longarm::network::external
