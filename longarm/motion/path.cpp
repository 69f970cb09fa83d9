// SPDX-License-Identifier: Apache-2.0
// Samples straight lines finely and follows them with inverse kinematics, one sample from the last.
#include "longarm/motion/path.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace longarm::motion {
namespace {

// a kilometre at a millimetre each; more is a mistake in the units
constexpr double kMostSamples = 1e6;

// Poses as near to each other as inverse kinematics puts them are one pose.
constexpr double kSamePlace_m = 1e-9;
constexpr double kSamePlace_rad = 1e-9;

/// A straight line with an even turn.
struct Line {
  Pose from;
  Vector3 shift;
  Eigen::AngleAxisd turn;

  Line(const Pose& A, const Pose& B)
      : from(A),
        shift(B.translation() - A.translation()),
        turn(Matrix3(B.linear() * A.linear().transpose())) {}

  int sample_count(const StraightPathOptions& options) const {
    if (shift.norm() <= kSamePlace_m && turn.angle() <= kSamePlace_rad) {
      return 0;
    }
    const double steps =
        std::max(shift.norm() / options.max_step_m, turn.angle() / options.max_turn_rad);
    return static_cast<int>(std::min(std::ceil(steps), kMostSamples + 1.0));
  }

  Pose at(double fraction) const {
    Pose X = from;
    X.translation() += fraction * shift;
    X.linear() =
        Eigen::AngleAxisd(fraction * turn.angle(), turn.axis()).toRotationMatrix() * from.linear();
    return X;
  }
};

double largest_step(std::span<const double> a, std::span<const double> b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i] - a[i]));
  }
  return largest;
}

/// Why the arm cannot go from one sample to the next, if it cannot; otherwise moves `q` there.
std::optional<std::string> advance(InverseKinematics& ik, const Pose& target,
                                   const StraightPathOptions& options, std::vector<double>& q) {
  const Result<IkSolution> next = ik.solve(target, q);
  if (!next) {
    return "out of reach: " + next.error().message;
  }
  const double step = largest_step(q, next.value().positions);
  const double singular_value = ik.smallest_singular_value(next.value().positions);
  if (singular_value < options.min_singular_value) {
    return fmt::format(
        "the arm is stretched or folded so far that it loses a direction of motion (smallest "
        "singular value {:.2g}, at least {:.2g} is needed)",
        singular_value, options.min_singular_value);
  }
  if (step > options.max_joint_step) {
    return fmt::format("a joint would jump by {:.3g}, more than {:.3g}", step,
                       options.max_joint_step);
  }
  q = next.value().positions;
  return std::nullopt;
}

/// Goes from pose to pose along straight lines; `visit(q, is_waypoint)` sees each configuration but
/// the start's.
template <typename Visit>
std::optional<Error> follow(InverseKinematics& ik, std::span<const double> start,
                            std::span<const Pose> poses, const StraightPathOptions& options,
                            Visit&& visit) {
  std::vector<double> q(start.begin(), start.end());
  Pose from = ik.kinematics().pose_of(ik.frame(), start);
  for (std::size_t segment = 0; segment < poses.size(); ++segment) {
    const Line line(from, poses[segment]);
    const int count = line.sample_count(options);
    if (count > kMostSamples) {
      return Error{fmt::format("waypoint {} is too far away for any arm", segment + 1)};
    }
    for (int i = 1; i <= count; ++i) {
      const double fraction = static_cast<double>(i) / count;
      if (const auto problem = advance(ik, line.at(fraction), options, q)) {
        const std::string origin = segment == 0 ? "home" : fmt::format("waypoint {}", segment);
        return Error{fmt::format("from {} to waypoint {}, after {:.1f} % of the way: {}", origin,
                                 segment + 1, 100.0 * fraction, *problem)};
      }
      visit(q, i == count);
    }
    if (count == 0) {
      visit(q, true);
    }
    from = poses[segment];
  }
  return std::nullopt;
}

}  // namespace

Result<JointPath> straight_in_space(InverseKinematics& ik, std::span<const double> start,
                                    std::span<const Pose> poses,
                                    const StraightPathOptions& options) {
  JointPath path{{{start.begin(), start.end()}}, {0}};
  const auto problem =
      follow(ik, start, poses, options, [&](const std::vector<double>& q, bool is_waypoint) {
        // a pose that repeats the one before is a waypoint without a way
        if (q != path.configurations.back()) {
          path.configurations.push_back(q);
        }
        if (is_waypoint) {
          path.waypoints.push_back(path.configurations.size() - 1);
        }
      });
  return problem ? Result<JointPath>(*problem) : path;
}

Result<JointPath> curve_in_space(InverseKinematics& ik, std::span<const double> start,
                                 std::span<const Pose> poses, const StraightPathOptions& options) {
  JointPath path{{{start.begin(), start.end()}}, {0}};
  const auto problem =
      follow(ik, start, poses, options, [&](const std::vector<double>& q, bool is_waypoint) {
        if (is_waypoint) {
          path.configurations.push_back(q);
        }
      });
  path.waypoints.push_back(path.configurations.size() - 1);
  return problem ? Result<JointPath>(*problem) : path;
}

Result<JointPath> straight_in_joints(std::span<const std::vector<double>> waypoints,
                                     double max_joint_step) {
  if (waypoints.empty()) {
    return Error{"a path needs at least one waypoint"};
  }
  JointPath path{{waypoints.front()}, {0}};
  for (std::size_t segment = 0; segment + 1 < waypoints.size(); ++segment) {
    const std::vector<double>& a = waypoints[segment];
    const std::vector<double>& b = waypoints[segment + 1];
    if (a.size() != b.size()) {
      return Error{
          fmt::format("waypoint {} has {} joints instead of {}", segment + 1, b.size(), a.size())};
    }
    // Three pieces at least, so that the slope at the ends can be told.
    const double steps = std::ceil(largest_step(a, b) / max_joint_step);
    if (!(steps <= kMostSamples)) {
      return Error{fmt::format("waypoint {} is too far away from the one before", segment + 1)};
    }
    const int count = steps == 0.0 ? 0 : std::max(3, static_cast<int>(steps));
    for (int i = 1; i <= count; ++i) {
      const double fraction = static_cast<double>(i) / count;
      std::vector<double> q(a.size());
      for (std::size_t j = 0; j < q.size(); ++j) {
        q[j] = i == count ? b[j] : a[j] + fraction * (b[j] - a[j]);
      }
      path.configurations.push_back(std::move(q));
    }
    path.waypoints.push_back(path.configurations.size() - 1);
  }
  return path;
}

}  // namespace longarm::motion
