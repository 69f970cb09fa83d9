// SPDX-License-Identifier: Apache-2.0
// The closed forms that come with the program.
#pragma once

#include <vector>

#include "longarm/study/oracle.h"

namespace longarm::oracles {

/// All there are, in the order of the table.
std::vector<study::Oracle> all_oracles();

}  // namespace longarm::oracles
