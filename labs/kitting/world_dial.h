// SPDX-License-Identifier: Apache-2.0
// Connections of an actor to the doors of others, dialled again when they are lost.
#pragma once

#include <string>

#include "labs/kitting/line.h"
#include "longarm/cell/world.h"

namespace longarm::kitting {

/// From `actor` to a door of whom it wishes for.
inline Dial dial_in(cell::World& world, std::string actor, cell::Wish wish, std::string door) {
  return [&world, actor = std::move(actor), wish = std::move(wish),
          door = std::move(door)](protocols::ClientLink* lost) -> protocols::ClientLink& {
    if (lost != nullptr) {
      world.hang_up(*lost);
    }
    return world.dial(actor, wish, door);
  };
}

}  // namespace longarm::kitting
