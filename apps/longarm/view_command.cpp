// SPDX-License-Identifier: Apache-2.0
// `longarm view`: recorded runs in a browser, or as one file for those who have only a browser.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "apps/longarm/progress_line.h"
#include "apps/longarm/view_server.h"
#include "labs/labs.h"
#include "longarm/cell/run.h"
#include "longarm/cell/run_folder.h"
#include "longarm/core/diagnostic.h"
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
  bool with_ideal = false;
};

/// A folder that is gone when nobody needs it any more.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "longarm-view-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      refuse("cannot create a temporary folder",
             "check that you can write to the folder named by TMPDIR");
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The same run without the network, recorded in that folder.
void simulate_ideal(const fs::path& run_folder, const fs::path& out) {
  const cell::PreparedScenario prepared =
      cell::load_scenario((run_folder / "scenario.yaml").string(), {}, labs::built_in_plugins());
  cell::write_scenario(prepared, out);
  cell::RunSetup setup;
  setup.folder = out;
  setup.trace = out / "trace.mcap";
  cell::Run run(cell::without_network(prepared), std::move(setup));
  ProgressLine progress("simulating without the network");
  while (!run.is_over()) {
    run.run_until(run.now() + std::chrono::milliseconds(50));
    progress.show(run.now(), run.foreseen_end());
  }
  progress.clear();
  if (const Result<bool> closed = run.close_files(); !closed) {
    refuse(closed.error().message, "check that the disk is not full");
  }
}

void print_problems(const view::Views& views) {
  for (const std::string& problem : views.problems()) {
    fmt::print(stderr, "warning: {}\n", problem);
  }
}

int view_runs(const ViewArguments& arguments) {
  const auto views =
      view::Views::open({arguments.runs.begin(), arguments.runs.end()}, labs::built_in_plugins());
  // an open file stays readable when it is removed
  if (arguments.with_ideal) {
    const TemporaryFolder ideal;
    simulate_ideal(arguments.runs.front(), ideal.path());
    views->add_ghost(ideal.path(), "without the network", labs::built_in_plugins());
  }
  for (const auto& run : views->document()["runs"]) {
    for (const auto& warning : run["warnings"]) {
      fmt::print(stderr, "warning: {}\n", warning.get<std::string>());
    }
  }
  if (arguments.out.empty()) {
    print_problems(*views);
    return serve_views(*views, arguments.port);
  }
  const std::string html = views->one_file(view::view_page());
  print_problems(*views);  // by now all has been read
  study::replace_file(arguments.out, html);
  fmt::print("{} ({:.1f} MB)\n", arguments.out, static_cast<double>(html.size()) / 1e6);
  return kDone;
}

}  // namespace

Command add_view_command(CLI::App& word) {
  const auto arguments = std::make_shared<ViewArguments>();
  word.add_option("runs", arguments->runs, "run folders; several are overlaid")
      ->required()
      ->type_name("RUN...");
  word.add_option("--out", arguments->out, "write one self-contained HTML file instead")
      ->type_name("FILE");
  word.add_flag("--ideal", arguments->with_ideal,
                "overlay the first run with a ghost of the same run without the network");
  word.add_option("--port", arguments->port, "port of the page; default: a free port")
      ->type_name("PORT");
  word.footer(
      "The page is served to this computer only. Press ? on the page for keyboard shortcuts.\n"
      "  longarm run ur5-waypoints --set link.delay=10ms --out runs/late\n"
      "  longarm view runs/late --ideal              # with a ghost of the run without the link\n"
      "  longarm view runs/late runs/later           # two runs overlaid\n"
      "  longarm view runs/late --out late.html      # one file to share\n"
      "To watch a run while it is simulated: longarm run ... --view, longarm serve ... --view");
  return [arguments] { return view_runs(*arguments); };
}

}  // namespace longarm::app
