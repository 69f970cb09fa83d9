// SPDX-License-Identifier: Apache-2.0
// Writes trace.mcap of a run: every message at both ends of the link, and where everything is.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "longarm/control/loop_observer.h"
#include "longarm/core/result.h"
#include "longarm/motion/kinematics.h"
#include "longarm/physics/engine.h"
#include "longarm/record/ros_trace.h"
#include "longarm/scenario/cell_frames.h"
#include "longarm/scenario/load.h"

namespace longarm::scenario {

class RunRecorder final : public control::LoopObserver {
 public:
  /// Borrows scenario and engine.
  static Result<std::unique_ptr<RunRecorder>> open(const std::string& path,
                                                   const PreparedScenario& prepared,
                                                   const physics::Engine& engine);

  void states_sent(const control::JointStates& states, Time now) override;
  void states_received(const control::JointStates& states, Time now) override;
  void command_sent(const control::JointCommand& command, Time now) override;
  void command_received(const control::JointCommand& command, Time now) override;
  void link_event(std::string_view direction, const network::LinkEvent& event) override;

  /// After each step, with the time of its end.
  void step(Time stamp);
  Result<bool> close() { return trace_->close(); }

 private:
  RunRecorder(const PreparedScenario& prepared, const physics::Engine& engine);
  void write(record::JointTopic topic, const control::JointStates& states, Time now);
  void write(record::JointTopic topic, const control::JointCommand& command, Time now);

  const PreparedScenario& prepared_;
  const physics::Engine& engine_;
  CellFrames frames_;
  motion::Kinematics kinematics_;
  std::unique_ptr<record::RosTrace> trace_;
};

}  // namespace longarm::scenario
