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
  fields.choice("name", config.name, controllers.names(), "the law; pid uses gains, feed_forward");
  if (!config.plugin || config.name != before) {
    config.plugin = controllers.make(config.name);
  }
  config.plugin->list_fields(fields);
}

void list_robot(Fields& fields, ArmConfig& config) {
  list_fields(fields, config.robot);
  fields.field("end_effector", config.end_effector, "the link whose path is measured");
  fields.rare(
      "joints", config.joints.driven, "[]",
      "names of the joints that the controller drives, * for any text; lists per joint have "
      "one number for each, in the order of the tree; default: all that do not mimic");
  fields.rare("free_joints", config.joints.free, "[]",
              "names of joints that move without a drive; those in neither list are held at home");
  fields.field("home_rad", config.home_rad,
               "joint positions at the start: per driven joint, or by name, `{elbow: 30deg}`; "
               "default: 0, or the limit nearest to it");
  fields.rare("ignore_start_overlaps", config.ignore_start_overlaps, "false",
              "bodies that overlap at the start never collide");
}

void list_loop(Fields& fields, ArmConfig& c, const ArmParts& parts, bool with_network) {
  fields.section("control", "the controller's clock", [&](Fields& f) {
    f.field("period", c.control.period, "between controller ticks; a multiple of physics.period");
    f.field("phase", c.control.phase, "of the first tick; less than control.period");
    f.field("jitter", c.control.jitter, "each tick is late by a random part of this");
    f.field("clock_offset", c.control.clock_offset,
            "how far the controller's clock is ahead of the robot's, at the start");
    f.field("clock_drift_ppm", c.control.clock_drift_ppm,
            "how much faster the controller's clock runs, in parts per million");
    if (with_network) {
      f.field("host", c.control.host, "with `network`: where the controller runs");
      cell::list_manner(f, c.control.manner);
    }
  });
  fields.section("states", "the robot's reports", [&](Fields& f) {
    f.field("period", c.states_period, "between joint states sent; default: physics.period");
  });
  fields.section("task", "what the arm is to do",
                 [&](Fields& f) { tasks::list_fields(f, c.task); });
  fields.choice("cut", c.cut, control::cut_names(),
                "where the link cuts the control loop: what crosses it towards the robot");
  fields.field(
      "command", c.command,
      "what each joint is told, one word per joint or one for all: position, velocity or "
      "effort; default: what its `<transmission>` says if the cut allows that, else velocity, "
      "or effort where servo or cut compute efforts");
  fields.section(
      "controller", "turns the plan into velocities",
      [&](Fields& f) { list_controller(f, c.controller, parts.controllers); }, "name");
  fields.field("gain", c.gain, "replaces every outer P gain (1/s)");
  fields.section("gains", "of the position loop (1/s)",
                 [&](Fields& f) { control::list_fields(f, c.gains); });
  fields.field("feed_forward", c.feed_forward, "share of the planned velocity that is added");
  fields.section("tolerances", "of the trajectory controller",
                 [&](Fields& f) { control::list_fields(f, c.tolerances); });
  fields.section(
      "servo", "the velocity loop", [&](Fields& f) { control::list_fields(f, c.servo); }, "model");
  fields.section("link", "between controller and robot, both directions or each",
                 [&](Fields& f) { list_fields(f, c.link, parts.links); });
  fields.section("estop", "an emergency stop", [&](Fields& f) {
    f.field("at", c.estop_at, "brakes on");
    f.field("release", c.estop_release, "brakes off; the controller holds where it then is");
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
      f.field("host", host, "with `network`: where its joints are; default: robot");
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
