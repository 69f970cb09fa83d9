// SPDX-License-Identifier: Apache-2.0
// What came out of a run with UR arms: the path, the driver, its commands, and the robots' stops.
#include <utility>

#include <fmt/format.h>

#include "longarm/core/text.h"
#include "longarm/experiments/ur_run.h"
#include "longarm/scenario/arm_network.h"

namespace longarm::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<Time>& time) {
  return time ? Json(to_seconds(*time)) : Json();
}

Json stops_json(const std::vector<robots::UrStop>& stops) {
  Json out = Json::array();
  for (const robots::UrStop& stop : stops) {
    out.push_back({{"at_s", to_seconds(stop.time)}, {"reason", stop.reason}});
  }
  return out;
}

/// First and largest are what one asks for; means hide.
void add_delays(Json& out, const std::string& prefix, const workcell::TalkDelays& delays) {
  out[prefix + "_delay_mean_s"] = delays.mean_s();
  out[prefix + "_delay_min_s"] = to_seconds(delays.shortest);
  out[prefix + "_delay_max_s"] = to_seconds(delays.longest);
}

}  // namespace

Json UrRun::robot_results() const {
  Json out = Json::object();
  for (std::size_t i = 0; i < robots_.size(); ++i) {
    if (!robots_[i]) {
      continue;
    }
    const robots::UrFigures& figures = robots_[i]->figures();
    Json& each = out[config_.robots[i].name];
    each["cycles"] = figures.cycles;
    each["scripts"] = figures.scripts;
    each["refused_scripts"] = figures.refused_scripts;
    each["motion_commands"] = figures.motion_commands;
    each["speed_timeouts"] = figures.speed_timeouts.count;
    each["socket_timeouts"] = figures.socket_timeouts.count;
    each["watchdog_trips"] = figures.watchdog_trips.count;
    each["runtime_exceptions"] = figures.runtime_exceptions.count;
    each["first_timeout_s"] = or_null(figures.first_timeout());
    each["protective_stops"] = stops_json(figures.protective_stops);
    each["emergency_stops"] = stops_json(figures.emergency_stops);
  }
  return out;
}

void UrRun::add_driver_results(Json& out) const {
  const UrDriverFigures& figures = driver_->figures();
  const robots::UrFigures& robot = driven()->figures();
  const workcell::NetworkClientLink& commands = command_link();
  out["plan_begun_s"] = or_null(figures.begun);
  out["commands_sent"] = figures.commands;
  out["commands_received"] = commands.delays_to_door().messages;
  add_delays(out, "command", commands.delays_to_door());
  out["packets_received"] = figures.packets;
  out["packets_missed"] = figures.packets_missed;
  add_delays(out, "packet", status_link()->delays_to_client());
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
void UrRun::add_loop_results(Json& out) const {
  const network::LinkReport commands = loop_->commands_report(kernel_.now());
  const network::LinkReport states = loop_->states_report(kernel_.now());
  out["plan_begun_s"] = to_seconds(config_.driver.start);
  out["commands_sent"] = commands.sent;
  out["commands_received"] = commands.delivered;
  out["command_delay_mean_s"] = commands.delay_mean_s;
  out["command_delay_min_s"] = to_seconds(commands.delay_min);
  out["command_delay_max_s"] = to_seconds(commands.delay_max);
  out["packets_received"] = states.delivered;
  out["packets_missed"] = states.dropped();
  out["packet_delay_mean_s"] = states.delay_mean_s;
  out["packet_delay_min_s"] = to_seconds(states.delay_min);
  out["packet_delay_max_s"] = to_seconds(states.delay_max);
  out["packet_silence_max_s"] = to_seconds(states.longest_outage);
  out["driver_watchdog_trips"] = 0;
  out["robot_timeouts"] = 0;
  out["speedj_timeouts"] = 0;
  out["first_timeout_s"] = Json();
  out["protective_stops"] = 0;
  out["first_protective_stop_s"] = Json();
}

void UrRun::add_network_results(Json& out) const {
  std::uint64_t retransmissions = 0;
  for (const network::FlowFigures& flow : network_->figures().flows) {
    retransmissions += flow.retransmissions;
  }
  out["retransmissions"] = retransmissions;
  out["network"] = scenario::network_json(*network_);
  Hash traffic;
  for (const std::unique_ptr<workcell::NetworkClientLink>& link : links_) {
    traffic.add(link->traffic_hash().value());
  }
  out["traffic_hash"] = traffic.text();
}

std::uint64_t UrRun::commands_received() const {
  return loop_ ? loop_->commands_report(kernel_.now()).delivered
               : command_link().delays_to_door().messages;
}

std::string UrRun::why_idle() const {
  if (commands_received() == 0) {
    return "no command reached the robot";
  }
  if (!driver_) {
    return "";
  }
  const robots::UrFigures& robot = driven()->figures();
  const UrArmSection& arm = config_.driven_arm();
  if (robot.motion_commands == 0) {
    const bool is_running =
        driven()->controller().state().robot_mode == protocols::ur::RobotMode::kRunning;
    return fmt::format("robot '{}' acted on none of the {} commands it received{}", arm.name,
                       commands_received(),
                       is_running ? ""
                                  : fmt::format("; it has no power, or its brakes are on "
                                                "(robots.{}.start: {})",
                                                arm.name, arm.controller.start));
  }
  if (config_.driver.kind == "servoj" && robot.socket_timeouts.first) {
    return fmt::format(
        "the driver's program at robot '{}' ended at {:.3f} s: no frame for "
        "driver.servoj.receive_timeout ({})",
        arm.name, to_seconds(*robot.socket_timeouts.first),
        format_duration(config_.driver.servoj.receive_timeout));
  }
  return "";
}

std::string UrRun::why_inconclusive() const {
  if (failure_) {
    return "the run ended early: " + *failure_;
  }
  if (driver_ && !driver_->figures().begun) {
    return "the driver never got a connection";
  }
  if (const std::string reason = why_idle(); !reason.empty()) {
    return reason;
  }
  if (driver_ && !driven()->figures().protective_stops.empty()) {
    return "the robot stopped: " + driven()->figures().protective_stops.front().reason;
  }
  if (driver_ && !driven()->figures().emergency_stops.empty()) {
    return "the robot stopped: " + driven()->figures().emergency_stops.front().reason;
  }
  const Duration since = kernel_.now() - plan_begun().value_or(kernel_.now());
  return since < scene_.plan.hold_start ? "the plan had not ended when the run did" : "";
}

Json UrRun::do_results() const {
  Json out;
  out["driver"] = config_.driver.kind;
  if (path_) {
    out.update(path_->result(why_inconclusive()));
    loop_ ? add_loop_results(out) : add_driver_results(out);
    add_network_results(out);
  }
  out["robots"] = robot_results();
  return out;
}

/// That of servoj goes by the link that the robot made, which is the last one.
const workcell::NetworkClientLink& UrRun::command_link() const {
  return *links_.back();
}

std::vector<std::string> UrRun::do_warnings() const {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < robots_.size(); ++i) {
    if (!robots_[i]) {
      continue;
    }
    for (const robots::UrStop& stop : robots_[i]->figures().protective_stops) {
      warnings.push_back(fmt::format("robot '{}' made a protective stop at {:.3f} s: {}",
                                     config_.robots[i].name, to_seconds(stop.time), stop.reason));
      break;
    }
    for (const robots::UrStop& stop : robots_[i]->figures().emergency_stops) {
      warnings.push_back(fmt::format("robot '{}' made an emergency stop at {:.3f} s: {}",
                                     config_.robots[i].name, to_seconds(stop.time), stop.reason));
      break;
    }
  }
  if (driver_ && !driver_->figures().trouble.empty()) {
    warnings.push_back("the driver cannot read the status stream: " + driver_->figures().trouble);
  }
  if (driver_ && !driver_->figures().begun) {
    warnings.push_back("the driver never began: it had no connection to its robot");
  }
  if (std::string reason = path_ ? why_idle() : ""; !reason.empty()) {
    warnings.push_back(std::move(reason));
  }
  if (path_ && !path_->is_completed()) {
    const UrPath::GoalError error = path_->goal_error();
    warnings.push_back(
        fmt::format("the plan was not completed: joint '{}' ends {:.1f} mrad from its goal",
                    scene_.cell.placements[config_.driven()].tree.joints[error.joint].name,
                    1e3 * error.error_rad));
  }
  return warnings;
}

void UrRun::do_sample(std::span<double> out) const {
  const auto first =
      static_cast<std::size_t>(scene_.cell.first_joint(static_cast<int>(config_.driven())));
  const std::span<const double> q = engine_->positions();
  for (std::size_t i = 0; i < kUrJoints; ++i) {
    out[i] = q[first + i];
  }
  if (path_) {
    out[kUrJoints] = path_->deviation_m();
  }
}

}  // namespace longarm::experiments
