// SPDX-License-Identifier: Apache-2.0
// What each key means, and what its values may be.
#include "longarm/workcell/work_cell_config.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "longarm/workcell/failures.h"

namespace longarm::workcell {
namespace {

using namespace std::chrono_literals;

void list_link(Fields& fields, devices::DeviceLinkConfig& config) {
  fields.section("link", "from the device to whoever listens", [&](Fields& f) {
    devices::list_fields(f, config, network::built_in_link_models());
  });
}

/// Of the first command that is wrong, the one thing that is.
void judge_commands(Fields& fields, const BeltSection& config) {
  const std::string example = "for example: [[0.5, 0.1], [3, 0]]";
  double last_s = 0.0;
  // written so that a NaN is wrong, too
  for (const std::vector<double>& row : config.commands) {
    if (row.size() != 2) {
      fields.reject("commands", "a belt's command is a pair of a time in s and a velocity in m/s",
                    example);
      return;
    }
    if (!(row[0] >= 0.0) || !std::isfinite(row[0])) {
      fields.reject("commands", fmt::format("a belt cannot be commanded at {:g} s", row[0]),
                    example);
      return;
    }
    if (row[0] < last_s) {
      fields.reject(
          "commands",
          fmt::format("the command at {:g} s stands after the one at {:g} s", row[0], last_s),
          "sort a belt's commands by their times");
      return;
    }
    if (!(std::abs(row[1]) <= config.belt.max_speed_m_s)) {
      fields.reject("commands",
                    fmt::format("a command of {:g} m/s is beyond the belt's max_speed_m_s of {:g}",
                                row[1], config.belt.max_speed_m_s),
                    "command less, or give the belt a greater max_speed_m_s");
      return;
    }
    last_s = row[0];
  }
}

void list_belt(Fields& fields, BeltSection& config) {
  fields.field("joint", config.joint, "the prismatic joint that drives it; none: no belt");
  fields.field("commands", config.commands, "pairs of time in s and velocity in m/s");
  fields.field("upstream_m", config.upstream_m,
               "what stands on it starts so far back, so that it has to be brought");
  mechanisms::list_fields(fields, config.belt);
  judge_commands(fields, config);
  if (!std::isfinite(config.upstream_m)) {
    fields.reject("upstream_m", "a distance must be a number", "0.5 for half a metre");
  }
}

void judge_times(Fields& fields, const WorkCellConfig& config) {
  if (config.length <= 0s) {
    fields.reject("length", "the run must be longer than nothing", "5s is usual");
  } else if (config.settle < 0s) {
    fields.reject("settle", "a time cannot be negative", "200ms is usual");
  } else if (config.settle >= config.length) {
    fields.reject("settle", "the run would be over before displacements are counted",
                  "make settle shorter than length");
  }
}

void list_curtain(Fields& fields, CurtainSection& config) {
  devices::list_fields(fields, config.curtain);
  fields.field("reset_at_s", config.reset_at_s, "when somebody resets its latch");
  list_link(fields, config.link);
  const bool is_good = std::all_of(config.reset_at_s.begin(), config.reset_at_s.end(),
                                   [](double x) { return x >= 0.0 && std::isfinite(x); });
  if (!is_good) {
    fields.reject("reset_at_s", "times cannot be negative", "");
  }
}

void list_camera(Fields& fields, CameraSection& config) {
  fields.field("is_on", config.is_on, "whether there is one");
  devices::list_fields(fields, config.camera);
  list_link(fields, config.link);
}

void list_robot(Fields& fields, RobotSection& config) {
  if (config.robot.placement.empty()) {
    config.robot.placement = config.name;
  }
  robots::list_fields(fields, config.robot);
  fields.section("crcl", "its CRCL server",
                 [&](Fields& f) { robots::list_fields(f, config.crcl); });
}

void list_hosts(Fields& fields, WorkCellConfig& config) {
  fields.section("hosts", "of the network, by role; default: the host named like the role",
                 [&](Fields& f) {
                   std::vector<RoleHost> hosts;
                   for (const std::string& role : roles_of(config)) {
                     hosts.push_back({role, config.host_of(role)});
                     f.field(role, hosts.back().host, "where it is");
                   }
                   config.hosts = std::move(hosts);
                 });
}

void list_devices(Fields& fields, WorkCellConfig& config) {
  fields.section("curtain", "the light curtain; none without poles",
                 [&](Fields& f) { list_curtain(f, config.curtain); });
  fields.section("camera_1", "an overhead camera",
                 [&](Fields& f) { list_camera(f, config.camera_1); });
  fields.section("camera_2", "another one", [&](Fields& f) { list_camera(f, config.camera_2); });
  fields.section("touch", "a contact sensor; none without collisions", [&](Fields& f) {
    f.field("collisions", config.touch.collisions, "shapes, bodies or models it watches");
    list_link(f, config.touch.link);
  });
}

}  // namespace

const std::string& WorkCellConfig::host_of(const std::string& role) const {
  const auto found = std::find_if(hosts.begin(), hosts.end(),
                                  [&](const RoleHost& each) { return each.role == role; });
  return found == hosts.end() ? role : found->host;
}

void list_fields(Fields& fields, WorkCellConfig& config) {
  fields.field("world", config.world, "an SDF file beside the scenario, or a ready world");
  fields.field("length", config.length, "of the run");
  fields.field("settle", config.settle, "from when on displacements of parts are counted");
  fields.field("hold_effort", config.hold_effort,
               "the most with which arms hold where they start; default: whatever it takes");
  judge_times(fields, config);
  if (config.hold_effort && !(*config.hold_effort >= 0.0)) {
    fields.reject("hold_effort", "an effort limit cannot be negative", "0 lets the arms fall");
  }
  fields.section("simplify", "contact simplification",
                 [&](Fields& f) { mechanisms::list_fields(f, config.simplify); });
  fields.section("belt", "the conveyor", [&](Fields& f) { list_belt(f, config.belt); });
  list_devices(fields, config);
  named(fields, "robots", "arms at work, by name", config.robots, list_robot);
  fields.section("plc", "the belt's controller, which speaks Modbus", [&](Fields& f) {
    f.field("is_on", config.plc.is_on, "whether there is one; needs a belt");
    protocols::modbus::list_fields(f, config.plc.plc);
  });
  fields.section("jointcmd", "joint topics that the world file asks for", [&](Fields& f) {
    f.field("states_period", config.joint_states_period, "how often joint states are published");
    if (config.joint_states_period <= Duration::zero()) {
      f.reject("states_period", "a period must be longer than nothing", "20ms is usual");
    }
  });
  fields.section("safety", "the safety controller, which hears the light curtain",
                 [&](Fields& f) { list_fields(f, config.safety); });
  fields.section(
      "network", "between all of them; none: devices have links of their own",
      [&](Fields& f) { network::list_fields(f, config.network, network::built_in_link_models()); });
  list_hosts(fields, config);
  fields.field("failures", config.failures,
               "what goes wrong, for example \"20s robot fanuc breaks\"");
}

std::vector<std::string> roles_of(const WorkCellConfig& config) {
  std::vector<std::string> roles{"executor", "plc"};
  if (!config.curtain.curtain.poles.empty()) {
    roles.push_back("curtain");
  }
  if (config.camera_1.is_on) {
    roles.push_back("camera_1");
  }
  if (config.camera_2.is_on) {
    roles.push_back("camera_2");
  }
  if (!config.touch.collisions.empty()) {
    roles.push_back("touch");
  }
  for (const RobotSection& robot : config.robots) {
    roles.push_back(robot.name);
  }
  return roles;
}

void add_usual_network(WorkCellConfig& config) {
  if (!config.network.is_empty()) {
    return;
  }
  const std::string hub = "switch";
  config.network.switches.push_back({hub, Duration(0)});
  for (const std::string& role : roles_of(config)) {
    const std::string& host = config.host_of(role);
    const auto is_there = [&](const network::Host& each) { return each.name == host; };
    std::vector<network::Host>& hosts = config.network.hosts;
    if (std::any_of(hosts.begin(), hosts.end(), is_there)) {
      continue;
    }
    hosts.push_back(config.network.host_defaults);
    hosts.back().name = host;
    network::LinkEntry cable;
    cable.name = host;
    cable.between = {host, hub};
    cable.rate = "1Gbit";
    config.network.links.push_back(std::move(cable));
  }
}

}  // namespace longarm::workcell
