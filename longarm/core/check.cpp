// SPDX-License-Identifier: Apache-2.0
// Prints where and when we were wrong, then aborts.
#include "longarm/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace longarm {
namespace {

// Only ever read on the way to abort(); one per thread because simulations run one per thread.
thread_local Time check_time{};

}  // namespace

void set_check_time(Time now) {
  check_time = now;
}

void fail_check(std::string_view message, std::source_location where) {
  std::fprintf(stderr, "longarm: internal error at simulated time %.9f s: %.*s (%s:%u)\n",
               to_seconds(check_time.time_since_epoch()), static_cast<int>(message.size()),
               message.data(), where.file_name(), static_cast<unsigned>(where.line()));
  std::abort();
}

}  // namespace longarm
