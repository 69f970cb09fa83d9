// SPDX-License-Identifier: Apache-2.0
// Times as system calls write them.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

#include <sys/time.h>

#include "longarm/core/time.h"
#include "longarm/programs/kernel/kernel.h"

namespace longarm::programs {

/// Longer spans are as good as endless, and sums with this one do not overflow.
inline constexpr Duration kLongest{std::int64_t{1} << 61};

/// Nothing: the kernel refuses it (EINVAL).
std::optional<Duration> duration_of(const timespec& time);
std::optional<Duration> duration_of(const timeval& time);
timespec timespec_of(Duration span);
timeval timeval_of(Duration span);

/// A limit that a call was given by address, as it waits by it.
struct Limit {
  int error = 0;  ///< EFAULT, EINVAL
  /// Nothing: there is none.
  std::optional<Duration> span;
  bool is_zero() const { return span && span->count() == 0; }
};
Limit timespec_limit(Kernel& kernel, const Thread& thread, std::uint64_t address);
Limit timeval_limit(Kernel& kernel, const Thread& thread, std::uint64_t address);

}  // namespace longarm::programs
