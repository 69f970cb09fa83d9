// SPDX-License-Identifier: Apache-2.0
// Thompson sampling over single changes, chains of changes and restarts.
#include "longarm/study/place/search.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"

namespace longarm::study {
namespace {

/// How many are simulated before the model learns from them.
constexpr std::size_t kBatch = 8;
/// Restarts in vain until it is believed that everything was seen.
constexpr int kPatience = 50;
/// Values that differ by less are equal, and fewer bytes between hosts decide.
constexpr double kEqual = 1e-9;
/// What all bytes together may weigh in choosing, as part of the range of values seen.
constexpr double kBytesWeight = 0.02;
/// The same where the model is taken at its word.
constexpr double kMoreBytesWeight = 0.1;

class PlacementSearch {
 public:
  PlacementSearch(const PlacementSpace& space, const EvaluatePlacements& evaluate,
                  const PlacementSearchOptions& options)
      : space_(space),
        evaluate_(evaluate),
        options_(options),
        model_(space.problem(), options.suspicion.empty()
                                    ? std::vector<double>(space.problem().edges.size(), 1.0)
                                    : options.suspicion),
        stream_(options.seed, "placement search") {}

  PlacementSearchResult run(const Placement& start) {
    simulate({{space_.canonical(start), "start", "", {}, false}});
    if (result_.ended.empty() && !result_.trials.front().value) {
      throw InputError(Diagnostic{{},
                                  "the placement that the search starts from cannot be simulated",
                                  "run its scenario with longarm run to see why"});
    }
    if (result_.ended.empty()) {
      simulate_others();
    }
    if (result_.ended.empty()) {
      if (const std::optional<std::vector<Placement>> all = all_placements()) {
        exhaust(*all);
      } else {
        explore();
      }
    }
    return std::move(result_);
  }

 private:
  void simulate_others() {
    std::vector<PlacementTrial> batch;
    for (const Placement& each : options_.others) {
      const Placement canonical = space_.canonical(each);
      if (batch.size() < budget_left() && seen_.insert(canonical).second) {
        batch.push_back({canonical, "metis", "", {}, false});
      }
    }
    if (!batch.empty()) {
      simulate(std::move(batch));
    }
  }

  std::size_t budget_left() const {
    const std::size_t budget = static_cast<std::size_t>(std::max(1, options_.budget));
    return budget - std::min(budget, result_.trials.size());
  }
  const PlacementTrial& best() const { return result_.trials[result_.best]; }

  /// Nothing if there are more than the budget is for.
  std::optional<std::vector<Placement>> all_placements() const {
    std::vector<Placement> all;
    const std::size_t most = static_cast<std::size_t>(std::max(1, options_.budget));
    const bool is_complete = space_.visit_all(
        [&](const Placement& each) {
          all.push_back(each);
          return all.size() <= most;
        },
        1'000'000);
    return is_complete ? std::optional(std::move(all)) : std::nullopt;
  }

  void exhaust(const std::vector<Placement>& all) {
    std::vector<PlacementTrial> batch;
    for (const Placement& each : all) {
      if (is_new(each)) {
        batch.push_back({each, "exhaustive", difference(each), {}, false});
      }
      if (batch.size() == kBatch || &each == &all.back()) {
        simulate(std::exchange(batch, {}));
      }
      if (!result_.ended.empty()) {
        return;
      }
    }
    result_.ended = "exhausted";
  }

  void explore() {
    while (result_.ended.empty()) {
      const std::size_t size = std::min(kBatch, budget_left());
      std::vector<PlacementTrial> batch;
      for (std::size_t i = 0; i < size; ++i) {
        if (std::optional<PlacementTrial> trial = propose(i)) {
          batch.push_back(std::move(*trial));
        }
      }
      if (batch.empty()) {
        result_.ended = size == 0 ? "budget" : "nothing new";
        return;
      }
      simulate(std::move(batch));
    }
  }

  /// Of a batch, half are single changes, a quarter chains and a quarter restarts. One of each
  /// quarter takes the model at its word; all others guess.
  std::optional<PlacementTrial> propose(std::size_t index) {
    const bool is_guess = index < 4 || index % 2 == 0;
    const CutModel::Prices prices = is_guess ? model_.draw(stream_) : model_.mean();
    const double per_byte = bytes_price() * (is_guess ? kBytesWeight : kMoreBytesWeight);
    const PlacementCost cost = [&](const Placement& p) {
      return model_.predict(prices, p) + per_byte * cut_bytes_per_s(space_.problem(), p);
    };
    std::optional<PlacementTrial> trial;
    if (index % 4 == 1) {
      trial = settle(best().placement, "chain", cost);
    } else if (index % 4 != 3) {
      trial = change_best(cost);
    }
    for (int i = 0; !trial && i < kPatience; ++i) {
      if (const std::optional<Placement> any = space_.random(stream_)) {
        trial = settle(*any, "restart", cost);
        trial = trial || !is_new(space_.canonical(*any)) ? trial : note(*any, "restart");
      }
    }
    return trial;
  }

  /// If all bytes together were worth the range of values: part of it chooses the smaller cut where
  /// nothing else is at stake.
  double bytes_price() const {
    const double low = *best().value;
    double high = low;
    for (const PlacementTrial& trial : result_.trials) {
      high = std::max(high, trial.value.value_or(high));
    }
    double bytes = 1.0;
    for (const PlacementEdge& edge : space_.problem().edges) {
      bytes += edge.bytes_per_s;
    }
    return (high - low) / bytes;
  }

  bool is_better(const PlacementTrial& trial) const {
    if (!trial.value || result_.trials.empty()) {
      return trial.value.has_value();
    }
    if (trial.failures != best().failures) {
      return trial.failures < best().failures;
    }
    const double margin = kEqual * std::abs(*best().value);
    if (std::abs(*trial.value - *best().value) > margin) {
      return *trial.value < *best().value;
    }
    return cut_bytes_per_s(space_.problem(), trial.placement) <
           cut_bytes_per_s(space_.problem(), best().placement);
  }

  std::optional<PlacementTrial> settle(const Placement& from, const char* how,
                                       const PlacementCost& cost) {
    return note(space_.descend(from, cost), how);
  }

  /// The cheapest single change of the best that was not tried yet.
  std::optional<PlacementTrial> change_best(const PlacementCost& cost) {
    std::optional<PlacementChange> cheapest;
    double least = 0.0;
    for (const PlacementChange& change : space_.changes(best().placement)) {
      const Placement changed = space_.changed(best().placement, change);
      const double value = cost(changed);
      if ((!cheapest || value < least) && is_new(space_.canonical(changed))) {
        cheapest = change;
        least = value;
      }
    }
    if (!cheapest) {
      return std::nullopt;
    }
    std::optional<PlacementTrial> trial =
        note(space_.changed(best().placement, *cheapest), cheapest->other >= 0 ? "swap" : "move");
    trial->change = space_.text(*cheapest);
    return trial;
  }

  /// A trial of it, unless there was one.
  std::optional<PlacementTrial> note(const Placement& placement, const char* how) {
    const Placement canonical = space_.canonical(placement);
    if (!seen_.insert(canonical).second) {
      return std::nullopt;
    }
    const bool is_related = std::string_view(how) != "restart";
    return PlacementTrial{canonical, how, is_related ? difference(placement) : "", {}, false};
  }

  bool is_new(const Placement& canonical) const { return !seen_.contains(canonical); }

  std::string difference(const Placement& placement) const {
    std::size_t count = 0;
    for (std::size_t c = 0; c < placement.size(); ++c) {
      count += placement[c] != best().placement[c] ? 1 : 0;
    }
    return fmt::format("{} components elsewhere", count);
  }

  void simulate(std::vector<PlacementTrial> batch) {
    std::vector<Placement> placements;
    for (const PlacementTrial& trial : batch) {
      placements.push_back(trial.placement);
      seen_.insert(trial.placement);
    }
    const std::vector<PlacementOutcome> outcomes = evaluate_(placements);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      PlacementTrial& trial = batch[i];
      trial.value = outcomes[i].value;
      trial.failures = outcomes[i].failures;
      const bool is_first = result_.trials.empty();
      trial.is_best = is_better(trial);
      // what is left of a run that fails is no price of anything; the model needs one to begin with
      if (trial.value && (is_first || trial.failures == 0.0)) {
        model_.add(trial.placement, *trial.value);
      }
      result_.best = trial.is_best ? result_.trials.size() : result_.best;
      result_.trials.push_back(std::move(trial));
      if (is_first && !result_.trials.front().value) {
        return;
      }
    }
    if (outcomes.size() < batch.size()) {
      result_.ended = "interrupted";
    }
    if (options_.progress && !result_.trials.empty()) {
      options_.progress(result_.trials);
    }
  }

  const PlacementSpace& space_;
  const EvaluatePlacements& evaluate_;
  const PlacementSearchOptions& options_;
  CutModel model_;
  RandomStream stream_;
  std::set<Placement> seen_;
  PlacementSearchResult result_;
};

}  // namespace

PlacementSearchResult search_placements(const PlacementSpace& space, const Placement& start,
                                        const EvaluatePlacements& evaluate,
                                        const PlacementSearchOptions& options) {
  return PlacementSearch(space, evaluate, options).run(start);
}

}  // namespace longarm::study
