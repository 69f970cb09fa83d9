// SPDX-License-Identifier: Apache-2.0
// How to make each kind of actor that comes with the library.
#pragma once

#include <memory>

#include "longarm/actors/arm_config.h"
#include "longarm/actors/component_program.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/scenario.h"

namespace longarm::actors {

std::unique_ptr<cell::ActorModel> make_arm(const ArmParts& parts);
std::unique_ptr<cell::ActorModel> make_belt();
std::unique_ptr<cell::ActorModel> make_camera();
std::unique_ptr<cell::ActorModel> make_component(const ProgramKinds& programs);
std::unique_ptr<cell::ActorModel> make_contact_sensor();
std::unique_ptr<cell::ActorModel> make_crcl();
std::unique_ptr<cell::ActorModel> make_curtain();
std::unique_ptr<cell::ActorModel> make_feeder();
std::unique_ptr<cell::ActorModel> make_joint_topic();
std::unique_ptr<cell::ActorModel> make_lockstep();
std::unique_ptr<cell::ActorModel> make_middleware();
std::unique_ptr<cell::ActorModel> make_part_drift();
std::unique_ptr<cell::ActorModel> make_parts_in_box();
std::unique_ptr<cell::ActorModel> make_plc();
std::unique_ptr<cell::ActorModel> make_program();
std::unique_ptr<cell::ActorModel> make_ros();
std::unique_ptr<cell::ActorModel> make_safety();
std::unique_ptr<cell::ActorModel> make_traffic();
std::unique_ptr<cell::ActorModel> make_ur();
std::unique_ptr<cell::ActorModel> make_ur_driver();

/// `programs` are those that components may have, beside those of plug-ins.
void add_built_in(cell::ActorRegistry& kinds, const cell::Plugins& plugins, ProgramKinds programs);

/// All engines, links, controllers and kinds of actors that come with the library.
cell::Plugins built_in_plugins();

}  // namespace longarm::actors
