// SPDX-License-Identifier: Apache-2.0
// Forward kinematics and the closed form of the inverse.
#include "longarm/robots/ur/kinematics.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/LU>
#include <Eigen/SVD>

namespace longarm::robots {
namespace {

using model::Matrix3;
using model::Pose;
using model::Vector3;
using std::numbers::pi;

// below it sin(q5) tells nothing about the last joint
constexpr double kWristSingular = 1e-9;
// by how much rounding may take a cosine beyond 1
constexpr double kBeyondOne = 1e-9;

std::optional<double> arc_cosine(double cosine) {
  if (!(std::abs(cosine) <= 1.0 + kBeyondOne)) {
    return std::nullopt;
  }
  return std::acos(std::clamp(cosine, -1.0, 1.0));
}

double within_half_turn(double angle) {
  return std::remainder(angle, 2.0 * pi);
}

/// The same direction of a joint, as near to `near` as its limits allow.
std::optional<double> bring_near(double angle, double near, double lower, double upper) {
  constexpr double kHair = 1e-9;
  angle += 2.0 * pi * std::round((near - angle) / (2.0 * pi));
  if (angle > upper + kHair) {
    angle -= 2.0 * pi;
  } else if (angle < lower - kHair) {
    angle += 2.0 * pi;
  }
  if (!(angle >= lower - kHair && angle <= upper + kHair)) {
    return std::nullopt;
  }
  return std::clamp(angle, lower, upper);
}

}  // namespace

UrGeometry ur5_geometry() {
  return {.a_m = {0.0, -0.425, -0.39225, 0.0, 0.0, 0.0},
          .d_m = {0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823},
          .alpha_rad = {pi / 2, 0.0, 0.0, pi / 2, -pi / 2, 0.0}};
}

double largest(const Joints& values) {
  double most = 0.0;
  for (const double each : values) {
    most = std::max(most, std::abs(each));
  }
  return most;
}

Matrix3 rotation(const Vector3& vector) {
  const double angle = vector.norm();
  if (angle == 0.0) {
    return Matrix3::Identity();
  }
  return Eigen::AngleAxisd(angle, vector / angle).toRotationMatrix();
}

Vector3 rotation_vector(const Matrix3& R) {
  const Eigen::AngleAxisd turn(R);
  return turn.angle() * turn.axis();
}

Pose to_pose(const Vector6& numbers) {
  Pose X = Pose::Identity();
  X.translation() = Vector3(numbers[0], numbers[1], numbers[2]);
  X.linear() = rotation(Vector3(numbers[3], numbers[4], numbers[5]));
  return X;
}

Vector6 to_numbers(const Pose& pose) {
  const Vector3& p = pose.translation();
  const Vector3 r = rotation_vector(pose.linear());
  return {p.x(), p.y(), p.z(), r.x(), r.y(), r.z()};
}

UrKinematics::UrKinematics(const UrGeometry& geometry) : geometry_(geometry) {}

void UrKinematics::set_tool(const Vector6& tcp_offset) {
  X_FT_ = to_pose(tcp_offset);
}

Pose UrKinematics::link(std::size_t i, double q) const {
  const double c = std::cos(q);
  const double s = std::sin(q);
  const double ca = std::cos(geometry_.alpha_rad[i]);
  const double sa = std::sin(geometry_.alpha_rad[i]);
  Pose X = Pose::Identity();
  X.linear() << c, -s * ca, s * sa,  //
      s, c * ca, -c * sa,            //
      0.0, sa, ca;
  X.translation() = Vector3(geometry_.a_m[i] * c, geometry_.a_m[i] * s, geometry_.d_m[i]);
  return X;
}

UrKinematics::Frames UrKinematics::frames(const Joints& q) const {
  Frames X;
  X[0] = Pose::Identity();
  for (std::size_t i = 0; i < q.size(); ++i) {
    X[i + 1] = X[i] * link(i, q[i]);
  }
  return X;
}

Pose UrKinematics::flange(const Joints& q) const {
  return frames(q).back();
}

UrKinematics::Matrix6 UrKinematics::jacobian(const Joints& q) const {
  const Frames X = frames(q);
  const Vector3 p = (X.back() * X_FT_).translation();
  Matrix6 J;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const Vector3 axis = X[i].linear().col(2);
    J.col(static_cast<Eigen::Index>(i)) << axis.cross(p - X[i].translation()), axis;
  }
  return J;
}

Vector6 UrKinematics::tool_velocity(const Joints& q, const Joints& qd) const {
  Vector6 out;
  Eigen::Map<Eigen::Matrix<double, 6, 1>>(out.data()) =
      jacobian(q) * Eigen::Map<const Eigen::Matrix<double, 6, 1>>(qd.data());
  return out;
}

Vector3 UrKinematics::elbow(const Joints& q) const {
  return (link(0, q[0]) * link(1, q[1])).translation();
}

Vector3 UrKinematics::elbow_velocity(const Joints& q, const Joints& qd) const {
  const Pose X_1 = link(0, q[0]);
  const Vector3 p = (X_1 * link(1, q[1])).translation();
  const Vector3 shoulder_axis = X_1.linear().col(2);
  return qd[0] * Vector3::UnitZ().cross(p) + qd[1] * shoulder_axis.cross(p - X_1.translation());
}

std::optional<Joints> UrKinematics::rates(const Joints& q, const Vector6& velocity,
                                          double least) const {
  const Matrix6 J = jacobian(q);
  const Eigen::JacobiSVD<Matrix6> svd(J);
  if (!(svd.singularValues()[5] >= least)) {
    return std::nullopt;
  }
  Joints out;
  Eigen::Map<Eigen::Matrix<double, 6, 1>>(out.data()) =
      J.partialPivLu().solve(Eigen::Map<const Eigen::Matrix<double, 6, 1>>(velocity.data()));
  return out;
}

std::vector<Joints> UrKinematics::inverse(const Pose& X_BT, const Joints& near) const {
  std::vector<Joints> out;
  const Pose X_BF = X_BT * X_FT_.inverse();
  const double d4 = geometry_.d_m[3];
  const double d6 = geometry_.d_m[5];
  // where the axes of wrist 2 and wrist 3 meet; seen from above, the arm passes d4 beside the base
  const Vector3 wrist = X_BF * Vector3(0.0, 0.0, -d6);
  const std::optional<double> beside = arc_cosine(d4 / std::hypot(wrist.x(), wrist.y()));
  if (!beside) {
    return out;
  }
  for (const double side : {1.0, -1.0}) {
    const double q1 = std::atan2(wrist.y(), wrist.x()) + side * *beside + pi / 2;
    const Vector3& p = X_BF.translation();
    const std::optional<double> bend =
        arc_cosine((p.x() * std::sin(q1) - p.y() * std::cos(q1) - d4) / d6);
    if (!bend) {
      continue;
    }
    add_arm_solutions(X_BF, q1, *bend, near, out);
    if (std::abs(std::sin(*bend)) > kWristSingular) {
      add_arm_solutions(X_BF, q1, -*bend, near, out);
    }
  }
  return out;
}

/// With base and wrist 2 known the other three joints are a planar arm.
void UrKinematics::add_arm_solutions(const Pose& X_BF, double q1, double q5, const Joints& near,
                                     std::vector<Joints>& out) const {
  const double s1 = std::sin(q1);
  const double c1 = std::cos(q1);
  const Matrix3& R = X_BF.linear();
  const double s5 = std::sin(q5);
  double q6 = near[5];
  if (std::abs(s5) > kWristSingular) {
    q6 = std::atan2((-R(0, 1) * s1 + R(1, 1) * c1) / s5, (R(0, 0) * s1 - R(1, 0) * c1) / s5);
  }
  const Pose X_14 = link(0, q1).inverse() * X_BF * (link(4, q5) * link(5, q6)).inverse();
  const Vector3 p_13 = X_14 * Vector3(0.0, -geometry_.d_m[3], 0.0);
  const double a2 = geometry_.a_m[1];
  const double a3 = geometry_.a_m[2];
  const std::optional<double> elbow =
      arc_cosine((p_13.x() * p_13.x() + p_13.y() * p_13.y() - a2 * a2 - a3 * a3) / (2.0 * a2 * a3));
  if (!elbow) {
    return;
  }
  const double q234 = std::atan2(X_14.linear()(1, 0), X_14.linear()(0, 0));
  for (const double sign : {1.0, -1.0}) {
    const double q3 = sign * *elbow;
    const double q2 =
        std::atan2(p_13.y(), p_13.x()) - std::atan2(a3 * std::sin(q3), a2 + a3 * std::cos(q3));
    Joints q{q1, q2, q3, q234 - q2 - q3, q5, q6};
    std::transform(q.begin(), q.end(), q.begin(), within_half_turn);
    out.push_back(q);
  }
}

std::optional<Joints> UrKinematics::nearest(const Pose& X_BT, const Joints& near,
                                            const Joints& lower, const Joints& upper) const {
  std::optional<Joints> best;
  double least = 0.0;
  for (Joints q : inverse(X_BT, near)) {
    double distance = 0.0;
    bool fits = true;
    for (std::size_t j = 0; fits && j < q.size(); ++j) {
      const std::optional<double> turned = bring_near(q[j], near[j], lower[j], upper[j]);
      fits = turned.has_value();
      q[j] = turned.value_or(0.0);
      distance += (q[j] - near[j]) * (q[j] - near[j]);
    }
    if (fits && (!best || distance < least)) {
      best = q;
      least = distance;
    }
  }
  return best;
}

}  // namespace longarm::robots
