// SPDX-License-Identifier: Apache-2.0
// Actions as sequences of commands, each with its check.
#include "labs/kitting/arm.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace longarm::kitting {
namespace {

namespace crcl = protocols::crcl;

}  // namespace

Arm::Arm(sim::TaskContext context, const RobotAbility& ability, const ArmConfig& config,
         const HandlingConfig& handling, Dial dial, const TalkConfig& talk)
    : ability_(ability),
      config_(config),
      handling_(handling),
      talk_(context, config.name, std::move(dial), talk),
      yaw_deg_(config.yaw_deg) {}

std::optional<Vector3> Arm::last_p_W() const {
  const std::optional<crcl::Status>& status = talk_.status();
  if (!status || !status->pose) {
    return std::nullopt;
  }
  return base_of(ability_) * point_of(status->pose->pose);
}

bool Arm::says_it_holds() const {
  const std::optional<crcl::Status>& status = talk_.status();
  return status && status->gripper && status->gripper->is_holding.value_or(false);
}

sim::Task<Deed> Arm::run(crcl::CommandBody body) {
  const CommandEnd end = co_await talk_.run(std::move(body));
  if (end.is_done()) {
    co_return Deed{};
  }
  needs_init_ = true;  // an error stays until the next InitCanon
  is_open_ = false;
  if (end.ending == Ending::kSilent) {
    co_return Deed{DeedEnd::kSilent, end.words};
  }
  co_return Deed{DeedEnd::kRefused, fmt::format("{} says: {}", config_.name, end.words)};
}

sim::Task<Deed> Arm::prepare() {
  const bool is_new = talk_.take_is_new();
  if (!needs_init_ && !is_new) {
    co_return Deed{};
  }
  std::vector<crcl::CommandBody> bodies;
  bodies.emplace_back(crcl::InitCanon{});
  bodies.emplace_back(crcl::SetLengthUnits{crcl::LengthUnit::kMeter});
  bodies.emplace_back(crcl::SetAngleUnits{crcl::AngleUnit::kRadian});
  bodies.emplace_back(crcl::ConfigureStatusReport{false, true, true, false, false, false});
  for (crcl::CommandBody& body : bodies) {
    Deed deed = co_await run(std::move(body));
    if (!deed.is_done()) {
      co_return deed;
    }
  }
  needs_init_ = false;
  talk_.take_is_new();
  co_return Deed{};
}

sim::Task<Deed> Arm::go(Vector3 p_W, bool is_straight, bool is_fine) {
  const double speed_m_s = is_fine ? handling_.fine_speed_m_s : handling_.travel_speed_m_s;
  const double acceleration_m_s2 =
      is_fine ? handling_.fine_acceleration_m_s2 : handling_.travel_acceleration_m_s2;
  const Pose X_BT = tool_pose(ability_, p_W, yaw_deg_);
  crcl::CommandBody body = move_to(X_BT, is_straight, speed_m_s, acceleration_m_s2, handling_);
  Deed deed = co_await run(std::move(body));
  co_return deed;
}

sim::Task<Deed> Arm::grip(double opening, double wait_s) {
  crcl::CommandBody set = crcl::SetEndEffector{opening};
  Deed deed = co_await run(std::move(set));
  if (deed.is_done() && wait_s > 0.0) {
    crcl::CommandBody dwell = crcl::Dwell{wait_s};
    deed = co_await run(std::move(dwell));
  }
  is_open_ = deed.is_done() && opening > 0.0;
  co_return deed;
}

sim::Task<Deed> Arm::travel(Vector3 p_W) {
  Deed deed = co_await go(p_W, true, false);
  if (deed.end != DeedEnd::kRefused) {
    co_return deed;
  }
  // the line may lead through where it cannot go
  deed = co_await prepare();
  if (deed.is_done()) {
    deed = co_await go(p_W, false, false);
  }
  co_return deed;
}

sim::Task<Deed> Arm::pick(Vector3 p_WP, double grasp_height_m, std::vector<Vector3> others_W) {
  yaw_deg_ = choose_yaw_deg(config_, p_WP, others_W);
  const Vector3 grasp = p_WP + Vector3(0.0, 0.0, grasp_height_m + handling_.grasp_offset_m);
  const Vector3 over = grasp + Vector3(0.0, 0.0, handling_.approach_m);
  Deed deed = co_await prepare();
  if (deed.is_done() && !is_open_) {
    deed = co_await grip(1.0, 0.0);
  }
  if (deed.is_done()) {
    deed = co_await travel(over);
  }
  if (deed.is_done()) {
    deed = co_await go(grasp, true, true);
  }
  if (deed.is_done()) {
    deed = co_await grip(0.0, handling_.grasp_wait_s);
  }
  if (!deed.is_done()) {
    co_return deed;
  }
  const bool has_closed_on_it = says_it_holds();
  if (!has_closed_on_it) {
    deed = co_await grip(1.0, 0.0);
    if (!deed.is_done()) {
      co_return deed;
    }
  }
  deed = co_await go(over, true, true);
  if (!deed.is_done()) {
    co_return deed;
  }
  if (!has_closed_on_it) {
    co_return Deed{DeedEnd::kNothingHeld,
                   fmt::format("the fingers of {} closed on nothing", config_.name)};
  }
  if (!says_it_holds()) {
    co_return Deed{DeedEnd::kDropped, fmt::format("{} lost the part on lifting it", config_.name)};
  }
  co_return Deed{};
}

sim::Task<Deed> Arm::place(Vector3 p_WS, double grasp_height_m, std::vector<Vector3> others_W) {
  yaw_deg_ = choose_yaw_deg(config_, p_WS, others_W);
  const double height_m = grasp_height_m + handling_.grasp_offset_m + handling_.release_m;
  const Vector3 seat = p_WS + Vector3(0.0, 0.0, height_m);
  const Vector3 over = seat + Vector3(0.0, 0.0, handling_.approach_m);
  Deed deed = co_await prepare();
  if (deed.is_done()) {
    deed = co_await travel(over);
  }
  if (!deed.is_done()) {
    co_return deed;
  }
  if (!says_it_holds()) {
    co_return Deed{DeedEnd::kDropped, fmt::format("{} lost the part on its way", config_.name)};
  }
  deed = co_await go(seat, true, true);
  if (deed.is_done()) {
    deed = co_await grip(1.0, handling_.release_wait_s);
  }
  if (deed.is_done()) {
    deed = co_await go(over, true, false);
  }
  co_return deed;
}

sim::Task<Deed> Arm::withdraw() {
  Deed deed = co_await prepare();
  const std::optional<Vector3> here = last_p_W();
  if (!deed.is_done() || !here || config_.clear_m.empty()) {
    co_return deed;
  }
  const Vector3 clear(config_.clear_m[0], config_.clear_m[1], config_.clear_m[2]);
  if ((clear - *here).norm() < 0.005) {
    co_return deed;
  }
  if (here->z() < clear.z() - 0.005) {
    deed = co_await go(Vector3(here->x(), here->y(), clear.z()), true, false);
  }
  if (deed.is_done()) {
    deed = co_await travel(clear);
  }
  co_return deed;
}

sim::Task<Deed> Arm::recover() {
  Deed deed = co_await prepare();
  const std::optional<Vector3> here = last_p_W();
  if (deed.is_done() && here) {
    deed = co_await go(*here + Vector3(0.0, 0.0, 0.03), true, true);
  }
  co_return deed;
}

}  // namespace longarm::kitting
