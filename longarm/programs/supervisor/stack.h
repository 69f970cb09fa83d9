// SPDX-License-Identifier: Apache-2.0
// Where a thread of a program is, and who called it there.
#pragma once

#include <string>

#include <sys/types.h>

namespace longarm::programs {

/// "strange+0x11f0 (main), libc.so.6+0x271ca (__libc_start_call_main), …", the innermost first. The
/// thread runs, is stopped for a moment, and does not notice. If a debugger has it, that is said
/// instead.
std::string describe_stack(pid_t process, pid_t thread);

}  // namespace longarm::programs
