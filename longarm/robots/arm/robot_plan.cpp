// SPDX-License-Identifier: Apache-2.0
// Judges goals, finds the way to them, and puts time into it.
#include "longarm/robots/arm/robot_plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/robots/arm/robot_path.h"

namespace longarm::robots {
namespace {

using Configuration = std::vector<double>;

constexpr double kUsualJointTolerance = 1e-3;
// rotations arrive as text, so their columns are not quite at right angles
constexpr double kSkew = 1e-3;
constexpr int kRestarts = 12;

std::string flaw(const SpeedLimits& limits) {
  const auto is_good = [](double value) { return value > 0.0 && std::isfinite(value); };
  if (!is_good(limits.speed_m_s) || !is_good(limits.turn_speed_rad_s)) {
    return "a speed must be greater than zero";
  }
  if (!is_good(limits.acceleration_m_s2) || !is_good(limits.turn_acceleration_rad_s2)) {
    return "an acceleration must be greater than zero";
  }
  return "";
}

std::string flaw(const Pose& X) {
  if (!X.matrix().allFinite()) {
    return "a pose must consist of finite numbers";
  }
  const model::Matrix3 product = X.linear() * X.linear().transpose();
  const bool is_turn = (product - model::Matrix3::Identity()).cwiseAbs().maxCoeff() < kSkew &&
                       X.linear().determinant() > 0.0;
  return is_turn ? "" : "its axes are not at right angles";
}

std::string flaw(const std::vector<MotionGoal>& goals) {
  if (goals.empty()) {
    return "a motion needs at least one goal";
  }
  for (std::size_t i = 0; i < goals.size(); ++i) {
    for (const std::string& each : {flaw(goals[i].X_BT), flaw(goals[i].limits)}) {
      if (!each.empty()) {
        return fmt::format("goal {}: {}", i + 1, each);
      }
    }
  }
  return "";
}

/// With its rotation made exact.
Pose exact(const Pose& X) {
  Pose out = X;
  out.linear() = Eigen::Quaterniond(X.linear()).normalized().toRotationMatrix();
  return out;
}

double longest_way(const Configuration& a, std::span<const double> b) {
  double longest = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    longest = std::max(longest, std::abs(a[j] - b[j]));
  }
  return longest;
}

/// Whole turns change nothing, so each joint takes the ones that bring it nearest.
void bring_near(const RobotArm& arm, std::span<const double> to, Configuration& q) {
  for (std::size_t j = 0; j < q.size(); ++j) {
    const model::TreeJoint& joint = arm.joint_models()[j];
    const double nearer = q[j] + 2.0 * M_PI * std::round((to[j] - q[j]) / (2.0 * M_PI));
    if (joint.type == model::JointType::kRevolute && nearer >= joint.limits.lower &&
        nearer <= joint.limits.upper) {
      q[j] = nearer;
    }
  }
}

Configuration velocities_of(const RobotArm& arm) {
  Configuration out;
  for (const model::TreeJoint& joint : arm.joint_models()) {
    out.push_back(joint.limits.velocity);
  }
  return out;
}

Result<PlannedMotion> with_time(const RobotArm& arm, const Way& way, double joint_acceleration) {
  const Configuration accelerations(arm.joint_count(), joint_acceleration);
  Result<motion::Trajectory> timed = put_time(arm, way, velocities_of(arm), accelerations);
  if (!timed) {
    return timed.error();
  }
  return PlannedMotion{std::move(timed).value(), {}, way.limits.back()};
}

std::vector<SpeedLimits> limits_of(const std::vector<MotionGoal>& goals) {
  std::vector<SpeedLimits> out;
  for (const MotionGoal& goal : goals) {
    out.push_back(goal.limits);
  }
  return out;
}

/// Advancing along the tool's z axis and turning about a line parallel to it. `from` is a copy: it
/// may come out of `out`, which moves as it grows.
void add_screw(const Pose from, const Vector3& p_BA, double advance_m, double turn_rad,
               std::size_t leg, std::vector<PoseSample>& out) {
  const Vector3 axis = from.linear().col(2);
  const double radius_m = (from.translation() - p_BA).cross(axis).norm();
  const double way_m = std::hypot(advance_m, radius_m * turn_rad);
  const int count =
      static_cast<int>(std::min(std::ceil(std::max(way_m / 2e-3, std::abs(turn_rad) / 1e-2)), 2e5));
  for (int i = 1; i <= count; ++i) {
    const double u = static_cast<double>(i) / count;
    const Eigen::AngleAxisd turn(u * turn_rad, axis);
    Pose X = from;
    X.translation() = p_BA + turn * (from.translation() - p_BA) + u * advance_m * axis;
    X.linear() = turn.toRotationMatrix() * from.linear();
    out.push_back({X, leg, false});
  }
}

std::string flaw(const ScrewMotion& motion) {
  for (const double value : {motion.free_m, motion.screw_m, motion.turn_rad}) {
    if (!std::isfinite(value)) {
      return "distances and turns must be numbers";
    }
  }
  if (motion.p_BA && !motion.p_BA->allFinite()) {
    return "the point of the axis must consist of finite numbers";
  }
  if (motion.start) {
    const std::string start = flaw(std::vector<MotionGoal>{*motion.start});
    return start.empty() ? flaw(motion.limits) : start;
  }
  return flaw(motion.limits);
}

std::string flaw(const JointGoal& goal, const RobotArm& arm) {
  if (goal.joint >= arm.joint_count()) {
    return fmt::format("there is no joint {}: the arm has {}", goal.joint + 1, arm.joint_count());
  }
  const model::JointLimits& limits = arm.joint_models()[goal.joint].limits;
  if (!(goal.position >= limits.lower && goal.position <= limits.upper)) {
    const char* unit = unit_of(arm.joint_models()[goal.joint]);
    return fmt::format("joint {} cannot go to {:g} {}: its limits are {:g} {} and {:g} {}",
                       goal.joint + 1, goal.position, unit, limits.lower, unit, limits.upper, unit);
  }
  for (const std::optional<double>& each : {goal.speed, goal.acceleration}) {
    if (each && !(*each > 0.0 && std::isfinite(*each))) {
      return fmt::format("joint {}: speed and acceleration must be greater than zero",
                         goal.joint + 1);
    }
  }
  return "";
}

}  // namespace

RobotPlanner::RobotPlanner(const RobotArm& arm, double joint_acceleration)
    : arm_(arm), joint_acceleration_(joint_acceleration) {}

Result<Configuration> RobotPlanner::nearest_configuration(const Pose& X_BT,
                                                          std::span<const double> start) const {
  motion::InverseKinematics ik = arm_.inverse_kinematics(0);
  std::optional<Configuration> nearest;
  const auto consider = [&](const Result<motion::IkSolution>& found) {
    if (!found) {
      return;
    }
    Configuration q = found->positions;
    bring_near(arm_, start, q);
    if (!nearest || longest_way(q, start) < longest_way(*nearest, start)) {
      nearest = std::move(q);
    }
  };
  consider(ik.solve(X_BT, start));
  for (const Configuration& seed : seeds_) {
    consider(ik.solve(X_BT, seed));
  }
  if (nearest) {
    return *std::move(nearest);
  }
  motion::InverseKinematics searching = arm_.inverse_kinematics(kRestarts);
  const Result<motion::IkSolution> last = searching.solve(X_BT, start);
  consider(last);
  return nearest ? Result<Configuration>(*nearest) : last.error();
}

Result<PlannedMotion> RobotPlanner::plan(const CartesianMotion& motion,
                                         std::span<const double> start) const {
  if (const std::string found = flaw(motion.goals); !found.empty()) {
    return Error{found};
  }
  std::vector<MotionGoal> goals = motion.goals;
  for (MotionGoal& goal : goals) {
    goal.X_BT = exact(goal.X_BT);
  }
  Result<Way> way = Way{};
  if (motion.is_straight) {
    way = follow(arm_, straight_lines(arm_.pose(start), goals), start);
  } else {
    std::vector<JointStation> stations;
    for (std::size_t i = 0; i < goals.size(); ++i) {
      const std::span<const double> from =
          i == 0 ? start : std::span<const double>(stations.back().q);
      Result<Configuration> q = nearest_configuration(goals[i].X_BT, from);
      if (!q) {
        return Error{fmt::format("goal {} is out of reach: {}", i + 1, q.error().message)};
      }
      stations.push_back({std::move(q).value(), goals[i].tolerance});
    }
    way = straight_in_joints(arm_, start, stations);
  }
  if (!way) {
    return way.error();
  }
  Way found = std::move(way).value();
  found.limits = limits_of(goals);
  Result<PlannedMotion> planned = with_time(arm_, found, joint_acceleration_);
  if (!planned) {
    return planned;
  }
  PlannedMotion out = std::move(planned).value();
  out.goal.X_BT = goals.back().X_BT;
  out.goal.tolerance = goals.back().tolerance;
  return out;
}

Result<PlannedMotion> RobotPlanner::plan(const ScrewMotion& motion,
                                         std::span<const double> start) const {
  if (const std::string found = flaw(motion); !found.empty()) {
    return Error{found};
  }
  std::vector<PoseSample> poses{{arm_.pose(start), 0, false}};
  std::vector<SpeedLimits> limits;
  if (motion.start) {
    MotionGoal goal = *motion.start;
    goal.X_BT = exact(goal.X_BT);
    poses = straight_lines(poses.front().X_BT, {&goal, 1});
    poses.back().is_rest = poses.size() > 1;
    limits.push_back(goal.limits);
  }
  limits.push_back(motion.limits);
  const std::size_t leg = limits.size() - 1;
  const auto rest = [&] { poses.back().is_rest = poses.size() > 1; };
  const Pose at_start = poses.back().X_BT;
  const Vector3 p_BA = motion.p_BA.value_or(at_start.translation());
  add_screw(at_start, p_BA, motion.free_m, 0.0, leg, poses);
  if (motion.screw_m != 0.0 || motion.turn_rad != 0.0) {
    rest();
    add_screw(poses.back().X_BT, p_BA + motion.free_m * at_start.linear().col(2), motion.screw_m,
              motion.turn_rad, leg, poses);
  }
  const Pose end = poses.back().X_BT;
  poses.back().is_rest = false;
  Result<Way> way = follow(arm_, poses, start);
  if (!way) {
    return way.error();
  }
  Way found = std::move(way).value();
  found.limits = std::move(limits);
  Result<PlannedMotion> planned = with_time(arm_, found, joint_acceleration_);
  if (!planned) {
    return planned;
  }
  PlannedMotion out = std::move(planned).value();
  out.goal.X_BT = end;
  return out;
}

Result<PlannedMotion> RobotPlanner::plan(std::span<const JointGoal> goals,
                                         std::span<const double> start) const {
  Configuration to(start.begin(), start.end());
  Configuration velocity = velocities_of(arm_);
  Configuration acceleration(arm_.joint_count(), joint_acceleration_);
  GoalCheck check;
  for (const JointGoal& goal : goals) {
    if (const std::string found = flaw(goal, arm_); !found.empty()) {
      return Error{found};
    }
    const std::size_t j = goal.joint;
    to[j] = goal.position;
    velocity[j] = std::min(velocity[j], goal.speed.value_or(velocity[j]));
    acceleration[j] = std::min(acceleration[j], goal.acceleration.value_or(acceleration[j]));
    check.joints.push_back({j, goal.position, goal.tolerance.value_or(kUsualJointTolerance)});
  }
  const JointStation station{to, {}};
  Way way = straight_in_joints(arm_, start, {&station, 1});
  // how fast the controlled point gets is no concern of joint goals
  constexpr double kAny = 1e6;
  way.limits.push_back({kAny, kAny, kAny, kAny});
  Result<motion::Trajectory> timed = put_time(arm_, way, velocity, acceleration);
  if (!timed) {
    return timed.error();
  }
  return PlannedMotion{std::move(timed).value(), std::move(check), way.limits.back()};
}

}  // namespace longarm::robots
