// SPDX-License-Identifier: Apache-2.0
// Their names.
#include "longarm/actors/kinds.h"

namespace longarm::actors {

void add_built_in(cell::ActorRegistry& kinds, const cell::Plugins& plugins, ProgramKinds programs) {
  for (const auto& [name, program] : plugins.programs) {
    programs[name] = *program;
  }
  kinds.add(
      "arm", "a robot that follows a plan, with its controller behind a link or network",
      [parts = ArmParts{plugins.controllers, plugins.link_models}] { return make_arm(parts); });
  kinds.add("belt", "a conveyor belt", make_belt);
  kinds.add("camera", "an overhead camera that reports the poses of parts and trays", make_camera);
  kinds.add("component", "a program on a host that calls, serves, publishes and subscribes",
            [programs] { return make_component(programs); });
  kinds.add("contact-sensor", "reports contacts with the shapes that it watches",
            make_contact_sensor);
  kinds.add("crcl", "an arm of the world with its gripper, behind a CRCL server", make_crcl);
  kinds.add("curtain", "a light curtain: beams between poles", make_curtain);
  kinds.add("feeder", "places parts on a belt and records the fate of each", make_feeder);
  kinds.add("joint-topic", "joint commands and states on a topic defined in the world file",
            make_joint_topic);
  kinds.add("lockstep", "a component that runs as a separate process", make_lockstep);
  kinds.add("middleware", "the names, topics and statistics shared by a system of components",
            make_middleware);
  kinds.add("part-drift", "measures how far loose parts drift on their supports", make_part_drift);
  kinds.add("parts-in-box", "counts the parts that lie in a box", make_parts_in_box);
  kinds.add("plc", "a belt controller with a Modbus server", make_plc);
  kinds.add("program", "an existing Linux program, unmodified, in simulated time", make_program);
  kinds.add("ros", "the port that longarm-ros joins: topics, actions and parameters for ROS",
            make_ros);
  kinds.add("safety", "stops robots and belts when a light curtain is interrupted", make_safety);
  kinds.add("traffic",
            "network load between two hosts: constant, random, bursty, or as fast as TCP allows",
            make_traffic);
  kinds.add("ur", "a UR arm with its controller and ports", make_ur);
  kinds.add("ur-driver", "a driver that moves a UR arm along a plan from another host",
            make_ur_driver);
}

cell::Plugins built_in_plugins() {
  cell::Plugins plugins;
  plugins.engines = physics::built_in_engines();
  plugins.link_models = network::built_in_link_models();
  plugins.controllers = control::built_in_controllers();
  plugins.add_built_in_actors = [](cell::ActorRegistry& kinds, const cell::Plugins& all) {
    add_built_in(kinds, all, built_in_programs());
  };
  return plugins;
}

}  // namespace longarm::actors
