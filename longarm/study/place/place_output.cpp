// SPDX-License-Identifier: Apache-2.0
// A placement search as JSON and as rows.
#include <fmt/format.h>

#include "longarm/core/text.h"
#include "longarm/study/place/place.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;

Json placement_json(const PlacementProblem& problem, const Placement& placement) {
  Json out = Json::object();
  for (std::size_t c = 0; c < placement.size(); ++c) {
    out[problem.components[c]] = problem.hosts[static_cast<std::size_t>(placement[c])];
  }
  return out;
}

/// The numbers that a user compares, then who is where.
Json point_json(const PlaceResult& result, const PlaceFigures& figures) {
  Json out = figures.metrics;
  out.erase("error");
  out["cut_bytes_per_s"] = cut_bytes_per_s(result.problem, figures.trial.placement);
  out["hosts_used"] = hosts_used(figures.trial.placement);
  out["placement"] = placement_json(result.problem, figures.trial.placement);
  return out;
}

Json trial_json(const PlaceFigures& figures, std::size_t number) {
  Json out;
  out["run"] = number + 1;
  out["how"] = figures.trial.how;
  out["change"] = figures.trial.change;
  out["is_best"] = figures.trial.is_best;
  for (const auto& [name, value] : figures.metrics.items()) {
    if (name != "error" || value != "") {
      out[name] = value;
    }
  }
  return out;
}

/// What METIS came to with each seed, as far as that differs; with numbers where it was simulated.
Json cuts_json(const PlaceResult& result) {
  Json out = Json::array();
  for (const MetisCut& cut : result.cuts.different) {
    Json row{{"cut_bytes_per_s", cut.bytes_per_s},
             {"metis_cut_bytes_per_s", cut.metis_bytes_per_s},
             {"repaired_violations", cut.repaired_violations},
             {"algorithm", cut.algorithm},
             {"metis_seed", cut.seed},
             {"found", cut.found}};
    for (const PlaceFigures& each : result.history) {
      if (each.trial.placement == cut.placement) {
        row.update(each.metrics);
        row.erase("error");
      }
    }
    out.push_back(row);
  }
  return out;
}

}  // namespace

Json to_json(const PlaceResult& result) {
  Json out;
  out["scenario"] = result.scenario;
  out["title"] = result.title;
  out["hosts"] = result.problem.hosts.size();
  out["components"] = result.problem.components.size();
  out["is_balanced"] = result.problem.is_balanced;
  out["minimise"] = result.objective.word;
  out["metric"] = result.objective.metric;
  out["ended"] = result.ended;
  out["runs"] = result.history.size();
  out["gain"] = result.gain();
  out["best"] = point_json(result, result.winner());
  out["best"]["run"] = result.best + 1;
  out["start"] = point_json(result, result.start());
  out["start"]["method"] = "metis";
  out["start"]["algorithm"] = result.cuts.best().algorithm;
  out["start"]["metis_cut_bytes_per_s"] = result.cuts.best().metis_bytes_per_s;
  out["start"]["repaired_violations"] = result.cuts.best().repaired_violations;
  out["metis_attempts"] = result.cuts.attempts;
  out["metis_discarded"] = result.cuts.discarded;
  out["metis_cuts"] = cuts_json(result);
  out["as_written"] = result.profile;
  out["history"] = Json::array();
  for (std::size_t i = 0; i < result.history.size(); ++i) {
    out["history"].push_back(trial_json(result.history[i], i));
  }
  return out;
}

std::string history_csv(const PlaceResult& result) {
  std::string out =
      "run,how,change,is_best,value,cycle_time_mean_ms,bandwidth_mbit_s,cut_bytes_per_s,"
      "placement\n";
  const auto number = [](const Json& metrics, const char* name) {
    const auto found = metrics.find(name);
    return found != metrics.end() && found->is_number() ? format_number(found->get<double>()) : "";
  };
  for (std::size_t i = 0; i < result.history.size(); ++i) {
    const PlacementTrial& trial = result.history[i].trial;
    const Json& metrics = result.history[i].metrics;
    std::string hosts;
    for (const int host : trial.placement) {
      hosts += (hosts.empty() ? "" : " ") + result.problem.hosts[static_cast<std::size_t>(host)];
    }
    out += fmt::format("{},{},{},{},{},{},{},{},{}\n", i + 1, trial.how, trial.change,
                       trial.is_best ? 1 : 0, number(metrics, "value"),
                       number(metrics, "cycle_time_mean_ms"), number(metrics, "bandwidth_mbit_s"),
                       format_number(cut_bytes_per_s(result.problem, trial.placement)), hosts);
  }
  return out;
}

}  // namespace longarm::study
