// SPDX-License-Identifier: Apache-2.0
// The arm that components move: what its drives were told, and what its encoders say.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longarm/actors/component_config.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/wish.h"
#include "longarm/model/cell.h"
#include "longarm/motion/kinematics.h"
#include "longarm/motion/nearest_distance.h"
#include "longarm/physics/engine.h"

namespace longarm::armar {

/// What is known of the arm without an engine.
struct ArmModel {
  model::Placement placement;
  int hand = 0;  ///< frame
  std::vector<model::Vector3> path_m;
  double speed_m_s = 0.0;
  double gain = 0.0;

  const model::BodyTree& tree() const { return placement.tree; }
};

/// What a drive does with its joint.
enum class DriveMode : std::uint8_t {
  kPosition,  ///< goes there and stays
  kVelocity,
  kTorque,  ///< leaves the joint to gravity but for this torque
};

/// Drives keep the command they were told last, within the joint's limits; encoders are read once
/// per physics step, so that nobody sees the end of a step that is under way.
class ArmPort {
 public:
  static constexpr cell::Interface kInterface{"arm with a hand", cell::Reach::kBody};

  /// Both outlive it. Its joints are those of the engine from `first_joint` on.
  ArmPort(const ArmModel& model, physics::Engine& engine, int first_joint);

  const ArmModel& model() const { return model_; }
  const model::BodyTree& tree() const { return model_.tree(); }
  const motion::Kinematics& kinematics() const { return kinematics_; }
  int hand() const { return model_.hand; }

  void sample();
  void apply();

  /// As of the last sample().
  std::span<const double> positions() const { return positions_; }
  std::span<const double> velocities() const { return velocities_; }
  std::span<const double> efforts() const { return efforts_; }
  /// From the next apply() on; limited to what the joint can do. False for a joint it has not.
  bool command(const std::string& joint, double velocity_rad_s) {
    return command(joint, DriveMode::kVelocity, velocity_rad_s);
  }
  /// In rad, rad/s or N·m: counts while the joint is in that mode. At the start that is velocity.
  bool command(const std::string& joint, DriveMode mode, double value);
  /// It stays where it is, at rest or without torque, until the next command.
  bool switch_mode(const std::string& joint, DriveMode mode);

  model::Vector3 hand_position() const;
  /// Of the hand from the path.
  double deviation_m();

 private:
  const ArmModel& model_;
  physics::Engine& engine_;
  std::size_t first_;
  motion::Kinematics kinematics_;
  std::optional<motion::PlannedCurve> curve_;
  motion::PlannedCurve::Cursor cursor_;
  std::vector<double> positions_;
  std::vector<double> velocities_;
  std::vector<double> efforts_;
  struct Drive {
    DriveMode mode = DriveMode::kVelocity;
    std::array<double, 3> commands{};  ///< by mode
  };
  std::vector<Drive> drives_;
};

/// The kind `armar-arm`: brings such an arm, and measures how its hand follows the path.
std::unique_ptr<cell::ActorModel> make_armar_arm();

}  // namespace longarm::armar
