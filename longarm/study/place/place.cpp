// SPDX-License-Identifier: Apache-2.0
// Simulates batches of placements in threads and keeps the numbers of each.
#include "longarm/study/place/place.h"

#include <atomic>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "longarm/core/diagnostic.h"
#include "longarm/study/workers.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;

/// The few numbers of a run that are worth keeping, in units for people.
Json numbers_of(const Json& metrics, const Objective& objective) {
  Json out;
  const auto keep = [&](const char* name, const char* metric, double scale) {
    const auto found = metrics.find(metric);
    if (found != metrics.end() && found->is_number()) {
      out[name] = found->get<double>() * scale;
    }
  };
  keep("value", objective.metric.c_str(), 1.0);
  keep("cycle_time_mean_ms", "cycle_time_mean_s", 1e3);
  keep("bandwidth_mbit_s", "bandwidth_bit_s", 1e-6);
  keep("path_deviation_rms_mm", "path_deviation_rms_m", 1e3);
  return out;
}

/// Answers the search's batches.
class Simulations {
 public:
  Simulations(const PlacementRuns& runs, const Objective& objective, const Json& as_written,
              int threads, const std::function<bool()>& is_interrupted)
      : runs_(runs),
        objective_(objective),
        as_written_(as_written),
        threads_(threads),
        is_interrupted_(is_interrupted) {}

  std::vector<PlacementOutcome> evaluate(const std::vector<Placement>& placements) {
    std::vector<Json> results(placements.size());
    std::atomic<bool> is_stopped = is_interrupted_ && is_interrupted_();
    if (is_stopped) {
      return {};
    }
    Work work;
    for (std::size_t i = 0; i < placements.size(); ++i) {
      work.points.push_back(i);
    }
    work.answer = [&](std::size_t index) { return answer(placements[index], index, is_stopped); };
    work.take = [&](PointAnswer answer) {
      results[answer.index] = answer.row ? std::move(answer.row->metrics) : Json::object();
      results[answer.index]["error"] = answer.error;
    };
    work.is_stopped = [&] {
      is_stopped = is_stopped || (is_interrupted_ && is_interrupted_());
      return is_stopped.load();
    };
    work_in_threads(work, threads_);
    std::vector<PlacementOutcome> outcomes;
    for (std::size_t i = 0; i < placements.size(); ++i) {
      if (results[i].is_null() || results[i].contains("interrupted")) {
        break;  // those after it would come in another order than without threads
      }
      outcomes.push_back({value_of(results[i]), results[i].value("failures", 0.0)});
      numbers_[placements[i]] = std::move(results[i]);
    }
    return outcomes;
  }

  const Json& numbers(const Placement& placement) const { return numbers_.at(placement); }

 private:
  PointAnswer answer(const Placement& placement, std::size_t index,
                     const std::atomic<bool>& is_stopped) const {
    PointAnswer out;
    out.index = index;
    try {
      const Json metrics = runs_.simulate(placement, [&] { return is_stopped.load(); });
      out.row.emplace();
      if (metrics.is_null()) {
        out.row->metrics["interrupted"] = true;
        return out;
      }
      out.row->metrics = numbers_of(metrics, objective_);
      if (const double failures = failures_of(metrics, as_written_); failures > 0.0) {
        out.row->metrics["failures"] = failures;
      }
      out.error = failure_of(metrics);
    } catch (const InputError& error) {
      out.error = error.what();
    }
    return out;
  }

  /// Runs that ended early, or measured nothing, have none.
  static std::optional<double> value_of(const Json& numbers) {
    const auto found = numbers.find("value");
    const bool has_value = found != numbers.end() && numbers["error"] == "";
    return has_value && std::isfinite(found->get<double>()) ? std::optional(found->get<double>())
                                                            : std::nullopt;
  }

  const PlacementRuns& runs_;
  const Objective& objective_;
  const Json& as_written_;
  int threads_;
  const std::function<bool()>& is_interrupted_;
  std::map<Placement, Json> numbers_;
};

PlacementProblem problem_of(const PlaceQuestion& question, const PlacementProfile& profile,
                            const PlacementRuns& runs) {
  PlacementProblem problem = make_problem(profile.graph.components, runs.hosts(), question.words);
  for (std::size_t h = 0; h < problem.host_kind.size() && !runs.are_hosts_alike(); ++h) {
    problem.host_kind[h] = static_cast<int>(h);
  }
  for (const components::CommunicationEdge& edge : profile.graph.edges) {
    problem.edges.push_back(
        {static_cast<int>(edge.a), static_cast<int>(edge.b), edge.calls_per_s, edge.bytes_per_s});
  }
  return problem;
}

std::string yaml_of(const PlacementRuns& runs, const Placement& placement) {
  const cell::PreparedScenario prepared = runs.prepare(placement);
  return to_yaml(prepared.scenario, prepared.plugins);
}

/// Takes over what the search has found since the last time.
void take_trials(PlaceResult& result, const std::vector<PlacementTrial>& trials,
                 const Simulations& simulations, const PlacementRuns& runs) {
  const std::size_t known = result.history.size();
  const bool had_best = known > 0;
  const std::size_t best_before = result.best;
  for (std::size_t i = known; i < trials.size(); ++i) {
    result.history.push_back({trials[i], simulations.numbers(trials[i].placement)});
    result.best = trials[i].is_best ? i : result.best;
  }
  if (!had_best && !result.history.empty()) {
    result.start_yaml = yaml_of(runs, result.start().trial.placement);
  }
  if ((!had_best || result.best != best_before) && !result.history.empty()) {
    result.best_yaml = yaml_of(runs, result.winner().trial.placement);
  }
}

/// Bandwidth is bytes. Other quantities have to do with calls; cycles above all with those of the
/// component whose cycles are measured, which need not be frequent.
std::vector<double> suspicion_of(const PlaceResult& result, const PlacementProfile& profile) {
  const std::string measured = profile.metrics.value("measured", "");
  const bool are_cycles = result.objective.metric.starts_with("cycle");
  const bool are_bytes = result.objective.metric.starts_with("bandwidth");
  double calls_per_s = 0.0;
  for (const PlacementEdge& edge : result.problem.edges) {
    calls_per_s += edge.calls_per_s;
  }
  std::vector<double> suspicion;
  for (const PlacementEdge& edge : result.problem.edges) {
    const auto& names = result.problem.components;
    const bool is_measured = names[static_cast<std::size_t>(edge.a)] == measured ||
                             names[static_cast<std::size_t>(edge.b)] == measured;
    suspicion.push_back(are_bytes                   ? edge.bytes_per_s
                        : are_cycles && is_measured ? edge.calls_per_s + 0.2 * calls_per_s
                                                    : edge.calls_per_s);
  }
  return suspicion;
}

PlacementRuns runs_of(const PlaceQuestion& question, const PlacementProfile& profile,
                      const cell::Plugins& plugins) {
  if (question.budget < 1) {
    throw InputError(Diagnostic{{"--budget " + std::to_string(question.budget)},
                                "the METIS cut alone needs one simulation",
                                "use a hundred or more for a useful search"});
  }
  return PlacementRuns(question.scenario, question.load, plugins, profile, question.hosts);
}

/// All that needs no simulation.
PlaceResult begin(const PlaceQuestion& question, const PlacementProfile& profile,
                  const PlacementRuns& runs) {
  PlaceResult result;
  result.scenario = profile.name;
  result.title = profile.title;
  result.objective = find_objective(question.minimise, profile.metrics, profile.figures);
  result.problem = problem_of(question, profile, runs);
  result.profile = numbers_of(profile.metrics, result.objective);
  result.cuts = metis_cuts(PlacementSpace(result.problem));
  return result;
}

}  // namespace

int hosts_used(const Placement& placement) {
  return static_cast<int>(std::set<int>(placement.begin(), placement.end()).size());
}

double PlaceResult::gain() const {
  const double before = start().trial.value.value_or(0.0);
  return before == 0.0 ? 0.0 : (before - winner().trial.value.value_or(before)) / before;
}

void check_question(const PlaceQuestion& question, const PlacementProfile& profile,
                    const cell::Plugins& plugins) {
  begin(question, profile, runs_of(question, profile, plugins));
}

PlaceResult place(const PlaceQuestion& question, const PlacementProfile& profile,
                  const cell::Plugins& plugins, const PlaceOptions& options) {
  const PlacementRuns runs = runs_of(question, profile, plugins);
  PlaceResult result = begin(question, profile, runs);
  const PlacementSpace space(result.problem);
  const int threads = question.threads > 0 ? question.threads : available_threads();
  Simulations simulations(runs, result.objective, profile.metrics, threads, options.is_interrupted);
  PlacementSearchOptions search;
  search.budget = question.budget;
  search.seed = question.seed;
  search.suspicion = suspicion_of(result, profile);
  for (std::size_t i = 1; i < result.cuts.different.size(); ++i) {
    if (static_cast<int>(i) < question.cuts) {
      search.others.push_back(result.cuts.different[i].placement);
    }
  }
  search.progress = [&](const std::vector<PlacementTrial>& trials) {
    take_trials(result, trials, simulations, runs);
    if (options.progress) {
      options.progress(result);
    }
  };
  const PlacementSearchResult found = search_placements(
      space, result.cuts.best().placement,
      [&](const std::vector<Placement>& placements) {
        std::vector<PlacementOutcome> outcomes = simulations.evaluate(placements);
        if (result.is_empty() && !outcomes.empty() && !outcomes.front().value) {
          throw InputError(
              Diagnostic{{},
                         "the run with the METIS cut failed: " +
                             simulations.numbers(placements.front()).value("error", ""),
                         "try longarm run --set placement.rule=separate for details"});
        }
        return outcomes;
      },
      search);
  result.ended = found.ended;
  return result;
}

}  // namespace longarm::study
