// SPDX-License-Identifier: Apache-2.0
// The names of the benches, and what none of them does by itself.
#include "labs/benches/bench.h"

#include <cmath>

#include <fmt/format.h>

#include "longarm/cell/cell_config.h"
#include "longarm/core/diagnostic.h"

namespace longarm::benches {

std::vector<cell::KeyRemark> place_alone(model::Cell scene, model::Cell& cell,
                                         const cell::LoadContext& context) {
  if (!context.cell.world.empty() || !cell.placements.empty()) {
    return {{"",
             fmt::format("'{}' is a bench, and needs a world without other bodies", context.name),
             "remove `world` and all actors that add a robot or a bench"}};
  }
  cell = std::move(scene);
  return {};
}

void require_contacts(const cell::World& world, const char* so) {
  if (!world.engine().capabilities().has_contacts) {
    refuse(fmt::format("this engine has no contacts: {}", so), "use engine mujoco or ode");
  }
}

Duration whole_steps(double time_s, Duration period) {
  return period * static_cast<std::int64_t>(std::ceil(time_s / to_seconds(period)));
}

void add_benches(cell::ActorRegistry& kinds) {
  kinds.add("belt-bench", "a belt starts under a part at rest: how long and how far it slips",
            make_belt_bench);
  kinds.add("contact-bench", "trays of gears on a belt, with full or simplified contacts",
            make_contact_bench);
  kinds.add("gear-in-slot", "a gear is lowered off the centre of its slot: whether it drops in",
            make_gear_in_slot);
  kinds.add("grasp-bench", "a grasped part is shaken, jolted or pulled: how far it moves",
            make_grasp_bench);
  kinds.add("grasp-table", "velocity motors grasp and lift a part: whether it holds",
            make_grasp_table);
  kinds.add("vacuum-bench", "a plate is pulled off a suction cup: at what force",
            make_vacuum_bench);
}

}  // namespace longarm::benches
