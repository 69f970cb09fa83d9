// SPDX-License-Identifier: Apache-2.0
// What a study costs beyond its runs: 200 runs against one, the database's share, and a study of
// 100 000 rows.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

#include <unistd.h>

#include "labs/labs.h"
#include "longarm/actors/arm.h"
#include "longarm/study/report/report.h"
#include "longarm/study/report/report_data.h"
#include "longarm/study/report/report_page.h"
#include "longarm/study/report/summary.h"
#include "longarm/study/sweep.h"

namespace {

using namespace longarm;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const study::StudySource kSource{"bench", "", "ur5-waypoints", {}, {}};

study::Grid grid_of_200() {
  return study::Grid(
      {study::parse_axis("link.delay=0ms..19ms:1ms"), study::parse_axis("seed=1..10")});
}

/// Mean time of one run from its text to its figures, in this thread alone.
double time_one_run(const cell::Plugins& plugins) {
  constexpr int kRuns = 20;
  const auto start = Clock::now();
  for (int i = 0; i < kRuns; ++i) {
    const auto prepared =
        cell::load_scenario("ur5-waypoints", {{"link.delay=" + std::to_string(i) + "ms"}}, plugins);
    cell::Run simulation(prepared);
    simulation.run_until(simulation.end());
    (void)simulation.results();
  }
  return since(start) / kRuns;
}

void time_sweep(const cell::Plugins& plugins, const fs::path& folder) {
  const int threads = study::available_threads();
  const double before = time_one_run(plugins);
  const auto start = Clock::now();
  const study::PointRunner runner(kSource, grid_of_200(), {}, plugins);
  double in_store_s = 0.0;
  {
    study::Store store(folder / "study.db", study::Store::Mode::kWrite);
    study::SweepOptions options;
    options.workers = [&](const study::Work& work) {
      study::Work timed = work;
      timed.take = [&](study::PointAnswer answer) {
        const auto begin = Clock::now();
        work.take(std::move(answer));
        in_store_s += since(begin);
      };
      study::work_in_threads(timed, threads);
    };
    study::sweep(kSource, runner, store, options);
  }
  const double sweep_s = since(start);
  const double one_s = (before + time_one_run(plugins)) / 2.0;
  const double ideal_s = 200.0 * one_s / threads;
  std::printf("one run, load to figures         %8.1f ms\n", one_s * 1e3);
  std::printf("200 runs in %d threads            %8.2f s   %.3f x (200 x one run) / %d\n", threads,
              sweep_s, sweep_s / ideal_s, threads);
  std::printf("of which writing to the database %8.3f s   %.2f %% of the work\n", in_store_s,
              100.0 * in_store_s / (sweep_s * threads));
  std::printf("database                         %8.2f MB\n",
              static_cast<double>(fs::file_size(folder / "study.db")) / 1e6);
}

/// A study of 1000 points and 100 seeds, as if it had been run.
void make_large_study(const fs::path& file, const study::RunRow& example) {
  study::Store store(file, study::Store::Mode::kWrite);
  nlohmann::ordered_json axes = nlohmann::ordered_json::parse(
      R"([{"key":"link.delay","values":[]},{"key":"seed","values":[]}])");
  std::vector<study::GridPoint> grid;
  for (std::size_t i = 0; i < 1000; ++i) {
    axes[0]["values"].push_back(std::to_string(i) + "us");
    for (std::size_t seed = 0; seed < 100; ++seed) {
      if (i == 0) {
        axes[1]["values"].push_back(std::to_string(seed));
      }
      grid.push_back({std::to_string(grid.size()), {i, seed}});
    }
  }
  store.ask({"large", "ur5-waypoints", "longarm sweep large", "100 000 rows", axes}, grid);
  study::RunRow row = example;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    row.identity = "run" + std::to_string(i);
    row.reference = "run0";
    row.curves = grid[i].values[1] == 0 ? example.curves : "";
    row.metrics["path_deviation_max_m"] = 0.009 + 1e-9 * static_cast<double>(i);
    store.add(grid[i].key, row);
  }
}

void time_large_study(const cell::Plugins& plugins, const fs::path& folder) {
  const study::PointRunner runner(kSource, study::Grid({study::parse_axis("link.delay=5ms")}), {},
                                  plugins);
  const auto filling = Clock::now();
  make_large_study(folder / "study.db", *runner.run(0).row);
  const double filled_s = since(filling);
  const auto start = Clock::now();
  const study::Report report = study::make_report(folder);
  const double read_s = since(start);
  const std::string json = study::to_json(report).dump();
  std::printf("100 000 rows: committed one by one in %.1f s (%.0f us each), %.0f MB\n", filled_s,
              filled_s * 10.0, static_cast<double>(fs::file_size(folder / "study.db")) / 1e6);
  std::printf("              opened and reported in %.2f s (%.2f s to read), %.1f MB of data\n",
              since(start), read_s, static_cast<double>(json.size()) / 1e6);
}

}  // namespace

int main() {
  const cell::Plugins plugins = labs::built_in_plugins();
  const fs::path folder =
      fs::temp_directory_path() / ("longarm-sweep-bench-" + std::to_string(getpid()));
  time_sweep(plugins, folder / "sweep");
  time_large_study(plugins, folder / "large");
  fs::remove_all(folder);
  return 0;
}
