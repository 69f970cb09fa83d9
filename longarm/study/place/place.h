// SPDX-License-Identifier: Apache-2.0
// From a scenario of components to the best placement found: profile, METIS's cut, search.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/load_scenario.h"
#include "longarm/study/place/metis_cut.h"
#include "longarm/study/place/place_runs.h"
#include "longarm/study/place/search.h"

namespace longarm::study {

struct PlaceQuestion {
  std::string scenario;
  cell::LoadOptions load;
  int hosts = 0;
  std::string minimise = "cycle-time";  ///< a word of objective_words(), or a metric's name
  PlacementWords words;
  int budget = 200;  ///< simulations, the start's included, the profile's not
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: one per core
  int cuts = 5;     ///< of METIS's cheapest ones that are simulated before the search
};

/// One simulated placement, in numbers.
struct PlaceFigures {
  PlacementTrial trial;
  nlohmann::ordered_json metrics;  ///< value, cycle_time_mean_ms, bandwidth_mbit_s …
};

struct PlaceResult {
  std::string scenario;  ///< its name
  std::string title;
  Objective objective;
  PlacementProblem problem;
  MetisCuts cuts;
  nlohmann::ordered_json profile;     ///< numbers of the scenario as it is written
  std::vector<PlaceFigures> history;  ///< the first is METIS's cut
  std::size_t best = 0;               ///< of the history
  std::string ended;                  ///< "budget", "exhausted", "interrupted", "nothing new"
  std::string start_yaml;             ///< METIS's cut as a scenario
  std::string best_yaml;              ///< the best as a scenario

  /// Nothing was simulated before it was interrupted: it has no start() and no winner().
  bool is_empty() const { return history.empty(); }
  const PlaceFigures& start() const { return history.front(); }
  const PlaceFigures& winner() const { return history[best]; }
  /// How much less the objective is than with METIS's cut: 0.28 for 28 %.
  double gain() const;
};

/// Of the hosts there are.
int hosts_used(const Placement& placement);

struct PlaceOptions {
  /// After every batch, with what there is so far; may be empty.
  std::function<void(const PlaceResult&)> progress;
  std::function<bool()> is_interrupted;  ///< may be empty
};

/// Throws InputError for everything that is wrong with the question. Quick.
void check_question(const PlaceQuestion& question, const PlacementProfile& profile,
                    const cell::Plugins& plugins);

/// Results depend on the question only, not on how many threads answer it. Throws InputError as
/// check_question() does, or if METIS's cut cannot be simulated; `profile` is from
/// profile_scenario().
PlaceResult place(const PlaceQuestion& question, const PlacementProfile& profile,
                  const cell::Plugins& plugins, const PlaceOptions& options);

/// For --json and place.json.
nlohmann::ordered_json to_json(const PlaceResult& result);
/// One line for each simulation.
std::string history_csv(const PlaceResult& result);

}  // namespace longarm::study
