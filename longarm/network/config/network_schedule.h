// SPDX-License-Identifier: Apache-2.0
// The `schedule` of a cable: what its phases mean, as changes at instants.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/network/topology.h"

namespace longarm::network {

/// What a cable is like for some time.
struct CablePhase {
  Duration length{0};
  bool is_up = true;
  std::optional<double> rate_bit_s;
  Duration propagation{0};
};

/// A ready profile's name, or phases. The error says which of them is wrong, and why.
Result<std::vector<CablePhase>> parse_schedule(const std::vector<std::string>& words);

/// From time zero until `horizon`; the first change is at time zero.
std::vector<CableChange> changes_of(const std::vector<CablePhase>& phases, bool repeats,
                                    Duration horizon);

}  // namespace longarm::network
