// SPDX-License-Identifier: Apache-2.0
// Compares two cells, step by step where something follows a plan, and at their ends.
#include "longarm/experiments/ideal_reference.h"

#include <algorithm>
#include <cmath>

#include "longarm/experiments/cell_experiment.h"

namespace longarm::experiments {
namespace {

using Json = nlohmann::ordered_json;

const cell::CellRun& cell_of(const Experiment& experiment) {
  return dynamic_cast<const CellExperiment&>(experiment).run();
}

}  // namespace

PreparedExperiment load_ideal(const std::string& name_or_file, scenario::LoadOptions options,
                              const scenario::Plugins& plugins,
                              const PreparedExperiment& prepared) {
  const cell::PreparedCell* cell = find_cell(*prepared.scenario.model);
  if (cell == nullptr) {
    refuse({"--reference ideal"}, "'" + prepared.name + "' has no network that could be left out",
           "it is compared with nothing: vary its keys with longarm sweep");
  }
  const std::vector<std::string> ideal = cell::ideal_overrides(cell->config);
  options.overrides.insert(options.overrides.end(), ideal.begin(), ideal.end());
  return load_experiment(name_or_file, options, plugins);
}

void IdealReference::follow(const Experiment& other, Time stamp) {
  run_.run_until(stamp);
  const cell::CellRun& ours = cell_of(run_.experiment());
  const cell::CellRun& theirs = cell_of(other);
  if (distances_.empty()) {
    for (std::string& name : ours.tracked_names()) {
      distances_.push_back({std::move(name)});
    }
  }
  if (distances_.empty()) {
    return;
  }
  const std::vector<model::Vector3> here = ours.tracked_points();
  const std::vector<model::Vector3> there = theirs.tracked_points();
  ++steps_;
  for (std::size_t i = 0; i < distances_.size(); ++i) {
    const double distance = (here[i] - there[i]).norm();
    distances_[i].largest_m = std::max(distances_[i].largest_m, distance);
    distances_[i].squares_m2 += distance * distance;
  }
}

Json IdealReference::results(const Json& others) {
  run_.run_until(run_.end());
  const Json own = run_.results();
  Json out;
  out["state_hash"] = own["state_hash"];
  out["simulated_s"] = own["simulated_s"];
  for (const Distance& each : distances_) {
    const double mean = each.squares_m2 / static_cast<double>(std::max<std::size_t>(steps_, 1));
    out["distance"][each.actor] = {{"max_m", each.largest_m}, {"rms_m", std::sqrt(mean)}};
  }
  Json metrics = Json::object();
  for (const MetricInfo& metric : prepared_.scenario.model->figures().metrics) {
    const Json* ours = cell::find_metric(own, metric.name);
    const Json* theirs = cell::find_metric(others, metric.name);
    if (ours == nullptr || theirs == nullptr) {
      continue;
    }
    Json& each = metrics[metric.name];
    each["without_network"] = *ours;
    if (ours->is_number() && theirs->is_number()) {
      each["added"] = theirs->get<double>() - ours->get<double>();
    }
  }
  out["metrics"] = std::move(metrics);
  return out;
}

}  // namespace longarm::experiments
