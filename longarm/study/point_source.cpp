// SPDX-License-Identifier: Apache-2.0
// Runs a point and its reference, and makes rows of them. Only references are shared.
#include "longarm/study/point_source.h"

#include <chrono>
#include <optional>
#include <utility>

#include "longarm/actors/arm.h"
#include "longarm/study/curves.h"
#include "longarm/study/report/report_figures.h"
#include "longarm/study/report/report_motion.h"
#include "longarm/study/report/report_plan.h"
#include "longarm/study/store.h"

namespace longarm::study {
namespace {

/// A trace of the reference costs a megabyte.
constexpr std::size_t kMostReferences = 32;

/// Runs to the end and makes a row of it. What is kept of it for others goes to `kept`, if that is
/// not null.
RunRow simulate_row(const cell::PreparedScenario& prepared, const cell::Reference* reference,
                    bool keeps_curves, std::shared_ptr<const cell::Reference>* kept) {
  cell::RunSetup setup;
  if (reference != nullptr) {
    setup.references = reference->readers();
  }
  cell::Run run(prepared, std::move(setup));
  std::optional<CurveRecorder> curves;
  if (keeps_curves) {
    curves.emplace(run, reference != nullptr);
  }
  std::shared_ptr<cell::Reference> recorded;
  if (kept != nullptr) {
    recorded = std::make_shared<cell::Reference>(run);
  }
  run.set_observer([&](Time stamp) {
    if (curves) {
      curves->record(stamp);
    }
    if (recorded) {
      recorded->record(run, stamp);
    }
  });
  const auto begin = std::chrono::steady_clock::now();
  run.run_until(run.end());
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const bool is_arm = prepared.cell().is_short;
  if (run.failure() && is_arm) {
    throw InputError(
        Diagnostic{{},
                   *run.failure(),
                   prepared.cell().network.is_empty() ? "give the link between them a delay" : ""});
  }
  RunRow row;
  row.identity = prepared.identity;
  row.scenario = to_yaml(prepared.scenario, prepared.plugins);
  row.metrics = run.results();
  row.curves = curves && !curves->curves().names.empty() ? pack(curves->curves()) : "";
  row.wall_s = wall.count();
  if (recorded) {
    recorded->finish(row.metrics);
    *kept = std::move(recorded);
  }
  return row;
}

}  // namespace

std::shared_ptr<References::Entry> References::of(const std::string& identity) {
  const std::lock_guard lock(mutex_);
  for (auto each = list_.begin(); each != list_.end(); ++each) {
    if ((*each)->identity == identity) {
      list_.splice(list_.begin(), list_, each);
      return list_.front();
    }
  }
  list_.push_front(std::make_shared<Entry>());
  list_.front()->identity = identity;
  if (list_.size() > kMostReferences) {
    list_.pop_back();
  }
  return list_.front();
}

void LoadedPoint::simulate(bool keeps_curves, PointAnswer& answer) const {
  const cell::PreparedScenario ideal = without_network(prepared_);
  // an arm by itself is always compared; a cell that has no network differs from itself by nothing
  const bool is_ideal = ideal.identity == prepared_.identity && !prepared_.cell().is_short;
  if (is_ideal) {
    answer.row = simulate_row(prepared_, nullptr, keeps_curves, nullptr);
    return;
  }
  const std::shared_ptr<References::Entry> reference = references_.of(ideal.identity);
  std::call_once(reference->is_made, [&] {
    answer.reference = simulate_row(ideal, nullptr, keeps_curves, &reference->run);
  });
  answer.row = simulate_row(prepared_, reference->run.get(), keeps_curves, nullptr);
  answer.row->reference = reference->identity;
}

std::vector<LoadedPoint::Document> LoadedPoint::documents() const {
  const bool is_arm = prepared_.cell().is_short;
  return {{is_arm ? kPlanDocument : kFiguresDocument,
           is_arm ? plan_document(prepared_) : figures_document(prepared_)},
          {kMotionDocument, motion_document(prepared_)}};
}

std::vector<std::string> LoadedPoint::metrics() const {
  if (prepared_.cell().is_short) {
    return metric_columns();
  }
  std::vector<std::string> names;
  for (const MetricColumn& column : figures_of(prepared_).columns) {
    names.push_back(column.name);
  }
  return names;
}

std::unique_ptr<LoadedPoint> PointSource::load(const cell::LoadOptions& options) const {
  return std::make_unique<LoadedPoint>(cell::load_scenario(scenario_, options, plugins_),
                                       references_);
}

void PointSource::check_values(const cell::LoadOptions& options) const {
  cell::check_values(scenario_, options, plugins_);
}

}  // namespace longarm::study
