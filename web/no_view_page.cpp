// SPDX-License-Identifier: Apache-2.0
// What stands in for the page of `longarm view` where the program is built without npm: nothing.
#include "longarm/view/view_page.h"

namespace longarm::view {

std::string_view view_page() {
  return {};
}

}  // namespace longarm::view
