// SPDX-License-Identifier: Apache-2.0
// Steps the cell at work, and measures how far parts wander on what carries them.
#include "longarm/experiments/cell_run.h"

#include <utility>

namespace longarm::experiments {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

workcell::WorkCellContext cell_context(const ExperimentContext& context) {
  return {context.engines, context.engine, context.options, context.seed, context.folder};
}

CellRun::CellRun(const workcell::WorkCellConfig& config, model::Cell cell,
                 const ExperimentContext& context)
    : work_(config, std::move(cell), cell_context(context)),
      drift_(work_.engine(), work_.cell(), work_.belt()) {
  if (config.settle == Duration::zero()) {
    drift_.start();
  }
}

CellRun::~CellRun() = default;

void CellRun::do_step() {
  const Duration before = work_.kernel().now().time_since_epoch();
  work_.step();
  const Duration elapsed = work_.kernel().now().time_since_epoch();
  const Duration settle = work_.config().settle;
  if (elapsed <= settle) {
    drift_.find_supports();
  }
  if (before < settle && elapsed >= settle) {
    drift_.start();
  }
}

void CellRun::do_sample(std::span<double> out) const {
  const devices::LightCurtain* curtain = work_.curtain();
  out[0] = work_.belt() != nullptr ? work_.belt()->velocity_m_s() : 0.0;
  out[1] = static_cast<double>(work_.engine().contacts().size());
  out[2] = static_cast<double>(work_.simplifier().counts().joined);
  out[3] = curtain != nullptr ? curtain->broken_beams() : 0.0;
}

Json CellRun::do_results() const {
  Json out;
  out["parts"] = drift_.parts().size();
  // of parts that still fall into place there is no displacement
  const bool counts_drift = drift_.has_started();
  out["displacement_sum_m"] = counts_drift ? Json(drift_.sum_m()) : Json();
  out["displacement_max_m"] = counts_drift ? Json(drift_.largest_m()) : Json();
  out.update(work_.results());
  Json each = Json::object();
  for (const DriftingPart& part : drift_.parts()) {
    each[part.name] = counts_drift ? Json(drift_.displacement_m(part)) : Json();
  }
  out["displacement_m"] = std::move(each);
  return out;
}

}  // namespace longarm::experiments
