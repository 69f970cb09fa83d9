// SPDX-License-Identifier: Apache-2.0
// The kind `ur-driver`: moves a UR arm along a plan, from another host.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "longarm/actors/driven_path.h"
#include "longarm/actors/joint_lists.h"
#include "longarm/actors/kinds.h"
#include "longarm/actors/plan_follower.h"
#include "longarm/actors/robot_file.h"
#include "longarm/actors/ur.h"
#include "longarm/actors/ur_driver.h"
#include "longarm/cell/cell_config.h"
#include "longarm/cell/world.h"
#include "longarm/control/arm_loop.h"
#include "longarm/core/check.h"
#include "longarm/core/text.h"

namespace longarm::actors {
namespace {

using namespace std::chrono_literals;
using cell::NetworkClientLink;
using cell::Stage;
using cell::World;
using Json = nlohmann::ordered_json;
using Remarks = std::vector<cell::KeyRemark>;

// the one reason against a verdict that goes away when a run is longer
constexpr const char* kNotEnded = "the plan had not ended when the run did";

/// Of the arm that is driven, and the way it is to go.
struct DriverPlan {
  int placement = 0;
  int end_effector = 0;  ///< frame of the arm's tree: its flange
  tasks::Plan plan;      ///< from its start on
};

/// The same plan, so much later: before its first point a trajectory holds it.
motion::Trajectory later(const motion::Trajectory& plan, Duration by) {
  std::vector<motion::TrajectoryPoint> points = plan.points();
  for (motion::TrajectoryPoint& point : points) {
    point.time += by;
  }
  Result<motion::Trajectory> made = motion::Trajectory::make(std::move(points));
  check(made.has_value(), "a plan that was good is good later");
  return std::move(made).value();
}

control::LoopConfig loop_config(const UrDriverKeys& keys, Duration period, std::uint64_t seed) {
  control::LoopConfig loop;
  loop.cut = control::Cut::kVelocity;
  loop.physics_period = period;
  loop.control_period = robots::kUrCycle;
  loop.states_period = robots::kUrCycle;
  loop.control_phase = keys.phase;
  loop.gains = keys.gains;
  if (keys.gain) {
    loop.gains.p = {*keys.gain};
  }
  loop.feed_forward = keys.feed_forward;
  loop.silence_after = robots::kUrCycle;
  loop.seed = seed;
  return loop;
}

Json or_null(const std::optional<Time>& time) {
  return time ? Json(to_seconds(*time)) : Json();
}

/// First and largest are what one asks for; means hide.
void add_delays(Json& out, const std::string& prefix, double mean_s, Duration least,
                Duration largest) {
  out[prefix + "_delay_mean_s"] = mean_s;
  out[prefix + "_delay_min_s"] = to_seconds(least);
  out[prefix + "_delay_max_s"] = to_seconds(largest);
}

class UrDriverActor final : public cell::Actor {
 public:
  UrDriverActor(const UrDriverKeys& keys, const DriverPlan& plan, World& world,
                const std::string& name)
      : world_(world),
        name_(name),
        keys_(keys),
        plan_(plan),
        tree_(world.model().placements[static_cast<std::size_t>(plan.placement)].tree),
        ur_(world.ask<UrServer>(keys.robot)),
        robot_(ur_.robot),
        path_(world.engine(), tree_, world.model().first_joint(plan.placement), plan.end_effector,
              plan.plan, keys.start, world.period()) {
    keys_.host = world.host_of(name);
    keys_.speaks_ur() ? make_driver() : make_loop();
    world.on(Stage::kMeasure, [this](Time now) { path_.record(now, plan_begun(), is_ramping()); });
  }

  const sim::Probes* probes() const override { return &path_.probes(); }
  void sample(std::span<double> out) const override { out[0] = path_.deviation_m(); }
  std::optional<model::Vector3> tracked_point() const override { return path_.place_m(); }

  Json results() const override {
    Json out;
    out["method"] = keys_.method;
    out.update(path_.result(why_inconclusive()));
    loop_ ? add_loop_results(out) : add_driver_results(out);
    std::uint64_t retransmissions = 0;
    for (const network::FlowFigures& flow : world_.network()->figures().flows) {
      retransmissions += flow.retransmissions;
    }
    out["retransmissions"] = retransmissions;
    return out;
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> warnings;
    if (driver_ && !driver_->figures().trouble.empty()) {
      warnings.push_back("the driver cannot read the status stream: " + driver_->figures().trouble);
    }
    if (driver_ && !driver_->figures().begun) {
      warnings.push_back("the driver never started: it had no connection to its robot");
    }
    if (std::string reason = why_idle(); !reason.empty()) {
      warnings.push_back(std::move(reason));
    }
    if (!path_.is_completed()) {
      const DrivenPath::GoalError error = path_.goal_error();
      warnings.push_back(
          fmt::format("the plan was not completed: joint '{}' ends {:.1f} mrad from its goal",
                      tree_.joints[error.joint].name, 1e3 * error.error_rad));
    }
    return warnings;
  }

 private:
  protocols::Door& door(const std::string& what) const {
    for (protocols::Door* each : robot_->doors()) {
      if (each->name() == keys_.robot.name + "." + what) {
        return *each;
      }
    }
    refuse(
        fmt::format("the driver needs a {} port, but robot '{}' has none", what, keys_.robot.name),
        "enable it under ports of the robot");
  }

  NetworkClientLink& dial(protocols::Door& door, World::Caller caller) {
    links_.push_back(&world_.dial(name_, keys_.robot, door.name(), caller));
    return *links_.back();
  }

  void make_driver() {
    const UrDriverContext context{world_.kernel(), keys_, tree_, plan_.plan.trajectory,
                                  dial(door("realtime"), World::Caller::kAsker)};
    protocols::Door& sockets = door("sockets");
    world_.keep_inside(sockets);
    if (keys_.method == "speedj") {
      driver_ = make_speedj_driver(context);
      return;
    }
    driver_ = make_servoj_driver(context);
    world_.on(Stage::kSpeak, [this, &sockets](Time now) { take_call(sockets, now); });
  }

  void take_call(protocols::Door& sockets, Time now) {
    if (called_ != nullptr && called_->is_established()) {
      driver_->answer(*called_);
      called_ = nullptr;
    }
    const std::optional<protocols::Call> call = sockets.take_call();
    if (!call) {
      return;
    }
    // hosts of the network go by their names; only the driver listens, and to one robot
    const bool is_for_driver = call->host == keys_.host && call->port == keys_.servoj.reverse_port;
    if (!is_for_driver || called_ != nullptr) {
      sockets.call_failed(now);
      return;
    }
    called_ = &dial(sockets, World::Caller::kDoor);
  }

  void make_loop() {
    network::FlowLinks flow =
        world_.open_flow(name_, keys_.robot.name, keys_.robot.options(world_.usual_flow()));
    loop_ = std::make_unique<control::ArmLoop>(
        world_.kernel(), world_.engine(), world_.model(), plan_.placement,
        loop_config(keys_, world_.period(), world_.seed()),
        control::LoopLinks{std::move(flow.from_peer), std::move(flow.from_opener)},
        later(plan_.plan.trajectory, keys_.start), Log());
  }

  std::optional<Time> plan_begun() const {
    return loop_ ? Time(keys_.start) : driver_->figures().begun;
  }

  /// Whether speedj changes velocities as fast as it may; all joints with one factor.
  bool is_ramping() const {
    if (keys_.method != "speedj") {
      return false;
    }
    const double most =
        kAtLimit * std::min(keys_.speedj.acceleration_rad_s2, ur_.config.joint_acceleration_rad_s2);
    const protocols::ur::Joints& qdd = robot_->controller().state().qdd_target;
    return std::any_of(qdd.begin(), qdd.end(), [&](double a) { return std::abs(a) >= most; });
  }

  /// That of servoj goes by the link that the robot made, which is the last one.
  const NetworkClientLink& command_link() const { return *links_.back(); }

  std::uint64_t commands_received() const {
    return loop_ ? loop_->commands_report(world_.now()).delivered
                 : command_link().delays_to_door().messages;
  }

  /// Why the robot did nothing, or no more, of what it was told; empty: it did.
  std::string why_idle() const {
    if (commands_received() == 0) {
      return "no command reached the robot";
    }
    if (!driver_) {
      return "";
    }
    const robots::UrFigures& figures = robot_->figures();
    const std::string& name = keys_.robot.name;
    if (figures.motion_commands == 0) {
      const bool is_running =
          robot_->controller().state().robot_mode == protocols::ur::RobotMode::kRunning;
      return fmt::format(
          "robot '{}' acted on none of the {} commands it received{}", name, commands_received(),
          is_running
              ? ""
              : fmt::format(
                    "; it is not powered on, or its brakes are engaged (actors.{}.start: {})", name,
                    ur_.config.start));
    }
    if (keys_.method == "servoj" && figures.socket_timeouts.first) {
      return fmt::format(
          "the driver's program at robot '{}' ended at {:.3f} s: no frame within "
          "servoj.receive_timeout ({})",
          name, to_seconds(*figures.socket_timeouts.first),
          format_duration(keys_.servoj.receive_timeout));
    }
    return "";
  }

  std::string why_inconclusive() const {
    if (driver_ && !driver_->figures().begun) {
      return "the driver never got a connection";
    }
    if (const std::string reason = why_idle(); !reason.empty()) {
      return reason;
    }
    if (driver_ && !robot_->figures().protective_stops.empty()) {
      return "the robot stopped: " + robot_->figures().protective_stops.front().reason;
    }
    if (driver_ && !robot_->figures().emergency_stops.empty()) {
      return "the robot stopped: " + robot_->figures().emergency_stops.front().reason;
    }
    const Duration since = world_.now() - plan_begun().value_or(world_.now());
    return since < plan_.plan.hold_start ? kNotEnded : "";
  }

  void add_driver_results(Json& out) const {
    const UrDriverFigures& figures = driver_->figures();
    const robots::UrFigures& robot = robot_->figures();
    const auto add = [&](const char* prefix, const cell::TalkDelays& delays) {
      add_delays(out, prefix, delays.mean_s(), delays.shortest, delays.longest);
    };
    out["plan_begun_s"] = or_null(figures.begun);
    out["commands_sent"] = figures.commands;
    out["commands_received"] = command_link().delays_to_door().messages;
    add("command", command_link().delays_to_door());
    out["packets_received"] = figures.packets;
    out["packets_missed"] = figures.packets_missed;
    add("packet", links_.front()->delays_to_client());
    out["packet_silence_max_s"] = to_seconds(figures.longest_silence);
    out["driver_watchdog_trips"] = figures.watchdog_trips;
    out["robot_timeouts"] =
        robot.speed_timeouts.count + robot.socket_timeouts.count + robot.watchdog_trips.count;
    out["speedj_timeouts"] = robot.speed_timeouts.count;
    out["first_timeout_s"] = or_null(robot.first_timeout());
    out["protective_stops"] = robot.protective_stops.size();
    out["first_protective_stop_s"] = robot.protective_stops.empty()
                                         ? Json()
                                         : Json(to_seconds(robot.protective_stops.front().time));
  }

  /// No controller that could time out; the same names where they mean the same.
  void add_loop_results(Json& out) const {
    const network::LinkReport commands = loop_->commands_report(world_.now());
    const network::LinkReport states = loop_->states_report(world_.now());
    out["plan_begun_s"] = to_seconds(keys_.start);
    out["commands_sent"] = commands.sent;
    out["commands_received"] = commands.delivered;
    add_delays(out, "command", commands.delay_mean_s, commands.delay_min, commands.delay_max);
    out["packets_received"] = states.delivered;
    out["packets_missed"] = states.dropped();
    add_delays(out, "packet", states.delay_mean_s, states.delay_min, states.delay_max);
    out["packet_silence_max_s"] = to_seconds(states.longest_outage);
    out["driver_watchdog_trips"] = 0;
    out["robot_timeouts"] = 0;
    out["speedj_timeouts"] = 0;
    out["first_timeout_s"] = Json();
    out["protective_stops"] = 0;
    out["first_protective_stop_s"] = Json();
  }

  World& world_;
  std::string name_;
  UrDriverKeys keys_;
  DriverPlan plan_;
  const model::BodyTree& tree_;
  const UrServer& ur_;
  robots::UrRobot* robot_;  ///< null: method ros_control
  mutable DrivenPath path_;
  std::vector<NetworkClientLink*> links_;
  std::unique_ptr<UrDriver> driver_;        ///< methods speedj and servoj
  NetworkClientLink* called_ = nullptr;     ///< by the robot, not yet answered
  std::unique_ptr<control::ArmLoop> loop_;  ///< method ros_control
};

class UrDriverModel final : public cell::ActorModel, public PlanFollower {
 public:
  void list_fields(Fields& fields) override { actors::list_fields(fields, keys_); }
  std::vector<cell::WishInfo> wishes() const override {
    return {{"robot", keys_.robot.name, UrServer::kInterface}};
  }

  Remarks load(InputFiles&, const cell::LoadContext& context) override {
    Remarks remarks;
    if (keys_.robot.is_empty()) {
      remarks.push_back({"robot", "the driver has no robot", "name an actor of kind ur"});
    }
    if (keys_.method != "speedj" && keys_.tick != "packet") {
      remarks.push_back({"tick", "this key applies to method speedj only",
                         "remove it, or choose method: speedj"});
    }
    const network::FlowOptions flow = keys_.robot.options(context.cell.network.flows);
    if (keys_.speaks_ur() && flow.transport != network::Transport::kTcp) {
      remarks.push_back(
          {keys_.robot.transport.empty() ? "network.flows.transport" : "robot.transport",
           fmt::format("method {} uses the ports of a UR controller, which need TCP", keys_.method),
           fmt::format("set robot: {{of: {}, transport: tcp}}, or network.flows: tcp; only method "
                       "ros_control may use others",
                       keys_.robot.name)});
    }
    for (const tasks::TaskFlaw& flaw : tasks::find_flaws(keys_.task)) {
      remarks.push_back({flaw.key, flaw.message, flaw.hint});
    }
    for (cell::KeyRemark& remark : load_trajectory(keys_.task, context)) {
      remarks.push_back(std::move(remark));
    }
    return remarks;
  }

  Remarks plan(const model::Cell& cell, const cell::LoadContext& context) override {
    Remarks remarks;
    const cell::ActorEntry* robot = context.cell.find(keys_.robot.name);
    const auto* arm = dynamic_cast<const ArmDescription*>(robot->model.get());
    check(arm != nullptr, "a robot that nobody described");
    plan_.placement = *cell::find_placement(cell, arm->placement());
    const model::BodyTree& tree = cell.placements[static_cast<std::size_t>(plan_.placement)].tree;
    plan_.end_effector = tree.find_frame(arm->flange()).value_or(0);
    judge_lists(tree.joints.size(), remarks);
    if (has_errors(remarks)) {
      return remarks;
    }
    std::vector<int> driven(tree.joints.size());
    std::iota(driven.begin(), driven.end(), 0);
    tasks::TaskConfig task = keys_.task;
    task.joints_rad = whole_waypoints(task, tree, driven, arm->home_rad(), remarks);
    task.points = whole_points(task, tree, driven, arm->home_rad(), remarks);
    if (has_errors(remarks)) {
      return remarks;
    }
    const Result<tasks::Plan> made =
        tasks::plan_task(task, {cell, plan_.placement, plan_.end_effector, arm->home_rad(),
                                context.engines, static_cast<std::uint64_t>(context.seed)});
    if (!made) {
      return {{"task", made.error().message, "change the task, or the robot's home_rad"}};
    }
    plan_.plan = *made;
    return remarks;
  }

  std::optional<Duration> usual_length() const override { return keys_.start + plan_.plan.end; }

  Duration hold() const override { return keys_.task.hold; }
  Duration hold_start() const override { return keys_.start + plan_.plan.hold_start; }
  Duration control_period() const override { return robots::kUrCycle; }
  bool has_stopped(const Json& results) const override {
    // without a motion that can be judged there is no overshoot
    return results.at("overshoot_rad").is_null() && results.at("verdict_reason") != kNotEnded;
  }

  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    const bool has_controller = world.ask<UrServer>(keys_.robot).robot != nullptr;
    if (has_controller != keys_.speaks_ur()) {
      refuse(fmt::format("method {} {} a UR controller, but robot '{}' has {}", keys_.method,
                         keys_.speaks_ur() ? "needs" : "works without", keys_.robot.name,
                         has_controller ? "one" : "none"),
             fmt::format("actors.{}.controller: {}", keys_.robot.name,
                         keys_.speaks_ur() ? "ur" : "none"));
    }
    return std::make_unique<UrDriverActor>(keys_, plan_, world, name);
  }

  cell::Figures figures() const override {
    cell::Figures out;
    out.curves = {{"path_deviation", "distance of the tool to its path", "mm", 1e3}};
    out.metrics = {{"path_error_max_m", "tool from path, largest", "mm", 1e3, 3},
                   {"plan_completed", "plan completed", "%", 100.0, 0},
                   {"robot_timeouts", "timeouts of the robot", "", 1.0, 0},
                   {"first_timeout_s", "first timeout", "s", 1.0, 3},
                   {"protective_stops", "protective stops", "", 1.0, 0},
                   {"tracking_error_rms_m", "tool from plan at equal time, rms", "mm", 1e3, 3},
                   {"overshoot_rad", "overshoot", "mrad", 1e3, 3},
                   {"settling_time_s", "settling time", "s", 1.0, 3},
                   {"goal_error_rad", "farthest joint from its goal at the end", "mrad", 1e3, 3},
                   {"commands_received", "commands received", "", 1.0, 0},
                   {"command_delay_mean_s", "delay of commands, mean", "ms", 1e3, 3},
                   {"command_delay_max_s", "delay of commands, largest", "ms", 1e3, 3},
                   {"packet_delay_max_s", "delay of status packets, largest", "ms", 1e3, 3},
                   {"packets_missed", "status packets missed", "", 1.0, 0},
                   {"driver_watchdog_trips", "zeros sent by the driver's watchdog", "", 1.0, 0},
                   {"retransmissions", "TCP retransmissions", "", 1.0, 0}};
    out.outcome = "stable";
    out.headline = 6;  // with the robot's own stops
    return out;
  }

 private:
  /// As the loops of arms have it: one value per joint, or one for all.
  void judge_lists(std::size_t joints, Remarks& remarks) const {
    const auto judge = [&](const std::string& key, const char* what,
                           const std::vector<double>& values) {
      if (values.size() > 1 && values.size() != joints) {
        remarks.push_back({key, fmt::format("{} {} for {} joints", values.size(), what, joints),
                           "give one for each joint, or one for all"});
      }
    };
    judge("gains.p", "gains", keys_.gains.p);
    judge("gains.i", "gains", keys_.gains.i);
    judge("gains.d", "gains", keys_.gains.d);
    judge("gains.i_clamp", "gains", keys_.gains.i_clamp);
    judge("task.velocity_limit_rad_s", "limits", keys_.task.velocity_limit_rad_s);
    judge("task.acceleration_limit_rad_s2", "limits", keys_.task.acceleration_limit_rad_s2);
    const auto fits = [&](const JointPositions& q) {
      return !q.names.empty() || q.values.size() == joints;
    };
    if (!std::all_of(keys_.task.joints_rad.begin(), keys_.task.joints_rad.end(), fits)) {
      remarks.push_back(
          {"task.joints_rad", fmt::format("a configuration has {} numbers", joints), ""});
    }
  }

  UrDriverKeys keys_;
  DriverPlan plan_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_ur_driver() {
  return std::make_unique<UrDriverModel>();
}

}  // namespace longarm::actors
