// SPDX-License-Identifier: Apache-2.0
// Mends contacts of shapes that are deep inside each other.
#pragma once

#include <mujoco/mujoco.h>

namespace longarm::physics {

/// MuJoCo 2.2 gives a contact at a cylinder's rim the direction of its side, also where the
/// cylinder lies flat and only sinks in: parts swim sideways through each other. Where boxes,
/// cylinders, capsules and spheres overlap far more along a contact's normal than along one of
/// their own axes, this turns the normal to that axis.
void mend_deep_contact(const mjModel& model, const mjData& data, mjContact& contact);

}  // namespace longarm::physics
