// SPDX-License-Identifier: Apache-2.0
// A gripper whose two pads one motor moves: goes to a position at a speed, pressing with no more
// than a force.
#pragma once

#include <array>
#include <string>

#include "longarm/robots/arm/linkage.h"
#include "longarm/robots/arm/robot_gripper.h"

namespace longarm::robots {

/// Speeds are those at which the pads come nearer to each other; the force is what each pad presses
/// with.
struct LinkageGoal {
  double angle_rad = 0.0;  ///< of the drive
  double speed_m_s = 0.0;
  double force_N = 0.0;
};

enum class LinkageState {
  kMoving,
  kStoppedOpening,  ///< something keeps it from opening further
  kStoppedClosing,  ///< something is between its pads
  kThere,           ///< where it was told to go
};

class LinkageGripper final : public RobotGripper {
 public:
  /// Borrows the engine. `config` has the force and speed of commands that name none.
  LinkageGripper(physics::Engine& engine, Linkage linkage, physics::BodyId palm, std::string name,
                 const control::GripperConfig& config, Duration period);

  void go_to(const LinkageGoal& goal);
  LinkageState state() const { return state_; }
  const Linkage& linkage() const { return linkage_; }
  double angle_rad() const;

  void set(double opening) override;
  void move_fingers(double position_m, double max_force_N) override;
  void drive_fingers(double velocity_m_s, double max_force_N) override;
  void stop() override;
  GripperReport report() const override;
  std::vector<physics::BodyId> bodies() const override { return linkage_.bodies(); }
  void before_step() override;
  void after_step() override;

 private:
  double stroke_m() const;
  void go_to_separation(double separation_m, double max_force_N);
  LinkageState seen_state() const;

  physics::Engine& engine_;
  Linkage linkage_;
  std::vector<control::Finger> pads_;
  std::vector<physics::BodyId> own_;
  std::string name_;
  control::GripperConfig config_;
  Duration period_;
  LinkageGoal goal_;
  bool is_closing_ = false;
  double standing_at_m_ = 0.0;
  Duration standing_for_{0};
  Duration busy_for_{0};
  std::array<bool, 2> is_touched_{};
  LinkageState state_ = LinkageState::kThere;
};

}  // namespace longarm::robots
