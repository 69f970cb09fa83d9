// SPDX-License-Identifier: Apache-2.0
// Small problems (tens of components), so everything is counted anew rather than kept up to date.
#include "longarm/study/place/space.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/index.h"

namespace longarm::study {
PlacementSpace::PlacementSpace(PlacementProblem problem)
    : problem_(std::move(problem)), units_(units_of(problem_)) {
  std::vector<bool> is_special(problem_.hosts.size(), false);
  for (const std::vector<int>& unit : units_) {
    int host = kAnyHost;
    for (const int each : unit) {
      host = std::max(host, problem_.pinned[index_of(each)]);
    }
    pinned_.push_back(host);
    if (host != kAnyHost) {
      is_special[index_of(host)] = true;  // whoever is pinned to it makes it unlike the others
    }
  }
  std::vector<bool> is_grouped = is_special;
  for (std::size_t h = 0; h < problem_.hosts.size(); ++h) {
    std::vector<int> group;
    for (std::size_t other = h; other < problem_.hosts.size() && !is_grouped[h]; ++other) {
      if (!is_special[other] && problem_.host_kind[other] == problem_.host_kind[h] &&
          problem_.capacity[other] == problem_.capacity[h]) {
        group.push_back(static_cast<int>(other));
      }
    }
    for (const int each : group) {
      is_grouped[index_of(each)] = true;
    }
    if (group.size() > 1) {
      alike_.push_back(std::move(group));
    }
  }
}

int PlacementSpace::host_of(const Placement& placement, int unit) const {
  return placement[index_of(units_[index_of(unit)].front())];
}

void PlacementSpace::put(Placement& placement, int unit, int host) const {
  for (const int each : units_[index_of(unit)]) {
    placement[index_of(each)] = host;
  }
}

int PlacementSpace::violations(const Placement& placement) const {
  int sum = 0;
  std::vector<int> count(problem_.hosts.size(), 0);
  for (std::size_t c = 0; c < placement.size(); ++c) {
    ++count[index_of(placement[c])];
    sum += problem_.pinned[c] != kAnyHost && problem_.pinned[c] != placement[c] ? 1 : 0;
  }
  for (std::size_t h = 0; h < count.size(); ++h) {
    const int host = static_cast<int>(h);
    sum += std::max(0, count[h] - problem_.most_on(host));
    sum += std::max(0, problem_.fewest_on(host) - count[h]);
  }
  for (const std::vector<int>& group : problem_.apart) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (std::size_t j = i + 1; j < group.size(); ++j) {
        sum += placement[index_of(group[i])] == placement[index_of(group[j])] ? 1 : 0;
      }
    }
  }
  return sum;
}

Placement PlacementSpace::canonical(const Placement& placement) const {
  std::vector<int> renamed(problem_.hosts.size(), kAnyHost);
  std::vector<std::size_t> used(alike_.size(), 0);
  Placement out = placement;
  for (int& host : out) {
    int& name = renamed[index_of(host)];
    if (name == kAnyHost) {
      name = host;
      for (std::size_t g = 0; g < alike_.size(); ++g) {
        if (std::find(alike_[g].begin(), alike_[g].end(), host) != alike_[g].end()) {
          name = alike_[g][used[g]++];
        }
      }
    }
    host = name;
  }
  return out;
}

std::vector<PlacementChange> PlacementSpace::changes(const Placement& placement, int most) const {
  std::vector<PlacementChange> out;
  const int unit_count = static_cast<int>(units_.size());
  const int host_count = static_cast<int>(problem_.hosts.size());
  const auto consider = [&](const PlacementChange& change) {
    if (violations(changed(placement, change)) <= most) {
      out.push_back(change);
    }
  };
  for (int unit = 0; unit < unit_count; ++unit) {
    if (pinned_[index_of(unit)] != kAnyHost) {
      continue;
    }
    for (int host = 0; host < host_count; ++host) {
      if (host != host_of(placement, unit)) {
        consider({unit, -1, host});
      }
    }
    for (int other = unit + 1; other < unit_count; ++other) {
      if (pinned_[index_of(other)] == kAnyHost &&
          host_of(placement, other) != host_of(placement, unit)) {
        consider({unit, other, host_of(placement, other)});
      }
    }
  }
  return out;
}

Placement PlacementSpace::changed(Placement placement, const PlacementChange& change) const {
  if (change.other >= 0) {
    put(placement, change.other, host_of(placement, change.unit));
  }
  put(placement, change.unit, change.host);
  return placement;
}

std::string PlacementSpace::text(const PlacementChange& change) const {
  const auto name = [&](int unit) {
    const std::vector<int>& members = units_[index_of(unit)];
    const std::string& first = problem_.components[index_of(members.front())];
    return members.size() == 1 ? first : fmt::format("{} and {} more", first, members.size() - 1);
  };
  return change.other >= 0 ? fmt::format("swap {} with {}", name(change.unit), name(change.other))
                           : fmt::format("move {} to {}", name(change.unit),
                                         problem_.hosts[index_of(change.host)]);
}

Placement PlacementSpace::descend(Placement placement, const PlacementCost& cost) const {
  double present = cost(placement);
  while (true) {
    // steps that gain no more than rounding might never end
    double best = present - 1e-12 * std::abs(present);
    std::optional<Placement> next;
    for (const PlacementChange& change : changes(placement)) {
      Placement candidate = changed(placement, change);
      if (const double value = cost(candidate); value < best) {
        best = value;
        next = std::move(candidate);
      }
    }
    if (!next) {
      return placement;
    }
    present = best;
    placement = std::move(*next);
  }
}

std::optional<Placement> PlacementSpace::repair(Placement placement,
                                                const PlacementCost& cost) const {
  for (int unit = 0; unit < static_cast<int>(units_.size()); ++unit) {
    const int host = pinned_[index_of(unit)];
    put(placement, unit, host == kAnyHost ? host_of(placement, unit) : host);
  }
  int present = violations(placement);
  while (present > 0) {
    int fewest = present;
    double cheapest = std::numeric_limits<double>::infinity();
    std::optional<Placement> next;
    for (const PlacementChange& change : changes(placement, present - 1)) {
      Placement candidate = changed(placement, change);
      const int left = violations(candidate);
      const double value = cost(candidate);
      if (left < fewest || (left == fewest && value < cheapest)) {
        fewest = left;
        cheapest = value;
        next = std::move(candidate);
      }
    }
    if (!next) {
      break;
    }
    present = fewest;
    placement = std::move(*next);
  }
  if (present == 0) {
    return placement;
  }
  // no single change mends anything: any allowed one will do
  std::optional<Placement> found;
  visit_all(
      [&](const Placement& any) {
        found = any;
        return false;
      },
      10'000'000);
  return found ? std::optional(descend(std::move(*found), cost)) : std::nullopt;
}

std::optional<Placement> PlacementSpace::random(RandomStream& stream) const {
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(stream.uniform() * static_cast<double>(n));
  };
  // units in a random order, each to a random host that has room; what does not fit is repaired
  std::vector<int> order(units_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<int>(i);
    std::swap(order[i], order[below(i + 1)]);
  }
  Placement placement(problem_.components.size(), 0);
  std::vector<int> count(problem_.hosts.size(), 0);
  const int fair = static_cast<int>((placement.size() + count.size() - 1) / count.size());
  for (const int unit : order) {
    const int size = static_cast<int>(units_[index_of(unit)].size());
    std::vector<int> open;
    for (std::size_t h = 0; h < count.size(); ++h) {
      const int most =
          std::min(problem_.most_on(static_cast<int>(h)), problem_.is_balanced ? fair : kNoLimit);
      if (count[h] + size <= most) {
        open.push_back(static_cast<int>(h));
      }
    }
    int host = open.empty() ? static_cast<int>(below(count.size())) : open[below(open.size())];
    host = pinned_[index_of(unit)] == kAnyHost ? host : pinned_[index_of(unit)];
    put(placement, unit, host);
    count[index_of(host)] += size;
  }
  return repair(std::move(placement), [](const Placement&) { return 0.0; });
}

}  // namespace longarm::study
