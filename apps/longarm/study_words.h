// SPDX-License-Identifier: Apache-2.0
// What the words of the program share: commands that repeat them, whom they refuse, and the page
// at their end.
#pragma once

#include <filesystem>
#include <string>

#include "longarm/cell/load_scenario.h"
#include "longarm/core/diagnostic.h"
#include "longarm/study/report/report.h"
#include "longarm/study/report/report_page.h"

namespace longarm::app {

/// As a shell wants it.
inline std::string quoted(const std::string& text) {
  const bool is_plain =
      !text.empty() && text.find_first_of(" '\"$&|;<>()[]{}*?!\\`~#") == std::string::npos;
  if (is_plain) {
    return text;
  }
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

/// Writes report.html into a study's folder; words for the end of "results in study.db".
inline std::string write_report(const std::filesystem::path& folder) {
  if (study::report_page().empty()) {
    return " (no report page: this longarm was built without npm)";
  }
  const std::filesystem::path file = folder / "report.html";
  study::replace_file(file, study::report_html(study::make_report(folder), study::report_page()));
  return " and " + file.string();
}

}  // namespace longarm::app
