// SPDX-License-Identifier: Apache-2.0
// Compares two cells, step by step where something follows a plan, and at their ends.
#include "longarm/cell/reference.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace longarm::cell {
namespace {

using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

constexpr Duration kReferenceProgressEvery = 50ms;

}  // namespace

Reference::Reference(const Run& run) : tracked_(run.tracked_names()) {
  for (const ActorEntry& actor : run.prepared().cell().actors) {
    if (const sim::Probes* probes = run.find(actor.name)->probes()) {
      traces_[actor.name] = std::make_shared<record::MemoryTrace>(
          *probes, std::vector<std::string>{"end_effector", "velocity_command"});
    }
  }
}

void Reference::record(const Run& run, Time stamp) {
  for (const auto& [name, trace] : traces_) {
    trace->record(stamp);
  }
  if (!tracked_.empty()) {
    const std::vector<model::Vector3> points = run.tracked_points();
    points_.insert(points_.end(), points.begin(), points.end());
  }
}

std::map<std::string, std::unique_ptr<record::TraceSource>> Reference::readers() const {
  std::map<std::string, std::unique_ptr<record::TraceSource>> readers;
  for (const auto& [name, trace] : traces_) {
    readers[name] = record::MemoryTrace::reader(trace);
  }
  return readers;
}

std::shared_ptr<const Reference> run_reference(
    const PreparedScenario& ideal, const std::function<bool(Time now, Time end)>& progress) {
  Run run(ideal);
  const auto reference = std::make_shared<Reference>(run);
  run.set_observer([&](Time stamp) { reference->record(run, stamp); });
  while (!run.is_over()) {
    run.run_until(run.now() + kReferenceProgressEvery);
    if (run.failure()) {
      refuse({"--reference ideal"}, *run.failure(), "compare with a run folder");
    }
    if (progress && !progress(run.now(), run.foreseen_end())) {
      break;
    }
  }
  reference->finish(run.results());
  return reference;
}

Comparison::Comparison(std::shared_ptr<const Reference> reference)
    : reference_(std::move(reference)), distances_(reference_->tracked_.size()) {}

void Comparison::follow(const Run& run) {
  const std::size_t count = distances_.size();
  if (count == 0) {
    return;
  }
  // where it was at its end, it stays
  const std::vector<model::Vector3>& points = reference_->points_;
  const std::size_t first = std::min(steps_ * count, points.size() - count);
  const std::vector<model::Vector3> here = run.tracked_points();
  ++steps_;
  for (std::size_t i = 0; i < count; ++i) {
    const double distance = (points[first + i] - here[i]).norm();
    distances_[i].largest_m = std::max(distances_[i].largest_m, distance);
    distances_[i].squares_m2 += distance * distance;
  }
}

Json Comparison::results(const std::vector<MetricInfo>& metrics, const Json& results) const {
  const Json& own = reference_->results_;
  Json out;
  out["state_hash"] = own["state_hash"];
  out["simulated_s"] = own["simulated_s"];
  for (std::size_t i = 0; i < distances_.size(); ++i) {
    const double mean =
        distances_[i].squares_m2 / static_cast<double>(std::max<std::size_t>(steps_, 1));
    out["distance"][reference_->tracked_[i]] = {{"max_m", distances_[i].largest_m},
                                                {"rms_m", std::sqrt(mean)}};
  }
  Json differences = Json::object();
  for (const MetricInfo& metric : metrics) {
    const Json* without = find_metric(own, metric.name);
    const Json* with = find_metric(results, metric.name);
    if (without == nullptr || with == nullptr) {
      continue;
    }
    Json& each = differences[metric.name];
    each["without_network"] = *without;
    if (without->is_number() && with->is_number()) {
      each["added"] = with->get<double>() - without->get<double>();
    }
  }
  out["metrics"] = std::move(differences);
  return out;
}

}  // namespace longarm::cell
