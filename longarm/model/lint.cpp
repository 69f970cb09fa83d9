// SPDX-License-Identifier: Apache-2.0
// The checks on a model, each with its reason and what would be right.
#include "longarm/model/lint.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/core/suggest.h"
#include "longarm/model/mimic_limits.h"
#include "longarm/model/shape_size.h"

namespace longarm::model {
namespace {

constexpr double kTriangleTolerance = 1e-6;  // relative; files round their numbers
constexpr double kAxisTolerance = 1e-9;
// Radius of gyration by the size of the collision shapes. Inside them it is at most 0.5; shapes are
// often smaller than what they stand for, but no choice of shapes explains ten times as much.
constexpr double kDoubtfulGyrationRatio = 1.0;
constexpr double kLargestGyrationRatio = 10.0;

std::string in_words(const Vector3& moments) {
  return fmt::format("{:.6g}, {:.6g} and {:.6g} kg·m²", moments.x(), moments.y(), moments.z());
}

/// What the moments could be: those of a solid box around the shapes.
std::string box_hint(const Body& body, const std::string& otherwise) {
  const std::optional<Vector3> size = size_of(body.collisions);
  if (!size) {
    return otherwise;
  }
  const Vector3 squares = size->cwiseAbs2();
  const Vector3 moments =
      body.inertial.mass_kg / 12.0 *
      Vector3(squares.y() + squares.z(), squares.z() + squares.x(), squares.x() + squares.y());
  return fmt::format("a solid box of {:.6g} kg around its collision shapes has {}",
                     body.inertial.mass_kg, in_words(moments));
}

class Linter {
 public:
  explicit Linter(const BodyTree& tree) : tree_(tree) {}

  void check_body(int number, bool is_moving) {
    const Body& body = tree_.bodies[static_cast<std::size_t>(number)];
    const Inertial& inertial = body.inertial;
    if (!is_moving && inertial.mass_kg == 0.0) {
      return;
    }
    const std::size_t before = findings_.size();
    check_moving(body, number);
    // no engine asks for the inertia of what does not move
    for (std::size_t i = before; i < findings_.size() && !is_moving; ++i) {
      findings_[i].diagnostic.severity = Severity::kWarning;
      findings_[i].diagnostic.hint = "it does not move, so this has no effect";
    }
  }

  void check_joint(const TreeJoint& joint) {
    const JointLimits& limits = joint.limits;
    if (!(limits.lower <= limits.upper)) {
      error("limits", joint.where,
            fmt::format("joint '{}' has its lower limit {:.6g} above its upper limit {:.6g}",
                        joint.name, limits.lower, limits.upper),
            "swap them");
    }
    // a continuous joint without any limit is meant so; one that has some and lacks others is not
    const bool is_unlimited = std::isinf(limits.lower) && std::isinf(limits.upper) &&
                              std::isinf(limits.velocity) && std::isinf(limits.effort);
    if (!is_unlimited) {
      check_limit(joint, "velocity", limits.velocity);
      check_limit(joint, "effort", limits.effort);
    }
    if (!(std::abs(joint.axis.norm() - 1.0) <= kAxisTolerance)) {
      error(
          "axis", joint.where,
          fmt::format("joint '{}' has the axis ({:.6g} {:.6g} {:.6g}) of length {:.6g}", joint.name,
                      joint.axis.x(), joint.axis.y(), joint.axis.z(), joint.axis.norm()),
          "an axis is a unit vector");
    }
  }

  /// Whether what mimics the joint lets it move.
  void check_followers(int number) {
    const TreeJoint& joint = tree_.joints[static_cast<std::size_t>(number)];
    const JointLimits shared = limits_with_followers(tree_, number);
    const bool can_move_alone = joint.limits.upper - joint.limits.lower > kLeastTravel;
    if (!can_move_alone || shared.upper - shared.lower > kLeastTravel) {
      return;
    }
    std::vector<std::string> followers;
    for (const int each : followers_of(tree_, number)) {
      const TreeJoint& follower = tree_.joints[static_cast<std::size_t>(each)];
      if (takes_all(joint, follower)) {
        followers.push_back(fmt::format("'{}' (× {:.6g}, {:.6g} to {:.6g})", follower.name,
                                        follower.mimic->multiplier, follower.limits.lower,
                                        follower.limits.upper));
      }
    }
    const std::string culprits = followers.empty() ? "the joints that mimic it" : join(followers);
    warning("limits", joint.where,
            shared.upper < shared.lower - kLeastTravel
                ? fmt::format("joint '{}' has no position within the limits of {}", joint.name,
                              culprits)
                : fmt::format("joint '{}' can only be at {:.6g} within the limits of {}",
                              joint.name, shared.lower + 0.0, culprits),
            "check the sign of the multiplier, or widen the limits of the joints that mimic it");
  }

  void check_servo(const TreeJoint& joint, double gain, double period_s, double inertia) {
    const double ratio = gain * period_s / inertia;
    if (gain == 0.0 || ratio < 2.0) {
      return;
    }
    const bool turns = joint.type == JointType::kRevolute;
    const char* gain_unit = turns ? "N·m·s/rad" : "N·s/m";
    const char* inertia_unit = turns ? "kg·m²" : "kg";
    error(
        "servo-step", joint.where,
        fmt::format("joint '{}': the servo cannot be stable: kv·h/J = {:.6g} must be below 2 (kv = "
                    "{:.6g} {}, h = {:.6g} s, J = {:.6g} {})",
                    joint.name, ratio, gain, gain_unit, period_s, inertia, inertia_unit),
        fmt::format("use a gain below {:.6g} {}, or add more than {:.6g} {} of rotor inertia",
                    2.0 * inertia / period_s, gain_unit, gain * period_s / 2.0 - inertia,
                    inertia_unit));
  }

  std::vector<LintFinding> take() { return std::move(findings_); }

 private:
  /// Whether one follower alone leaves its leader no motion.
  static bool takes_all(const TreeJoint& leader, const TreeJoint& follower) {
    const Range range = range_of_leader(follower);
    return std::min(leader.limits.upper, range.upper) -
               std::max(leader.limits.lower, range.lower) <=
           kLeastTravel;
  }

  void check_moving(const Body& body, int number) {
    const Inertial& inertial = body.inertial;
    if (!std::isfinite(inertial.mass_kg) || inertial.mass_kg < 0.0) {
      error("mass", body.where,
            fmt::format("body '{}' has a mass of {} kg", body.name, inertial.mass_kg),
            "a mass is a finite number greater than 0");
      return;
    }
    if (inertial.mass_kg == 0.0) {
      error("mass", body.where, fmt::format("body '{}' moves but has no mass", body.name),
            number == 0 ? "give it an <inertial>, or fix it to the world"
                        : fmt::format("give it an <inertial>, or make joint '{}' fixed",
                                      tree_.joints[static_cast<std::size_t>(number) - 1].name));
      return;
    }
    check_inertia(body);
  }

  void error(const char* name, const SourceLocation& where, std::string message, std::string hint) {
    findings_.push_back({name, {where, std::move(message), std::move(hint), Severity::kError}});
  }
  void warning(const char* name, const SourceLocation& where, std::string message,
               std::string hint) {
    findings_.push_back({name, {where, std::move(message), std::move(hint), Severity::kWarning}});
  }

  void check_inertia(const Body& body) {
    const Matrix3& tensor = body.inertial.inertia_kg_m2;
    if (!tensor.allFinite()) {
      error("inertia-definite", body.where,
            fmt::format("body '{}' has an inertia that is not finite", body.name),
            box_hint(body, "moments are finite numbers greater than 0"));
      return;
    }
    // the solver sorts them, smallest first
    const Vector3 moments =
        Eigen::SelfAdjointEigenSolver<Matrix3>(tensor, Eigen::EigenvaluesOnly).eigenvalues();
    if (moments[0] <= 0.0) {
      error(
          "inertia-definite", body.where,
          fmt::format("body '{}' has an inertia that is not positive definite: its principal "
                      "moments are {}",
                      body.name, in_words(moments)),
          box_hint(body, "all three must be greater than 0; check the signs of ixy, ixz and iyz"));
      return;
    }
    if (moments[0] + moments[1] < moments[2] * (1.0 - kTriangleTolerance)) {
      error("inertia-triangle", body.where,
            fmt::format("body '{}' has impossible principal moments: {:.6g} + {:.6g} is less than "
                        "{:.6g} kg·m²",
                        body.name, moments[0], moments[1], moments[2]),
            box_hint(body, "the sum of the two smaller ones must be at least the largest"));
    }
    check_inertia_size(body, moments[2]);
  }

  void check_inertia_size(const Body& body, double largest) {
    const double mass_kg = body.inertial.mass_kg;
    const double gyration_m = std::sqrt(largest / mass_kg);
    const std::optional<Vector3> size = size_of(body.collisions);
    if (tree_.is_static || !size || gyration_m <= kDoubtfulGyrationRatio * size->norm()) {
      return;
    }
    // the most that fits is half of it in either of two opposite corners: m (d/2)²
    std::string message = fmt::format(
        "body '{}' has a moment of inertia of {:.6g} kg·m², but {:.6g} kg within its collision "
        "shapes, {:.6g} m across, cannot have more than {:.6g}",
        body.name, largest, mass_kg, size->norm(), mass_kg * size->squaredNorm() / 4.0);
    std::string hint = "inertia is in kg·m²; " + box_hint(body, "");
    if (gyration_m > kLargestGyrationRatio * size->norm()) {
      error("inertia-size", body.where, std::move(message), std::move(hint));
    } else {
      warning("inertia-size", body.where, std::move(message), std::move(hint));
    }
  }

  void check_limit(const TreeJoint& joint, const char* what, double limit) {
    if (!(limit >= 0.0)) {
      error("limits", joint.where,
            fmt::format("joint '{}' has the {} limit {:.6g}", joint.name, what, limit),
            "a limit must not be negative");
    } else if (limit == 0.0) {
      warning("limits", joint.where, fmt::format("joint '{}' has the {} limit 0", joint.name, what),
              "no drive can move it");
    } else if (std::isinf(limit)) {
      warning("limits", joint.where, fmt::format("joint '{}' has no {} limit", joint.name, what),
              fmt::format("set {} in the joint's <limit>; 0 counts as unknown", what));
    }
  }

  const BodyTree& tree_;
  std::vector<LintFinding> findings_;
};

}  // namespace

std::vector<std::string> lint_names() {
  return {"axis", "inertia-definite", "inertia-size", "inertia-triangle", "limits",
          "mass", "servo-step"};
}

std::vector<LintFinding> lint_body(const BodyTree& tree, int body, bool is_moving) {
  Linter linter(tree);
  linter.check_body(body, is_moving);
  return linter.take();
}

std::vector<LintFinding> lint(const BodyTree& tree, bool root_is_fixed) {
  Linter linter(tree);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const bool is_fixed = i == 0 && (root_is_fixed || tree.is_static);
    linter.check_body(static_cast<int>(i), !is_fixed);
  }
  for (std::size_t i = 0; i < tree.joints.size(); ++i) {
    linter.check_joint(tree.joints[i]);
    linter.check_followers(static_cast<int>(i));
  }
  return linter.take();
}

std::vector<LintFinding> lint_servo(const BodyTree& tree, std::span<const double> gains,
                                    double period_s, std::span<const double> effective_inertias) {
  check(gains.size() == tree.joints.size() && effective_inertias.size() == tree.joints.size(),
        "one gain and one inertia per joint");
  Linter linter(tree);
  for (std::size_t i = 0; i < tree.joints.size(); ++i) {
    linter.check_servo(tree.joints[i], gains[i], period_s, effective_inertias[i]);
  }
  return linter.take();
}

}  // namespace longarm::model
