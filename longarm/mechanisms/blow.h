// SPDX-License-Identifier: Apache-2.0
// A blow that parts a joint: what the joint took of it goes to those whom it was meant for.
#pragma once

#include <span>

#include "longarm/mechanisms/held_parts.h"

namespace longarm::mechanisms {

/// Hard contacts collide within one step, and in that step a held part was as heavy as what holds
/// it: whoever struck it was stopped, and it does not move. Afterwards, with `part` already
/// released from `support`, free bodies that touched it and it share their momentum as in a plastic
/// impact, each moving on without turning; a free support gives back what it got. Of bodies with
/// joints nothing is known here: their motors go on pushing by themselves.
void pass_on_blow(physics::Engine& engine, std::span<const BodyRole> roles, const HeldParts& held,
                  int part, int support, double period_s);

}  // namespace longarm::mechanisms
