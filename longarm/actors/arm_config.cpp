// SPDX-License-Identifier: Apache-2.0
// What each key of an arm means to the user.
#include "longarm/actors/arm_config.h"

#include <algorithm>
#include <array>

namespace longarm::actors {
namespace {

void list_controller(Fields& fields, ControllerConfig& config,
                     const control::ControllerRegistry& controllers) {
  const std::string before = config.name;
  fields.choice("name", config.name, controllers.names(),
                "control law; pid uses gains and feed_forward");
  if (!config.plugin || config.name != before) {
    config.plugin = controllers.make(config.name);
  }
  config.plugin->list_fields(fields);
}

void list_robot(Fields& fields, ArmConfig& config) {
  list_fields(fields, config.robot);
  fields.field("end_effector", config.end_effector, "the link whose path is measured");
  fields.rare("joints", config.joints.driven, "[]",
              "joints that the controller drives, * matches any text; lists per joint have one "
              "number for each, in tree order; default: all that do not mimic another");
  fields.rare("free_joints", config.joints.free, "[]",
              "joints that move freely; joints in neither list are held at their home position");
  fields.field("home_rad", config.home_rad,
               "joint positions at the start: per driven joint, or by name, `{elbow: 30deg}`; "
               "default: 0, or the limit nearest to it");
  fields.rare("ignore_start_overlaps", config.ignore_start_overlaps, "false",
              "ignore collisions between bodies that overlap at the start");
}

void list_loop(Fields& fields, ArmConfig& c, const ArmParts& parts, bool with_network) {
  fields.section("control", "timing of the controller", [&](Fields& f) {
    f.field("period", c.control.period,
            "time between controller ticks; a multiple of physics.period");
    f.field("phase", c.control.phase, "time of the first tick; less than control.period");
    f.field("jitter", c.control.jitter, "largest random delay of a tick");
    f.field("clock_offset", c.control.clock_offset,
            "how far the controller's clock is ahead of the robot's at the start");
    f.field("clock_drift_ppm", c.control.clock_drift_ppm,
            "how much faster the controller's clock runs, in parts per million");
    if (with_network) {
      f.field("host", c.control.host, "with `network`: host of the controller");
      cell::list_manner(f, c.control.manner);
    }
  });
  fields.section("states", "joint states sent by the robot", [&](Fields& f) {
    f.field("period", c.states_period, "time between joint states sent; default: physics.period");
  });
  fields.section("task", "motion of the arm", [&](Fields& f) { tasks::list_fields(f, c.task); });
  fields.choice("cut", c.cut, control::cut_names(),
                "where the link cuts the control loop, i.e. what is sent to the robot");
  fields.field("command", c.command,
               "command type of each joint, one per joint or one for all: position, velocity or "
               "effort; default: that of its `<transmission>` if the cut allows it, else velocity, "
               "or effort where servo or cut compute efforts");
  fields.section(
      "controller", "controller that turns the plan into velocities",
      [&](Fields& f) { list_controller(f, c.controller, parts.controllers); }, "name");
  fields.field("gain", c.gain, "replaces every outer P gain (1/s)");
  fields.section("gains", "gains of the position loop (1/s)",
                 [&](Fields& f) { control::list_fields(f, c.gains); });
  fields.field("feed_forward", c.feed_forward, "fraction of the planned velocity to add");
  fields.section("tolerances", "tolerances of the trajectory controller",
                 [&](Fields& f) { control::list_fields(f, c.tolerances); });
  fields.section(
      "servo", "the velocity loop", [&](Fields& f) { control::list_fields(f, c.servo); }, "model");
  fields.section("link", "between controller and robot, both directions or each",
                 [&](Fields& f) { list_fields(f, c.link, parts.links); });
  fields.section("estop", "an emergency stop", [&](Fields& f) {
    f.field("at", c.estop_at, "time at which the brakes engage");
    f.field("release", c.estop_release,
            "time at which the brakes release; the controller then holds the current position");
  });
}

}  // namespace

void list_fields(Fields& fields, ArmConfig& config, const ArmParts& parts) {
  list_robot(fields, config);
  list_loop(fields, config, parts, true);
}

void list_short_fields(Fields& fields, ArmConfig& config, const ArmParts& parts, std::string& host,
                       bool with_network) {
  fields.section("robot", "the arm", [&](Fields& f) {
    list_robot(f, config);
    if (with_network) {
      f.field("host", host, "with `network`: host of its joints; default: robot");
    }
  });
  list_loop(fields, config, parts, with_network);
}

std::string short_key(const std::string& key) {
  constexpr std::array kOfRobot{"model",
                                "search_path",
                                "xacro_args",
                                "pose_m_deg",
                                "end_effector",
                                "home_rad",
                                "host",
                                "inertia",
                                "srdf",
                                "joints",
                                "free_joints",
                                "ignore_contacts",
                                "ignore_start_overlaps"};
  const bool is_of_robot =
      std::any_of(kOfRobot.begin(), kOfRobot.end(), [&](const char* own) { return key == own; });
  return is_of_robot ? "robot." + key : key;
}

void resolve(ArmConfig& c, Duration physics_period) {
  if (!c.states_period) {
    c.states_period = physics_period;
  }
  if (!c.link.silence_after) {
    c.link.silence_after = c.control.period;
  }
  if (c.servo.model.empty()) {
    c.has_implied_servo = true;
    c.servo.model = control::default_servo_model(control::cut_of(c.cut));
  }
}

control::LoopConfig loop_config(const ArmConfig& c, const std::vector<int>& driven,
                                std::size_t joints, Duration physics_period, std::uint64_t seed) {
  control::LoopConfig config;
  config.is_driven.assign(joints, 0);
  for (const int joint : driven) {
    config.is_driven[static_cast<std::size_t>(joint)] = 1;
  }
  config.cut = control::cut_of(c.cut);
  config.physics_period = physics_period;
  config.control_period = c.control.period;
  config.states_period = *c.states_period;
  config.gains = c.gains;
  if (c.gain) {
    config.gains.p = {*c.gain};
  }
  config.feed_forward = c.feed_forward;
  config.tolerances = c.tolerances;
  config.servo = c.servo;
  for (const std::string& word : c.command) {
    config.joint_commands.push_back(control::command_of(word));
  }
  config.on_silence = control::silence_of(c.link.on_silence);
  config.silence_after = *c.link.silence_after;
  config.zero_fill = c.link.compat == "zero-fill";
  config.estop_at = c.estop_at;
  config.estop_release = c.estop_release;
  config.clock_offset = c.control.clock_offset;
  config.clock_drift_ppm = c.control.clock_drift_ppm;
  config.control_phase = c.control.phase;
  config.control_jitter = c.control.jitter;
  config.seed = seed;
  config.watchdog = control::watchdog_of(c.link.watchdog);
  config.states_requirements = c.link.states.requirements;
  config.commands_requirements = c.link.commands.requirements;
  return config;
}

}  // namespace longarm::actors
