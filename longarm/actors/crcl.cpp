// SPDX-License-Identifier: Apache-2.0
// The kind `crcl`: an arm of the world with its gripper, behind a CRCL server.
#include "longarm/actors/crcl.h"

#include <array>
#include <chrono>

#include <fmt/format.h>

#include "longarm/actors/door_interface.h"
#include "longarm/actors/gripper_input.h"
#include "longarm/actors/kinds.h"
#include "longarm/actors/link_json.h"
#include "longarm/actors/robot_trace.h"
#include "longarm/actors/stop_input.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/world.h"
#include "longarm/core/text.h"
#include "longarm/network/channel.h"
#include "longarm/robots/arm/remote_hardware.h"
#include "longarm/robots/arm/robot_config.h"
#include "longarm/robots/crcl/door.h"

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

constexpr const char* kControlHost = "control.host";

/// Of a controller that is on another host than the robot.
struct ControlKeys {
  std::string host;
  std::string cut = "velocity";
  Duration period = 4ms;
  Duration silence = 100ms;
  cell::Wish manner{"", "udp"};
};

void list_control(Fields& fields, ControlKeys& keys) {
  fields.field("host", keys.host,
               "host of its controller and CRCL server; default: the robot's own host");
  fields.choice("cut", keys.cut, {"velocity", "position"},
                "what the controller sends in each period: velocities (the position loop is closed "
                "across the network) or positions (it is closed at the robot)");
  fields.field("period", keys.period, "period of commands and of the robot's answers");
  fields.field("silence", keys.silence, "the robot brakes after this time without a command");
  cell::list_manner(fields, keys.manner);
}

struct CrclKeys {
  robots::RobotConfig robot;
  robots::CrclDoorConfig crcl;
  ControlKeys control;

  bool is_remote() const { return !control.host.empty(); }
};

/// The truth, for clients that ask for it, as a simulator's own plug-in would tell it.
std::vector<robots::CrclModelReport> reports_of(const cell::LooseParts& parts) {
  std::vector<robots::CrclModelReport> models;
  for (const auto& [name, X_WP] : parts.poses()) {
    models.push_back({name, X_WP, {}});
  }
  return models;
}

/// A robot and a controller that is on another host: in each period the robot reports, and the
/// controller says what to do until the next.
class RemoteControl {
 public:
  RemoteControl(const CrclKeys& keys, World& world, const std::string& name)
      : end_(world.engine(), world.model(), keys.robot, world.period(), keys.control.silence),
        hardware_(end_.arm(), keys.robot, keys.control.cut == "velocity", end_.report(Time{})),
        period_(keys.control.period) {
    network::FlowLinks links = world.open_flow(name + "." + kControlHost, name,
                                               keys.control.manner.options(world.usual_flow()));
    commands_ = std::make_unique<network::Channel<robots::HardwareCommand>>(
        world.kernel(), name + ".commands", std::move(links.from_opener),
        [this](const robots::HardwareCommand& command, Time now) { end_.hear(command, now); },
        network::LinkMeter(period_, {}));
    reports_ = std::make_unique<network::Channel<robots::HardwareReport>>(
        world.kernel(), name + ".reports", std::move(links.from_peer),
        [this](const robots::HardwareReport& report, Time) { hardware_.hear(report); },
        network::LinkMeter(period_, {}));
  }

  robots::HardwareEnd& end() { return end_; }
  const robots::HardwareEnd& end() const { return end_; }
  robots::RemoteHardware& hardware() { return hardware_; }

  bool is_due(Time now) const { return now.time_since_epoch() % period_ == Duration{0}; }
  void report(Time now) {
    const robots::HardwareReport report = end_.report(now);
    reports_->send(report, wire_size_bytes(report));
  }
  void command(Time now) {
    const robots::HardwareCommand& command = hardware_.command(now);
    commands_->send(command, wire_size_bytes(command));
  }

  /// How many messages were lost, and silences there were.
  std::uint64_t diagnose(nlohmann::ordered_json& values, Time now) const {
    const std::uint64_t states_lost = reports_->report(now).dropped();
    const std::uint64_t commands_lost = commands_->report(now).dropped();
    values["states_lost"] = states_lost;
    values["commands_lost"] = commands_lost;
    values["silences"] = end_.silences();
    return states_lost + commands_lost + end_.silences();
  }
  void add_results(nlohmann::ordered_json& out, Time now, Duration period) const {
    out["link"]["states"] = link_json(reports_->report(now), {}, period);
    out["link"]["commands"] = link_json(commands_->report(now), {}, period);
    out["silences"] = end_.silences();
  }

 private:
  robots::HardwareEnd end_;
  robots::RemoteHardware hardware_;
  Duration period_;
  std::unique_ptr<network::Channel<robots::HardwareCommand>> commands_;
  std::unique_ptr<network::Channel<robots::HardwareReport>> reports_;
};

std::unique_ptr<robots::Robot> make_robot(const CrclKeys& keys, World& world,
                                          RemoteControl* remote) {
  return remote == nullptr ? std::make_unique<robots::Robot>(world.engine(), world.model(),
                                                             keys.robot, world.period())
                           : std::make_unique<robots::Robot>(remote->hardware(), world.model(),
                                                             keys.robot, keys.control.period);
}

class CrclActor final : public cell::Actor, public StopInput {
 public:
  CrclActor(const CrclKeys& keys, World& world, const std::string& name)
      : world_(world),
        period_(keys.control.period),
        remote_(keys.is_remote() ? std::make_unique<RemoteControl>(keys, world, name) : nullptr),
        robot_(make_robot(keys, world, remote_.get())),
        door_(name + ".crcl", *robot_, robot_->X_WB(), keys.crcl),
        served_{&door_, [this] { return door_.clients(); }},
        body_{remote_ ? nullptr : robot_.get(), [this] { return fault(); }},
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
    if (remote_) {
      join_remote(name);
    } else {
      join(name);
    }
    world.offer<CrclServer>(name, served_);
    world.offer<RobotBody>(name, body_);
    world.offer<StopInput>(name, *this);
    join_gripper();
    world.offer<GripperInput>(name, hand_);
    world.offer_diagnosis([this, name](Time now, std::vector<cell::Diagnosis>& out) {
      out.push_back(diagnose(name, now));
    });
  }

  void safety_stop() override {
    remote_ ? remote_->end().set_stopped(true) : robot_->safety_stop();
  }
  void safety_resume() override {
    remote_ ? remote_->end().set_stopped(false) : robot_->safety_resume();
  }
  std::optional<model::Vector3> controlled_point() const override {
    return remote_ ? remote_->end().controlled_point() : robot_->state().X_BT.translation();
  }

  void fail(const cell::Failure& failure) override {
    if (failure.verb == "drops") {
      if (grip().is_holding) {
        let_slip();
      } else {
        slips_.emplace_back();
      }
      return;
    }
    if (remote_) {
      remote_->end().break_down();
    } else {
      robot_->break_down();
    }
    if (failure.verb == "dies") {
      door_.set_silent(true);
    }
  }

  nlohmann::ordered_json results() const override {
    const robots::CrclCounts said = door_.counts();
    nlohmann::ordered_json out = {{"commands", said.commands},
                                  {"errors", said.errors},
                                  {"statuses", said.statuses},
                                  {"malformed", said.malformed},
                                  {"fault", robot_->fault()}};
    if (remote_) {
      remote_->add_results(out, world_.now(), period_);
    }
    return out;
  }

 private:
  nlohmann::ordered_json status() const {
    constexpr std::array kStates{"idle", "moving", "done", "failed"};
    const robots::MotionReport motion = robot_->motion();
    const robots::GripperReport gripper = robot_->gripper();
    const robots::CrclCounts said = door_.counts();
    return {{"motion", kStates[static_cast<std::size_t>(motion.state)]},
            {"failure", motion.failure},
            {"fault", robot_->fault()},
            {"commands", said.commands},
            {"errors", said.errors},
            {"gripper", gripper.name},
            {"gripper_is_holding", gripper.is_holding}};
  }

  void join_gripper() {
    hand_.set = [this](double opening) { robot_->set_gripper(opening); };
    hand_.move_fingers = [this](double position_m, double max_force_N) {
      robot_->move_fingers(position_m, max_force_N);
    };
    hand_.stop = [this] { robot_->stop_gripper(); };
    hand_.report = [this] { return robot_->gripper(); };
  }

  cell::Diagnosis diagnose(const std::string& name, Time now) const {
    cell::Diagnosis diagnosis;
    diagnosis.name = name;
    diagnosis.values = status();
    diagnosis.troubles = door_.counts().errors;
    diagnosis.trouble = "a CRCL command failed";
    if (remote_) {
      diagnosis.troubles += remote_->diagnose(diagnosis.values, now);
      diagnosis.trouble = "a CRCL command failed, or messages of its controller were lost";
    }
    const std::string why = fault();
    if (!why.empty()) {
      diagnosis.health = why == kStoppedBySafety ? cell::Health::kWarning : cell::Health::kError;
      diagnosis.message = why;
    } else if (door_.is_silent()) {
      diagnosis.health = cell::Health::kStale;
      diagnosis.message = "its controller does not answer";
    }
    return diagnosis;
  }

  void join(const std::string& name) {
    world_.watch_robot(name, robot_->bodies());
    world_.on(Stage::kServe, [this](Time now) {
      door_.update(now);
      let_slip_when_due(now);
    });
    world_.on(Stage::kDrive, [this](Time) { robot_->before_step(); });
    world_.on(Stage::kDriven, [this](Time) { robot_->after_step(); });
    world_.offer_door(name, door_);
  }

  void join_remote(const std::string& name) {
    world_.watch_robot(name, remote_->end().hardware().bodies());
    world_.on(Stage::kSpeak, [this](Time now) {
      if (remote_->is_due(now)) {
        remote_->report(now);
      }
    });
    world_.on(Stage::kServe, [this](Time now) {
      let_slip_when_due(now);
      if (remote_->is_due(now)) {
        control(now);
      }
    });
    world_.on(Stage::kDrive, [this](Time now) { remote_->end().before_step(now); });
    world_.on(Stage::kDriven, [this](Time) { remote_->end().after_step(); });
    world_.offer_door(name, door_, kControlHost);
  }

  /// A period of a controller that is elsewhere: it knows what it was told last.
  void control(Time now) {
    const robots::HardwareReport& heard = remote_->hardware().heard();
    heard.is_stopped ? robot_->safety_stop() : robot_->safety_resume();
    if (heard.is_broken && !robot_->is_broken()) {
      robot_->break_down();
    }
    robot_->after_step();
    door_.update(now);
    robot_->before_step();
    remote_->command(now);
  }

  /// As the robot itself knows it.
  std::string fault() const {
    const bool is_stopped = remote_ ? remote_->end().is_stopped() : robot_->is_safety_stopped();
    if (is_stopped) {
      return kStoppedBySafety;
    }
    if (remote_) {
      return remote_->end().is_broken() ? "broken down" : "";
    }
    return robot_->fault();
  }

  /// As it is at the robot, whatever the controller knows of it.
  robots::GripperReport grip() const {
    return remote_ ? remote_->end().report(world_.now()).gripper : robot_->gripper();
  }

  /// Fingers open; a vacuum is switched off.
  void let_slip() {
    const double opening = grip().kind == robots::GripperKind::kVacuum ? 0.0 : 1.0;
    remote_ ? remote_->end().hardware().gripper().set(opening) : robot_->set_gripper(opening);
  }

  void let_slip_when_due(Time now) {
    for (auto holding_since = slips_.begin(); holding_since != slips_.end();) {
      if (!grip().is_holding) {
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

  World& world_;
  Duration period_;
  std::unique_ptr<RemoteControl> remote_;  ///< null: its controller is at the robot
  std::unique_ptr<robots::Robot> robot_;
  robots::CrclDoor door_;
  CrclServer served_;
  RobotBody body_;
  GripperInput hand_;
  RobotTrace trace_;
  std::vector<std::optional<Time>> slips_;  ///< holds that will be lost: since when it holds
};

class CrclModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    robots::list_fields(fields, keys_.robot);
    fields.section("crcl", "its CRCL server",
                   [&](Fields& f) { robots::list_fields(f, keys_.crcl); });
    fields.section("control", "its controller, if it runs on another host",
                   [&](Fields& f) { list_control(f, keys_.control); });
  }
  std::vector<std::pair<std::string, std::string>> more_hosts() const override {
    return {{kControlHost, keys_.control.host}};
  }
  std::vector<cell::Interface> offers() const override {
    return {CrclServer::kInterface, RobotBody::kInterface, StopInput::kInterface,
            GripperInput::kInterface};
  }
  std::string host_of(const cell::Interface& interface, const std::string& own) const override {
    return interface == GripperInput::kInterface && keys_.is_remote() ? keys_.control.host : own;
  }
  std::vector<std::string> drives() const override { return {keys_.robot.placement}; }
  std::vector<FailureVerb> failures() const override {
    return {{"breaks", "its brakes engage permanently, and its controller reports it"},
            {"dies", "its brakes engage, and its controller stops answering"},
            {"drops", "the part in its gripper, or the next one, slips"}};
  }
  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext& context) override {
    if (keys_.robot.placement.empty()) {
      keys_.robot.placement = context.name;
    }
    return keys_.is_remote() ? judge_control(context) : std::vector<cell::KeyRemark>{};
  }
  std::vector<cell::KeyRemark> plan(const model::Cell& cell, const cell::LoadContext&) override {
    return robots::judge_robot(keys_.robot, cell, "");
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<CrclActor>(keys_, world, name);
  }
  cell::Figures figures() const override {
    return {
        {},
        {{"commands", "CRCL commands", "", 1.0, 0}, {"errors", "failed CRCL commands", "", 1.0, 0}},
        ""};
  }

 private:
  std::vector<cell::KeyRemark> judge_control(const cell::LoadContext& context) const {
    std::vector<cell::KeyRemark> remarks;
    if (context.host.empty()) {
      remarks.push_back({kControlHost,
                         fmt::format("the controller of '{}' reaches its robot across the network, "
                                     "but the robot has no host",
                                     context.name),
                         fmt::format("set actors.{}.host", context.name)});
    }
    const Duration step = context.options.period;
    if (keys_.control.period < step || keys_.control.period % step != Duration{0}) {
      remarks.push_back({"control.period",
                         fmt::format("{} is not a multiple of the physics step, {}",
                                     format_duration(keys_.control.period), format_duration(step)),
                         fmt::format("for example {}", format_duration(4 * step))});
    }
    if (keys_.control.silence < keys_.control.period) {
      remarks.push_back({"control.silence",
                         fmt::format("{} is shorter than control.period: the robot would brake "
                                     "between two commands",
                                     format_duration(keys_.control.silence)),
                         "use several periods"});
    }
    if (!keys_.robot.tool_changer.tools.empty()) {
      remarks.push_back({"tool_changer.tools", "a controller on another host cannot change tools",
                         "remove control.host or the tool changer"});
    }
    return remarks;
  }

  CrclKeys keys_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_crcl() {
  return std::make_unique<CrclModel>();
}

}  // namespace longarm::actors
