// SPDX-License-Identifier: Apache-2.0
// For programs that have a socket for every client.
#pragma once

#include <algorithm>

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

}  // namespace longarm::app
