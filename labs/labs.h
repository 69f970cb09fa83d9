// SPDX-License-Identifier: Apache-2.0
// Everything that the program `longarm` registers: the library's own parts and those of labs/.
#pragma once

#include "longarm/cell/scenario.h"

namespace longarm::labs {

/// Actors, component programs, link models, controllers, engines and failures of the program. Pass
/// them to load_scenario().
cell::Plugins built_in_plugins();

}  // namespace longarm::labs
