// SPDX-License-Identifier: Apache-2.0
// The scene of the grasp experiments: a gear on a table, under a palm with two fingers that moves
// as told. Internal to the folder.
#pragma once

#include <array>
#include <string>

#include "labs/benches/bench.h"
#include "longarm/control/gripper/gripper.h"

namespace longarm::benches {

/// Fingers of 0.1 kg on sliders along x; the gear is a disc with a peg of 4 mm radius on it, by
/// which it is grasped.
struct GraspSceneConfig {
  control::GripperConfig gripper;
  double part_mass_kg = 0.05;
  double part_offset_m = 0.0;  ///< along the closing axis, from between the fingers
  double finger_damping_N_s_m = 20.0;
  model::Surface surface{.friction = 0.8,
                         .stiffness_N_m = {},
                         .damping_N_s_m = 1.0,
                         .min_depth_m = 0.0,
                         .max_correction_m_s = {}};  ///< of pads and gear
};

/// The keys `gripper`, `part`, `friction` and `finger_damping_N_s_m`; and what is wrong with them.
void list_fields(Fields& fields, GraspSceneConfig& config);
Judge judge_scene(const GraspSceneConfig& config);

model::Cell make_grasp_scene(const GraspSceneConfig& config);

/// The gripper in a world that has the scene. It closes after kSettle_s.
class GraspScene {
 public:
  static constexpr std::size_t kFingers = 2;
  static constexpr double kSettle_s = 0.1;

  GraspScene(const GraspSceneConfig& config, cell::World& world);

  const control::Gripper& gripper() const { return gripper_; }

  /// Where the palm shall be after the coming step, seen from where it began; nothing holds it
  /// back.
  void move_palm(const model::Vector3& p);
  /// A force on the gear at the middle of the pads, during the coming step.
  void pull_part(const model::Vector3& force_W);
  /// Right before and right after each step of the engine.
  void before_step(Time now);
  void after_step();

  /// The gear's frame is at its centre of mass; the palm's in the middle between the pads.
  model::Pose X_PalmPart() const;
  model::Pose X_WPart() const { return engine_.pose(kPart); }
  bool is_touched_by_all() const { return is_touched_[0] && is_touched_[1]; }

 private:
  static constexpr physics::BodyId kPalm{4};
  static constexpr physics::BodyId kPart{7};

  physics::Engine& engine_;
  control::Gripper gripper_;
  bool is_closing_ = false;
  std::array<bool, kFingers> is_touched_{};
};

/// A kind of bench whose `Config` has a `scene`.
template <typename Bench, typename Config>
class GraspModel : public BenchModel<Bench, Config> {
 private:
  model::Cell scene(const cell::LoadContext&) const final {
    return make_grasp_scene(this->config_.scene);
  }
};

/// From 0 to 1 between t = 0 and 1, without jerk at the ends.
double smooth_rise(double t);

}  // namespace longarm::benches
