// SPDX-License-Identifier: Apache-2.0
// The page of the viewer, as it was bundled when the program was built.
#pragma once

#include <string_view>

namespace longarm::view {

/// Empty if the program was built without npm.
std::string_view view_page();

}  // namespace longarm::view
