// SPDX-License-Identifier: Apache-2.0
// The keys of a scenario and what they mean to the user.
#include "longarm/scenario/scenario.h"

#include "longarm/scenario/config_writer.h"

namespace longarm::scenario {
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

}  // namespace

Plugins built_in_plugins() {
  Plugins plugins;
  plugins.engines = physics::built_in_engines();
  plugins.link_models = network::built_in_link_models();
  plugins.controllers = control::built_in_controllers();
  return plugins;
}

std::string shorthand_of(const std::string& section) {
  if (section == "engine" || section == "controller") {
    return "name";
  }
  if (section == "flows") {
    return "transport";
  }
  return section == "servo" ? "model" : "";
}

void list_fields(Fields& fields, Scenario& s, const Plugins& plugins, bool with_network) {
  fields.field("title", s.title, "one line for `longarm list`");
  fields.field("plugins", s.plugins, "shared objects with more engines, links or controllers");
  fields.section(
      "engine", "the physics engine",
      [&](Fields& f) {
        f.choice("name", s.engine, plugins.engines.names(), "physics engine");
        f.field("solver", s.solver,
                "mujoco: newton (default), noslip or cg; ode: direct (default) or quick");
      },
      shorthand_of("engine"));
  fields.field("seed", s.seed, "of every random stream");
  fields.section("physics", "the world's clock", [&](Fields& f) {
    f.field("period", s.physics_period, "length of a physics step");
  });
  fields.section("control", "the controller's clock", [&](Fields& f) {
    f.field("period", s.control.period, "between controller ticks; a multiple of physics.period");
    f.field("phase", s.control.phase, "of the first tick; less than control.period");
    f.field("jitter", s.control.jitter, "each tick is late by a random part of this");
    f.field("clock_offset", s.control.clock_offset,
            "how far the controller's clock is ahead of the robot's, at the start");
    f.field("clock_drift_ppm", s.control.clock_drift_ppm,
            "how much faster the controller's clock runs, in parts per million");
    if (with_network) {
      f.field("host", s.control.host, "with `network`: where the controller runs; default: edge");
    }
  });
  fields.section("states", "the robot's reports", [&](Fields& f) {
    f.field("period", s.states_period, "between joint states sent; default: physics.period");
  });
  fields.field("world", s.world, "an SDF world around the arm: what it may touch");
  fields.section("robot", "the arm", [&](Fields& f) {
    f.field("model", s.robot.model, "a ready model's name, or a URDF or SDF file");
    f.field("search_path", s.robot.search_path,
            "folders to look in for package:// and model://, before those of the environment");
    f.field("pose_m_deg", s.robot.pose_m_deg,
            "[x, y, z, roll, pitch, yaw] of its base in the world");
    f.field("end_effector", s.robot.end_effector, "the link whose path is measured");
    f.field("home_rad", s.robot.home_rad, "joint positions at the start");
    if (with_network) {
      f.field("host", s.robot.host, "with `network`: where its joints are; default: robot");
    }
  });
  fields.section("task", "what the arm is to do",
                 [&](Fields& f) { tasks::list_fields(f, s.task); });
  fields.choice("cut", s.cut, control::cut_names(),
                "where the link cuts the control loop: what crosses it towards the robot");
  fields.section(
      "controller", "turns the plan into velocities",
      [&](Fields& f) { list_controller(f, s.controller, plugins.controllers); },
      shorthand_of("controller"));
  fields.field("gain", s.gain, "replaces every outer P gain (1/s)");
  fields.section("gains", "of the position loop (1/s)",
                 [&](Fields& f) { control::list_fields(f, s.gains); });
  fields.field("feed_forward", s.feed_forward, "share of the planned velocity that is added");
  fields.section("tolerances", "of the trajectory controller",
                 [&](Fields& f) { control::list_fields(f, s.tolerances); });
  fields.section(
      "servo", "the velocity loop", [&](Fields& f) { control::list_fields(f, s.servo); },
      shorthand_of("servo"));
  fields.section("link", "between controller and robot, both directions or each",
                 [&](Fields& f) { list_fields(f, s.link, plugins.link_models); });
  if (with_network) {
    fields.section("network", "hosts, switches and links, in place of the one link",
                   [&](Fields& f) { network::list_fields(f, s.network, plugins.link_models); });
  }
  fields.section("estop", "an emergency stop", [&](Fields& f) {
    f.field("at", s.estop_at, "brakes on");
    f.field("release", s.estop_release, "brakes off; the controller holds where it then is");
  });
  fields.section("record", "what is kept", [&](Fields& f) {
    f.field("trace", s.record_trace, "write trace.mcap (every message) and trace.csv");
    f.field("csv", s.record_csv, "write trace.csv, one row per physics step");
  });
}

std::string to_yaml(Scenario scenario, const Plugins& plugins) {
  ConfigWriter writer;
  list_fields(writer, scenario, plugins, !scenario.network.is_empty());
  return writer.yaml();
}

}  // namespace longarm::scenario
