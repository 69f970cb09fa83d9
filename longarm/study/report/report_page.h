// SPDX-License-Identifier: Apache-2.0
// The HTML page of `longarm report`, made from web/src/report when the program is built.
#pragma once

#include <string_view>

namespace longarm::study {

// The whole page as UTF-8, everything inline, with `<script type="application/json"
// id="report-data">{}</script>` once, whose `{}` is to be replaced by the data (every `<` in it
// written as \u003c). Empty where the program was built without npm. It lives as long as the
// program.
std::string_view report_page();

}  // namespace longarm::study
