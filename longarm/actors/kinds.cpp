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
  kinds.add("belt", "a conveyor, driven by what it is told", make_belt);
  kinds.add("camera", "looks down on parts and trays, and says where they are", make_camera);
  kinds.add("component", "a program on a host that calls, serves, publishes and subscribes",
            [programs] { return make_component(programs); });
  kinds.add("contact-sensor", "says what touches the shapes that it watches", make_contact_sensor);
  kinds.add("crcl", "an arm of the world with its gripper, behind a CRCL server", make_crcl);
  kinds.add("curtain", "a light curtain: beams between poles", make_curtain);
  kinds.add("feeder", "lays parts on a belt and sees what became of each", make_feeder);
  kinds.add("joint-topic", "joint commands and states on a topic that the world file asks for",
            make_joint_topic);
  kinds.add("lockstep", "a component that is a process of its own", make_lockstep);
  kinds.add("middleware", "what components of one system share: names, topics, figures",
            make_middleware);
  kinds.add("part-drift", "watches how far loose parts wander on what carries them",
            make_part_drift);
  kinds.add("parts-in-box", "counts the parts that lie in a box", make_parts_in_box);
  kinds.add("plc", "a belt's controller, which speaks Modbus", make_plc);
  kinds.add("safety", "hears light curtains, and stops robots and belts", make_safety);
  kinds.add("traffic", "load between two hosts: even, random, in bursts, or as much as TCP takes",
            make_traffic);
  kinds.add("ur", "a UR arm behind the ports of its controller", make_ur);
  kinds.add("ur-driver", "moves a UR arm along a plan, from another host", make_ur_driver);
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
