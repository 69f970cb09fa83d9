// SPDX-License-Identifier: Apache-2.0
// Everything that comes with the program: the library's kinds of actors and those of the labs,
// which use the library as a stranger would.
#pragma once

#include "longarm/cell/scenario.h"

namespace longarm::labs {

cell::Plugins built_in_plugins();

}  // namespace longarm::labs
