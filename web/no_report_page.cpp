// SPDX-License-Identifier: Apache-2.0
// What stands in for the page of `longarm report` where the program is built without npm: nothing.
#include "longarm/study/report/report_page.h"

namespace longarm::study {

std::string_view report_page() {
  return {};
}

}  // namespace longarm::study
