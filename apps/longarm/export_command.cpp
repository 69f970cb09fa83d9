// SPDX-License-Identifier: Apache-2.0
// `longarm export`: the rows of a study for other programs.
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "longarm/study/report/export.h"
#include "longarm/study/report/report.h"

namespace longarm::app {
namespace {

struct ExportArguments {
  std::string study;
  std::string out;
  study::ExportOptions options;
};

int export_study(const ExportArguments& arguments) {
  const study::Store store(study::find_database(arguments.study), study::Store::Mode::kRead);
  std::size_t runs = 0;
  if (arguments.out.empty()) {
    runs = study::export_csv(store, arguments.options, [](const std::string& line) {
      std::fwrite(line.data(), 1, line.size(), stdout);
    });
  } else {
    std::string text;
    runs =
        study::export_csv(store, arguments.options, [&](const std::string& line) { text += line; });
    study::replace_file(arguments.out, text);
    fmt::print(stderr, "{} runs in {}\n", runs, arguments.out);
  }
  if (const std::size_t asked = store.grid_size(); asked > runs) {
    fmt::print(stderr, "{} of {} runs are not finished; run `longarm sweep` again to continue\n",
               asked - runs, asked);
  }
  return kDone;
}

}  // namespace

Command add_export_command(CLI::App& word) {
  const auto arguments = std::make_shared<ExportArguments>();
  word.add_option("study", arguments->study, "a study's folder or database")
      ->required()
      ->type_name("STUDY");
  word.add_option("--out", arguments->out, "the CSV file to write; default: standard output")
      ->type_name("FILE");
  word.add_flag(
      "--all-metrics", arguments->options.has_all_metrics,
      "add every number of metrics.json, including those per joint and per link direction");
  word.add_flag("--machine", arguments->options.has_machine,
                "add the real-time factor, which depends on the machine and varies between runs");
  word.footer(
      "One row per run (RFC 4180): axes, verdict, main figures in SI units, state hash and "
      "identity;\n"
      "for cells, their metrics. Numbers are written with full precision.");
  return [arguments] { return export_study(*arguments); };
}

}  // namespace longarm::app
