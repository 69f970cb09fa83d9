// SPDX-License-Identifier: Apache-2.0
// Whether the user has asked this program to stop.
#pragma once

#include <csignal>

namespace longarm::app {

/// Set by the signal handlers of commands that take long; a process runs one command only.
inline volatile std::sig_atomic_t is_interrupted = 0;

/// For commands that run programs, which may compute for ever between two of our looks at the flag:
/// asked a second time, this process ends at once, and they with it.
inline void stop_when_interrupted() {
  std::signal(SIGINT, [](int) {
    is_interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
  });
}

}  // namespace longarm::app
