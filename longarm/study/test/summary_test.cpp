// SPDX-License-Identifier: Apache-2.0
// Repeats are averaged as one would by hand, and the table says so.
#include "longarm/study/report/summary.h"

#include <cmath>

#include "longarm/record/figure_panel.h"
#include "longarm/study/test/report_fixture.h"

namespace longarm::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SummaryTest : public ReportTest {};

TEST_F(SummaryTest, AveragesOverSeedsOnly) {
  make_study();
  const Summary summary = summarise(Store(study_file(), Store::Mode::kRead));
  ASSERT_EQ(summary.rows.size(), 2U);
  EXPECT_EQ(summary.axes.size(), 1U);
  EXPECT_EQ(summary.axes[0].key, "link.delay");
  EXPECT_EQ(summary.axes[0].unit, "s");
  EXPECT_EQ(summary.axes[0].values[1].number, 0.02);
  EXPECT_EQ(summary.repeats, 3U);
  EXPECT_EQ(summary.runs, 5U);
  EXPECT_EQ(summary.open, 1U);

  // 1, 2, 6 mm: mean 3 mm, half width t(0.975; 2) √(7/3) mm = 6.5724 mm
  const SummaryRow& first = summary.rows[0];
  EXPECT_THAT(first.point, ElementsAre(0U));
  EXPECT_EQ(first.count, 3U);
  EXPECT_EQ(first.identity, "a");
  EXPECT_DOUBLE_EQ(first.cells[0]->mean, 0.003);
  EXPECT_NEAR(first.cells[0]->half_width.value(), 0.00657241, 2e-8);
  EXPECT_FALSE(first.cells[2].has_value());  // nothing was compared

  // equal numbers stay what they are, and the one that never settled does not count as settled
  const SummaryRow& second = summary.rows[1];
  EXPECT_EQ(second.cells[0]->mean, 1.0 / 3.0);
  // one of them became unstable: its figures are of another length of time
  EXPECT_FALSE(second.cells[0]->half_width.has_value());
  EXPECT_EQ(second.stable, 1U);
  EXPECT_EQ(second.unstable, 1U);
  const std::size_t settling = 7;
  ASSERT_EQ(metric_columns()[settling], "settling_time_s");
  EXPECT_EQ(second.cells[settling]->count, 1U);
  EXPECT_FALSE(second.cells[settling]->half_width.has_value());
}

TEST_F(SummaryTest, KeepsTheGridsOrderWhereSeedsAreTheFirstAxis) {
  Store store(study_file(), Store::Mode::kWrite);
  StudyQuestion question{"hand", "", "", "", {}};
  question.axes = {{{"key", "seed"}, {"values", {"1", "2"}}},
                   {{"key", "cut"}, {"values", {"effort", "velocity"}}}};
  store.ask(question, {{"k0", {0, 0}}, {"k1", {0, 1}}, {"k2", {1, 0}}, {"k3", {1, 1}}});
  for (int i = 0; i < 4; ++i) {
    store.add("k" + std::to_string(i), row("run " + std::to_string(i), 0.001 * i));
  }
  const Summary summary = summarise(store);
  ASSERT_EQ(summary.rows.size(), 2U);
  EXPECT_EQ(summary.axes[0].key, "cut");
  EXPECT_EQ(summary.rows[0].identity, "run 0");
  EXPECT_DOUBLE_EQ(summary.rows[0].cells[0]->mean, 0.001);  // of 0 and 2 mm
  EXPECT_EQ(summary.rows[1].identity, "run 1");
  EXPECT_DOUBLE_EQ(summary.rows[1].cells[0]->mean, 0.002);  // of 1 and 3 mm
}

TEST_F(SummaryTest, PrintsOneLinePerPoint) {
  make_study();
  const std::string table =
      format_summary_table(summarise(Store(study_file(), Store::Mode::kRead)));
  EXPECT_EQ(
      table,
      "  link.delay  from the plan         settling  verdict\n"
      "                     max mm                s\n"
      "  0ms         3.000 ± 6.572    0.500 ± 0.000  stable\n"
      "  20ms             333.333*  0.500* (1 of 2)  1 of 2 stable, 1 UNSTABLE (elbow_joint)\n"
      "  * unstable: figures cover the time until the run ended\n");
}

TEST_F(SummaryTest, SeedsThatChangeNothingHaveNoInterval) {
  Store store(study_file(), Store::Mode::kWrite);
  StudyQuestion question{"hand", "", "", "", {}};
  question.axes = {{{"key", "seed"}, {"values", {"1", "2", "3"}}}};
  store.ask(question, {{"k0", {0}}, {"k1", {1}}, {"k2", {2}}});
  for (const char* key : {"k0", "k1"}) {
    RunRow same = row(std::string("run ") + key, 0.001);
    same.metrics["state_hash"] = "one";
    store.add(key, same);
  }
  Summary summary = summarise(store);
  EXPECT_TRUE(summary.rows[0].is_same_run);
  EXPECT_FALSE(summary.rows[0].cells[0]->half_width.has_value());
  const std::string table = format_summary_table(summary);
  EXPECT_THAT(table, HasSubstr("all seeds gave the same run: the scenario has no randomness\n"));
  EXPECT_THAT(table, testing::Not(HasSubstr("±")));

  // another hash, although the figures are equal: chance had a part in it
  store.add("k2", row("other", 0.001));
  summary = summarise(store);
  EXPECT_FALSE(summary.rows[0].is_same_run);
  EXPECT_EQ(summary.rows[0].cells[0]->half_width, 0.0);
}

TEST(VerdictText, CountsEveryVerdict) {
  SummaryRow row;
  row.count = 6;
  row.stable = 2;
  row.undecided = 4;
  EXPECT_EQ(verdict_text(row), "2 of 6 stable, 4 undecided");
  row.undecided = 1;
  row.unstable = 3;
  row.unstable_joint = "elbow";
  EXPECT_EQ(verdict_text(row), "2 of 6 stable, 3 UNSTABLE (elbow), 1 undecided");
}

TEST_F(SummaryTest, PrintsNoMoreLinesThanAskedForAndSaysHowManyThereAre) {
  make_study();
  const std::string table =
      format_summary_table(summarise(Store(study_file(), Store::Mode::kRead)), 1);
  EXPECT_THAT(table, HasSubstr("  … and 1 more: longarm export\n"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4);
}

TEST_F(SummaryTest, OfAFileInWhichNothingWasAskedSaysSo) {
  Store store(study_file(), Store::Mode::kWrite);
  EXPECT_THAT(error_of([&] { summarise(store); }), HasSubstr("this study has no runs yet"));
}

TEST(PointLabel, ShortensToWhatDiffers) {
  const std::vector<ReportAxis> axes = read_axes(nlohmann::ordered_json::parse(R"([
      {"key": "link.trace", "values": ["/data/measured/in/july/quiet.csv",
                                       "/data/measured/in/july/busy.csv"]}])"));
  EXPECT_EQ(point_label(axes, {0}), "…/quiet.csv");
  EXPECT_EQ(point_label(axes, {1}), "…/busy.csv");
  EXPECT_EQ(record::shortened("0123456789", 10), "0123456789");
  EXPECT_EQ(record::shortened("0123456789", 7), "012…789");
  EXPECT_EQ(record::shortened("ääääääääää", 4), "ä…ää");
}

TEST(PointLabel, IsShortButUnmistakable) {
  const std::vector<ReportAxis> axes = read_axes(nlohmann::ordered_json::parse(R"([
      {"key": "link.delay", "values": ["0ms", "2.5ms"]},
      {"key": "cut", "values": ["effort", "velocity"]},
      {"key": "gain", "values": ["5", "40"]}])"));
  EXPECT_EQ(point_label(axes, {1, 0, 1}), "2.5 ms, effort, gain 40");
  EXPECT_EQ(point_label({axes[0]}, {0}), "0 ms");
  const std::vector<ReportAxis> periods = read_axes(nlohmann::ordered_json::parse(R"([
      {"key": "control.period", "values": ["1ms", "4ms"]},
      {"key": "physics.period", "values": ["1ms", "2ms"]}])"));
  EXPECT_EQ(point_label(periods, {1, 0}), "control.period 4 ms, physics.period 1 ms");
  EXPECT_EQ(point_label({periods[0]}, {1}), "control.period 4 ms");
}

}  // namespace
}  // namespace longarm::study
