// SPDX-License-Identifier: Apache-2.0
// Lets failures happen: to the world and its devices, and to nobody's knowledge.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/workcell/contact_watch.h"
#include "longarm/workcell/put_down.h"
#include "longarm/workcell/work_cell.h"

namespace longarm::workcell {
namespace {

using namespace std::chrono_literals;

// what slips does so when the arm has lifted it
constexpr Duration kSlipsAfter = 1s;
// where what was taken away is: nobody sees it there
const model::Vector3 kElsewhere_m(30.0, 30.0, 1.0);

int placement_of_part(const model::Cell& cell, const std::string& name) {
  for (std::size_t p = 0; p < cell.placements.size(); ++p) {
    if (cell.placements[p].name == name) {
      return static_cast<int>(p);
    }
  }
  check(false, "a part that load_work_cell() refused");
  return 0;
}

/// Fingers open; a vacuum is switched off.
void let_slip(robots::Robot& arm) {
  arm.set_gripper(arm.gripper().kind == robots::GripperKind::kVacuum ? 0.0 : 1.0);
}

}  // namespace

void WorkCell::schedule_failures() {
  std::vector<VisitorWalk::Visit> visits;
  for (const Failure& failure : failures_) {
    kernel_.at(failure.at, sim::Phase::kApply, world_,
               [this, failure](Time now) { begin(failure, now); });
    if (failure.length > Duration::zero()) {
      kernel_.at(failure.at + failure.length, sim::Phase::kApply, world_,
                 [this, failure](Time now) { end(failure, now); });
    }
    if (failure.kind == FailureKind::kCurtainBroken) {
      visits.push_back({failure.at, failure.length});
    }
  }
  if (!visits.empty()) {
    visitor_ = std::make_unique<VisitorWalk>(
        *engine_, find_joint(cell_, std::string(kVisitor) + "::walk"), std::move(visits));
  }
}

void WorkCell::begin(const Failure& failure, Time) {
  happened_.push_back(failure.text);
  switch (failure.kind) {
    case FailureKind::kRobotBreaks:
      robot(failure.target).robot->break_down();
      break;
    case FailureKind::kRobotDies:
      robot(failure.target).robot->break_down();
      robot(failure.target).crcl->set_silent(true);
      break;
    case FailureKind::kPartMisplaced:
      misplace(failure);
      break;
    case FailureKind::kPartMissing:
      take_away(failure);
      break;
    case FailureKind::kGripperDrops:
      if (robots::Robot& arm = *robot(failure.target).robot; arm.gripper().is_holding) {
        let_slip(arm);
      } else {
        dropping_.push_back({failure.target, std::nullopt});
      }
      break;
    case FailureKind::kCameraBlind:
      cameras_[failure.target == "camera_2" ? 1 : 0].device->set_blind(true);
      break;
    case FailureKind::kCameraSilent:
      cameras_[failure.target == "camera_2" ? 1 : 0].device->set_silent(true);
      break;
    case FailureKind::kBeltStops:
      is_belt_dead_ = true;
      brake_belt();
      break;
    case FailureKind::kLinkDown:
    case FailureKind::kLinkSlow:
    case FailureKind::kCurtainBroken:
      break;  // cables know it already, and the visitor is on the way
  }
}

void WorkCell::end(const Failure& failure, Time) {
  switch (failure.kind) {
    case FailureKind::kCameraBlind:
      cameras_[failure.target == "camera_2" ? 1 : 0].device->set_blind(false);
      break;
    case FailureKind::kCameraSilent:
      cameras_[failure.target == "camera_2" ? 1 : 0].device->set_silent(false);
      break;
    case FailureKind::kBeltStops:
      is_belt_dead_ = false;
      brake_belt();
      break;
    default:
      break;
  }
}

/// With what lies in it, if it is a tray.
void WorkCell::misplace(const Failure& failure) {
  const int placement = placement_of_part(cell_, failure.target);
  const auto body = static_cast<physics::BodyId>(cell_.first_body(placement));
  std::vector<int> load;
  for (std::size_t p = 0; p < cell_.placements.size(); ++p) {
    const auto other = static_cast<physics::BodyId>(cell_.first_body(static_cast<int>(p)));
    const auto touches = [&](const physics::Contact& contact) {
      return (contact.a == body && contact.b == other) || (contact.a == other && contact.b == body);
    };
    const bool rests = simplifier_->is_joined(body, other) ||
                       std::any_of(engine_->contacts().begin(), engine_->contacts().end(), touches);
    const bool is_above =
        engine_->pose(other).translation().z() > engine_->pose(body).translation().z();
    if (is_loose(cell_.placements[p]) && other != body && rests && is_above) {
      load.push_back(static_cast<int>(p));
    }
  }
  const model::Pose X_WB = engine_->pose(body);
  std::vector<model::Pose> X_BL;
  simplifier_->release(body);
  // out of the way first, so that it is put down on what is below all of it
  for (const int each : load) {
    const auto other = static_cast<physics::BodyId>(cell_.first_body(each));
    X_BL.push_back(X_WB.inverse() * engine_->pose(other));
    simplifier_->release(other);
    model::Pose aside = engine_->pose(other);
    aside.translation().z() += kElsewhere_m.x();
    engine_->reset_body(other, aside, physics::Twist{});
  }
  model::Pose X_WN = X_WB;
  X_WN.translation() += model::Vector3(failure.x_m, failure.y_m, 0.0);
  put_down(*engine_, cell_.placements[static_cast<std::size_t>(placement)].tree.bodies[0], body,
           X_WN);
  for (std::size_t i = 0; i < load.size(); ++i) {
    const auto other = static_cast<physics::BodyId>(cell_.first_body(load[i]));
    engine_->reset_body(other, engine_->pose(body) * X_BL[i], physics::Twist{});
  }
}

void WorkCell::take_away(const Failure& failure) {
  const auto body =
      static_cast<physics::BodyId>(cell_.first_body(placement_of_part(cell_, failure.target)));
  simplifier_->release(body);
  model::Pose X_WP = model::Pose::Identity();
  // each has a place of its own
  X_WP.translation() = kElsewhere_m + static_cast<double>(taken_.size()) * model::Vector3::UnitX();
  engine_->reset_body(body, X_WP, physics::Twist{});
  taken_.emplace_back(body, X_WP);
}

void WorkCell::drop_parts(Time now) {
  for (auto drop = dropping_.begin(); drop != dropping_.end();) {
    robots::Robot& arm = *robot(drop->robot).robot;
    if (!arm.gripper().is_holding) {
      drop->holding_since.reset();
    } else if (!drop->holding_since) {
      drop->holding_since = now;
    } else if (now - *drop->holding_since >= kSlipsAfter) {
      let_slip(arm);
      drop = dropping_.erase(drop);
      continue;
    }
    ++drop;
  }
}

}  // namespace longarm::workcell
