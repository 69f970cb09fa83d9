// SPDX-License-Identifier: Apache-2.0
// Which component may be on which computer, and who talks to whom: what a placement is judged by.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace longarm::study {

/// The host of each component, both by their index in the problem.
using Placement = std::vector<int>;

/// What two components say to each other, both ways together.
struct PlacementEdge {
  int a = 0;
  int b = 0;
  double calls_per_s = 0.0;
  double bytes_per_s = 0.0;
};

inline constexpr int kAnyHost = -1;
inline constexpr int kNoLimit = std::numeric_limits<int>::max();

struct PlacementProblem {
  std::vector<std::string> components;
  std::vector<std::string> hosts;
  /// Hosts with equal numbers are alike: exchanging them changes nothing.
  std::vector<int> host_kind;
  std::vector<PlacementEdge> edges;
  bool is_balanced = false;                ///< component counts per host differ by at most one
  std::vector<int> pinned;                 ///< host of each component, or kAnyHost
  std::vector<int> capacity;               ///< most components on each host, or kNoLimit
  std::vector<std::vector<int>> together;  ///< each group on one host
  std::vector<std::vector<int>> apart;     ///< no two of a group on one host

  /// Most and fewest components that a host may have.
  int most_on(int host) const;
  int fewest_on(int host) const;
};

/// Constraints as users write them.
struct PlacementWords {
  std::vector<std::string> pins;        ///< NAME=HOST
  std::vector<std::string> together;    ///< A,B,…
  std::vector<std::string> apart;       ///< A,B,…
  std::vector<std::string> capacities;  ///< HOST=COUNT
  bool is_balanced = false;
};

/// All hosts alike, no edges yet; checked. Throws InputError that names every unknown name.
PlacementProblem make_problem(std::vector<std::string> components, std::vector<std::string> hosts,
                              const PlacementWords& words);

/// Throws InputError with every contradiction that shows without a search.
void check_problem(const PlacementProblem& problem);

/// Bytes per second between hosts, by the graph.
double cut_bytes_per_s(const PlacementProblem& problem, const Placement& placement);

/// Components that share a host by the constraints, in the order of their first members.
std::vector<std::vector<int>> units_of(const PlacementProblem& problem);

}  // namespace longarm::study
