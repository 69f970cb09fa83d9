// SPDX-License-Identifier: Apache-2.0
// Fingers and cups behind one set of commands.
#include "longarm/robots/arm/robot_gripper.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "longarm/core/index.h"
#include "longarm/motion/kinematics.h"
#include "longarm/robots/arm/linkage_gripper.h"

namespace longarm::robots {
namespace {

using control::GripperState;

constexpr double kStanding_m_s = 1e-3;
constexpr Duration kStandingFor{50'000'000};
// openings nearer than this to an end are that end
constexpr double kEnd = 1e-6;

class NoGripper final : public RobotGripper {
 public:
  void set(double) override {}
  void move_fingers(double, double) override {}
  void drive_fingers(double, double) override {}
  void stop() override {}
  GripperReport report() const override { return {}; }
  std::vector<physics::BodyId> bodies() const override { return {}; }
  void before_step() override {}
  void after_step() override {}
};

class CupGripper final : public RobotGripper {
 public:
  CupGripper(physics::Engine& engine, const model::Cell& cell, const control::CupPlace& place,
             std::string name, const control::VacuumConfig& config, Duration period)
      : cup_(engine, cell, place, config, period), name_(std::move(name)) {}

  void set(double opening) override {
    is_on_ = opening > 0.0;
    is_on_ ? cup_.turn_on() : cup_.turn_off();
  }
  void move_fingers(double, double) override {}
  void drive_fingers(double, double) override {}
  void stop() override {}
  GripperReport report() const override {
    GripperReport report;
    report.kind = GripperKind::kVacuum;
    report.name = name_;
    report.is_powered = is_on_;
    report.is_holding = cup_.state() == control::VacuumState::kSealed;
    report.opening = is_on_ ? 1.0 : 0.0;
    report.force_N = cup_.suction_N();
    return report;
  }
  std::vector<physics::BodyId> bodies() const override { return {}; }
  void before_step() override { cup_.before_step(); }
  void after_step() override {}

 private:
  control::VacuumCup cup_;
  std::string name_;
  bool is_on_ = false;
};

class FingerGripper final : public RobotGripper {
 public:
  FingerGripper(physics::Engine& engine, FingerSet set, physics::BodyId palm, std::string name,
                const control::GripperConfig& config, Duration period)
      : engine_(engine),
        set_(std::move(set)),
        gripper_(engine, set_.fingers, set_.stroke, config, period),
        name_(std::move(name)),
        usual_force_N_(config.force_N),
        period_(period) {
    own_.push_back(palm);
    for (const control::Finger& finger : set_.fingers) {
      own_.push_back(finger.body);
    }
    is_touched_ = std::make_unique<bool[]>(set_.fingers.size());
    gripper_.stop();
  }

  void set(double opening) override {
    begin();
    if (opening >= 1.0 - kEnd) {
      gripper_.open();
    } else if (opening <= kEnd) {
      gripper_.close();
    } else {
      gripper_.move_to(set_.stroke.closed - opening * stroke_m(), 0.0);
    }
  }
  void move_fingers(double position_m, double max_force_N) override {
    begin();
    gripper_.move_to(set_.stroke.closed - position_m, max_force_N);
  }
  void drive_fingers(double velocity_m_s, double max_force_N) override {
    begin();
    drive_ = {velocity_m_s, std::abs(max_force_N)};
  }
  void stop() override {
    begin();
    gripper_.stop();
  }

  void before_step() override {
    if (!drive_) {
      gripper_.before_step();
      return;
    }
    for (const control::Finger& finger : set_.fingers) {
      // p grows while the gripper closes
      engine_.set_velocity(finger.joint, -drive_->velocity_m_s * finger.multiplier,
                           std::min(drive_->max_force_N, finger.max_effort));
    }
  }

  void after_step() override {
    const std::span<bool> touched(is_touched_.get(), set_.fingers.size());
    control::find_touched(engine_, set_.fingers, own_, touched);
    gripper_.after_step(touched);
    busy_for_ += period_;
    standing_for_ = fastest() < kStanding_m_s ? standing_for_ + period_ : Duration{0};
  }

  GripperReport report() const override {
    GripperReport report;
    report.kind = GripperKind::kParallel;
    report.name = name_;
    report.is_busy = busy_for_ < kGripperBusyAtMost && is_under_way();
    report.is_holding = drive_ ? is_held_by_drive() : gripper_.state() == GripperState::kHolding;
    const double p = mean_p();
    report.opening = std::clamp((set_.stroke.closed - p) / stroke_m(), 0.0, 1.0);
    report.separation_m =
        set_.closed_gap_m + static_cast<double>(set_.fingers.size()) * (set_.stroke.closed - p);
    report.stroke_m = stroke_m();
    report.closed_m = set_.closed_gap_m;
    report.open_m = set_.closed_gap_m + static_cast<double>(set_.fingers.size()) * report.stroke_m;
    report.usual_force_N = usual_force_N_;
    const auto joint = static_cast<std::size_t>(set_.fingers.front().joint);
    report.force_N = std::abs(engine_.efforts()[joint]);
    return report;
  }

  std::vector<physics::BodyId> bodies() const override { return {own_.begin() + 1, own_.end()}; }

 private:
  struct Drive {
    double velocity_m_s = 0.0;
    double max_force_N = 0.0;
  };

  void begin() {
    drive_.reset();
    busy_for_ = standing_for_ = Duration{0};
  }
  double stroke_m() const { return set_.stroke.closed - set_.stroke.open; }
  double mean_p() const {
    const auto p = gripper_.positions();
    return std::accumulate(p.begin(), p.end(), 0.0) / static_cast<double>(p.size());
  }
  double fastest() const {
    double most = 0.0;
    for (const control::Finger& finger : set_.fingers) {
      most = std::max(most, std::abs(engine_.velocities()[static_cast<std::size_t>(finger.joint)]));
    }
    return most;
  }
  bool is_under_way() const {
    if (drive_) {
      return drive_->velocity_m_s != 0.0 && standing_for_ < kStandingFor;
    }
    const GripperState state = gripper_.state();
    return state == GripperState::kOpening || state == GripperState::kClosing;
  }
  bool is_held_by_drive() const {
    const auto touched =
        std::count(is_touched_.get(), is_touched_.get() + set_.fingers.size(), true);
    return drive_->velocity_m_s < 0.0 && standing_for_ >= kStandingFor && touched >= 2;
  }

  physics::Engine& engine_;
  FingerSet set_;
  control::Gripper gripper_;
  std::string name_;
  double usual_force_N_;
  Duration period_;
  std::vector<physics::BodyId> own_;  ///< the palm first
  std::unique_ptr<bool[]> is_touched_;
  std::optional<Drive> drive_;
  Duration busy_for_{0};
  Duration standing_for_{0};
};

/// How far a finger's shapes reach along its joint's axis, from the body that it slides on.
double inner_face(const model::BodyTree& tree, int joint, double sign, double position) {
  const model::TreeJoint& slide = tree.joints[index_of(joint)];
  const Vector3 axis_B = slide.X_PJ.linear() * slide.axis * sign;
  double reach = -1e9;
  for (const model::Geometry& geometry : tree.bodies[index_of(joint + 1)].collisions) {
    reach = std::max(reach, reach_along(geometry, slide.axis * sign));
  }
  return slide.X_PJ.translation().dot(axis_B) + reach + sign * position;
}

}  // namespace

FingerSet find_fingers(const model::Cell& cell, int placement, int body) {
  const model::BodyTree& tree = cell.placements[index_of(placement)].tree;
  std::vector<int> joints;
  for (int j = 0; j < static_cast<int>(tree.joints.size()); ++j) {
    const model::TreeJoint& joint = tree.joints[index_of(j)];
    if (joint.parent_body == body && joint.type == model::JointType::kPrismatic && !joint.mimic) {
      joints.push_back(j);
    }
  }
  FingerSet set;
  if (joints.size() < 2) {
    return set;
  }
  // fingers close when they come nearer to each other
  const auto gap = [&](bool at_upper) {
    const auto middle = [&](int j) -> Vector3 {
      const model::TreeJoint& joint = tree.joints[index_of(j)];
      const double q = at_upper ? joint.limits.upper : joint.limits.lower;
      return joint.X_PJ *
             (tree.bodies[index_of(j + 1)].inertial.X_LC.translation() + q * joint.axis);
    };
    return (middle(joints[0]) - middle(joints[1])).norm();
  };
  const double sign = gap(true) <= gap(false) ? 1.0 : -1.0;
  const model::JointLimits& limits = tree.joints[index_of(joints.front())].limits;
  set.stroke = {.open = 0.0, .closed = limits.upper - limits.lower};
  set.closed_gap_m = 0.0;
  for (const int j : joints) {
    const model::JointLimits& own = tree.joints[index_of(j)].limits;
    set.fingers.push_back({.joint = static_cast<physics::JointId>(cell.first_joint(placement) + j),
                           .body = static_cast<physics::BodyId>(cell.first_body(placement) + j + 1),
                           .multiplier = sign,
                           .offset = sign > 0.0 ? own.lower : own.upper,
                           .max_effort = own.effort});
    set.closed_gap_m -= inner_face(tree, j, sign, sign > 0.0 ? own.upper : own.lower);
  }
  return set;
}

std::unique_ptr<RobotGripper> make_gripper(physics::Engine& engine, const model::Cell& cell,
                                           const GripperPlace& place, const RobotConfig& config,
                                           Duration period) {
  const model::BodyTree& tree = cell.placements[index_of(place.placement)].tree;
  const auto body = static_cast<physics::BodyId>(cell.first_body(place.placement) + place.body);
  FingerSet fingers = find_fingers(cell, place.placement, place.body);
  if (!fingers.fingers.empty()) {
    return std::make_unique<FingerGripper>(engine, std::move(fingers), body, place.name,
                                           config.gripper, period);
  }
  if (std::optional<Linkage> linkage = Linkage::find(cell, place.placement, place.body)) {
    return std::make_unique<LinkageGripper>(engine, std::move(*linkage), body, place.name,
                                            config.gripper, period);
  }
  const bool has_cup = std::any_of(tree.frames.begin(), tree.frames.end(), [&](const auto& frame) {
    return frame.body == place.body && (frame.name == "cup" || frame.name.ends_with("::cup"));
  });
  const auto tool = tree.find_frame(place.tool_frame);
  if (has_cup && tool) {
    const model::Pose& X_BT = tree.frames[index_of(*tool)].X_BF;
    return std::make_unique<CupGripper>(
        engine, cell, control::CupPlace{body, X_BT.translation(), X_BT.linear().col(2)}, place.name,
        config.vacuum, period);
  }
  return std::make_unique<NoGripper>();
}

}  // namespace longarm::robots
