// SPDX-License-Identifier: Apache-2.0
// The law by which the tool gives way, axis by axis.
#include "longarm/robots/ur/compliance.h"

#include <algorithm>
#include <cmath>

namespace longarm::robots {
namespace {

using model::Matrix3;
using model::Vector3;

// of the tool as it feels to what pushes it, straight and turning; plausible, not the maker's
constexpr double kMass_kg = 10.0;
constexpr double kInertia_kg_m2 = 0.1;
// dampers at a damping of one
constexpr double kDamper_N_s_m = 2000.0;
constexpr double kDamper_Nm_s_rad = 20.0;
// less is not felt
constexpr double kLeast_N = 0.5;
constexpr double kLeast_Nm = 0.05;
// what is met is neither softer nor harder than this
constexpr double kSoftest_N_m = 2000.0;
constexpr double kHardest_N_m = 1e6;
constexpr double kSoftest_Nm_rad = 20.0;
constexpr double kHardest_Nm_rad = 1e4;
// an error of the force falls by one in so many per cycle; of a stiffness that no longer shows this
// much is kept
constexpr double kCyclesOfError = 3.0;
constexpr double kStiffnessKept = 0.98;
// smaller steps tell nothing of stiffness
constexpr double kLeastStep = 1e-8;
// back to the program along an axis that is no longer compliant
constexpr double kReturn_m_s = 0.05;
constexpr double kReturn_rad_s = 0.2;
// slower than this has no direction
constexpr double kLeastSpeed_m_s = 1e-3;

Vector3 part(const Vector6& v, std::size_t first) {
  return {v[first], v[first + 1], v[first + 2]};
}

/// Both halves in the axes R, or back.
Vector6 turned(const Matrix3& R, const Vector6& v) {
  const Vector3 a = R * part(v, 0);
  const Vector3 b = R * part(v, 3);
  return {a.x(), a.y(), a.z(), b.x(), b.y(), b.z()};
}

Vector6 difference(const model::Pose& to, const model::Pose& from) {
  const Vector3 way = to.translation() - from.translation();
  const Vector3 turn = rotation_vector(to.linear() * from.linear().transpose());
  return {way.x(), way.y(), way.z(), turn.x(), turn.y(), turn.z()};
}

}  // namespace

void UrCompliance::set(const UrForceTask& task, double damping, double gain) {
  task_ = task;
  damping_ = damping;
  gain_ = gain;
  for (std::size_t i = 0; i < speed_.size(); ++i) {
    if (!task.is_compliant[i]) {
      speed_[i] = stiffness_[i] = 0.0;
    }
  }
}

Matrix3 UrCompliance::axes(const UrToolTarget& now) const {
  const Matrix3& F = task_.X_BF.linear();
  if (task_.type == UrForceTask::Type::kPoint) {
    const Vector3 way = task_.X_BF.translation() - now.X_BT.translation();
    const Vector3 across = way.cross(F.col(2));
    if (across.norm() < kLeastSpeed_m_s) {
      return F;
    }
    Matrix3 R;
    R.col(0) = across.normalized();
    R.col(1) = way.normalized();
    R.col(2) = R.col(0).cross(R.col(1));
    return R;
  }
  if (task_.type == UrForceTask::Type::kMotion) {
    const Vector3 v = F.transpose() * part(now.velocity, 0);
    if (std::hypot(v.x(), v.y()) < kLeastSpeed_m_s) {
      return F;
    }
    return F * rotation(Vector3(0.0, 0.0, std::atan2(v.y(), v.x())));
  }
  return F;
}

double UrCompliance::next_speed(std::size_t i, double felt, double cycle_s) {
  const bool turns = i >= 3;
  const double mass = turns ? kInertia_kg_m2 : kMass_kg;
  double damper = damping_ * (turns ? kDamper_Nm_s_rad : kDamper_N_s_m);
  stiffness_[i] *= kStiffnessKept;
  if (has_felt_ && std::abs(felt) > (turns ? kLeast_Nm : kLeast_N)) {
    const double shown = std::abs(step_[i]) > kLeastStep ? -(felt - felt_[i]) / step_[i] : 0.0;
    stiffness_[i] =
        std::clamp(std::max(stiffness_[i], shown), turns ? kSoftest_Nm_rad : kSoftest_N_m,
                   turns ? kHardest_Nm_rad : kHardest_N_m);
    damper = std::max(damper, kCyclesOfError * cycle_s * stiffness_[i]);
  }
  const double push = gain_ * (task_.wrench[i] + felt);
  const double speed = (speed_[i] + cycle_s / mass * push) / (1.0 + cycle_s / mass * damper);
  return std::clamp(speed, -task_.limits[i], task_.limits[i]);
}

UrCompliance::Step UrCompliance::next(const Input& input, double cycle_s) {
  const Matrix3 R = axes(input.now);
  // what was known in other axes
  const Matrix3 turn = R.transpose() * R_;
  speed_ = turned(turn, speed_);
  step_ = turned(turn, step_);
  felt_ = turned(turn, felt_);
  R_ = R;
  const Vector6 felt = turned(R.transpose(), input.felt);
  const Vector6 planned =
      turned(R.transpose(), difference(input.program.X_BT, input.program_before.X_BT));
  const Vector6 astray =
      turned(R.transpose(), difference(input.program_before.X_BT, input.now.X_BT));
  const Vector6 program_speed = turned(R.transpose(), input.program.velocity);
  for (std::size_t i = 0; i < speed_.size(); ++i) {
    if (task_.is_compliant[i]) {
      const double before = speed_[i];
      speed_[i] = next_speed(i, felt[i], cycle_s);
      step_[i] = 0.5 * (before + speed_[i]) * cycle_s;
      continue;
    }
    const double most = (i < 3 ? kReturn_m_s : kReturn_rad_s) * cycle_s;
    const double back = std::clamp(astray[i], -most, most);
    step_[i] = planned[i] + back;
    speed_[i] = program_speed[i] + back / cycle_s;
  }
  felt_ = felt;
  has_felt_ = true;
  const Vector6 way = turned(R, step_);
  Step out{input.now.X_BT, turned(R, speed_)};
  out.X_BT.translation() += part(way, 0);
  out.X_BT.linear() = rotation(part(way, 3)) * input.now.X_BT.linear();
  return out;
}

std::optional<std::size_t> UrCompliance::axis_beyond_limits(const model::Pose& actual,
                                                            const model::Pose& program) const {
  const Vector6 off = turned(R_.transpose(), difference(actual, program));
  for (std::size_t i = 0; i < off.size(); ++i) {
    if (!task_.is_compliant[i] && task_.limits[i] > 0.0 && std::abs(off[i]) > task_.limits[i]) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace longarm::robots
