// SPDX-License-Identifier: Apache-2.0
// Their names.
#include "longarm/experiments/kinds.h"

namespace longarm::experiments {

ExperimentRegistry built_in_experiments() {
  ExperimentRegistry kinds("experiment");
  kinds.add("belt-bench", "a belt starts under a part at rest: how long and how far it slips",
            make_belt_bench);
  kinds.add("contact-bench", "trays of gears ride on a belt, their contacts plain or simplified",
            make_contact_bench);
  kinds.add("gear-in-slot", "a gear is lowered beside the middle of its slot: does it get in",
            make_gear_in_slot);
  kinds.add("grasp-bench", "a grasped part is shaken, jolted or pulled at: how far it moves",
            make_grasp_bench);
  kinds.add("grasp-table", "velocity motors grasp and lift a part, or do not", make_grasp_table);
  kinds.add("vacuum-bench", "a plate is pulled off a suction cup: at what force",
            make_vacuum_bench);
  return kinds;
}

}  // namespace longarm::experiments
