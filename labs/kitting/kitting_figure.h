// SPDX-License-Identifier: Apache-2.0
// Who did what when, as a drawing. Internal to the folder.
#pragma once

#include <string>

#include "labs/kitting/journal.h"

namespace longarm::kitting {

/// One row for each arm and the belt; what failed is red, setbacks are marked above.
std::string draw_timeline(const kitting::Journal& journal);

}  // namespace longarm::kitting
