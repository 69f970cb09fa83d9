// SPDX-License-Identifier: Apache-2.0
// What holds for every kind: errors in its file, equal runs, and the end of one that diverges.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labs/benches/scene.h"
#include "labs/benches/test/bench_fixture.h"
#include "labs/labs.h"
#include "longarm/cell/curves_figure.h"
#include "longarm/cell/run_folder.h"
#include "longarm/config/ready.h"
#include "longarm/config/text_file.h"

namespace longarm::benches {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

std::string bench_error(const std::string& text, const std::vector<std::string>& changes = {}) {
  return load_error(text, "bench.yaml", changes);
}

TEST(LoadScenario, SaysWhatIsWrongAndWhere) {
  const std::string belt = "actors:\n  bench: {kind: belt-bench}\n";
  EXPECT_THAT(bench_error("actors:\n  bench: {kind: belt-bensh}\n"),
              HasSubstr("bench.yaml:2:17: error: unknown actors.bench.kind 'belt-bensh'\n"
                        "  hint: did you mean 'belt-bench'?"));
  EXPECT_THAT(bench_error("actors:\n  bench: {kind: belt-bench, frction: 1}\n"),
              HasSubstr("bench.yaml:2:29: error: unknown key 'actors.bench.frction'\n"
                        "  hint: did you mean 'friction'?"));
  EXPECT_THAT(bench_error(belt + "physics: {period: 1s}\n"),
              HasSubstr("bench.yaml:3:19: error: physics.period is too long for contacts"));
  EXPECT_THAT(bench_error(belt, {"engine=mujico"}), HasSubstr("did you mean 'mujoco'?"));
}

TEST(LoadScenario, TellsHowOldFilesOfBenchesAreWrittenNow) {
  for (const std::string kind : {"belt-bench", "contact-bench", "gear-in-slot", "grasp-bench",
                                 "grasp-table", "vacuum-bench"}) {
    EXPECT_EQ(bench_error("experiment: " + kind + "\nfriction: 1\n"),
              "bench.yaml:1:13: error: 'experiment: " + kind +
                  "' is now written as an actor\n"
                  "  hint: actors: {bench: {kind: " +
                  kind + ", …}}; move its keys there, too");
  }
  EXPECT_THAT(bench_error("experiment: belt-bensh\n"),
              HasSubstr("'experiment: belt-bensh' is now written as an actor"));
}

TEST(LoadScenario, LeavesABenchItsWorld) {
  const std::string bench = "actors:\n  bench: {kind: belt-bench}\n";
  const std::string told =
      "bench.yaml:2:10: error: 'bench' is a bench, and needs a world without other bodies";
  EXPECT_THAT(bench_error(bench + "world: aprs\n"), HasSubstr(told));
  EXPECT_THAT(bench_error("actors:\n  bench: {kind: belt-bench}\n  ur5: {kind: ur}\n"),
              HasSubstr(told));
  EXPECT_THAT(bench_error(bench + "  other: {kind: vacuum-bench}\n"),
              HasSubstr("'other' is a bench"));
  // who brings no bodies may look on
  EXPECT_EQ(bench_error(bench + "  sensor: {kind: contact-sensor, collisions: [part]}\n"),
            "no error");
}

TEST(LoadScenario, ResolvesEachReadyOneToAFileThatReadsBackTheSame) {
  const cell::Plugins plugins = labs::built_in_plugins();
  for (const config::Ready& ready : config::ready_scenarios()) {
    const cell::PreparedScenario once = cell::load_scenario(ready.name, {}, plugins);
    const std::string yaml = to_yaml(once.scenario, plugins);
    const cell::PreparedScenario twice =
        cell::load_scenario_text(yaml, config::find_scenario_file(ready.name), {}, plugins);
    EXPECT_EQ(to_yaml(twice.scenario, plugins), yaml) << ready.name;
    EXPECT_EQ(twice.identity, once.identity) << ready.name;
    EXPECT_FALSE(ready.title.empty()) << ready.name;
  }
}

TEST(LoadScenario, KeepsWhatWasSet) {
  const cell::Plugins plugins = labs::built_in_plugins();
  const cell::PreparedScenario first = cell::load_scenario(
      "belt-bench", {.overrides = {"actors.bench.friction=0.7", "engine=ode"}}, plugins);
  const cell::PreparedScenario again =
      cell::load_scenario_text(to_yaml(first.scenario, plugins), "belt-bench.yaml", {}, plugins);
  EXPECT_EQ(again.identity, first.identity);
  EXPECT_EQ(again.scenario.engine, "ode");
  EXPECT_NE(cell::load_scenario("belt-bench", {}, plugins).identity, first.identity);
}

TEST(Run, RepeatsBitByBit) {
  const auto hash = [](const char* friction) {
    cell::Run run(
        cell::load_scenario("belt-bench", {.overrides = {friction}}, labs::built_in_plugins()));
    run.run_until(run.end());
    EXPECT_EQ(run.results()["ended"], "completed");
    return run.results()["state_hash"].get<std::string>();
  };
  EXPECT_EQ(hash("actors.bench.friction=0.4"), hash("actors.bench.friction=0.4"));
  EXPECT_NE(hash("actors.bench.friction=0.4"), hash("actors.bench.friction=0.5"));
}

/// A ball that somebody throws out of the world after a while.
class ThrownBall final : public cell::Actor {
 public:
  explicit ThrownBall(cell::World& world) {
    world.on(cell::Stage::kMeasure, [this, &world](Time) {
      if (++steps_ == 25) {
        world.engine().reset_body(physics::BodyId{0}, at(1e7, 0.0, 0.0), {});
      }
    });
  }
  nlohmann::ordered_json results() const override { return {{"height_m", 1.0}}; }

 private:
  int steps_ = 0;
};

class ThrownBallModel final : public cell::ActorModel {
 public:
  void list_fields(Fields&) override {}
  std::vector<cell::KeyRemark> place(model::Cell& cell, const cell::LoadContext&) override {
    model::Body ball;
    ball.inertial = solid_cylinder(1.0, 0.1, 0.1);
    cell.placements.push_back(single_body("ball", ball, at(0.0, 0.0, 1.0), false));
    cell.gravity_m_s2.setZero();
    return {};
  }
  std::unique_ptr<cell::Actor> make(cell::World& world, const std::string&) const override {
    return std::make_unique<ThrownBall>(world);
  }
  cell::Figures figures() const override {
    cell::Figures figures;
    figures.metrics.push_back({"height_m", "height", "m"});
    return figures;
  }
};

// thrown after 25 ms; looked at every 10 ms, so found at 30 ms, and all was well at 20 ms
TEST(Run, StopsWithTimeBodyAndLastGoodStateWhenItDiverges) {
  cell::Plugins plugins = labs::built_in_plugins();
  plugins.actors.add("thrown-ball", "", std::make_unique<ThrownBallModel>);
  cell::Run run(cell::load_scenario_text("length: 1s\nactors: {ball: {kind: thrown-ball}}\n",
                                         "ball.yaml", {}, plugins));
  run.run_until(run.end());
  EXPECT_TRUE(run.is_over());
  const nlohmann::ordered_json results = run.results();
  EXPECT_EQ(results["ended"], "diverged");
  EXPECT_EQ(results["simulated_s"], 0.03);
  EXPECT_EQ(results["diverged"]["at_s"], 0.03);
  EXPECT_EQ(results["diverged"]["body"], "ball");
  EXPECT_TRUE(results["ball"]["height_m"].is_null());
  EXPECT_EQ(results["diverged"]["last_good_s"], 0.02);
  EXPECT_EQ(results["diverged"]["last_good_pose"]["position_m"],
            (nlohmann::ordered_json{0.0, 0.0, 1.0}));
}

TEST(RunFolder, LeavesAFolderThatRunsByItself) {
  const fs::path folder = fs::path(testing::TempDir()) / "longarm-belt-run";
  fs::remove_all(folder);
  const cell::Plugins plugins = labs::built_in_plugins();
  cell::RunOptions options;
  options.out = folder;
  const cell::RunResult result =
      cell::run_scenario(cell::load_scenario("belt-bench", {}, plugins), options);
  for (const char* name :
       {"scenario.yaml", "log.txt", "trace.mcap", "curves.csv", "curves.svg", "metrics.json"}) {
    EXPECT_TRUE(fs::exists(folder / name)) << name;
  }
  EXPECT_THAT(config::read_text_file(folder / "curves.svg"), HasSubstr("velocity of the part"));
  cell::Run again(cell::load_scenario(folder / "scenario.yaml", {}, plugins));
  again.run_until(again.end());
  EXPECT_EQ(again.results()["state_hash"], result.metrics["state_hash"]);
}

TEST(CurvesFigure, PutsCurvesOfOneUnitInOnePanel) {
  const cell::CurveTable table{
      {{"a", "first", "mm", 1e3}, {"b", "second", "N"}, {"c", "third", "mm", 1e3}},
      {0.0, 1.0},
      {{0.0, 0.001}, {0.0, 5.0}, {0.0, 0.002}}};
  const std::string svg = cell::draw_curves(table, "a title");
  EXPECT_THAT(svg, HasSubstr("panel-0"));
  EXPECT_THAT(svg, HasSubstr("panel-1"));
  EXPECT_THAT(svg, Not(HasSubstr("panel-2")));
  EXPECT_EQ(table.csv(), "time_s,a,b,c\n0,0,0,0\n1,0.001,5,0.002\n");
}

}  // namespace
}  // namespace longarm::benches
