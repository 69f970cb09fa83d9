// SPDX-License-Identifier: Apache-2.0
// Arms: every point is compared with the same scenario without a link and with the study's first
// seed. Only the references are shared.
#include <chrono>
#include <list>
#include <mutex>
#include <utility>

#include "longarm/core/hash.h"
#include "longarm/record/memory_trace.h"
#include "longarm/scenario/simulation.h"
#include "longarm/study/curves.h"
#include "longarm/study/point_source.h"
#include "longarm/study/report/report_plan.h"
#include "longarm/study/store.h"

namespace longarm::study {
namespace {

/// A trace of the reference costs a megabyte.
constexpr std::size_t kMostReferences = 32;

using TracePointer = std::shared_ptr<const record::MemoryTrace>;

/// Runs to the end and makes a row of it; `trace`, if not null, is filled as well.
RunRow simulate_row(const scenario::PreparedScenario& prepared, const TracePointer& reference,
                    bool keeps_curves, TracePointer* trace) {
  const auto begin = std::chrono::steady_clock::now();
  scenario::SimulationOptions options;
  if (reference) {
    options.reference = record::MemoryTrace::reader(reference);
  }
  scenario::Simulation simulation(prepared, std::move(options));
  std::optional<CurveRecorder> curves;
  if (keeps_curves) {
    curves.emplace(simulation, prepared.scenario.physics_period, reference != nullptr);
  }
  std::shared_ptr<record::MemoryTrace> recorded;
  if (trace != nullptr) {
    recorded = std::make_shared<record::MemoryTrace>(
        simulation.probes(), std::vector<std::string>{"end_effector", "velocity_command"});
  }
  simulation.set_observer([&](Time stamp) {
    if (curves) {
      curves->record(stamp);
    }
    if (recorded) {
      recorded->record(stamp);
    }
  });
  const Result<Time> reached = simulation.run_until(simulation.end());
  if (!reached) {
    const bool has_network = !prepared.scenario.network.is_empty();
    throw InputError(Diagnostic{
        {}, reached.error().message, has_network ? "" : "give the link between them a delay"});
  }
  if (trace != nullptr) {
    *trace = std::move(recorded);
  }
  RunRow row;
  row.identity = prepared.identity;
  row.scenario = to_yaml(prepared.scenario, prepared.plugins);
  row.metrics = simulation.results();
  row.curves = curves ? pack(curves->curves()) : "";
  row.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return row;
}

/// A run that others are compared with.
struct Reference {
  std::string identity;
  std::once_flag is_made;
  TracePointer trace;
};

/// The few that are in use; a study's points come in an order that needs few.
class References {
 public:
  std::shared_ptr<Reference> of(const std::string& identity) {
    const std::lock_guard lock(mutex_);
    for (auto each = list_.begin(); each != list_.end(); ++each) {
      if ((*each)->identity == identity) {
        list_.splice(list_.begin(), list_, each);
        return list_.front();
      }
    }
    list_.push_front(std::make_shared<Reference>());
    list_.front()->identity = identity;
    if (list_.size() > kMostReferences) {
      list_.pop_back();
    }
    return list_.front();
  }

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<Reference>> list_;
};

/// What a run is compared with: nothing between controller and robot, and the first seed.
scenario::PreparedScenario reference_scenario(scenario::PreparedScenario prepared,
                                              std::int64_t seed) {
  const std::string identity = prepared.identity;
  prepared.scenario.seed = seed;
  prepared = without_link(std::move(prepared));
  if (prepared.scenario.task.replan == "per-run") {
    // every run has a plan of its own, and so has what it is compared with
    Hash own;
    own.add(std::string_view(prepared.identity));
    own.add(std::string_view(identity));
    prepared.identity = own.text();
  }
  return prepared;
}

PointFacts facts_of(const scenario::PreparedScenario& prepared) {
  return {prepared.name, prepared.scenario.title, prepared.identity,
          prepared.model_hash + prepared.link_hash, prepared.scenario.seed};
}

class ArmPoint final : public LoadedPoint {
 public:
  ArmPoint(scenario::PreparedScenario prepared, std::optional<std::int64_t> reference_seed,
           References& references)
      : LoadedPoint(facts_of(prepared)),
        prepared_(std::move(prepared)),
        reference_seed_(reference_seed.value_or(prepared_.scenario.seed)),
        references_(references) {}

 private:
  void do_simulate(bool keeps_curves, PointAnswer& answer) const override {
    const scenario::PreparedScenario alone = reference_scenario(prepared_, reference_seed_);
    const std::shared_ptr<Reference> reference = references_.of(alone.identity);
    std::call_once(reference->is_made, [&] {
      answer.reference = simulate_row(alone, nullptr, true, &reference->trace);
    });
    answer.row = simulate_row(prepared_, reference->trace, keeps_curves, nullptr);
    answer.row->reference = reference->identity;
  }
  Document do_document() const override { return {kPlanDocument, plan_document(prepared_)}; }
  std::vector<std::string> do_metrics() const override { return metric_columns(); }

  scenario::PreparedScenario prepared_;
  std::int64_t reference_seed_;
  References& references_;
};

class ArmPoints final : public PointSource {
 public:
  ArmPoints(std::string scenario, const scenario::Plugins& plugins)
      : scenario_(std::move(scenario)), plugins_(plugins) {}

  std::unique_ptr<LoadedPoint> load(const scenario::LoadOptions& options) const override {
    return std::make_unique<ArmPoint>(scenario::load_scenario(scenario_, options, plugins_),
                                      first_seed_, references_);
  }
  void check_values(const scenario::LoadOptions& options) const override {
    scenario::check_values(scenario_, options, plugins_);
  }
  bool may_name_files(const std::string& key) const override {
    return key.starts_with("robot.") || key == "world" || key == "plugins";
  }
  void set_first(const PointFacts& first) override { first_seed_ = first.seed; }

 private:
  std::string scenario_;
  const scenario::Plugins& plugins_;
  std::optional<std::int64_t> first_seed_;
  mutable References references_;
};

}  // namespace

std::unique_ptr<PointSource> arm_points(const std::string& scenario,
                                        const scenario::Plugins& plugins) {
  return std::make_unique<ArmPoints>(scenario, plugins);
}

}  // namespace longarm::study
