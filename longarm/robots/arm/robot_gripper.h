// SPDX-License-Identifier: Apache-2.0
// What a robot grasps with: fingers, a suction cup, or nothing, told from the model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longarm/control/gripper/gripper.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"
#include "longarm/robots/arm/robot_config.h"
#include "longarm/robots/robot_port.h"

namespace longarm::robots {

/// A gripper that has not come anywhere by then is not busy any more, it is stuck.
inline constexpr Duration kGripperBusyAtMost{3'000'000'000};

/// Commands as RobotPort has them. What a kind cannot do it leaves undone.
class RobotGripper {
 public:
  virtual ~RobotGripper() = default;

  virtual void set(double opening) = 0;
  virtual void move_fingers(double position_m, double max_force_N) = 0;
  virtual void drive_fingers(double velocity_m_s, double max_force_N) = 0;
  virtual void stop() = 0;
  virtual GripperReport report() const = 0;
  /// Of its own, beyond the body that it is part of.
  virtual std::vector<physics::BodyId> bodies() const = 0;

  virtual void before_step() = 0;
  virtual void after_step() = 0;
};

/// Where to look for a gripper: on `body` of a placement and beyond.
struct GripperPlace {
  int placement = 0;
  int body = 0;            ///< of the placement's tree
  std::string tool_frame;  ///< of the placement's tree; its z axis points out of the tool
  std::string name;
};

/// Sliding joints on that body are fingers, a turning one that others mimic is the drive of two
/// pads; a link `cup` lumped into it is a suction cup. Borrows the engine.
std::unique_ptr<RobotGripper> make_gripper(physics::Engine& engine, const model::Cell& cell,
                                           const GripperPlace& place, const RobotConfig& config,
                                           Duration period);

/// Fingers of a placement whose joints slide on `body`, as a gripper's law sees them.
struct FingerSet {
  std::vector<control::Finger> fingers;
  control::GripperStroke stroke;
  double closed_gap_m = 0.0;  ///< left between them at the end of the stroke
};
FingerSet find_fingers(const model::Cell& cell, int placement, int body);

}  // namespace longarm::robots
