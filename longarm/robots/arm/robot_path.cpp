// SPDX-License-Identifier: Apache-2.0
// Lines and rounded corners, in space or in the joints.
#include "longarm/robots/arm/robot_path.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace longarm::robots {
namespace {

using model::Matrix3;
using Configuration = std::vector<double>;

constexpr double kStep_m = 2e-3;
constexpr double kTurn_rad = 1e-2;
constexpr double kJointStep = 0.02;
// more between two neighbours is a jump to another branch
constexpr double kMostJointStep = 0.25;
constexpr double kLeastSingularValue = 5e-3;
// a corner that is cut by less is not worth it
constexpr double kLeastCut_m = 5e-4;
// of a leg, at either end; what is left in the middle stays straight
constexpr double kMostCut = 0.45;
constexpr double kLeastJointCut = 0.01;
constexpr double kMostSamples = 2e5;

double turn_between(const Pose& A, const Pose& B) {
  return Eigen::AngleAxisd(Matrix3(A.linear().transpose() * B.linear())).angle();
}

Pose between(const Pose& A, const Pose& B, double fraction) {
  const Eigen::AngleAxisd turn(Matrix3(B.linear() * A.linear().transpose()));
  Pose X = A;
  X.translation() += fraction * (B.translation() - A.translation());
  X.linear() =
      Eigen::AngleAxisd(fraction * turn.angle(), turn.axis()).toRotationMatrix() * A.linear();
  return X;
}

double length_of(const Pose& A, const Pose& B) {
  return (B.translation() - A.translation()).norm();
}

/// How much of both legs is cut off at a corner, or nothing: then it has to be stopped at.
double cut_at(const Pose& before, const MotionGoal& goal, const Pose& after) {
  const GoalTolerance& t = goal.tolerance;
  if (!t.x_m || !t.y_m || !t.z_m) {
    return 0.0;
  }
  const double in_m = length_of(before, goal.X_BT);
  const double out_m = length_of(goal.X_BT, after);
  // the curve passes the corner at half of the cut or nearer
  double cut =
      std::min({2.0 * std::min({*t.x_m, *t.y_m, *t.z_m}), kMostCut * in_m, kMostCut * out_m});
  const double least_rad = std::min(t.x_axis_rad.value_or(M_PI), t.z_axis_rad.value_or(M_PI));
  const double turn_rad = turn_between(before, goal.X_BT) * cut / std::max(in_m, 1e-9) +
                          turn_between(goal.X_BT, after) * cut / std::max(out_m, 1e-9);
  if (turn_rad > 2.0 * least_rad) {
    cut *= 2.0 * least_rad / turn_rad;
  }
  return cut < kLeastCut_m ? 0.0 : cut;
}

void add_line(const Pose& A, const Pose& B, std::size_t leg, std::vector<PoseSample>& out) {
  const double steps = std::max(length_of(A, B) / kStep_m, turn_between(A, B) / kTurn_rad);
  const int count = static_cast<int>(std::min(std::ceil(steps - 1e-9), kMostSamples));
  for (int i = 1; i <= count; ++i) {
    out.push_back({between(A, B, static_cast<double>(i) / count), leg, false});
  }
}

/// A parabola from A to B that touches both legs of the corner.
void add_corner(const Pose& A, const Pose& corner, const Pose& B, std::size_t leg,
                std::vector<PoseSample>& out) {
  const double steps = (length_of(A, corner) + length_of(corner, B)) / kStep_m;
  const int count = std::max(8, static_cast<int>(std::ceil(steps)));
  for (int i = 1; i <= count; ++i) {
    const double u = static_cast<double>(i) / count;
    const Pose X = between(between(A, corner, u), between(corner, B, u), u);
    out.push_back({X, 2 * i <= count ? leg : leg + 1, false});
  }
}

std::optional<std::string> why_not(motion::InverseKinematics& ik, const Pose& X_BT,
                                   std::vector<double>& q) {
  const Result<motion::IkSolution> next = ik.solve(X_BT, q);
  if (!next) {
    return "it is out of reach: " + next.error().message;
  }
  for (std::size_t j = 0; j < q.size(); ++j) {
    if (std::abs(next->positions[j] - q[j]) > kMostJointStep) {
      return fmt::format("joint {} would have to jump", j + 1);
    }
  }
  if (ik.smallest_singular_value(next->positions) < kLeastSingularValue) {
    return "the arm is stretched or folded so far that it loses a direction of motion";
  }
  q = next->positions;
  return std::nullopt;
}

Configuration mixed(const Configuration& a, const Configuration& b, double fraction) {
  Configuration out(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) {
    out[j] = a[j] + fraction * (b[j] - a[j]);
  }
  return out;
}

double longest_way(const Configuration& a, const Configuration& b) {
  double longest = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    longest = std::max(longest, std::abs(b[j] - a[j]));
  }
  return longest;
}

/// Which part of both legs is cut off at a station, or nothing: then it has to be stopped at.
double joint_cut(const RobotArm& arm, const Configuration& before, const JointStation& station,
                 const Configuration& after) {
  const GoalTolerance& t = station.tolerance;
  if (!t.x_m || !t.y_m || !t.z_m) {
    return 0.0;
  }
  const Vector3 near(*t.x_m, *t.y_m, *t.z_m);
  const double near_rad = std::min(t.x_axis_rad.value_or(M_PI), t.z_axis_rad.value_or(M_PI));
  const Pose X_BG = arm.pose(station.q);
  for (double cut = kMostCut; cut > kLeastJointCut; cut *= 0.5) {
    // the middle of the parabola is where it comes nearest
    const Configuration q =
        mixed(mixed(before, station.q, 1.0 - 0.5 * cut), mixed(station.q, after, 0.5 * cut), 0.5);
    const Pose X_GT = X_BG.inverse() * arm.pose(q);
    if ((X_GT.translation().cwiseAbs() - near).maxCoeff() <= 0.0 &&
        turn_between(X_BG, arm.pose(q)) <= near_rad) {
      return cut;
    }
  }
  return 0.0;
}

/// Grows a way from configuration to configuration.
class JointWay {
 public:
  JointWay(const RobotArm& arm, std::span<const double> start) : arm_(arm), last_(arm.pose(start)) {
    way_.samples.push_back({{start.begin(), start.end()}, 0.0, 0.0, 0});
  }

  void go_to(const Configuration& to, std::size_t leg) {
    const Configuration from = way_.samples.back().q;
    const double farthest = longest_way(from, to);
    // three pieces at least, so that the slope at the ends can be told
    const int count = farthest == 0.0 ? 0 : std::max(3, static_cast<int>(farthest / kJointStep));
    for (int i = 1; i <= count; ++i) {
      add(i == count ? to : mixed(from, to, static_cast<double>(i) / count), leg);
    }
  }
  /// By a parabola that touches both legs of the corner.
  void pass(const Configuration& corner, const Configuration& to, std::size_t leg) {
    const Configuration from = way_.samples.back().q;
    const double farthest = longest_way(from, corner) + longest_way(corner, to);
    const int count = std::max(8, static_cast<int>(farthest / kJointStep));
    for (int i = 1; i <= count; ++i) {
      const double u = static_cast<double>(i) / count;
      add(mixed(mixed(from, corner, u), mixed(corner, to, u), u), 2 * i <= count ? leg : leg + 1);
    }
  }
  void rest() { way_.rests.push_back(way_.samples.size() - 1); }
  Way take() && { return std::move(way_); }

 private:
  void add(Configuration q, std::size_t leg) {
    WaySample sample = way_.samples.back();
    const Pose here = arm_.pose(q);
    sample.q = std::move(q);
    sample.gone_m += length_of(last_, here);
    sample.turned_rad += turn_between(last_, here);
    sample.leg = leg;
    last_ = here;
    way_.samples.push_back(std::move(sample));
  }

  const RobotArm& arm_;
  Pose last_;
  Way way_;
};

}  // namespace

std::vector<PoseSample> straight_lines(const Pose& start, std::span<const MotionGoal> goals) {
  std::vector<PoseSample> out{{start, 0, false}};
  Pose from = start;
  Pose last_goal = start;
  for (std::size_t leg = 0; leg < goals.size(); ++leg) {
    const Pose& to = goals[leg].X_BT;
    const bool is_last = leg + 1 == goals.size();
    const double cut = is_last ? 0.0 : cut_at(last_goal, goals[leg], goals[leg + 1].X_BT);
    if (cut > 0.0) {
      const Pose A = between(last_goal, to, 1.0 - cut / length_of(last_goal, to));
      const Pose& after = goals[leg + 1].X_BT;
      const Pose B = between(to, after, cut / length_of(to, after));
      add_line(from, A, leg, out);
      add_corner(A, to, B, leg, out);
      from = B;
    } else {
      add_line(from, to, leg, out);
      out.back().is_rest = !is_last;
      from = to;
    }
    last_goal = to;
  }
  return out;
}

Result<Way> follow(const RobotArm& arm, std::span<const PoseSample> poses,
                   std::span<const double> start) {
  motion::InverseKinematics ik = arm.inverse_kinematics(0);
  Way way;
  way.samples.push_back({{start.begin(), start.end()}, 0.0, 0.0, 0});
  std::vector<double> q(start.begin(), start.end());
  for (std::size_t i = 1; i < poses.size(); ++i) {
    if (const auto reason = why_not(ik, poses[i].X_BT, q)) {
      const Vector3 p = poses[i].X_BT.translation();
      return Error{fmt::format("on the way to goal {}, at ({:.4f}, {:.4f}, {:.4f}) m: {}",
                               poses[i].leg + 1, p.x(), p.y(), p.z(), *reason)};
    }
    WaySample sample = way.samples.back();
    sample.q = q;
    sample.gone_m += length_of(poses[i - 1].X_BT, poses[i].X_BT);
    sample.turned_rad += turn_between(poses[i - 1].X_BT, poses[i].X_BT);
    sample.leg = poses[i].leg;
    way.samples.push_back(std::move(sample));
    if (poses[i].is_rest) {
      way.rests.push_back(way.samples.size() - 1);
    }
  }
  return way;
}

Way straight_in_joints(const RobotArm& arm, std::span<const double> start,
                       std::span<const JointStation> stations) {
  JointWay way(arm, start);
  const Configuration begin(start.begin(), start.end());
  for (std::size_t leg = 0; leg < stations.size(); ++leg) {
    const Configuration& before = leg == 0 ? begin : stations[leg - 1].q;
    const bool is_last = leg + 1 == stations.size();
    const double cut = is_last ? 0.0 : joint_cut(arm, before, stations[leg], stations[leg + 1].q);
    if (cut > 0.0) {
      way.go_to(mixed(before, stations[leg].q, 1.0 - cut), leg);
      way.pass(stations[leg].q, mixed(stations[leg].q, stations[leg + 1].q, cut), leg);
    } else {
      way.go_to(stations[leg].q, leg);
      if (!is_last) {
        way.rest();
      }
    }
  }
  return std::move(way).take();
}

}  // namespace longarm::robots
