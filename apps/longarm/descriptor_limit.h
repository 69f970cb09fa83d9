// SPDX-License-Identifier: Apache-2.0
// For programs that have a socket for every client.
#pragma once

#include <algorithm>
#include <cstdint>

#include <sys/resource.h>

namespace longarm::app {

/// Every client is a descriptor; the usual limit is 1024 for all together.
inline void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 16'384);
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

/// That this process may have at once.
inline std::uint64_t most_descriptors() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

}  // namespace longarm::app
