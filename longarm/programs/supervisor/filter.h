// SPDX-License-Identifier: Apache-2.0
// The seccomp filter of a program: which of its system calls stop and are handed to us.
#pragma once

#include <cstdint>
#include <vector>

#include <linux/filter.h>

namespace longarm::programs {

/// Calls that are native for the emulated kernel and yet stop: processes, threads and programs
/// begin and end with them, or a thread that was just made comes to them before it does anything
/// that others could see.
bool is_watched(std::int64_t number);

/// Native calls pass without a stop. All others stop, those of other architectures (i386, x32) too.
std::vector<sock_filter> make_filter();

}  // namespace longarm::programs
