// SPDX-License-Identifier: Apache-2.0
// Studies of a joint that moves for a fraction of a second: same rows, whoever does the work.
#include "longarm/study/sweep.h"

#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "labs/labs.h"
#include "longarm/study/curves.h"

namespace longarm::study {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class SweepTest : public testing::Test {
 protected:
  SweepTest() {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~SweepTest() override { fs::remove_all(folder); }

  static StudySource source() { return {"test", "", "one-joint", {"task.hold=300ms"}, {}}; }

  SweepResult run(const std::vector<std::string>& texts, const std::string& file, int threads,
                  const std::function<bool()>& is_interrupted = {}) {
    std::vector<Axis> parsed;
    for (const std::string& axis : texts) {
      parsed.push_back(parse_axis(axis));
    }
    const PointRunner runner(source(), Grid(parsed), {}, plugins);
    Store store(folder / file, Store::Mode::kWrite);
    SweepOptions options;
    options.workers = [&](const Work& work) { work_in_threads(work, threads); };
    options.is_interrupted = is_interrupted;
    return sweep(source(), runner, store, options);
  }

  /// Everything that is compared between studies.
  std::vector<std::string> rows(const std::string& file) {
    const Store store(folder / file, Store::Mode::kRead);
    std::vector<std::string> all;
    store.for_each_result([&](const ResultRow& row) {
      all.push_back(row.identity + row.reference + row.state_hash +
                    store.metrics(row.identity)->dump() + store.scenario(row.identity) +
                    store.curves(row.identity) + store.curves(row.reference));
    });
    return all;
  }

  const cell::Plugins plugins = labs::built_in_plugins();
  const fs::path folder =
      fs::temp_directory_path() / ("longarm-sweep-test-" + std::to_string(getpid()));
  const std::vector<std::string> axes{"link.delay=0ms,5ms,10ms", "gain=10,40"};
};

TEST_F(SweepTest, GivesTheSameRowsWithAnyNumberOfThreads) {
  run(axes, "one.db", 1);
  run(axes, "three.db", 3);
  ASSERT_EQ(rows("one.db").size(), 6U);
  EXPECT_EQ(rows("one.db"), rows("three.db"));
}

TEST_F(SweepTest, DoesNothingWhenAskedAgainAndOnlyTheNewValueWhenAskedForOneMore) {
  EXPECT_EQ(run(axes, "study.db", 2).progress.ran, 6U);
  EXPECT_EQ(run(axes, "study.db", 2).progress.ran, 0U);
  // the order of axes and values is no new question
  EXPECT_EQ(run({"gain=40,10", "link.delay=10ms,0ms,5ms"}, "study.db", 2).progress.ran, 0U);
  const SweepResult more = run({"link.delay=0ms,5ms,10ms,20ms", "gain=10,40"}, "study.db", 2);
  EXPECT_EQ(more.progress.ran, 2U);
  EXPECT_EQ(more.progress.answered, 8U);
}

TEST_F(SweepTest, GoesOnWhereItWasInterrupted) {
  int looks = 0;
  const SweepResult part = run(axes, "cut.db", 1, [&] { return ++looks >= 3; });
  EXPECT_GT(part.progress.ran, 0U);
  EXPECT_LT(part.progress.ran, 6U);
  const SweepResult rest = run(axes, "cut.db", 1);
  EXPECT_EQ(part.progress.ran + rest.progress.ran, 6U);
  run(axes, "whole.db", 2);
  EXPECT_EQ(rows("cut.db"), rows("whole.db"));
}

TEST_F(SweepTest, ComparesEveryRunWithTheSameOneWithoutALink) {
  run({"link.delay=0ms,10ms"}, "study.db", 1);
  const Store store(folder / "study.db", Store::Mode::kRead);
  std::vector<ResultRow> found;
  store.for_each_result([&](const ResultRow& row) { found.push_back(row); });
  ASSERT_EQ(found.size(), 2U);
  const auto& names = metric_columns();
  const auto column = static_cast<std::size_t>(
      std::find(names.begin(), names.end(), "cumulated_velocity_command_difference_rad") -
      names.begin());
  EXPECT_EQ(found[0].metrics[column], 0.0);  // no delay, no difference: not a bit of it
  EXPECT_GT(*found[1].metrics[column], 0.0);
  EXPECT_EQ(found[0].reference, found[1].reference);
  // the last sample of the curve is the figure, to a float, up to the samples left out after it
  const Result<Curves> curves = unpack(store.curves(found[1].identity));
  ASSERT_TRUE(curves);
  const float last = curves->find("cumulated_velocity_command_difference")->back();
  EXPECT_NEAR(last, *found[1].metrics[column], 1e-3 * *found[1].metrics[column]);
}

TEST_F(SweepTest, KeepsCurvesOfTheFirstSeedOnly) {
  run({"seed=1..3"}, "study.db", 2);
  const Store store(folder / "study.db", Store::Mode::kRead);
  std::vector<bool> has_curves;
  store.for_each_result(
      [&](const ResultRow& row) { has_curves.push_back(!store.curves(row.identity).empty()); });
  EXPECT_THAT(has_curves, ElementsAre(true, false, false));
}

TEST_F(SweepTest, SaysBeforeAnythingRunsThatAnAxisNamesNoKey) {
  try {
    run({"link.dealy=0ms,5ms"}, "study.db", 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--axis link.dealy=0ms: error: unknown key 'link.dealy'\n"
                 "  hint: did you mean 'delay'?");
  }
  EXPECT_FALSE(fs::exists(folder / "study.db"));
}

TEST_F(SweepTest, SaysBeforeAnythingRunsThatTheLastValueHasNoUnit) {
  try {
    run({"gain=10", "link.delay=0ms,5ms,7"}, "study.db", 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--axis link.delay=7: error:"));
    EXPECT_THAT(error.what(), HasSubstr("unit"));
  }
}

TEST_F(SweepTest, GoesOnPastAPointThatCannotBePlanned) {
  // one value asks for what the robot cannot do, which only its model tells; wherever it stands
  for (const char* axis :
       {"task.joints_rad=[[0]],[[0, 0]],[[0.2]]", "task.joints_rad=[[0, 0]],[[0]],[[0.2]]"}) {
    fs::remove(folder / "study.db");
    const SweepResult result = run({axis}, "study.db", 1);
    EXPECT_EQ(result.progress.answered, 2U);
    ASSERT_EQ(result.failures.size(), 1U);
    EXPECT_THAT(result.failures[0].assignments, ElementsAre("task.joints_rad=[[0, 0]]"));
  }
}

TEST_F(SweepTest, ChecksValuesByThemselvesAndCombinationsWhenTheirTurnComes) {
  // 2 ms of control do not go with 4 ms of physics, but 4 ms do
  const SweepResult result =
      run({"control.period=2ms,4ms", "physics.period=1ms,4ms"}, "study.db", 1);
  EXPECT_EQ(result.progress.answered, 3U);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_THAT(result.failures[0].assignments,
              ElementsAre("control.period=2ms", "physics.period=4ms"));
}

TEST_F(SweepTest, AnswersSurviveTheWayToAnotherProcess) {
  const PointRunner runner(source(), Grid({parse_axis("link.delay=5ms")}), {}, plugins);
  PointAnswer answer = runner.run(0);
  answer.warnings = {"cell.yaml:3:1: warning: odd"};
  const PointAnswer back = PointAnswer::from_bytes(answer.to_bytes());
  ASSERT_TRUE(back.row && back.reference);
  EXPECT_EQ(back.row->metrics.dump(), answer.row->metrics.dump());
  EXPECT_EQ(back.row->curves, answer.row->curves);
  EXPECT_EQ(back.warnings, answer.warnings);
  EXPECT_EQ(back.reference->identity, answer.reference->identity);
  EXPECT_EQ(back.row->reference, answer.reference->identity);
}

TEST_F(SweepTest, NoticesThatAFileChangedThatAnAxisNames) {
  const fs::path trace = folder / "delays.csv";
  const auto write = [&](const char* delay) {
    std::ofstream(trace) << "time_s,delay_s\n0," << delay << "\n1," << delay << "\n";
  };
  write("0.005");
  const std::vector<std::string> asked{"link.trace=" + trace.string()};
  EXPECT_EQ(run(asked, "study.db", 1).progress.ran, 1U);
  EXPECT_EQ(run(asked, "study.db", 1).progress.ran, 0U);
  write("0.007");
  EXPECT_EQ(run(asked, "study.db", 1).progress.ran, 1U);
}

}  // namespace
}  // namespace longarm::study
