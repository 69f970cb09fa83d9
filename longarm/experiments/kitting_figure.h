// SPDX-License-Identifier: Apache-2.0
// Who did what when, as a drawing. Internal to the folder.
#pragma once

#include <string>

#include "longarm/kitting/journal.h"

namespace longarm::experiments {

/// One row for each arm and the belt; what failed is red, setbacks are marked above.
std::string draw_timeline(const kitting::Journal& journal);

}  // namespace longarm::experiments
