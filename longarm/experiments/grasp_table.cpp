// SPDX-License-Identifier: Apache-2.0
// Does a gripper with velocity motors grasp the gear? S002 began a table of that, with one row.
#include <algorithm>
#include <cmath>
#include <optional>

#include "longarm/experiments/grasp_scene.h"
#include "longarm/experiments/kinds.h"

namespace longarm::experiments {
namespace {

using Json = nlohmann::ordered_json;
using model::Vector3;

constexpr double kTableSettle_s = 0.1;
constexpr double kTableGrasp_s = 0.4;  // from touch to full force
constexpr double kTableLift_s = 0.5;
constexpr double kTableHold_s = 1.0;
constexpr double kTableLift_m = 0.1;
constexpr double kTableWay_m = 0.015;     // of a finger until it touches
constexpr double kTableMostWay_s = 20.0;  // that we wait for one
constexpr double kHeldWithin_m = 0.005;

/// The seed's own numbers: its first row, and its model file's contact parameters.
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
};

class GraspTable final : public Experiment {
 public:
  GraspTable(const GraspTableConfig& config, const ExperimentContext& context)
      : period_(context.options.period),
        lift_at_s_(kTableSettle_s + kTableGrasp_s +
                   std::min(kTableWay_m / config.scene.gripper.speed_m_s, kTableMostWay_s)),
        hold_at_s_(lift_at_s_ + kTableLift_s),
        scene_(config.scene, context),
        start_z_m_(scene_.X_WPart().translation().z()) {}

 private:
  Duration do_length() const override {
    return period_ *
           static_cast<std::int64_t>(std::ceil((hold_at_s_ + kTableHold_s) / to_seconds(period_)));
  }

  void do_step() override {
    if (!is_closing_ && to_seconds(now_) >= kTableSettle_s) {
      scene_.gripper().close();
      is_closing_ = true;
    }
    now_ += period_;
    const double t = to_seconds(now_);
    scene_.move_palm(kTableLift_m * smooth_rise((t - lift_at_s_) / kTableLift_s) *
                     Vector3::UnitZ());
    scene_.step();
    rise_m_ = scene_.X_WPart().translation().z() - start_z_m_;
    if (t < lift_at_s_) {
      held_before_lift_ = scene_.gripper().state() == control::GripperState::kHolding;
    }
    sunk_m_ = std::max(sunk_m_, overlap());
    if (t >= hold_at_s_) {
      least_rise_m_ = std::min(least_rise_m_.value_or(rise_m_), rise_m_);
      most_rise_m_ = std::max(most_rise_m_, rise_m_);
    }
  }

  /// How deep a pad is in the peg.
  double overlap() const {
    double depth = 0.0;
    for (const physics::Contact& contact : scene_.engine().contacts()) {
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

  void do_sample(std::span<double> out) const override {
    out[0] = rise_m_;
    out[1] = scene_.gripper().positions()[0];
    out[2] = scene_.gripper().positions()[1];
  }
  Json do_results() const override {
    Json out;
    out["grasped"] = is_grasped();
    out["rise_m"] = least_rise_m_.value_or(rise_m_);
    out["overlap_m"] = sunk_m_;
    out["held_before_lift"] = held_before_lift_;
    out["gripper_state"] = to_string(scene_.gripper().state());
    return out;
  }
  const physics::Engine& do_engine() const override { return scene_.engine(); }
  const model::Cell& do_cell() const override { return scene_.cell(); }

  Duration period_;
  double lift_at_s_;
  double hold_at_s_;
  GraspScene scene_;
  double start_z_m_;
  Duration now_{0};
  bool is_closing_ = false;
  bool held_before_lift_ = false;
  double rise_m_ = 0.0;
  double sunk_m_ = 0.0;
  std::optional<double> least_rise_m_;
  double most_rise_m_ = 0.0;
};

class GraspTableModel final : public ExperimentModel {
 public:
  void list_fields(Fields& fields) override {
    model::Surface& surface = config_.scene.surface;
    experiments::list_fields(fields, config_.scene);
    fields.section("contact", "between pads and peg, in SDF's words", [&](Fields& f) {
      f.field("min_depth_m", surface.min_depth_m, "overlap that nothing pushes apart");
      f.field("kp", surface.stiffness_N_m, "stiffness, N/m; absent: as hard as the engine can");
      f.field("kd", surface.damping_N_s_m, "damping, N s/m");
      f.field("max_vel", surface.max_correction_m_s, "how fast an overlap is pushed apart, m/s");
    });
  }

  std::vector<KeyRemark> load(InputFiles&, const ExperimentContext& context) override {
    std::vector<KeyRemark> remarks = judge_scene(config_.scene, context);
    const model::Surface& surface = config_.scene.surface;
    const auto judge = [&](bool is_good, const char* key, const char* message, const char* hint) {
      if (!is_good) {
        remarks.push_back({key, message, hint});
      }
    };
    judge(surface.min_depth_m >= 0.0 && std::isfinite(surface.min_depth_m), "contact.min_depth_m",
          "a depth must not be negative", "0.001 is usual");
    judge(!surface.stiffness_N_m ||
              (*surface.stiffness_N_m > 0.0 && std::isfinite(*surface.stiffness_N_m)),
          "contact.kp", "a stiffness must be more than nothing", "100000 is the seed's");
    judge(surface.damping_N_s_m >= 0.0 && std::isfinite(surface.damping_N_s_m), "contact.kd",
          "a damping must not be negative", "1 is the seed's");
    judge(!surface.max_correction_m_s ||
              (*surface.max_correction_m_s >= 0.0 && std::isfinite(*surface.max_correction_m_s)),
          "contact.max_vel", "a speed must not be negative", "0.1 is the seed's");
    return remarks;
  }

  std::string usual_solver(const std::string& engine) const override {
    // MuJoCo's friction creeps by some 20 µm/s unless its no-slip iterations take that back
    return engine == "mujoco" ? "noslip" : "";
  }
  std::unique_ptr<Experiment> make(const ExperimentContext& context) const override {
    return std::make_unique<GraspTable>(config_, context);
  }

  ExperimentFigures figures() const override {
    return {{{"rise", "height of the part", "mm", 1e3},
             {"left_finger", "position of the left finger", "mm", 1e3},
             {"right_finger", "position of the right finger", "mm", 1e3}},
            {{"rise_m", "lowest height while it should be held", "mm", 1e3, 1},
             {"overlap_m", "deepest overlap of pad and peg", "mm", 1e3}},
            "grasped"};
  }

 private:
  GraspTableConfig config_;
};

}  // namespace

std::unique_ptr<ExperimentModel> make_grasp_table() {
  return std::make_unique<GraspTableModel>();
}

}  // namespace longarm::experiments
