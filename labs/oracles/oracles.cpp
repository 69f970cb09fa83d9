// SPDX-License-Identifier: Apache-2.0
// Group by group.
#include "labs/oracles/oracles.h"

#include "labs/oracles/groups.h"

namespace longarm::oracles {

std::vector<Oracle> all_oracles() {
  std::vector<Oracle> all;
  add_position_loop_oracles(all);
  add_response_oracles(all);
  add_fractional_delay_oracles(all);
  add_velocity_loop_oracles(all);
  add_following_oracles(all);
  add_timing_oracles(all);
  add_link_oracles(all);
  add_link_statistics_oracles(all);
  add_queueing_oracles(all);
  add_physics_oracles(all);
  add_kitting_oracles(all);
  add_determinism_oracles(all);
  return all;
}

}  // namespace longarm::oracles
