// SPDX-License-Identifier: Apache-2.0
// Studies as files: what they mean, and what is said of those that mean nothing.
#include "longarm/study/study_file.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "labs/labs.h"
#include "longarm/config/ready.h"
#include "longarm/study/point.h"

namespace longarm::study {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class StudyFileTest : public testing::Test {
 protected:
  StudyFileTest() { fs::create_directories(folder); }
  ~StudyFileTest() override { fs::remove_all(folder); }

  StudySource read(const std::string& text) {
    std::ofstream(file) << text;
    return read_study(file);
  }
  std::string complaint(const std::string& text) {
    try {
      read(text);
    } catch (const InputError& error) {
      return std::string(error.what()).substr(file.string().size());
    }
    return "";
  }

  const fs::path folder =
      fs::temp_directory_path() / ("longarm-study-file-test-" + std::to_string(getpid()));
  const fs::path file = folder / "mine.yaml";
};

TEST_F(StudyFileTest, NamesAScenarioItsChangesAndItsAxes) {
  const StudySource study = read(
      "title: mine\n"
      "scenario: one-joint\n"
      "set: {gain: 40, link: {commands: {delay: 2ms}}, gains.p: [1, 2]}\n"
      "axes:\n"
      "  link.states.delay: [0ms, 5ms]\n"
      "  seed: 1..3\n"
      "  link.commands.delay,cut: [[1ms, effort], [2ms, velocity]]\n");
  EXPECT_EQ(study.name, "mine");
  EXPECT_EQ(study.title, "mine");
  EXPECT_EQ(study.scenario, "one-joint");
  EXPECT_THAT(study.overrides, ElementsAre("gain=40", "link.commands.delay=2ms", "gains.p=[1, 2]"));
  ASSERT_EQ(study.axes.size(), 3U);
  EXPECT_THAT(study.axes[0].values, ElementsAre(ElementsAre("0ms"), ElementsAre("5ms")));
  EXPECT_EQ(study.axes[1].values.size(), 3U);
  EXPECT_EQ(study.axes[2].label(0), "1ms/effort");
}

TEST_F(StudyFileTest, MayBeAScenarioWithAxesOfItsOwn) {
  std::ifstream ready(config::find_scenario_file("one-joint"));
  const std::string text((std::istreambuf_iterator<char>(ready)), {});
  const StudySource study = read(text + "axes: {link.delay: [0ms, 5ms]}\n");
  EXPECT_EQ(study.scenario, file.string());
  ASSERT_EQ(study.axes.size(), 1U);
  // and the rest of it is a scenario
  const cell::Plugins plugins = labs::built_in_plugins();
  EXPECT_EQ(PointRunner(study, Grid(study.axes), {}, plugins).first().prepared().name, "mine");
}

TEST_F(StudyFileTest, SaysWhatIsWrong) {
  EXPECT_EQ(complaint("scenario: one-joint\ngain: 5\naxes: {seed: 1..2}\n"),
            ":2:1: error: unknown key 'gain' of a study\n"
            "  hint: a key of the scenario goes under 'set'; valid names are: title, scenario, "
            "set, axes");
  EXPECT_EQ(complaint("scenario: one-joint\naxes: [1, 2]\n"),
            ":2:7: error: 'axes' must be a map of keys to values\n"
            "  hint: for example: 'axes: {link.delay: [0ms, 5ms], seed: 1..20}'");
  EXPECT_EQ(complaint("scenario: one-joint\naxes: {seed: 3..1}\n"),
            ":2:8: error: '3..1' is an empty range\n"
            "  hint: ranges go from the smaller to the larger, with a step above 0");
}

TEST_F(StudyFileTest, PointsAtTheLineOfAnAxisThatNamesNoKey) {
  const StudySource study = read("scenario: one-joint\naxes:\n  gian: [1, 2]\n");
  const cell::Plugins plugins = labs::built_in_plugins();
  try {
    const PointRunner runner(study, Grid(study.axes), {}, plugins);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), file.string() +
                                ":3:3: error: unknown key 'gian'\n  hint: did you mean "
                                "'gain'?");
  }
}

TEST_F(StudyFileTest, FindsTheFilesOfItsAxesBesideItself) {
  std::ofstream(folder / "delays.csv") << "time_s,delay_s\n0,0.005\n1,0.005\n";
  const StudySource study = read("scenario: one-joint\naxes: {link.trace: [delays.csv]}\n");
  const cell::Plugins plugins = labs::built_in_plugins();
  const PointRunner runner(study, Grid(study.axes), {}, plugins);
  EXPECT_THAT(runner.run(0).row.value().scenario, HasSubstr("delays.csv"));
}

TEST(ReadyStudies, ValidateAtEveryValue) {
  const cell::Plugins plugins = labs::built_in_plugins();
  ASSERT_GE(config::ready_studies().size(), 2U);
  for (const config::Ready& ready : config::ready_studies()) {
    const StudySource study = read_study(ready.name);
    EXPECT_NO_THROW(PointRunner(study, Grid(study.axes), {}, plugins)) << ready.name;
    EXPECT_FALSE(study.title.empty());
  }
}

TEST(ReadyStudies, AreNotRunAsScenarios) {
  try {
    config::find_scenario_file("ur5-latency");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "error: 'ur5-latency' is a study, not a scenario\n"
                 "  hint: run it with: longarm sweep ur5-latency");
  }
}

}  // namespace
}  // namespace longarm::study
