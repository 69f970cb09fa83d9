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
  std::int64_t count = 1000;  ///< round trips of each size
  /// Between two rounds, in each of which every server is asked once: programs that have waited are
  /// slower to wake than programs in a tight loop.
  Duration pause{1'000'000};
};

/// So many rounds, after one that does not count. One connection to each server, TCP_NODELAY; sizes
/// go around. `first` is the number of the first round.
Result<std::vector<PingSample>> ping(const std::vector<Address>& servers, const PingPlan& plan,
                                     std::int64_t first, std::int64_t rounds);

/// What server `index` is sent in a round.
inline std::size_t size_of_ping(const PingPlan& plan, std::int64_t round, std::size_t index) {
  return plan.sizes[(static_cast<std::size_t>(round) + index) % plan.sizes.size()];
}

}  // namespace longarm::components
