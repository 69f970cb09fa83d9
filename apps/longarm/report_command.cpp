// SPDX-License-Identifier: Apache-2.0
// `longarm report`: the page and the figures of a run or a study.
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "longarm/study/report/figures.h"
#include "longarm/study/report/figures_style.h"
#include "longarm/study/report/report.h"
#include "longarm/study/report/report_page.h"

namespace longarm::app {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::string source;
  std::string out;
  std::string svg;
  std::vector<std::string> where;
};

/// Which part of a grid the figures show, and how to choose another; empty if they show all.
std::string slice_words(const study::Report& report) {
  const auto varied = study::main_axis(report);
  const std::string share = study::slice_share(report, varied);
  const std::string slice = study::steps_label(report.axes, report.focus);
  return share.empty() || slice.empty()
             ? ""
             : fmt::format("figures with curves show {}, {}; use --where to choose others", slice,
                           share);
}

int report(const ReportArguments& arguments) {
  const fs::path source = arguments.source;
  const study::Report report = study::make_report(source, arguments.where);
  for (const std::string& warning : report.about.warnings) {
    fmt::print(stderr, "warning: {}\n", warning);
  }
  if (!arguments.svg.empty()) {
    for (const fs::path& file : study::write_figures(report, arguments.svg)) {
      fmt::print("{}\n", file.string());
    }
    if (const std::string words = slice_words(report); !words.empty()) {
      fmt::print(stderr, "{}\n", words);
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
  fmt::print("{}\n", out.string());
  return kDone;
}

}  // namespace

Command add_report_command(CLI::App& word) {
  const auto arguments = std::make_shared<ReportArguments>();
  word.add_option("source", arguments->source,
                  "a run folder, or the folder or database of a study or margin search")
      ->required()
      ->type_name("RUN_OR_STUDY");
  word.add_option("--out", arguments->out, "the page to write; default: report.html in the folder")
      ->type_name("FILE");
  word.add_option("--svg", arguments->svg, "also write the figures as SVG files, for papers")
      ->type_name("DIR");
  word.add_option("--where", arguments->where,
                  "for studies with several axes: what figures show at first, e.g. gain=30; "
                  "default: where the link has the largest effect")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  word.footer(
      "The page is one self-contained file: send it, archive it, open it offline.\n"
      "  longarm sweep ur5-latency\n"
      "  longarm report runs/ur5-latency-sweep --svg figures\n"
      "  longarm report runs/ur5-cuts-sweep --svg figures --where cut=effort");
  return [arguments] { return report(*arguments); };
}

}  // namespace longarm::app
