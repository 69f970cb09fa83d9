// SPDX-License-Identifier: Apache-2.0
// One function per file of oracles: each adds its own, in order.
#pragma once

#include <vector>

#include "longarm/study/oracle.h"

namespace longarm::oracles {

using study::Comparison;
using study::Oracle;

void add_position_loop_oracles(std::vector<Oracle>& all);
void add_response_oracles(std::vector<Oracle>& all);
void add_fractional_delay_oracles(std::vector<Oracle>& all);
void add_velocity_loop_oracles(std::vector<Oracle>& all);
void add_following_oracles(std::vector<Oracle>& all);
void add_timing_oracles(std::vector<Oracle>& all);
void add_link_oracles(std::vector<Oracle>& all);
void add_link_statistics_oracles(std::vector<Oracle>& all);
void add_queueing_oracles(std::vector<Oracle>& all);
void add_physics_oracles(std::vector<Oracle>& all);
void add_kitting_oracles(std::vector<Oracle>& all);
void add_determinism_oracles(std::vector<Oracle>& all);

}  // namespace longarm::oracles
