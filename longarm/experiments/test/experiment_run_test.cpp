// SPDX-License-Identifier: Apache-2.0
// What holds for every kind: errors in its file, equal runs, and the end of one that diverges.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/experiments/curves_figure.h"
#include "longarm/experiments/run_experiment.h"
#include "longarm/experiments/scene.h"
#include "longarm/experiments/test/experiment_fixture.h"
#include "longarm/scenario/ready.h"
#include "longarm/scenario/text_file.h"

namespace longarm::experiments {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

std::string bench_error(const std::string& text, const std::vector<std::string>& changes = {}) {
  return load_error(text, "bench.yaml", changes);
}

TEST(LoadExperiment, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(bench_error("experiment: belt-bensh\n"),
              HasSubstr("bench.yaml:1:13: error: unknown experiment 'belt-bensh'\n"
                        "  hint: did you mean 'belt-bench'?"));
  EXPECT_THAT(bench_error("experiment: belt-bench\nfrction: 1\n"),
              HasSubstr("bench.yaml:2:1: error: unknown key 'frction'\n"
                        "  hint: did you mean 'friction'?"));
  EXPECT_THAT(bench_error("experiment: belt-bench\nphysics: {period: 1s}\n"),
              HasSubstr("bench.yaml:2:19: error: with so long a physics.period contacts mean "
                        "nothing"));
  EXPECT_THAT(bench_error("experiment: belt-bench\n", {"engine=mujico"}),
              HasSubstr("did you mean 'mujoco'?"));
}

TEST(LoadExperiment, ResolvesEachReadyOneToAFileThatReadsBackTheSame) {
  const scenario::Plugins plugins = scenario::built_in_plugins();
  int experiments = 0;
  for (const scenario::Ready& ready : scenario::ready_scenarios()) {
    if (!is_experiment(ready.name)) {
      continue;
    }
    const PreparedExperiment once = load_experiment(ready.name, {}, plugins);
    const std::string yaml = to_yaml(once.scenario, plugins);
    const PreparedExperiment twice = load_experiment_text(yaml, "again.yaml", {}, plugins);
    EXPECT_EQ(to_yaml(twice.scenario, plugins), yaml) << ready.name;
    EXPECT_EQ(twice.identity, once.identity) << ready.name;
    EXPECT_FALSE(ready.title.empty()) << ready.name;
    ++experiments;
  }
  EXPECT_GE(experiments, 6);
}

TEST(LoadExperiment, KeepsWhatWasSet) {
  const scenario::Plugins plugins = scenario::built_in_plugins();
  const PreparedExperiment first =
      load_experiment("belt-bench", {.overrides = {"friction=0.7", "engine=ode"}}, plugins);
  const PreparedExperiment again =
      load_experiment_text(to_yaml(first.scenario, plugins), "belt-bench.yaml", {}, plugins);
  EXPECT_EQ(again.identity, first.identity);
  EXPECT_EQ(again.scenario.engine, "ode");
  EXPECT_NE(load_experiment("belt-bench", {}, plugins).identity, first.identity);
}

TEST(ExperimentRun, RepeatsBitByBit) {
  const auto hash = [](const char* friction) {
    ExperimentRun run(
        load_experiment("belt-bench", {.overrides = {friction}}, scenario::built_in_plugins()));
    run.run_until(run.end());
    EXPECT_EQ(run.results()["ended"], "completed");
    return run.results()["state_hash"].get<std::string>();
  };
  EXPECT_EQ(hash("friction=0.4"), hash("friction=0.4"));
  EXPECT_NE(hash("friction=0.4"), hash("friction=0.5"));
}

/// A ball that somebody throws out of the world after a while.
class ThrownBall final : public Experiment {
 public:
  explicit ThrownBall(const ExperimentContext& context) {
    model::Body ball;
    ball.inertial = solid_cylinder(1.0, 0.1, 0.1);
    cell_.placements.push_back(single_body("ball", ball, at(0.0, 0.0, 1.0), false));
    cell_.gravity_m_s2.setZero();
    engine_ = context.engines.make("mujoco", cell_, context.options);
  }

 private:
  Duration do_length() const override { return 1s; }
  void do_step() override {
    engine_->step();
    if (++steps_ == 25) {
      engine_->reset_body(physics::BodyId{0}, at(1e7, 0.0, 0.0), {});
    }
  }
  void do_sample(std::span<double>) const override {}
  nlohmann::ordered_json do_results() const override { return {{"height_m", 1.0}}; }
  const physics::Engine& do_engine() const override { return *engine_; }
  const model::Cell& do_cell() const override { return cell_; }

  model::Cell cell_;
  std::unique_ptr<physics::Engine> engine_;
  int steps_ = 0;
};

class ThrownBallModel final : public ExperimentModel {
 public:
  void list_fields(Fields&) override {}
  std::unique_ptr<Experiment> make(const ExperimentContext& context) const override {
    return std::make_unique<ThrownBall>(context);
  }
  ExperimentFigures figures() const override {
    ExperimentFigures figures;
    figures.metrics.push_back({"height_m", "height", "m"});
    return figures;
  }
};

// thrown after 25 ms; looked at every 10 ms, so found at 30 ms, and all was well at 20 ms
TEST(ExperimentRun, StopsWithTimeBodyAndLastGoodStateWhenItDiverges) {
  PreparedExperiment prepared;
  prepared.plugins = scenario::built_in_plugins();
  prepared.scenario.model = std::make_shared<ThrownBallModel>();
  ExperimentRun run(prepared);
  run.run_until(run.end());
  EXPECT_TRUE(run.is_over());
  const nlohmann::ordered_json results = run.results();
  EXPECT_EQ(results["ended"], "diverged");
  EXPECT_EQ(results["simulated_s"], 0.03);
  EXPECT_EQ(results["diverged"]["at_s"], 0.03);
  EXPECT_EQ(results["diverged"]["body"], "ball");
  EXPECT_TRUE(results["height_m"].is_null());
  EXPECT_EQ(results["diverged"]["last_good_s"], 0.02);
  EXPECT_EQ(results["diverged"]["last_good_pose"]["position_m"],
            (nlohmann::ordered_json{0.0, 0.0, 1.0}));
}

TEST(RunExperiment, LeavesAFolderThatRunsByItself) {
  const fs::path folder = fs::path(testing::TempDir()) / "longarm-belt-run";
  fs::remove_all(folder);
  const scenario::Plugins plugins = scenario::built_in_plugins();
  scenario::RunOptions options;
  options.out = folder;
  const scenario::RunResult result =
      run_experiment(load_experiment("belt-bench", {}, plugins), options);
  for (const char* name :
       {"scenario.yaml", "log.txt", "trace.mcap", "curves.csv", "curves.svg", "metrics.json"}) {
    EXPECT_TRUE(fs::exists(folder / name)) << name;
  }
  EXPECT_THAT(scenario::read_text_file(folder / "curves.svg"), HasSubstr("velocity of the part"));
  ExperimentRun again(load_experiment(folder / "scenario.yaml", {}, plugins));
  again.run_until(again.end());
  EXPECT_EQ(again.results()["state_hash"], result.metrics["state_hash"]);
}

TEST(CurvesFigure, PutsCurvesOfOneUnitInOnePanel) {
  const CurveTable table{
      {{"a", "first", "mm", 1e3}, {"b", "second", "N"}, {"c", "third", "mm", 1e3}},
      {0.0, 1.0},
      {{0.0, 0.001}, {0.0, 5.0}, {0.0, 0.002}}};
  const std::string svg = draw_curves(table, "a title");
  EXPECT_THAT(svg, HasSubstr("panel-0"));
  EXPECT_THAT(svg, HasSubstr("panel-1"));
  EXPECT_THAT(svg, Not(HasSubstr("panel-2")));
  EXPECT_EQ(table.csv(), "time_s,a,b,c\n0,0,0,0\n1,0.001,5,0.002\n");
}

}  // namespace
}  // namespace longarm::experiments
