// SPDX-License-Identifier: Apache-2.0
// Axes as people write them, and the grid they span.
#include "longarm/study/axis.h"

#include <gmock/gmock.h>

namespace longarm::study {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(const std::string& text) {
  const Axis axis = parse_axis(text);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    all.push_back(axis.label(i));
  }
  return all;
}

std::string complaint(const std::string& text) {
  try {
    parse_axis(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Axis, ListsValuesAsTheyAreWritten) {
  EXPECT_THAT(labels("link.delay=0ms,2ms, 5ms"), ElementsAre("0ms", "2ms", "5ms"));
}

TEST(Axis, CountsWholeNumbersWithBothEnds) {
  EXPECT_THAT(labels("seed=1..4"), ElementsAre("1", "2", "3", "4"));
}

TEST(Axis, CountsDurationsByAStep) {
  EXPECT_THAT(labels("link.delay=0ms..1s:400ms"), ElementsAre("0s", "400ms", "800ms"));
  EXPECT_THAT(labels("link.delay=0..2ms:1ms"), ElementsAre("0s", "1ms", "2ms"));
}

TEST(Axis, CountsFractionsWithoutLosingTheLastOne) {
  // 0.3 / 0.1 is 2.9999999999999996
  EXPECT_EQ(labels("gain=0..0.3:0.1").size(), 4U);
}

TEST(Axis, CountsInDecimalsAsPeopleDo) {
  // 10 + 23 · 0.2 is 14.600000000000001 in binary
  const std::vector<std::string> values = labels("gain=10..20:0.2");
  EXPECT_EQ(values[23], "14.6");
  EXPECT_EQ(values[50], "20");
}

TEST(Axis, MixesRangesAndValues) {
  EXPECT_THAT(labels("seed=1..3,10"), ElementsAre("1", "2", "3", "10"));
}

TEST(Axis, KeepsListsAndQuotedTextsWhole) {
  EXPECT_THAT(labels("gains.p=[5, 5],[10, 10]"), ElementsAre("[5, 5]", "[10, 10]"));
  EXPECT_THAT(labels("link.netem=\"delay 1ms, 2ms\",'loss 1%'"),
              ElementsAre("\"delay 1ms, 2ms\"", "'loss 1%'"));
}

TEST(Axis, ChangesSeveralKeysTogether) {
  const Axis axis = parse_axis("link.delay,cut=5ms/effort,10ms/velocity");
  EXPECT_THAT(axis.keys, ElementsAre("link.delay", "cut"));
  EXPECT_THAT(axis.values[1], ElementsAre("10ms", "velocity"));
  EXPECT_EQ(axis.label(1), "10ms/velocity");
}

TEST(Axis, TakesAPathUpwardsForWhatItIs) {
  EXPECT_THAT(labels("link.trace=../a.csv,../b.csv"), ElementsAre("../a.csv", "../b.csv"));
}

TEST(Axis, SaysWhatIsWrong) {
  EXPECT_EQ(complaint("link.delay"),
            "--axis link.delay: error: expected key=value,value,…\n"
            "  hint: for example: --axis link.delay=0ms,5ms,10ms or --axis seed=1..20");
  EXPECT_EQ(complaint("seed=5..1"),
            "--axis seed=5..1: error: '5..1' is an empty range\n"
            "  hint: ranges go from the smaller to the larger, with a step above 0");
  EXPECT_EQ(complaint("link.delay=1ms..5ms"),
            "--axis link.delay=1ms..5ms: error: '1ms..5ms' needs a step\n"
            "  hint: add a step: 1ms..5ms:1ms");
  EXPECT_EQ(complaint("link.delay=1ms..5"),
            "--axis link.delay=1ms..5: error: '1ms..5' needs a step\n"
            "  hint: add a step: 1ms..5:1ms");
  EXPECT_EQ(
      complaint("a,b=1/2,3"),
      "--axis a,b=1/2,3: error: '3' has 1 values for 2 keys\n"
      "  hint: keys that change together need one value each: --axis link.delay,cut=5ms/effort");
  EXPECT_EQ(complaint("seed=1,,2"),
            "--axis seed=1,,2: error: a value is empty\n"
            "  hint: for example: --axis link.delay=0ms,5ms,10ms or --axis seed=1..20");
  EXPECT_EQ(complaint("seed=1..1000000000"),
            "--axis seed=1..1000000000: error: '1..1000000000' has 1000000000 values\n"
            "  hint: use a larger step");
}

TEST(Grid, CountsTheLastAxisFastest) {
  const Grid grid({parse_axis("cut=velocity,effort"), parse_axis("seed=1..3")});
  ASSERT_EQ(grid.size(), 6U);
  EXPECT_THAT(grid.point(0), ElementsAre(0U, 0U));
  EXPECT_THAT(grid.point(1), ElementsAre(0U, 1U));
  EXPECT_THAT(grid.point(5), ElementsAre(1U, 2U));
  EXPECT_THAT(grid.assignments(grid.point(5)), ElementsAre("cut=effort", "seed=3"));
}

TEST(Grid, KnowsTheFirstOfTheRepeats) {
  const Grid grid({parse_axis("gain=5,10"), parse_axis("seed=7,8")});
  EXPECT_TRUE(grid.is_first_repeat({1, 0}));
  EXPECT_FALSE(grid.is_first_repeat({0, 1}));
}

TEST(Grid, RefusesAKeyInTwoAxesAndAValueTwice) {
  EXPECT_THROW(Grid({parse_axis("gain=5"), parse_axis("gain=10")}), InputError);
  EXPECT_THROW(Grid({parse_axis("gain=5,5")}), InputError);
  EXPECT_THROW(Grid({parse_axis("a=1..5000"), parse_axis("b=1..5000")}), InputError);
}

}  // namespace
}  // namespace longarm::study
