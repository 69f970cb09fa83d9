// SPDX-License-Identifier: Apache-2.0
// The graph in METIS's compressed rows, and its parts as hosts.
#include "longarm/study/place/metis_cut.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/core/index.h"

#ifdef LONGARM_HAS_METIS
#include <metis.h>
#endif

namespace longarm::study {

#ifdef LONGARM_HAS_METIS

namespace {

/// Of each algorithm.
constexpr int kSeeds = 20;

/// Units are vertices, so that what must be together stays together.
struct MetisGraph {
  std::vector<idx_t> row_begin{0};
  std::vector<idx_t> neighbour;
  std::vector<idx_t> edge_weight;
  std::vector<idx_t> vertex_weight;

  explicit MetisGraph(const PlacementSpace& space) {
    const std::vector<std::vector<int>>& units = space.units();
    std::vector<int> unit_of(space.problem().components.size());
    for (std::size_t u = 0; u < units.size(); ++u) {
      vertex_weight.push_back(static_cast<idx_t>(units[u].size()));
      for (const int member : units[u]) {
        unit_of[index_of(member)] = static_cast<int>(u);
      }
    }
    std::vector<std::map<int, double>> bytes(units.size());
    double total = 0.0;
    for (const PlacementEdge& edge : space.problem().edges) {
      const int a = unit_of[index_of(edge.a)];
      const int b = unit_of[index_of(edge.b)];
      if (a != b) {
        bytes[index_of(a)][b] += edge.bytes_per_s;
        bytes[index_of(b)][a] += edge.bytes_per_s;
        total += edge.bytes_per_s;
      }
    }
    // METIS has whole numbers of 32 bits, and adds them up
    const double scale = total > 0.0 ? 1e8 / total : 1.0;
    for (const std::map<int, double>& row : bytes) {
      for (const auto& [other, value] : row) {
        neighbour.push_back(other);
        edge_weight.push_back(std::max<idx_t>(1, static_cast<idx_t>(std::lround(value * scale))));
      }
      row_begin.push_back(static_cast<idx_t>(neighbour.size()));
    }
  }
};

/// The part of each unit, or nothing if METIS gives up.
std::optional<std::vector<idx_t>> partition(const PlacementSpace& space, int seed,
                                            bool is_recursive) {
  MetisGraph graph(space);
  idx_t vertices = static_cast<idx_t>(space.units().size());
  idx_t constraints = 1;
  idx_t parts = static_cast<idx_t>(space.problem().hosts.size());
  std::vector<idx_t> part(index_of(vertices), 0);
  if (parts == 1 || graph.neighbour.empty()) {
    return part;
  }
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = seed;
  options[METIS_OPTION_UFACTOR] = 1;  // as balanced as it can
  idx_t cut = 0;
  const auto solve = is_recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway;
  const int status = solve(&vertices, &constraints, graph.row_begin.data(), graph.neighbour.data(),
                           graph.vertex_weight.data(), nullptr, graph.edge_weight.data(), &parts,
                           nullptr, nullptr, options, &cut, part.data());
  return status == METIS_OK ? std::optional(std::move(part)) : std::nullopt;
}

/// Parts get the hosts that most of their pinned units want; the others in order.
std::vector<int> hosts_of_parts(const PlacementSpace& space, const std::vector<idx_t>& part) {
  const std::size_t count = space.problem().hosts.size();
  std::vector<std::vector<int>> wishes(count, std::vector<int>(count, 0));
  for (std::size_t u = 0; u < part.size(); ++u) {
    const int host = space.pinned_host(static_cast<int>(u));
    if (host != kAnyHost) {
      wishes[index_of(part[u])][index_of(host)] += static_cast<int>(space.units()[u].size());
    }
  }
  std::vector<int> host_of(count, kAnyHost);
  std::vector<bool> is_taken(count, false);
  for (std::size_t round = 0; round < count; ++round) {
    int most = -1;
    std::pair<std::size_t, std::size_t> best;
    for (std::size_t p = 0; p < count; ++p) {
      for (std::size_t h = 0; h < count; ++h) {
        if (host_of[p] == kAnyHost && !is_taken[h] && wishes[p][h] > most) {
          most = wishes[p][h];
          best = {p, h};
        }
      }
    }
    host_of[best.first] = static_cast<int>(best.second);
    is_taken[best.second] = true;
  }
  return host_of;
}

/// METIS's answer as it is.
struct Attempt {
  Placement raw;
  int violations = 0;
  bool is_recursive = false;
  int seed = 0;
};

std::vector<Attempt> attempts_of(const PlacementSpace& space) {
  std::vector<Attempt> attempts;
  for (int i = 0; i < 2 * kSeeds; ++i) {
    Attempt attempt{Placement(space.problem().components.size(), 0), 0, i < kSeeds, 1 + i % kSeeds};
    const std::optional<std::vector<idx_t>> part =
        partition(space, attempt.seed, attempt.is_recursive);
    if (!part) {
      continue;
    }
    const std::vector<int> host_of = hosts_of_parts(space, *part);
    for (std::size_t u = 0; u < part->size(); ++u) {
      for (const int member : space.units()[u]) {
        attempt.raw[index_of(member)] = host_of[index_of((*part)[u])];
      }
    }
    attempt.violations = space.violations(attempt.raw);
    attempts.push_back(std::move(attempt));
  }
  return attempts;
}

std::optional<MetisCut> mended(const PlacementSpace& space, const Attempt& attempt) {
  const auto bytes = [&](const Placement& p) { return cut_bytes_per_s(space.problem(), p); };
  const std::optional<Placement> repaired = space.repair(attempt.raw, bytes);
  if (!repaired) {
    return std::nullopt;
  }
  const Placement placement = space.canonical(*repaired);
  return MetisCut{placement,
                  bytes(placement),
                  bytes(attempt.raw),
                  attempt.violations,
                  attempt.is_recursive ? "recursive bisection" : "k-way",
                  attempt.seed};
}

}  // namespace

bool has_metis() {
  return true;
}

MetisCuts metis_cuts(const PlacementSpace& space) {
  const std::vector<Attempt> attempts = attempts_of(space);
  MetisCuts cuts;
  cuts.attempts = static_cast<int>(attempts.size());
  // a part more or less on each host is what METIS calls balanced
  int most_violations = static_cast<int>(space.problem().hosts.size());
  if (!attempts.empty()) {
    const auto fewest = std::min_element(
        attempts.begin(), attempts.end(),
        [](const Attempt& a, const Attempt& b) { return a.violations < b.violations; });
    most_violations = std::max(most_violations, fewest->violations);
  }
  std::map<Placement, MetisCut> different;
  for (const Attempt& attempt : attempts) {
    if (attempt.violations > most_violations) {
      ++cuts.discarded;
      continue;
    }
    const std::optional<MetisCut> cut = mended(space, attempt);
    if (!cut) {
      break;  // no other attempt would end otherwise
    }
    const auto [entry, is_new] = different.emplace(cut->placement, *cut);
    entry->second.found += is_new ? 0 : 1;
  }
  for (auto& [placement, cut] : different) {
    cuts.different.push_back(std::move(cut));
  }
  std::stable_sort(
      cuts.different.begin(), cuts.different.end(),
      [](const MetisCut& a, const MetisCut& b) { return a.bytes_per_s < b.bytes_per_s; });
  if (cuts.different.empty()) {
    throw InputError(Diagnostic{{}, "no placement meets all constraints", "remove some of them"});
  }
  return cuts;
}

#else

bool has_metis() {
  return false;
}

MetisCuts metis_cuts(const PlacementSpace&) {
  throw InputError(Diagnostic{{},
                              "this program was built without METIS, which the search needs",
                              "install libmetis-dev and rebuild"});
}

#endif

}  // namespace longarm::study
