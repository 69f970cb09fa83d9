// SPDX-License-Identifier: Apache-2.0
// Whether the user has asked this program to stop.
#pragma once

#include <csignal>

namespace longarm::app {

/// Set by the signal handlers of commands that take long; a process runs one command only.
inline volatile std::sig_atomic_t is_interrupted = 0;

}  // namespace longarm::app
