// SPDX-License-Identifier: Apache-2.0
// Ramps, resets and the encoder that knows nothing of them.
#include "longarm/mechanisms/belt.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"

namespace longarm::mechanisms {
namespace {

using Remark = std::function<void(std::string_view key, std::string message, std::string hint)>;

// a drive that follows to within this is not jammed, whatever its effort
constexpr double kFollows_m_s = 1e-3;
// rounding of an effort that is at its limit
constexpr double kNearlyAll = 0.999;

/// What is wrong with the values by themselves.
void judge(const BeltConfig& config, const Remark& remark) {
  // written so that a NaN is wrong, too
  if (!(config.acceleration_m_s2 >= 0.0)) {
    remark("acceleration_m_s2", "a belt's acceleration must not be negative",
           "the sign of a commanded velocity is the direction; 0 means at once");
  }
  if (!(config.max_speed_m_s > 0.0)) {
    remark("max_speed_m_s", "a belt needs a max_speed_m_s above zero", "0.2 is usual");
  }
  if (!(config.max_force_N > 0.0)) {
    remark("max_force_N", "a belt needs a drive with a force above zero", "2000 is usual");
  }
  if (!(config.reset_after_m > 0.0)) {
    remark("reset_after_m", "reset_after_m must be greater than zero", "0.1 is usual");
  }
  if (config.jam_after <= Duration::zero()) {
    remark("jam_after", "jam_after must be greater than zero", "200ms is usual");
  }
}

struct Drive {
  const model::Placement* placement = nullptr;
  const model::TreeJoint* joint = nullptr;
  int surface = 0;  ///< body of the cell
  int own = 0;      ///< joint of the tree
};

std::optional<Drive> find_drive(const model::Cell& cell, int joint) {
  for (std::size_t p = 0; p < cell.placements.size(); ++p) {
    const model::Placement& placement = cell.placements[p];
    const int own = joint - cell.first_joint(static_cast<int>(p));
    if (own >= 0 && own < static_cast<int>(placement.tree.joints.size())) {
      return Drive{&placement, &placement.tree.joints[static_cast<std::size_t>(own)],
                   cell.first_body(static_cast<int>(p)) + own + 1, own};
    }
  }
  return std::nullopt;
}

/// How far a shape reaches to both sides of its frame along a direction of that frame; nothing for
/// a half space, which has no end.
struct Reach {
  model::Vector3 direction_G;

  std::optional<double> operator()(const model::Box& box) const {
    return direction_G.cwiseAbs().dot(box.size_m) / 2.0;
  }
  std::optional<double> operator()(const model::Sphere& sphere) const { return sphere.radius_m; }
  std::optional<double> operator()(const model::Cylinder& cylinder) const {
    const double across = std::hypot(direction_G.x(), direction_G.y());
    return cylinder.radius_m * across + cylinder.length_m / 2.0 * std::abs(direction_G.z());
  }
  std::optional<double> operator()(const model::Capsule& capsule) const {
    return capsule.radius_m + capsule.length_m / 2.0 * std::abs(direction_G.z());
  }
  std::optional<double> operator()(const model::HalfSpace&) const { return std::nullopt; }
  std::optional<double> operator()(const model::Mesh& mesh) const {
    double most = 0.0;
    if (mesh.data != nullptr) {
      for (const model::Vector3& vertex : mesh.data->vertices_m) {
        most = std::max(most, std::abs(direction_G.dot(vertex)));
      }
    }
    return most;
  }
};

/// Length of the longest shape along the direction of motion.
double surface_length(const model::Body& surface, const model::Vector3& axis) {
  double longest = 0.0;
  for (const model::Geometry& shape : surface.collisions) {
    const model::Vector3 direction_G = shape.X_LG.linear().transpose() * axis;
    longest = std::max(longest, 2.0 * std::visit(Reach{direction_G}, shape.shape).value_or(0.0));
  }
  return longest;
}

Drive checked_drive(const model::Cell& cell, physics::JointId joint, const BeltConfig& config) {
  const std::optional<Drive> drive = find_drive(cell, static_cast<int>(joint));
  if (!drive) {
    refuse(fmt::format("the belt's joint {} is not there", static_cast<int>(joint)),
           fmt::format("the cell has {} joints", cell.joint_count()));
  }
  const model::TreeJoint& slider = *drive->joint;
  if (slider.type != model::JointType::kPrismatic) {
    refuse(fmt::format("joint '{}' cannot drive a belt: it is rotational", slider.name),
           "a belt is a surface on a prismatic joint");
  }
  const auto body = static_cast<std::size_t>(drive->own + 1);
  const model::Body& surface = drive->placement->tree.bodies[body];
  const double length = surface_length(surface, slider.axis);
  if (!(length > 0.0)) {
    refuse(
        fmt::format("the belt '{}' has no length along its joint '{}'", surface.name, slider.name),
        "its surface needs a collision shape that extends along the joint's axis");
  }
  if (config.reset_after_m >= length / 2.0) {
    refuse(fmt::format("the belt '{}' is {:g} m long: if reset only after {:g} m, it would no "
                       "longer support its load",
                       surface.name, length, config.reset_after_m),
           "make reset_after_m a small fraction of the length");
  }
  return *drive;
}

void check_room(const Drive& drive, double start_m, const BeltConfig& config) {
  const model::JointLimits& limits = drive.joint->limits;
  if (start_m - config.reset_after_m <= limits.lower ||
      start_m + config.reset_after_m >= limits.upper) {
    refuse(
        fmt::format("the limits of joint '{}' are too narrow for a belt that is reset after {:g} m",
                    drive.joint->name, config.reset_after_m),
        "its limits must be wider than reset_after_m to both sides, or absent");
  }
}

}  // namespace

void list_fields(Fields& fields, BeltConfig& config) {
  fields.field("acceleration_m_s2", config.acceleration_m_s2,
               "acceleration of its ramps; 0: instant");
  fields.field("max_speed_m_s", config.max_speed_m_s,
               "largest speed; faster commands are rejected");
  fields.field("max_force_N", config.max_force_N, "largest force of its drive");
  fields.field("reset_after_m", config.reset_after_m,
               "displacement after which the surface is reset");
  fields.field("jam_after", config.jam_after,
               "time at full force without reaching the commanded speed that counts as a jam");
  judge(config, [&](std::string_view key, std::string message, std::string hint) {
    fields.reject(key, std::move(message), std::move(hint));
  });
}

Belt::Belt(physics::Engine& engine, const model::Cell& cell, physics::JointId joint,
           const BeltConfig& config, Duration period, Simplifier* simplifier)
    : engine_(engine), joint_(joint), config_(config), period_(period), simplifier_(simplifier) {
  judge(config, [](std::string_view key, std::string message, std::string hint) {
    refuse(fmt::format("{}: {}", key, message), std::move(hint));
  });
  const Drive drive = checked_drive(cell, joint, config);
  surface_ = static_cast<physics::BodyId>(drive.surface);
  axis_S_ = drive.joint->axis;
  start_m_ = engine_.positions()[static_cast<std::size_t>(joint_)];
  last_position_m_ = start_m_;
  check_room(drive, start_m_, config);
}

void Belt::command(double velocity_m_s) {
  // nobody can mean a velocity that is not a number
  const double wanted = std::isnan(velocity_m_s) ? 0.0 : velocity_m_s;
  commanded_m_s_ = std::clamp(wanted, -config_.max_speed_m_s, config_.max_speed_m_s);
}

void Belt::stop() {
  is_stopped_ = true;
  ramped_m_s_ = 0.0;
}

void Belt::resume() {
  is_stopped_ = false;
}

void Belt::before_step() {
  const double target = is_stopped_ ? 0.0 : commanded_m_s_;
  const double most = config_.acceleration_m_s2 * to_seconds(period_);
  ramped_m_s_ = most > 0.0 ? ramped_m_s_ + std::clamp(target - ramped_m_s_, -most, most) : target;
  engine_.set_velocity(joint_, ramped_m_s_, config_.max_force_N);
}

void Belt::after_step() {
  const double position = engine_.positions()[static_cast<std::size_t>(joint_)];
  encoder_m_ += position - last_position_m_;
  last_position_m_ = position;
  watch_drive();
  if (std::abs(position - start_m_) >= config_.reset_after_m) {
    put_back(position);
  }
}

void Belt::watch_drive() {
  const double effort = engine_.efforts()[static_cast<std::size_t>(joint_)];
  const bool is_at_limit = std::abs(effort) >= kNearlyAll * config_.max_force_N;
  const bool follows = std::abs(velocity_m_s() - ramped_m_s_) <= kFollows_m_s;
  at_limit_for_ = is_at_limit && !follows ? at_limit_for_ + period_ : Duration::zero();
}

void Belt::put_back(double position_m) {
  // by whole steps of the distance, so that the surface goes on where it would be
  const double by = std::copysign(config_.reset_after_m, position_m - start_m_);
  if (simplifier_ != nullptr) {
    simplifier_->let_go(surface_);
  }
  engine_.reset_joint(joint_, position_m - by, velocity_m_s());
  last_position_m_ = position_m - by;
  if (simplifier_ != nullptr) {
    simplifier_->hold_again(surface_, -by * axis_S_);
  }
}

double Belt::velocity_m_s() const {
  return engine_.velocities()[static_cast<std::size_t>(joint_)];
}

}  // namespace longarm::mechanisms
