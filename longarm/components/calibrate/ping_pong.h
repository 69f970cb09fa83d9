// SPDX-License-Identifier: Apache-2.0
// Messages to and fro between two processes, with nothing of ours in between but the operating
// systems.
#pragma once

#include <functional>
#include <vector>

#include "longarm/components/transport.h"
#include "longarm/core/result.h"

namespace longarm::components {

struct PingSample {
  std::size_t bytes = 0;
  Duration round_trip{0};
  Duration write{0};  ///< how long the program's own write took
};

/// Echoes whatever length-prefixed messages come, one connection after the other, for ever. Returns
/// only if it cannot listen.
Result<bool> serve_echo(const Address& listen,
                        const std::function<void(const Address&)>& say_ready);

struct PingPlan {
  std::vector<std::size_t> sizes{64, 256, 1024, 4096, 16384};
  std::int64_t count = 2000;   ///< of each size
  std::int64_t warm_up = 200;  ///< round trips that do not count, before each size
  Duration pause{0};           ///< between two: programs that wait are slower to wake
};

/// One connection, TCP_NODELAY. Sizes take turns, so that none has all of a bad moment.
Result<std::vector<PingSample>> ping(const Address& server, const PingPlan& plan);

}  // namespace longarm::components
