// SPDX-License-Identifier: Apache-2.0
// `longarm view`: recorded runs in a browser, or as one file for those who have only a browser.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "apps/longarm/view_server.h"
#include "labs/labs.h"
#include "longarm/study/report/report.h"
#include "longarm/view/view_page.h"
#include "longarm/view/views.h"

namespace longarm::app {
namespace {

namespace fs = std::filesystem;

struct ViewArguments {
  std::vector<std::string> runs;
  std::string out;
  std::uint16_t port = 0;
};

int view_runs(const ViewArguments& arguments) {
  const auto views =
      view::Views::open({arguments.runs.begin(), arguments.runs.end()}, labs::built_in_plugins());
  for (const auto& run : views->document()["runs"]) {
    for (const auto& warning : run["warnings"]) {
      fmt::print(stderr, "warning: {}\n", warning.get<std::string>());
    }
    if (const auto problem = run["problem"].get<std::string>(); !problem.empty()) {
      fmt::print(stderr, "warning: {}: {}\n", run["folder"].get<std::string>(), problem);
    }
  }
  if (arguments.out.empty()) {
    return serve_views(*views, arguments.port);
  }
  const std::string html = views->one_file(view::view_page());
  study::replace_file(arguments.out, html);
  fmt::print("{} ({:.1f} MB)\n", arguments.out, static_cast<double>(html.size()) / 1e6);
  return kDone;
}

}  // namespace

Command add_view_command(CLI::App& word) {
  const auto arguments = std::make_shared<ViewArguments>();
  word.add_option("runs", arguments->runs, "folders of runs; several are shown over each other")
      ->required()
      ->type_name("RUN...");
  word.add_option("--out", arguments->out,
                  "write one HTML file instead, which needs nothing beside it")
      ->type_name("FILE");
  word.add_option("--port", arguments->port, "port of the page; default: any free one")
      ->type_name("PORT");
  word.footer(
      "The page is served to this computer only. Press ? on it for its keys.\n"
      "  longarm run ur5-waypoints --set link.delay=10ms --out runs/late\n"
      "  longarm run ur5-waypoints --set link=none --out runs/ideal\n"
      "  longarm view runs/late runs/ideal\n"
      "  longarm view runs/late --out late.html      # one file to send around\n"
      "To watch a run while it is under way: longarm run ... --view, longarm serve ... --view");
  return [arguments] { return view_runs(*arguments); };
}

}  // namespace longarm::app
