// SPDX-License-Identifier: Apache-2.0
// Thompson sampling over single changes, chains of changes and restarts.
#include "longarm/study/place/search.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"

namespace longarm::study {
namespace {

/// How many are simulated before the model learns from them.
constexpr std::size_t kBatch = 8;
/// Restarts in vain until it is believed that everything was seen.
constexpr int kPatience = 50;

class Search {
 public:
  Search(const PlacementSpace& space, const EvaluatePlacements& evaluate,
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
                                  "longarm run with its scenario says why"});
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

  /// Of a batch, half are single changes, a quarter chains and a quarter restarts.
  std::optional<PlacementTrial> propose(std::size_t index) {
    const CutModel::Prices prices = model_.draw(stream_);
    const PlacementCost cost = [&](const Placement& p) { return model_.predict(prices, p); };
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
    return PlacementTrial{canonical, how, difference(placement), {}, false};
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
    const std::vector<std::optional<double>> values = evaluate_(placements);
    for (std::size_t i = 0; i < values.size(); ++i) {
      PlacementTrial& trial = batch[i];
      trial.value = values[i];
      const bool is_first = result_.trials.empty();
      trial.is_best = trial.value && (is_first || *trial.value < *best().value);
      if (trial.value) {
        model_.add(trial.placement, *trial.value);
      }
      result_.best = trial.is_best ? result_.trials.size() : result_.best;
      result_.trials.push_back(std::move(trial));
      if (is_first && !result_.trials.front().value) {
        return;
      }
    }
    if (values.size() < batch.size()) {
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
  return Search(space, evaluate, options).run(start);
}

}  // namespace longarm::study
