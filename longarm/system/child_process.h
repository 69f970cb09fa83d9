// SPDX-License-Identifier: Apache-2.0
// A program that we started and that ends with us.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm::system {

struct ChildOptions {
  std::map<std::string, std::string> variables{};  ///< more of them in its environment
  bool has_input = false;                          ///< it reads our standard input, or else nothing
  /// It is killed when the thread that started it ends, even if we are killed.
  bool ends_with_thread = false;
  /// How long it has to end after it was asked to (SIGTERM). Zero: it is killed at once, with what
  /// it has left behind even if it has ended.
  Duration grace{0};
};

/// Runs in a process group of its own, with its output on our stderr.
class ChildProcess {
 public:
  struct Ending {
    int code = 0;  ///< the exit's or the signal's
    bool is_signal = false;
  };

  /// Program (looked for on the PATH unless it has a slash) and arguments.
  static Result<ChildProcess> start(const std::vector<std::string>& words,
                                    const ChildOptions& options = {});
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  /// Ends it, and what it has started.
  ~ChildProcess();

  /// How it ended, if it does within so long of the wall clock.
  std::optional<Ending> wait(Duration patience);

 private:
  ChildProcess(pid_t process, Duration grace) : process_(process), grace_(grace) {}

  pid_t process_;
  Duration grace_;
  std::optional<Ending> ending_;
};

}  // namespace longarm::system
