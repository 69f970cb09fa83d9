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

Grasp grasp_of(const Ontology& ontology, const std::string& tool, const PartKind& kind) {
  const Tool* found = ontology.find_tool(tool);
  return found != nullptr && found->is_cup() ? Grasp{kind.suction(), true}
                                             : Grasp{{0.0, 0.0, kind.grasp_height_m}, false};
}

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

sim::Task<Deed> Arm::grip(double setting, double wait_s) {
  crcl::CommandBody set = crcl::SetEndEffector{setting};
  Deed deed = co_await run(std::move(set));
  if (deed.is_done() && wait_s > 0.0) {
    crcl::CommandBody dwell = crcl::Dwell{wait_s};
    deed = co_await run(std::move(dwell));
  }
  is_open_ = deed.is_done() && setting > 0.0;
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

/// A cup takes parts beside their pegs, wherever the tool is turned to; fingers turn so that they
/// stay clear of others.
Vector3 Arm::turn_for(const Vector3& p_W, const Grasp& grasp, double over_m,
                      const std::vector<Vector3>& others_W) {
  yaw_deg_ = grasp.is_by_suction ? config_.yaw_deg : choose_yaw_deg(config_, p_W, others_W);
  const double offset_m = grasp.is_by_suction ? -handling_.press_m : handling_.grasp_offset_m;
  return p_W + Vector3(grasp.at.x(), grasp.at.y(), grasp.at.z() + offset_m + over_m);
}

// fingers close by 0 and open by 1; a cup holds by 1 and lets go by 0
sim::Task<Deed> Arm::pick(Vector3 p_WP, Grasp grasp_by, std::vector<Vector3> others_W) {
  const Vector3 grasp = turn_for(p_WP, grasp_by, 0.0, others_W);
  const Vector3 over = grasp + Vector3(0.0, 0.0, handling_.approach_m);
  const double hold = grasp_by.is_by_suction ? 1.0 : 0.0;
  const char* missed = grasp_by.is_by_suction ? "the cup of {} did not seal"
                                              : "the gripper of {} closed without a part";
  Deed deed = co_await prepare();
  if (deed.is_done() && !is_open_ && !grasp_by.is_by_suction) {
    deed = co_await grip(1.0, 0.0);
  }
  if (deed.is_done()) {
    deed = co_await travel(over);
  }
  if (deed.is_done() && grasp_by.is_by_suction) {
    deed = co_await grip(hold, 0.0);  // so that it seals as soon as it touches, still level
  }
  if (deed.is_done()) {
    deed = co_await go(grasp, true, true);
  }
  if (deed.is_done()) {
    deed = co_await grip(hold, handling_.grasp_wait_s);
  }
  if (!deed.is_done()) {
    co_return deed;
  }
  const bool has_closed_on_it = says_it_holds();
  if (!has_closed_on_it) {
    deed = co_await grip(1.0 - hold, 0.0);
    if (!deed.is_done()) {
      co_return deed;
    }
  }
  deed = co_await go(over, true, true);
  if (!deed.is_done()) {
    co_return deed;
  }
  if (!has_closed_on_it) {
    co_return Deed{DeedEnd::kNothingHeld, fmt::format(fmt::runtime(missed), config_.name)};
  }
  if (!says_it_holds()) {
    co_return Deed{DeedEnd::kDropped, fmt::format("{} lost the part on lifting it", config_.name)};
  }
  co_return Deed{};
}

sim::Task<Deed> Arm::place(Vector3 p_WS, Grasp grasp_by, std::vector<Vector3> others_W) {
  const Vector3 seat = turn_for(p_WS, grasp_by, handling_.release_m, others_W);
  const Vector3 over = seat + Vector3(0.0, 0.0, handling_.approach_m);
  Deed deed = co_await prepare();
  if (deed.is_done()) {
    deed = co_await travel(over);
  }
  if (!deed.is_done()) {
    co_return deed;
  }
  if (!says_it_holds()) {
    co_return Deed{DeedEnd::kDropped, fmt::format("{} lost the part while moving", config_.name)};
  }
  deed = co_await go(seat, true, true);
  if (deed.is_done()) {
    deed = co_await grip(grasp_by.is_by_suction ? 0.0 : 1.0, handling_.release_wait_s);
  }
  if (deed.is_done()) {
    deed = co_await go(over, true, false);
  }
  co_return deed;
}

sim::Task<Deed> Arm::go_to_stand(Vector3 p_W) {
  yaw_deg_ = 0.0;  // as tools hang
  Deed deed = co_await prepare();
  if (deed.is_done()) {
    deed = co_await travel(p_W + Vector3(0.0, 0.0, handling_.approach_m));
  }
  if (deed.is_done()) {
    deed = co_await go(p_W, true, true);
  }
  co_return deed;
}

sim::Task<Deed> Arm::take_tool(Vector3 p_WC, double length_m) {
  Deed deed = co_await go_to_stand(p_WC + Vector3(0.0, 0.0, handling_.coupling_m));
  if (deed.is_done()) {
    crcl::CommandBody take = crcl::CloseToolChanger{};
    deed = co_await run(std::move(take));
  }
  is_open_ = false;
  if (deed.is_done()) {
    // from now on the end of the tool is what is led
    deed = co_await go(p_WC + Vector3(0.0, 0.0, handling_.approach_m - length_m), true, true);
  }
  co_return deed;
}

sim::Task<Deed> Arm::hang_tool(Vector3 p_WC, double length_m) {
  Deed deed = co_await go_to_stand(p_WC + Vector3(0.0, 0.0, handling_.coupling_m - length_m));
  if (deed.is_done()) {
    crcl::CommandBody part = crcl::OpenToolChanger{};
    deed = co_await run(std::move(part));
  }
  if (deed.is_done()) {
    // from now on the flange is
    deed = co_await go(p_WC + Vector3(0.0, 0.0, handling_.approach_m), true, true);
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
