// SPDX-License-Identifier: Apache-2.0
// Looks for constraints that cannot be met together.
#include "longarm/study/place/problem.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"

namespace longarm::study {
namespace {

std::string joined_names(const PlacementProblem& problem, const std::vector<int>& components) {
  std::vector<std::string> names;
  for (const int each : components) {
    names.push_back(problem.components[static_cast<std::size_t>(each)]);
  }
  return join(names);
}

/// The host that a unit's pins ask for; two different ones are an error.
int pin_of(const PlacementProblem& problem, const std::vector<int>& unit,
           Diagnostics& diagnostics) {
  int pinned = -1;
  int first = 0;
  for (const int each : unit) {
    const int host = problem.pinned[static_cast<std::size_t>(each)];
    if (host == kAnyHost || host == pinned) {
      continue;
    }
    if (pinned != kAnyHost) {
      diagnostics.error(
          {},
          fmt::format("'{}' and '{}' must be together but are pinned to '{}' and '{}'",
                      problem.components[static_cast<std::size_t>(first)],
                      problem.components[static_cast<std::size_t>(each)],
                      problem.hosts[static_cast<std::size_t>(pinned)],
                      problem.hosts[static_cast<std::size_t>(host)]),
          "pin them to one host, or remove a --together");
      continue;
    }
    pinned = host;
    first = each;
  }
  return pinned;
}

void check_units(const PlacementProblem& problem, Diagnostics& diagnostics) {
  int most = 0;
  for (std::size_t h = 0; h < problem.hosts.size(); ++h) {
    most = std::max(most, problem.most_on(static_cast<int>(h)));
  }
  std::vector<int> on(problem.hosts.size(), 0);
  for (const std::vector<int>& unit : units_of(problem)) {
    const int size = static_cast<int>(unit.size());
    const int host = pin_of(problem, unit, diagnostics);
    if (host != kAnyHost) {
      on[static_cast<std::size_t>(host)] += size;
    }
    if (size > most) {
      diagnostics.error({},
                        fmt::format("{} components must be together, but no host may have more "
                                    "than {}: {}",
                                    size, most, joined_names(problem, unit)),
                        "use fewer together, fewer hosts or more capacity");
    }
  }
  for (std::size_t h = 0; h < on.size(); ++h) {
    if (on[h] > problem.most_on(static_cast<int>(h))) {
      diagnostics.error({},
                        fmt::format("{} components are pinned to '{}', which may have {}", on[h],
                                    problem.hosts[h], problem.most_on(static_cast<int>(h))),
                        "pin fewer, or remove --balanced or --capacity");
    }
  }
}

void check_apart(const PlacementProblem& problem, Diagnostics& diagnostics) {
  std::vector<int> unit_of(problem.components.size());
  const std::vector<std::vector<int>> units = units_of(problem);
  for (std::size_t u = 0; u < units.size(); ++u) {
    for (const int each : units[u]) {
      unit_of[static_cast<std::size_t>(each)] = static_cast<int>(u);
    }
  }
  for (const std::vector<int>& group : problem.apart) {
    if (group.size() > problem.hosts.size()) {
      diagnostics.error({},
                        fmt::format("{} components must be apart on {} hosts: {}", group.size(),
                                    problem.hosts.size(), joined_names(problem, group)),
                        "use more hosts");
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (std::size_t j = i + 1; j < group.size(); ++j) {
        const auto a = static_cast<std::size_t>(group[i]);
        const auto b = static_cast<std::size_t>(group[j]);
        const bool share_pin =
            problem.pinned[a] != kAnyHost && problem.pinned[a] == problem.pinned[b];
        if (unit_of[a] == unit_of[b] || share_pin) {
          diagnostics.error(
              {},
              fmt::format("'{}' and '{}' must be apart but {}", problem.components[a],
                          problem.components[b], share_pin ? "are pinned to one host" : "together"),
              "remove one of the two");
        }
      }
    }
  }
}

void check_room(const PlacementProblem& problem, Diagnostics& diagnostics) {
  const int count = static_cast<int>(problem.components.size());
  std::int64_t room = 0;
  for (std::size_t h = 0; h < problem.hosts.size(); ++h) {
    const int host = static_cast<int>(h);
    room += std::min(count, problem.most_on(host));
    if (problem.most_on(host) < problem.fewest_on(host)) {
      diagnostics.error({},
                        fmt::format("balanced hosts have at least {} components each, but the "
                                    "capacity of '{}' is {}",
                                    problem.fewest_on(host), problem.hosts[h], problem.capacity[h]),
                        "remove --balanced, or increase the capacity");
    }
  }
  if (room < count) {
    diagnostics.error({}, fmt::format("the hosts have room for {} of {} components", room, count),
                      "increase the capacity, or use more hosts");
  }
}

}  // namespace

int PlacementProblem::most_on(int host) const {
  const int count = static_cast<int>(components.size());
  const int hosts_count = static_cast<int>(hosts.size());
  const int limit = capacity[static_cast<std::size_t>(host)];
  return is_balanced ? std::min(limit, (count + hosts_count - 1) / hosts_count) : limit;
}

int PlacementProblem::fewest_on(int) const {
  return is_balanced ? static_cast<int>(components.size() / hosts.size()) : 0;
}

void check_problem(const PlacementProblem& problem) {
  Diagnostics diagnostics;
  check_room(problem, diagnostics);
  check_units(problem, diagnostics);
  check_apart(problem, diagnostics);
  diagnostics.throw_if_errors();
}

double cut_bytes_per_s(const PlacementProblem& problem, const Placement& placement) {
  double sum = 0.0;
  for (const PlacementEdge& edge : problem.edges) {
    if (placement[static_cast<std::size_t>(edge.a)] !=
        placement[static_cast<std::size_t>(edge.b)]) {
      sum += edge.bytes_per_s;
    }
  }
  return sum;
}

std::vector<std::vector<int>> units_of(const PlacementProblem& problem) {
  // every component begins as its own root; groups take the smallest member's
  std::vector<int> root(problem.components.size());
  std::iota(root.begin(), root.end(), 0);
  for (const std::vector<int>& group : problem.together) {
    for (const int each : group) {
      const int from = root[static_cast<std::size_t>(each)];
      const int to = root[static_cast<std::size_t>(group.front())];
      for (int& r : root) {
        r = r == from || r == to ? std::min(from, to) : r;
      }
    }
  }
  std::vector<std::vector<int>> units;
  for (std::size_t c = 0; c < root.size(); ++c) {
    if (root[c] == static_cast<int>(c)) {
      units.emplace_back();
      for (std::size_t d = c; d < root.size(); ++d) {
        if (root[d] == root[c]) {
          units.back().push_back(static_cast<int>(d));
        }
      }
    }
  }
  return units;
}

}  // namespace longarm::study
