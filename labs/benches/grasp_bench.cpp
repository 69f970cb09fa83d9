// SPDX-License-Identifier: Apache-2.0
// A gripper takes a gear off a table and is shaken, jolted, or robbed of it: how far the gear moves
// in its fingers (Piliptchak et al. 2019, figure 3).
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "labs/benches/grasp_scene.h"

namespace longarm::benches {
namespace {

using Json = nlohmann::ordered_json;
using model::Vector3;

constexpr double kGrasp_s = 0.6;  // to close at full force
constexpr double kLift_s = 0.3;
constexpr double kRest_s = 0.2;  // between lifting and the motion
constexpr double kLift_m = 0.05;
constexpr double kWay_m = 0.03;         // the longest of a finger that closes slowly
constexpr double kMostWay_s = 10.0;     // that we wait for one
constexpr double kJolt_s = 0.005;       // in which an impulse acts
constexpr double kJoltAt_s = 0.5;       // after the motion began; back again at twice that
constexpr double kDisplaced_m = 0.005;  // from its place in the palm
constexpr double kLost_s = 0.05;  // without a finger's touch: contacts of what is held flicker
constexpr double kSlipped_m = 0.001;

const std::vector<std::string> kMotions{"sine", "impulse", "pull", "rest"};
const std::vector<std::string> kAxes{"x", "y", "z"};

double closing_time(const control::GripperConfig& gripper) {
  const bool is_slow = gripper.law == "vel-fmax" || gripper.law == "position";
  const double speed = gripper.closes_on_touch ? gripper.touch_speed_m_s : gripper.speed_m_s;
  return kGrasp_s +
         (is_slow || gripper.closes_on_touch ? std::min(kWay_m / speed, kMostWay_s) : 0.0);
}

struct GraspBenchConfig {
  GraspSceneConfig scene;
  std::string motion = "sine";
  std::string axis = "x";
  double acceleration_m_s2 = 10.0;
  double frequency_hz = 2.0;
  double impulse_m_s = 0.3;
  double pull_N_s = 10.0;
  Duration length{4'000'000'000};

  double lift_at_s() const { return GraspScene::kSettle_s + closing_time(scene.gripper); }
  double motion_at_s() const { return lift_at_s() + kLift_s + kRest_s; }
};

/// How far a palm has come that gets to 1 m/s within kJolt_s.
double jolt_distance(double t_s) {
  const double t = std::max(t_s, 0.0);
  return t < kJolt_s ? t * t / (2.0 * kJolt_s) : t - kJolt_s / 2.0;
}

Vector3 axis_of(const std::string& name) {
  return name == "x" ? Vector3::UnitX() : name == "y" ? Vector3::UnitY() : Vector3::UnitZ();
}

/// Where the palm is along its axis, `t_s` after the motion began. It starts and ends at rest.
double palm_position(const GraspBenchConfig& config, double t_s) {
  if (config.motion == "sine") {
    const double omega = 2.0 * std::numbers::pi * config.frequency_hz;
    return config.acceleration_m_s2 / (omega * omega) * (1.0 - std::cos(omega * t_s));
  }
  if (config.motion == "impulse") {
    return config.impulse_m_s *
           (jolt_distance(t_s - kJoltAt_s) - jolt_distance(t_s - 2.0 * kJoltAt_s));
  }
  return 0.0;
}

class GraspBench final : public cell::Actor {
 public:
  GraspBench(const GraspBenchConfig& config, cell::World& world)
      : config_(config),
        period_(world.period()),
        gravity_m_s2_(world.model().gravity_m_s2),
        axis_(axis_of(config.axis)),
        scene_(config.scene, world),
        p_start_(scene_.X_WPart().translation()),
        height_in_palm_m_(scene_.X_PalmPart().translation().z()) {
    world.on(cell::Stage::kDrive, [this](Time now) { drive(now); });
    world.on(cell::Stage::kMeasure, [this](Time now) {
      scene_.after_step();
      watch_grasp();
      if (const double t = motion_time(now); t >= 0.0) {
        watch_part(t);
      }
    });
  }

  void sample(std::span<double> out) const override {
    out[0] = moved_.norm();
    out[1] = moved_.x();
    out[2] = std::hypot(moved_.y(), moved_.z());
    out[3] = angle_rad_;
  }

  /// Of what was never grasped there is no displacement: those metrics are null then.
  Json results() const override {
    const auto if_grasped = [&](const Json& value) { return is_grasped_ ? value : Json(); };
    Json out;
    out["grasped"] = is_grasped_;
    out["dropped"] = if_grasped(is_lost());
    if (is_grasped_ && is_lost()) {
      out["dropped_at_s"] = held_until_s_;
    }
    out["displaced"] = if_grasped(displaced_at_s_.has_value());
    if (displaced_at_s_) {
      out["displaced_at_s"] = *displaced_at_s_;
    }
    if (config_.motion == "pull") {
      out["slip_force_N"] = slip_force_N_ ? Json(*slip_force_N_) : Json();
      out["slip_force_expected_N"] = expected_slip_force();
    }
    out["displacement_m"] = if_grasped(most_m_);
    out["displacement_closing_m"] = if_grasped(most_closing_m_);
    out["displacement_tangential_m"] = if_grasped(most_tangential_m_);
    out["displacement_end_m"] = if_grasped(moved_.norm());
    out["angle_rad"] = if_grasped(most_angle_rad_);
    out["holding"] = scene_.gripper().state() == control::GripperState::kHolding;
    out["gripper_state"] = to_string(scene_.gripper().state());
    out["asymmetry_m"] = std::abs(asymmetry_m_);
    out["off_centre_m"] = if_grasped(X_0_ ? std::abs(X_0_->translation().x()) : 0.0);
    out["shoved_m"] = shoved_m_;
    return out;
  }

 private:
  /// Not between the fingers any more. What has only moved in them is still held.
  bool is_lost() const { return now_s_ - held_until_s_ > kLost_s; }

  /// Since the motion began.
  double motion_time(Time now) const { return to_seconds(now) - config_.motion_at_s(); }

  void drive(Time now) {
    // where the palm shall be when the step is over
    const Time end = now + period_;
    const double t = motion_time(end);
    const double lifted = kLift_m * smooth_rise((to_seconds(end) - config_.lift_at_s()) / kLift_s);
    scene_.move_palm(lifted * Vector3::UnitZ() + palm_position(config_, std::max(t, 0.0)) * axis_);
    if (config_.motion == "pull" && is_grasped_ && t > 0.0 && !slip_force_N_) {
      scene_.pull_part(config_.pull_N_s * t * axis_);
    }
    scene_.before_step(now);
  }

  /// How far the part was shoved before all fingers had it.
  void watch_grasp() {
    if (is_touched_) {
      return;
    }
    shoved_m_ = std::max(shoved_m_, (scene_.X_WPart().translation() - p_start_).norm());
    is_touched_ = scene_.is_touched_by_all();
  }

  /// Piliptchak et al. 2019, equations 6 and 7.
  void watch_part(double t) {
    const model::Pose X = scene_.X_PalmPart();
    const double fallen_m = std::abs(X.translation().z() - height_in_palm_m_);
    if (!X_0_) {
      X_0_ = X;
      asymmetry_m_ = scene_.gripper().positions()[0] - scene_.gripper().positions()[1];
      // a part that the fingers left behind on their way up was not grasped either
      is_grasped_ =
          scene_.gripper().state() == control::GripperState::kHolding && fallen_m <= kDisplaced_m;
    }
    now_s_ = t;
    if (scene_.is_touched_by_all()) {
      held_until_s_ = t;
    }
    moved_ = X.translation() - X_0_->translation();
    const Eigen::Quaterniond q(X.linear());
    const Eigen::Quaterniond q_0(X_0_->linear());
    // the same as arccos(2⟨q,q0⟩² − 1), and exact where that loses all digits
    angle_rad_ = q.angularDistance(q_0);
    most_closing_m_ = std::max(most_closing_m_, std::abs(moved_.x()));
    most_tangential_m_ = std::max(most_tangential_m_, std::hypot(moved_.y(), moved_.z()));
    most_m_ = std::max(most_m_, moved_.norm());
    most_angle_rad_ = std::max(most_angle_rad_, angle_rad_);
    if (is_grasped_ && !displaced_at_s_ && std::max(moved_.norm(), fallen_m) > kDisplaced_m) {
      displaced_at_s_ = t;
    }
    if (config_.motion == "pull" && is_grasped_ && !slip_force_N_ && moved_.norm() >= kSlipped_m) {
      slip_force_N_ = config_.pull_N_s * t;
    }
  }

  /// The friction of both fingers, and what of the part's weight it need not hold; along the
  /// closing axis friction decides nothing.
  Json expected_slip_force() const {
    if (config_.axis == "x") {
      return {};
    }
    const double weight_N = -config_.scene.part_mass_kg * gravity_m_s2_.dot(axis_);
    return 2.0 * config_.scene.surface.friction * config_.scene.gripper.force_N + weight_N;
  }

  GraspBenchConfig config_;
  Duration period_;
  Vector3 gravity_m_s2_;
  Vector3 axis_;
  GraspScene scene_;
  Vector3 p_start_;
  double height_in_palm_m_;
  bool is_touched_ = false;
  bool is_grasped_ = false;         ///< when the motion began
  std::optional<model::Pose> X_0_;  ///< of the part in the palm, when the motion began
  Vector3 moved_ = Vector3::Zero();
  double angle_rad_ = 0.0;
  double shoved_m_ = 0.0;
  double asymmetry_m_ = 0.0;
  double most_m_ = 0.0;
  double most_closing_m_ = 0.0;
  double most_tangential_m_ = 0.0;
  double most_angle_rad_ = 0.0;
  double now_s_ = 0.0;         ///< since the motion began
  double held_until_s_ = 0.0;  ///< when all fingers touched the part last
  std::optional<double> displaced_at_s_;
  std::optional<double> slip_force_N_;
};

class GraspBenchModel final : public GraspModel<GraspBench, GraspBenchConfig> {
 public:
  void list_fields(Fields& fields) override {
    benches::list_fields(fields, config_.scene);
    fields.choice(
        "motion", config_.motion, kMotions,
        "test motion: the palm oscillates or is jolted, or a growing force pulls the part");
    fields.choice("axis", config_.axis, kAxes,
                  "axis of the motion; fingers close along x, z is up");
    fields.field("acceleration_m_s2", config_.acceleration_m_s2, "sine: amplitude");
    fields.field("frequency_hz", config_.frequency_hz, "sine: frequency");
    fields.field("impulse_m_s", config_.impulse_m_s,
                 "impulse: change of the palm's velocity within 5 ms, and back after 0.5 s");
    fields.field("pull_N_s", config_.pull_N_s, "pull: how fast the force grows");
    fields.field("length", config_.length, "length of the motion, after closing and lifting");
  }

  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext&) override {
    Judge judge = judge_scene(config_.scene);
    judge.require(std::isfinite(config_.acceleration_m_s2), "acceleration_m_s2",
                  "the acceleration must be a number", "10 is usual");
    judge.require(config_.frequency_hz > 0.0 && std::isfinite(config_.frequency_hz), "frequency_hz",
                  "the frequency must be greater than zero", "2 is usual");
    judge.require(std::isfinite(config_.impulse_m_s), "impulse_m_s", "the impulse must be a number",
                  "0.3 is usual");
    judge.require(config_.pull_N_s > 0.0 && std::isfinite(config_.pull_N_s), "pull_N_s",
                  "the force rate must be greater than zero", "10 is usual");
    judge.require(config_.length > Duration(0), "length", "the motion must last longer than 0s",
                  "4s is usual");
    return judge.remarks;
  }

  std::optional<Duration> usual_length() const override {
    return whole_steps(config_.motion_at_s(), period_) + config_.length;
  }

  cell::Figures figures() const override {
    constexpr double kDegrees = 180.0 / std::numbers::pi;
    cell::Figures figures{
        {{"displacement", "displacement of the part in the palm", "mm", 1e3},
         {"displacement_closing", "displacement along the closing axis", "mm", 1e3},
         {"displacement_tangential", "displacement across the closing axis", "mm", 1e3},
         {"angle", "rotation of the part in the palm", "deg", kDegrees}},
        {},
        "dropped",
        false};
    if (config_.motion == "pull") {
      figures.outcome.clear();  // the pull ends where it slips
      figures.metrics.push_back(
          {"slip_force_N", "force at which it slipped 1 mm", "N", 1.0, 2, "slip_force_expected_N"});
    }
    figures.metrics.insert(figures.metrics.end(),
                           {{"displacement_m", "largest displacement", "mm", 1e3},
                            {"displacement_closing_m", "along the closing axis", "mm", 1e3},
                            {"displacement_tangential_m", "across it", "mm", 1e3, 4},
                            {"angle_rad", "largest rotation", "deg", kDegrees},
                            {"grasped", "grasped at the start of the motion", "", 1.0, 0},
                            {"gripper_state", "gripper at the end", "", 1.0, 0},
                            {"asymmetry_m", "difference of the fingers after grasping", "mm", 1e3},
                            {"off_centre_m", "offset of the part after grasping", "mm", 1e3},
                            {"shoved_m", "displacement before both fingers touched", "mm", 1e3}});
    return figures;
  }
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_grasp_bench() {
  return std::make_unique<GraspBenchModel>();
}

}  // namespace longarm::benches
