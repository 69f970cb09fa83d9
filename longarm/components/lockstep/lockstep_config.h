// SPDX-License-Identifier: Apache-2.0
// The `lockstep` section of a scenario: where processes that are not ours join, and how long they
// are waited for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/network/link.h"

namespace longarm::components {

/// How long to collect what clients say that cannot say when they are done, by the wall clock.
struct CollectionTimeouts {
  Duration all{20'000'000};           ///< of those that are not given
  std::optional<Duration> step;       ///< after each step
  std::optional<Duration> request;    ///< after a request, or a message, has reached a client
  std::optional<Duration> execution;  ///< after the execution of a client's method was simulated
  std::optional<Duration> reply;      ///< after a reply has reached a client
};

struct LockstepConfig {
  std::string socket = "127.0.0.1:0";  ///< or the path of a Unix socket; port 0: a free one
  std::string mode = "exact";          ///< or collect
  Duration join_within{30'000'000'000};
  Duration answer_timeout{10'000'000'000};
  Duration step{1'000'000};  ///< simulated; only where collecting
  CollectionTimeouts timeouts;

  bool is_exact() const { return mode == "exact"; }
};

void list_fields(Fields& fields, LockstepConfig& config);
/// Keys of remarks are those below `lockstep`.
std::vector<network::KeyRemark> check_config(const LockstepConfig& config);

}  // namespace longarm::components
