// SPDX-License-Identifier: Apache-2.0
// Springs, dampers and depths of surfaces as MuJoCo's contacts can have them.
#pragma once

#include <mujoco/mujoco.h>

#include "longarm/model/shape.h"

namespace longarm::physics {

/// Gives a contact that was just found the stiffness, damping and depths of two surfaces of which
/// at least one is_special().
///
/// MuJoCo's contact obeys a + R·f = -b·v - k·r, where a is its acceleration, f its force and r its
/// (negative) overlap. A spring kp with a damper kd, integrated implicitly over a step h as ODE
/// does, is f = kp·depth - (h·kp + kd)(v + h·a): the same with R = 1/(h(h·kp + kd)), b = 1/h and
/// k = kp·R. MuJoCo takes R as (1 - d)/d of the two bodies' inverse mass, so we choose d. Beyond
/// d = 0.9 a contact is as hard as those without parameters. The rows of friction get the same R
/// and b, divided by impratio: they yield, too.
void set_mujoco_surface(const mjModel& model, const model::Surface& a, const model::Surface& b,
                        mjContact& contact);

}  // namespace longarm::physics
