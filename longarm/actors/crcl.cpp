// SPDX-License-Identifier: Apache-2.0
// The kind `crcl`: an arm of the world with its gripper, behind a CRCL server.
#include "longarm/actors/crcl.h"

#include <array>
#include <chrono>

#include <fmt/format.h>

#include "longarm/actors/door_interface.h"
#include "longarm/actors/kinds.h"
#include "longarm/actors/robot_trace.h"
#include "longarm/actors/stop_input.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/world.h"
#include "longarm/robots/crcl_door.h"
#include "longarm/robots/robot_config.h"

namespace longarm::actors {
namespace {

using namespace std::chrono_literals;
using cell::FailureVerb;
using cell::Stage;
using cell::World;

// of what is recorded of it
constexpr Duration kTracePeriod = 10ms;
// what slips does so when the arm has lifted it
constexpr Duration kSlipsAfter = 1s;

struct CrclKeys {
  robots::RobotConfig robot;
  robots::CrclDoorConfig crcl;
};

/// The truth, for clients that ask for it, as a simulator's own plug-in would tell it.
std::vector<robots::CrclModelReport> reports_of(const cell::LooseParts& parts) {
  std::vector<robots::CrclModelReport> models;
  for (const auto& [name, X_WP] : parts.poses()) {
    models.push_back({name, X_WP, {}});
  }
  return models;
}

class CrclActor final : public cell::Actor, public StopInput {
 public:
  CrclActor(const CrclKeys& keys, World& world, const std::string& name)
      : robot_(world.engine(), world.model(), keys.robot, world.period()),
        door_(name + ".crcl", robot_, robot_.X_WB(), keys.crcl),
        served_{&door_},
        body_{&robot_},
        trace_(world, name, keys.robot.placement, kTracePeriod, "longarm/CrclStatus",
               {{"motion", "string"},
                {"failure", "string"},
                {"fault", "string"},
                {"commands", "integer"},
                {"errors", "integer"},
                {"gripper", "string"},
                {"gripper_is_holding", "boolean"}},
               [this] { return status(); }) {
    door_.set_models([&world] { return reports_of(world.parts()); });
    world.watch_robot(name, robot_.bodies());
    world.on(Stage::kServe, [this](Time now) {
      door_.update(now);
      let_slip_when_due(now);
    });
    world.on(Stage::kDrive, [this](Time) { robot_.before_step(); });
    world.on(Stage::kDriven, [this](Time) { robot_.after_step(); });
    world.offer_door(name, door_);
    world.offer<CrclServer>(name, served_);
    world.offer<RobotBody>(name, body_);
    world.offer<StopInput>(name, *this);
  }

  void safety_stop() override { robot_.safety_stop(); }
  void safety_resume() override { robot_.safety_resume(); }
  std::optional<model::Vector3> controlled_point() const override {
    return robot_.state().X_BT.translation();
  }

  void fail(const cell::Failure& failure) override {
    if (failure.verb == "drops") {
      if (robot_.gripper().is_holding) {
        let_slip();
      } else {
        slips_.emplace_back();
      }
      return;
    }
    robot_.break_down();
    if (failure.verb == "dies") {
      door_.set_silent(true);
    }
  }

  nlohmann::ordered_json results() const override {
    const robots::CrclCounts said = door_.counts();
    return {{"commands", said.commands},
            {"errors", said.errors},
            {"statuses", said.statuses},
            {"malformed", said.malformed},
            {"fault", robot_.fault()}};
  }

 private:
  nlohmann::ordered_json status() const {
    constexpr std::array kStates{"idle", "moving", "done", "failed"};
    const robots::MotionReport motion = robot_.motion();
    const robots::GripperReport gripper = robot_.gripper();
    const robots::CrclCounts said = door_.counts();
    return {{"motion", kStates[static_cast<std::size_t>(motion.state)]},
            {"failure", motion.failure},
            {"fault", robot_.fault()},
            {"commands", said.commands},
            {"errors", said.errors},
            {"gripper", gripper.name},
            {"gripper_is_holding", gripper.is_holding}};
  }

  /// Fingers open; a vacuum is switched off.
  void let_slip() {
    robot_.set_gripper(robot_.gripper().kind == robots::GripperKind::kVacuum ? 0.0 : 1.0);
  }

  void let_slip_when_due(Time now) {
    for (auto holding_since = slips_.begin(); holding_since != slips_.end();) {
      if (!robot_.gripper().is_holding) {
        holding_since->reset();
      } else if (!*holding_since) {
        *holding_since = now;
      } else if (now - **holding_since >= kSlipsAfter) {
        let_slip();
        holding_since = slips_.erase(holding_since);
        continue;
      }
      ++holding_since;
    }
  }

  robots::Robot robot_;
  robots::CrclDoor door_;
  CrclServer served_;
  RobotBody body_;
  RobotTrace trace_;
  std::vector<std::optional<Time>> slips_;  ///< holds that will be lost: since when it holds
};

class CrclModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    robots::list_fields(fields, keys_.robot);
    fields.section("crcl", "its CRCL server",
                   [&](Fields& f) { robots::list_fields(f, keys_.crcl); });
  }
  std::vector<cell::Interface> offers() const override {
    return {CrclServer::kInterface, RobotBody::kInterface, StopInput::kInterface};
  }
  std::vector<std::string> drives() const override { return {keys_.robot.placement}; }
  std::vector<FailureVerb> failures() const override {
    return {{"breaks", "brakes on for good, and its controller says so"},
            {"dies", "brakes on, and its controller says nothing any more"},
            {"drops", "what its gripper holds then, or next, slips"}};
  }
  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext& context) override {
    if (keys_.robot.placement.empty()) {
      keys_.robot.placement = context.name;
    }
    return {};
  }
  std::vector<cell::KeyRemark> plan(const model::Cell& cell, const cell::LoadContext&) override {
    return robots::judge_robot(keys_.robot, cell, "");
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<CrclActor>(keys_, world, name);
  }
  cell::Figures figures() const override {
    return {{},
            {{"commands", "CRCL commands", "", 1.0, 0}, {"errors", "of them failed", "", 1.0, 0}},
            ""};
  }

 private:
  CrclKeys keys_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_crcl() {
  return std::make_unique<CrclModel>();
}

}  // namespace longarm::actors
