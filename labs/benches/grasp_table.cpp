// SPDX-License-Identifier: Apache-2.0
// Does a gripper with velocity motors grasp the gear? NIST's notes of 2018 began a table of that.
#include <algorithm>
#include <cmath>
#include <optional>

#include "labs/benches/grasp_scene.h"

namespace longarm::benches {
namespace {

using Json = nlohmann::ordered_json;
using model::Vector3;

constexpr double kTableGrasp_s = 0.4;  // from touch to full force
constexpr double kTableLift_s = 0.5;
constexpr double kTableHold_s = 1.0;
constexpr double kTableLift_m = 0.1;
constexpr double kTableWay_m = 0.015;     // of a finger until it touches
constexpr double kTableMostWay_s = 20.0;  // that we wait for one
constexpr double kHeldWithin_m = 0.005;

/// The published numbers (Piliptchak et al. 2019): the first row, and the model file's contact
/// parameters.
struct GraspTableConfig {
  GraspSceneConfig scene;
  GraspTableConfig() {
    scene.gripper.law = "vel-fmax";
    scene.gripper.force_N = 10.0;
    scene.finger_damping_N_s_m = 0.0;
    scene.surface.stiffness_N_m = 100'000.0;
    scene.surface.damping_N_s_m = 1.0;
    scene.surface.max_correction_m_s = 0.1;
    scene.surface.min_depth_m = 0.1;
  }

  double lift_at_s() const {
    return GraspScene::kSettle_s + kTableGrasp_s +
           std::min(kTableWay_m / scene.gripper.speed_m_s, kTableMostWay_s);
  }
  double hold_at_s() const { return lift_at_s() + kTableLift_s; }
};

class GraspTable final : public cell::Actor {
 public:
  GraspTable(const GraspTableConfig& config, cell::World& world)
      : config_(config),
        engine_(world.engine()),
        scene_(config.scene, world),
        start_z_m_(scene_.X_WPart().translation().z()) {
    world.on(cell::Stage::kDrive, [this, period = world.period()](Time now) {
      const double t = to_seconds(now + period);
      scene_.move_palm(kTableLift_m * smooth_rise((t - config_.lift_at_s()) / kTableLift_s) *
                       Vector3::UnitZ());
      scene_.before_step(now);
    });
    world.on(cell::Stage::kMeasure, [this](Time now) {
      scene_.after_step();
      watch(to_seconds(now));
    });
  }

  void sample(std::span<double> out) const override {
    out[0] = rise_m_;
    out[1] = scene_.gripper().positions()[0];
    out[2] = scene_.gripper().positions()[1];
  }
  Json results() const override {
    Json out;
    out["grasped"] = is_grasped();
    out["rise_m"] = least_rise_m_.value_or(rise_m_);
    out["overlap_m"] = sunk_m_;
    out["held_before_lift"] = held_before_lift_;
    out["gripper_state"] = to_string(scene_.gripper().state());
    return out;
  }

 private:
  void watch(double t) {
    rise_m_ = scene_.X_WPart().translation().z() - start_z_m_;
    if (t < config_.lift_at_s()) {
      held_before_lift_ = scene_.gripper().state() == control::GripperState::kHolding;
    }
    sunk_m_ = std::max(sunk_m_, overlap());
    if (t >= config_.hold_at_s()) {
      least_rise_m_ = std::min(least_rise_m_.value_or(rise_m_), rise_m_);
      most_rise_m_ = std::max(most_rise_m_, rise_m_);
    }
  }

  /// How deep a pad is in the peg.
  double overlap() const {
    double depth = 0.0;
    for (const physics::Contact& contact : engine_.contacts()) {
      for (const control::Finger& finger : scene_.gripper().fingers()) {
        if (contact.a == finger.body || contact.b == finger.body) {
          depth = std::max(depth, contact.depth_m);
        }
      }
    }
    return depth;
  }

  bool is_grasped() const {
    return least_rise_m_ && *least_rise_m_ >= kTableLift_m - kHeldWithin_m &&
           most_rise_m_ <= kTableLift_m + kHeldWithin_m;
  }

  GraspTableConfig config_;
  const physics::Engine& engine_;
  GraspScene scene_;
  double start_z_m_;
  bool held_before_lift_ = false;
  double rise_m_ = 0.0;
  double sunk_m_ = 0.0;
  std::optional<double> least_rise_m_;
  double most_rise_m_ = 0.0;
};

class GraspTableModel final : public GraspModel<GraspTable, GraspTableConfig> {
 public:
  void list_fields(Fields& fields) override {
    model::Surface& surface = config_.scene.surface;
    benches::list_fields(fields, config_.scene);
    fields.section("contact", "contact parameters between pads and peg, as in SDF", [&](Fields& f) {
      f.field("min_depth_m", surface.min_depth_m, "overlap without contact force");
      f.field("kp", surface.stiffness_N_m, "stiffness, N/m; default: as hard as the engine allows");
      f.field("kd", surface.damping_N_s_m, "damping, N s/m");
      f.field("max_vel", surface.max_correction_m_s,
              "largest speed at which overlap is corrected, m/s");
    });
  }

  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext&) override {
    Judge judge = judge_scene(config_.scene);
    const model::Surface& surface = config_.scene.surface;
    judge.require(surface.min_depth_m >= 0.0 && std::isfinite(surface.min_depth_m),
                  "contact.min_depth_m", "a depth must not be negative", "0.001 is usual");
    judge.require(!surface.stiffness_N_m ||
                      (*surface.stiffness_N_m > 0.0 && std::isfinite(*surface.stiffness_N_m)),
                  "contact.kp", "a stiffness must be greater than zero",
                  "100000 is that of NIST's notes");
    judge.require(surface.damping_N_s_m >= 0.0 && std::isfinite(surface.damping_N_s_m),
                  "contact.kd", "a damping must not be negative", "1 is that of NIST's notes");
    judge.require(!surface.max_correction_m_s || (*surface.max_correction_m_s >= 0.0 &&
                                                  std::isfinite(*surface.max_correction_m_s)),
                  "contact.max_vel", "a speed must not be negative", "0.1 is that of NIST's notes");
    return judge.remarks;
  }

  std::optional<Duration> usual_length() const override {
    return whole_steps(config_.hold_at_s() + kTableHold_s, period_);
  }

  cell::Figures figures() const override {
    return {{{"rise", "height of the part", "mm", 1e3},
             {"left_finger", "position of the left finger", "mm", 1e3},
             {"right_finger", "position of the right finger", "mm", 1e3}},
            {{"rise_m", "lowest height while it should be held", "mm", 1e3, 1},
             {"overlap_m", "deepest overlap of pad and peg", "mm", 1e3}},
            "grasped"};
  }
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_grasp_table() {
  return std::make_unique<GraspTableModel>();
}

}  // namespace longarm::benches
