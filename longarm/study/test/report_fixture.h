// SPDX-License-Identifier: Apache-2.0
// Small studies for the tests of summary, report and export: rows made by hand, and real runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

#include "labs/labs.h"
#include "longarm/core/diagnostic.h"
#include "longarm/study/report/figures.h"
#include "longarm/study/store.h"
#include "longarm/study/sweep.h"

namespace longarm::study {

class ReportTest : public testing::Test {
 protected:
  ReportTest() {
    std::string name = std::filesystem::temp_directory_path() / "longarm-report-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  ~ReportTest() override { std::filesystem::remove_all(folder); }

  std::filesystem::path study_file() const { return folder / "study.db"; }

  static RunRow row(const std::string& identity, double deviation_m, bool is_stable = true) {
    RunRow run;
    run.identity = identity;
    run.scenario = "seed: 1\n";
    run.metrics = {{"seed", 1},
                   {"engine", "mujoco"},
                   {"cut", "velocity"},
                   {"stable", is_stable},
                   {"ended", is_stable ? "completed" : "diverged"},
                   {"warnings", nlohmann::ordered_json::array()},
                   {"path_deviation_max_m", deviation_m},
                   {"settling_time_s", is_stable ? nlohmann::ordered_json(0.5) : nullptr},
                   {"unstable_joint", is_stable ? nullptr : nlohmann::ordered_json("elbow_joint")},
                   {"joints", {{"elbow_joint", {{"overshoot_rad", 0.25}}}}},
                   {"state_hash", "hash of " + identity}};
    return run;
  }

  /// Two delays by three seeds, of which all but the last run are done.
  void make_study(const std::string& title = "by hand") const {
    Store store(study_file(), Store::Mode::kWrite);
    StudyQuestion question{"hand", "no-such-scenario", "longarm sweep hand", title, {}};
    question.axes = {{{"key", "link.delay"}, {"values", {"0ms", "20ms"}}},
                     {{"key", "seed"}, {"values", {"1", "2", "3"}}}};
    std::vector<GridPoint> grid;
    for (std::size_t delay = 0; delay < 2; ++delay) {
      for (std::size_t seed = 0; seed < 3; ++seed) {
        grid.push_back(
            {"point " + std::to_string(delay) + " " + std::to_string(seed), {delay, seed}});
      }
    }
    store.ask(question, grid);
    // 1, 2 and 6 mm; then 1/3 m twice, which no decimal fraction is
    store.add(grid[0].key, row("a", 0.001));
    store.add(grid[1].key, row("b", 0.002));
    store.add(grid[2].key, row("c", 0.006));
    store.add(grid[3].key, row("d", 1.0 / 3.0));
    store.add(grid[4].key, row("e", 1.0 / 3.0, false));
  }

  /// Real runs of a joint that moves for a fraction of a second.
  void sweep_one_joint(const std::vector<std::string>& texts,
                       const std::string& scenario = "one-joint") const {
    std::vector<Axis> axes;
    for (const std::string& text : texts) {
      axes.push_back(parse_axis(text));
    }
    const longarm::cell::Plugins plugins = longarm::labs::built_in_plugins();
    const StudySource source{"one", "a joint", scenario, {"task.hold=300ms"}, {}};
    const PointRunner runner(source, Grid(axes), {}, plugins);
    Store store(study_file(), Store::Mode::kWrite);
    SweepOptions options;
    options.command = "longarm sweep one";
    EXPECT_TRUE(sweep(source, runner, store, options).failures.empty());
  }

  std::filesystem::path folder;
};

/// The SVG file of a figure; empty if there is none.
inline std::string draw(const Report& report, const std::string& id) {
  const std::vector<FigureInfo> figures = figures_of(report);
  const FigureInfo* figure = find_figure(figures, id);
  return figure != nullptr ? draw_figure(report, *figure) : "";
}

/// The whole message of what `work` throws; empty if it does not.
template <typename Work>
std::string error_of(Work&& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace longarm::study
