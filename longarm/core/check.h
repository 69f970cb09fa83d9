// SPDX-License-Identifier: Apache-2.0
// Assertions about ourselves, on in every build: they print the simulated time and abort.
#pragma once

#include <source_location>
#include <string_view>

#include "longarm/core/time.h"

namespace longarm {

/// Tells check() what simulated time it is on this thread; the kernel keeps it current.
void set_check_time(Time now);

[[noreturn]] void fail_check(std::string_view message,
                             std::source_location where = std::source_location::current());

/// Aborts with `message` when we ourselves are wrong. User errors are Diagnostics, never this.
inline void check(bool claim, std::string_view message,
                  std::source_location where = std::source_location::current()) {
  if (!claim) [[unlikely]] {
    fail_check(message, where);
  }
}

}  // namespace longarm
