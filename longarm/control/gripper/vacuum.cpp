// SPDX-License-Identifier: Apache-2.0
// The seal is read off the contacts; the pull is a pair of wrenches.
#include "longarm/control/gripper/vacuum.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"

namespace longarm::control {
namespace {

using model::Vector3;

// points nearer to the axis than this part of the radius say nothing about its sides
constexpr double kInner = 0.1;
// a row of points through the axis leaves two half turns, give or take rounding
constexpr double kMostGap_rad = M_PI * 175.0 / 180.0;

using Remark = std::function<void(std::string_view key, std::string message, std::string hint)>;

void judge(const VacuumConfig& config, const Remark& remark) {
  // written so that a NaN is wrong, too
  if (!(config.pressure_Pa > 0.0 && config.pressure_Pa <= 101325.0)) {
    remark("pressure_Pa", "vacuum pressure must be between 0 and 101325 Pa below ambient",
           "60000 is usual");
  }
  if (!(config.radius_m > 0.0 && config.radius_m < 1.0)) {
    remark("radius_m", "the radius of a cup must be between 0 and 1 m", "0.015 is usual");
  }
  if (config.area_m2 && !(*config.area_m2 > 0.0 && *config.area_m2 < 1.0)) {
    remark("area_m2", "the area of a cup must be between 0 and 1 m²",
           "remove it to use the area of the radius");
  }
  if (!(config.max_tilt_deg > 0.0 && config.max_tilt_deg < 90.0)) {
    remark("max_tilt_deg", "max_tilt_deg must be between 0 and 90", "10 is usual");
  }
  if (config.seal_after < Duration::zero() || config.leak_after < Duration::zero()) {
    remark("seal_after", "seal_after and leak_after must not be negative",
           "10ms and 5ms are usual");
  }
}

/// The widest gap between directions around an axis; a full turn if there are none.
double widest_gap(std::vector<double> angles) {
  if (angles.empty()) {
    return 2.0 * M_PI;
  }
  std::sort(angles.begin(), angles.end());
  double widest = angles.front() + 2.0 * M_PI - angles.back();
  for (std::size_t i = 1; i < angles.size(); ++i) {
    widest = std::max(widest, angles[i] - angles[i - 1]);
  }
  return widest;
}

}  // namespace

double VacuumConfig::force_N() const {
  return pressure_Pa * area_m2.value_or(M_PI * radius_m * radius_m);
}

void list_fields(Fields& fields, VacuumConfig& config) {
  fields.field("pressure_Pa", config.pressure_Pa, "vacuum pressure below ambient");
  fields.field("radius_m", config.radius_m, "radius of the sealed disc");
  fields.field("area_m2", config.area_m2, "sealed area; default: that of the radius");
  fields.field("max_tilt_deg", config.max_tilt_deg,
               "largest angle between cup and surface for a seal");
  fields.field("seal_after", config.seal_after, "contact all around for this long makes a seal");
  fields.field("leak_after", config.leak_after,
               "the seal is lost after this long without full contact");
  judge(config, [&](std::string_view key, std::string message, std::string hint) {
    fields.reject(key, std::move(message), std::move(hint));
  });
}

std::string_view to_string(VacuumState state) {
  switch (state) {
    case VacuumState::kOff:
      return "off";
    case VacuumState::kSearching:
      return "searching";
    case VacuumState::kSealed:
      return "sealed";
    case VacuumState::kLost:
      break;
  }
  return "lost";
}

VacuumCup::VacuumCup(physics::Engine& engine, const model::Cell& cell, const CupPlace& place,
                     const VacuumConfig& config, Duration period)
    : engine_(engine), place_(place), config_(config), period_(period) {
  judge(config, [](std::string_view key, std::string message, std::string hint) {
    throw InputError(Diagnostic{{}, fmt::format("{}: {}", key, message), std::move(hint)});
  });
  for (const model::Placement& placement : cell.placements) {
    for (const model::Body& body : placement.tree.bodies) {
      p_BCom_.push_back(body.inertial.X_LC.translation());
    }
  }
  const int body = static_cast<int>(place.body);
  if (body < 0 || body >= cell.body_count() || !(place.outwards_B.norm() > 0.0)) {
    throw InputError(Diagnostic{{}, "a cup needs a body of the cell and a direction", ""});
  }
  place_.outwards_B.normalize();
  engine_.set_gripping(place_.body);
}

void VacuumCup::turn_on() {
  if (state_ == VacuumState::kSealed) {
    return;
  }
  state_ = VacuumState::kSearching;
  sealed_for_ = Duration::zero();
}

void VacuumCup::turn_off() {
  state_ = VacuumState::kOff;
}

std::optional<physics::BodyId> VacuumCup::held() const {
  return state_ == VacuumState::kSealed ? std::optional(part_) : std::nullopt;
}

void VacuumCup::before_step() {
  if (state_ == VacuumState::kSearching || state_ == VacuumState::kSealed) {
    look();
  }
  if (state_ == VacuumState::kSealed) {
    suck();
  }
}

bool VacuumCup::is_sealed_to(physics::BodyId part) const {
  const model::Pose X_WB = engine_.pose(place_.body);
  const Vector3 axis = X_WB.linear() * place_.outwards_B;
  const Vector3 centre = X_WB * place_.p_BC;
  const Vector3 right = axis.unitOrthogonal();
  const Vector3 up = axis.cross(right);
  const double straight = std::cos(config_.max_tilt_deg * M_PI / 180.0);
  std::vector<double> angles;
  for (const physics::Contact& contact : engine_.contacts()) {
    const bool is_pair = (contact.a == place_.body && contact.b == part) ||
                         (contact.b == place_.body && contact.a == part);
    // what only comes near does not seal
    if (!is_pair || !(contact.depth_m > 0.0 || contact.force_on_b_W.squaredNorm() > 0.0) ||
        std::abs(contact.normal_W.dot(axis)) < straight) {
      continue;
    }
    const Vector3 from_axis = contact.p_W - centre;
    const double x = right.dot(from_axis);
    const double y = up.dot(from_axis);
    if (std::hypot(x, y) > kInner * config_.radius_m) {
      angles.push_back(std::atan2(y, x));
    }
  }
  return widest_gap(std::move(angles)) < kMostGap_rad;
}

std::optional<physics::BodyId> VacuumCup::find_seal() const {
  for (const physics::Contact& contact : engine_.contacts()) {
    if (contact.a != place_.body && contact.b != place_.body) {
      continue;
    }
    const physics::BodyId other = contact.a == place_.body ? contact.b : contact.a;
    if (is_sealed_to(other)) {
      return other;
    }
  }
  return std::nullopt;
}

void VacuumCup::look() {
  if (state_ == VacuumState::kSealed) {
    leaking_for_ = is_sealed_to(part_) ? Duration::zero() : leaking_for_ + period_;
    if (leaking_for_ > config_.leak_after) {
      state_ = VacuumState::kLost;
    }
    return;
  }
  const std::optional<physics::BodyId> found = find_seal();
  if (!found || *found != part_) {
    sealed_for_ = Duration::zero();
  }
  if (!found) {
    return;
  }
  part_ = *found;
  sealed_for_ += period_;
  if (sealed_for_ >= config_.seal_after) {
    state_ = VacuumState::kSealed;
    leaking_for_ = Duration::zero();
  }
}

void VacuumCup::suck() {
  const model::Pose X_WB = engine_.pose(place_.body);
  const Vector3 centre = X_WB * place_.p_BC;
  const Vector3 on_part = -config_.force_N() * (X_WB.linear() * place_.outwards_B);
  const auto pull = [&](physics::BodyId body, const Vector3& force) {
    const Vector3 p_WCom = engine_.pose(body) * p_BCom_[static_cast<std::size_t>(body)];
    engine_.apply_wrench(body, {force, (centre - p_WCom).cross(force)});
  };
  pull(part_, on_part);
  pull(place_.body, -on_part);
}

}  // namespace longarm::control
