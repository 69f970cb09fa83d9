// SPDX-License-Identifier: Apache-2.0
// Names of what the labs add.
#include "labs/labs.h"

#include "labs/armar/armar_programs.h"
#include "labs/benches/bench.h"
#include "labs/kitting/kitting_actors.h"
#include "labs/picking/ur_picker.h"
#include "longarm/actors/kinds.h"

namespace longarm::labs {

cell::Plugins built_in_plugins() {
  cell::Plugins plugins = actors::built_in_plugins();
  plugins.add_built_in_actors = [](cell::ActorRegistry& kinds, const cell::Plugins& all) {
    actors::ProgramKinds programs = actors::built_in_programs();
    armar::add_armar_programs(programs);
    actors::add_built_in(kinds, all, std::move(programs));
    kinds.add("armar-arm", "an arm whose hand follows a closed path", armar::make_armar_arm);
    kinds.add("kitting", "makes kits: plans from camera data, drives arms and belt",
              kitting::make_kitting);
    kinds.add("kitting-judge", "judges from ground truth which kits are complete",
              kitting::make_kitting_judge);
    kinds.add("ur-picker", "picks parts off a belt with a UR arm and its gripper",
              picking::make_ur_picker);
    benches::add_benches(kinds);
  };
  return plugins;
}

}  // namespace longarm::labs
