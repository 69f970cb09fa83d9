// SPDX-License-Identifier: Apache-2.0
// Clock and frames, at the rate that traces have.
#include "longarm/experiments/frame_trace.h"

#include "longarm/core/diagnostic.h"

namespace longarm::experiments {

FrameTrace::FrameTrace(const std::filesystem::path& path, const PreparedExperiment& prepared,
                       const Experiment& experiment)
    : engine_(experiment.engine()), frames_(experiment.cell(), -1) {
  record::RosTraceConfig config;
  config.fixed_frames = frames_.fixed();
  config.moving_frames = frames_.moving();
  config.shapes = frames_.shapes();
  config.scenario = to_yaml(prepared.scenario, prepared.plugins);
  auto trace = record::RosTrace::open(path, std::move(config));
  if (!trace) {
    refuse(trace.error().message, "choose another --out");
  }
  trace_ = std::move(trace).value();
}

void FrameTrace::step(Time stamp) {
  trace_->clock(stamp);
  if (trace_->wants_frames(stamp)) {
    trace_->frames(stamp, frames_.poses(engine_));
  }
}

}  // namespace longarm::experiments
