// SPDX-License-Identifier: Apache-2.0
// Pictures of a placement search: who is where and talks to whom, what each step gained, and how
// cuts grow with the number of hosts.
#pragma once

#include <string>
#include <vector>

#include "longarm/study/place/search.h"

namespace longarm::study {

/// Hosts as boxes, components as dots in them, lines as wide as the traffic they stand for.
std::string draw_placement(const PlacementProblem& problem, const Placement& placement,
                           const std::string& title);

/// Every simulation, and the best until then. `unit` is that of `scale` times a value.
struct GainAxis {
  std::string name;
  std::string unit;
  double scale = 1.0;
};
std::string draw_gains(const std::vector<PlacementTrial>& trials, const GainAxis& axis,
                       const std::string& title);

/// One number of hosts: what METIS's cut came to and what the search made of it.
struct HostsPoint {
  int hosts = 0;
  double start_bandwidth_mbit_s = 0.0;
  double start_cycle_time_ms = 0.0;
  double best_bandwidth_mbit_s = 0.0;
  double best_cycle_time_ms = 0.0;
};
/// The search's lines are thin, so that METIS's show below where they are equal.
std::string draw_over_hosts(const std::vector<HostsPoint>& points, const std::string& title);

}  // namespace longarm::study
