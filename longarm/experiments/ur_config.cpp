// SPDX-License-Identifier: Apache-2.0
// What each key means, and what its values may be.
#include "longarm/experiments/ur_config.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "longarm/core/suggest.h"

namespace longarm::experiments {
namespace {

using namespace std::chrono_literals;
using network::KeyRemark;
using Remarks = std::vector<KeyRemark>;

constexpr std::int64_t kPorts = 65536;

void list_ur_arm(Fields& fields, UrArmSection& arm) {
  arm.controller.name = arm.name;
  arm.controller.placement = arm.name;
  fields.field("model", arm.model, "a ready model's name, or a URDF or SDF file");
  fields.field("pose_m_deg", arm.pose_m_deg,
               "[x, y, z, roll, pitch, yaw] of its base in the world; default: the origin");
  fields.field("host", arm.host, "of the network, where there is one");
  robots::list_fields(fields, arm.controller);
  const auto is_finite = [](double x) { return std::isfinite(x); };
  const bool is_pose = arm.pose_m_deg.empty() ||
                       (arm.pose_m_deg.size() == 6 &&
                        std::all_of(arm.pose_m_deg.begin(), arm.pose_m_deg.end(), is_finite));
  if (!is_pose) {
    fields.reject("pose_m_deg", "a pose is six numbers: x, y, z in m, roll, pitch, yaw in degrees",
                  "for example: [0, 0.8, 0, 0, 0, 180]");
  }
}

void list_speedj(Fields& fields, SpeedjSection& config) {
  fields.field("acceleration_rad_s2", config.acceleration_rad_s2, "the a of speedj(qd, a, t)");
  fields.field("time", config.time,
               "its t: how long the robot goes on without another one; 0: for ever");
  fields.field("watchdog_cycles", config.watchdog_cycles,
               "after so many cycles without a packet the driver sends zeros; 0: never");
  if (!(config.acceleration_rad_s2 > 0.0) || !std::isfinite(config.acceleration_rad_s2)) {
    fields.reject("acceleration_rad_s2", "an acceleration must be positive", "15 is usual");
  }
  if (config.time < 0s || config.time > 10s) {
    fields.reject("time", "a robot goes on for 0s to 10s", "8ms is usual; 0s: for ever");
  }
  if (config.watchdog_cycles < 0 || config.watchdog_cycles > 100'000) {
    fields.reject("watchdog_cycles", "cycles to wait are from 0 to 100000", "12 is usual");
  }
}

void list_servoj(Fields& fields, ServojSection& config) {
  fields.field("lookahead_s", config.lookahead_s, "of servoj: smooths, 0.03 to 0.2");
  fields.field("gain", config.gain, "of servoj, 100 to 2000");
  fields.field("time", config.time, "of servoj: how long each one blocks");
  fields.field("reverse_port", config.reverse_port, "where the driver listens for the robot");
  fields.field("receive_timeout", config.receive_timeout,
               "of the robot's program: after so long without a frame it stops the arm and ends");
  if (!(config.lookahead_s >= 0.03 && config.lookahead_s <= 0.2)) {
    fields.reject("lookahead_s", "servoj takes 0.03 to 0.2 s", "0.1 is usual");
  }
  if (!(config.gain >= 100.0 && config.gain <= 2000.0)) {
    fields.reject("gain", "servoj takes gains from 100 to 2000", "300 is usual");
  }
  if (config.time < robots::kUrCycle || config.time > 1s) {
    fields.reject("time", "servoj blocks for 8ms to 1s", "8ms is usual");
  }
  if (config.reverse_port < 1 || config.reverse_port >= kPorts) {
    fields.reject("reverse_port", "a port is from 1 to 65535", "50001 is usual");
  }
  if (config.receive_timeout < robots::kUrCycle || config.receive_timeout > 60s) {
    fields.reject("receive_timeout", "a program waits for 8ms to 60s", "2s is usual");
  }
}

void list_driver(Fields& fields, UrDriverSection& config) {
  fields.choice(
      "kind", config.kind, {"none", "speedj", "servoj", "ros_control"},
      "none: clients from outside; speedj: a velocity per status packet; servoj: a "
      "program at the robot that calls back; ros_control: joints without a UR controller");
  fields.field("robot", config.robot, "which it moves; default: the first");
  fields.field("host", config.host, "of the network, where it runs");
  fields.field("start", config.start,
               "of the plan, by its clock; later if it is not connected by then");
  fields.choice("tick", config.tick, {"packet", "timer"},
                "speedj: answers every status packet, or sends every 8ms by its own clock");
  fields.field("phase", config.phase, "of its timer; less than 8ms");
  fields.section("gains", "of the position loop (1/s)",
                 [&](Fields& f) { control::list_fields(f, config.gains); });
  fields.field("gain", config.gain, "replaces every P gain (1/s)");
  fields.field("feed_forward", config.feed_forward, "share of the planned velocity that is added");
  fields.section("speedj", "what the driver asks for",
                 [&](Fields& f) { list_speedj(f, config.speedj); });
  fields.section("servoj", "what the driver's program at the robot does",
                 [&](Fields& f) { list_servoj(f, config.servoj); });
  if (config.start < 0s || config.start > 10min) {
    fields.reject("start", "a plan starts after 0s to 10min", "1s is usual");
  }
  if (config.phase < 0s || config.phase >= robots::kUrCycle) {
    fields.reject("phase", "a phase is from 0ms to less than 8ms", "0ms is usual");
  }
  if (config.gain && !std::isfinite(*config.gain)) {
    fields.reject("gain", "a gain must be a number", "10 is usual");
  }
  if (!std::isfinite(config.feed_forward)) {
    fields.reject("feed_forward", "a share must be a number", "0 and 1 are usual");
  }
}

void judge_hosts(const UrRunConfig& config, Remarks& remarks) {
  std::vector<std::string> hosts;
  for (const network::Node& node : network::make_topology(config.network).nodes) {
    if (!node.is_switch) {
      hosts.push_back(node.name);
    }
  }
  const auto judge_host = [&](const std::string& key, const std::string& host) {
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) {
      remarks.push_back(
          {key, fmt::format("the network has no host '{}'", host), suggest(host, hosts)});
    }
  };
  judge_host("driver.host", config.driver.host);
  judge_host(fmt::format("robots.{}.host", config.driven_arm().name), config.driven_arm().host);
}

void judge_driver(const UrRunConfig& config, Remarks& remarks) {
  const UrDriverSection& driver = config.driver;
  if (!driver.is_on()) {
    if (!config.network.is_empty()) {
      remarks.push_back({"network", "a network without a driver carries nothing",
                         "choose driver.kind, or remove it", Severity::kWarning});
    }
    return;
  }
  const std::vector<std::string> names = names_of(config.robots);
  if (!driver.robot.empty() && std::find(names.begin(), names.end(), driver.robot) == names.end()) {
    remarks.push_back({"driver.robot", fmt::format("there is no robot '{}'", driver.robot),
                       suggest(driver.robot, names)});
    return;
  }
  if (config.network.is_empty()) {
    remarks.push_back({"driver", "the driver has no network to its robot",
                       "for example network: {hosts: {driver: {}, robot: {}}, links: {wire: "
                       "{between: [driver, robot], propagation: 1ms}}}"});
    return;
  }
  if (driver.kind != "speedj" && driver.tick != "packet") {
    remarks.push_back({"driver.tick", "only a driver of kind speedj has a choice",
                       "remove it, or choose driver.kind: speedj"});
  }
  if (driver.speaks_ur() && config.network.flows.transport != network::Transport::kTcp) {
    remarks.push_back({"network.flows.transport",
                       fmt::format("the ports of a UR controller are TCP, and driver.kind: {} "
                                   "speaks to them",
                                   driver.kind),
                       "network.flows: tcp; driver.kind: ros_control may have others"});
  }
  for (const tasks::TaskFlaw& flaw : tasks::find_flaws(config.task)) {
    remarks.push_back({flaw.key, flaw.message, flaw.hint});
  }
}

}  // namespace

std::size_t UrRunConfig::driven() const {
  for (std::size_t i = 0; i < robots.size(); ++i) {
    if (robots[i].name == driver.robot) {
      return i;
    }
  }
  return 0;
}

void list_fields(Fields& fields, UrRunConfig& config) {
  fields.field("world", config.world,
               "what stands around the arms: an SDF file or a ready world; default: nothing");
  fields.field("length", config.length,
               "of the run; default: as long as the driver's plan, 10min without a driver");
  if (config.length && *config.length <= 0s) {
    fields.reject("length", "the run must be longer than nothing", "10s is usual");
  }
  named(fields, "robots", "UR arms with their controllers, by name", config.robots, list_ur_arm);
  fields.section("driver", "who moves one of them, on another host of the network",
                 [&](Fields& f) { list_driver(f, config.driver); });
  fields.section("task", "what the driver has to do",
                 [&](Fields& f) { tasks::list_fields(f, config.task); });
  fields.section("network", "between driver and robot", [&](Fields& f) {
    network::list_fields(f, config.network, network::built_in_link_models());
  });
}

Remarks load(UrRunConfig& config, InputFiles& files) {
  Remarks remarks;
  if (config.robots.empty()) {
    remarks.push_back({"robots", "there is no robot", "for example robots: {ur5: {}}"});
    return remarks;
  }
  judge_driver(config, remarks);
  bool is_good = remarks.empty();
  for (KeyRemark remark : network::load(config.network, files)) {
    is_good = is_good && remark.severity != Severity::kError;
    remark.key = "network." + remark.key;
    remarks.push_back(std::move(remark));
  }
  if (is_good && config.driver.is_on()) {
    judge_hosts(config, remarks);
  }
  return remarks;
}

}  // namespace longarm::experiments
