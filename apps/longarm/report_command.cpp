// SPDX-License-Identifier: Apache-2.0
// `longarm report`: the page and the figures of a run or a study.
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "longarm/study/figures.h"
#include "longarm/study/report.h"
#include "longarm/study/report_page.h"

namespace longarm::app {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::string source;
  std::string out;
  std::string svg;
};

int report(const ReportArguments& arguments) {
  const fs::path source = arguments.source;
  const study::Report report = study::make_report(source);
  if (!arguments.svg.empty()) {
    for (const fs::path& file : study::write_figures(report, arguments.svg)) {
      fmt::print("{}\n", file.string());
    }
  }
  // whoever wants only the figures may do without the page
  const std::string_view page = study::report_page();
  if (page.empty() && !arguments.svg.empty() && arguments.out.empty()) {
    return kDone;
  }
  const fs::path folder = fs::is_directory(source) ? source : source.parent_path();
  const fs::path out = arguments.out.empty() ? folder / "report.html" : fs::path(arguments.out);
  study::replace_file(out, study::report_html(report, page));
  for (const std::string& warning : report.about.warnings) {
    fmt::print(stderr, "warning: {}\n", warning);
  }
  fmt::print("{}\n", out.string());
  return kDone;
}

}  // namespace

Command add_report_command(CLI::App& word) {
  const auto arguments = std::make_shared<ReportArguments>();
  word.add_option("source", arguments->source, "a run's folder, or a study's folder or database")
      ->required()
      ->type_name("RUN_OR_STUDY");
  word.add_option("--out", arguments->out, "the page to write; default: report.html in the folder")
      ->type_name("FILE");
  word.add_option("--svg", arguments->svg, "write the figures as SVG files, too, for papers")
      ->type_name("DIR");
  word.footer(
      "The page is one file that needs nothing beside it: send it, archive it, open it offline.\n"
      "  longarm sweep ur5-latency\n"
      "  longarm report runs/ur5-latency-sweep --svg figures");
  return [arguments] { return report(*arguments); };
}

}  // namespace longarm::app
