// SPDX-License-Identifier: Apache-2.0
// trace.mcap of a run: where everything was, for viewers and `longarm frame`.
#pragma once

#include <filesystem>
#include <memory>

#include "longarm/experiments/experiment_run.h"
#include "longarm/record/ros_trace.h"
#include "longarm/scenario/cell_frames.h"

namespace longarm::experiments {

class FrameTrace {
 public:
  /// Borrows the experiment. Throws InputError if the file cannot be written.
  FrameTrace(const std::filesystem::path& path, const PreparedExperiment& prepared,
             const Experiment& experiment);

  /// After each step, with the time of its end.
  void step(Time stamp);
  /// An error if not all could be written.
  Result<bool> close() { return trace_->close(); }

 private:
  const physics::Engine& engine_;
  scenario::CellFrames frames_;
  std::unique_ptr<record::RosTrace> trace_;
};

}  // namespace longarm::experiments
