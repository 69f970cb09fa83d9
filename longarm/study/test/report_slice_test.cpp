// SPDX-License-Identifier: Apache-2.0
// Slices are chosen by the user or by what the link does, and all of them get their share.
#include "longarm/study/report/report_slice.h"

#include <set>

#include "longarm/study/test/report_fixture.h"

namespace longarm::study {
namespace {

using testing::ElementsAre;

std::vector<ReportAxis> axes() {
  return read_axes(nlohmann::ordered_json::parse(R"([
      {"key": "gain", "values": ["10", "30"]},
      {"key": "link.delay", "values": ["0ms", "5ms", "10ms"]}])"));
}

TEST(Where, TakesValuesAsWrittenOrEqual) {
  EXPECT_THAT(parse_where(axes(), {}), ElementsAre(std::nullopt, std::nullopt));
  EXPECT_THAT(parse_where(axes(), {"gain=30"}), ElementsAre(1U, std::nullopt));
  EXPECT_THAT(parse_where(axes(), {"gain=30.0", "link.delay=0.01s"}), ElementsAre(1U, 2U));
}

TEST(Where, NamesWhatThereIsInsteadOfWhatThereIsNot) {
  const auto refusal = [](const std::vector<std::string>& texts) {
    return error_of([&] { parse_where(axes(), texts); });
  };
  EXPECT_EQ(refusal({"gian=30"}),
            "--where gian=30: error: 'gian' is not an axis of this study\n"
            "  hint: did you mean 'gain'?");
  EXPECT_EQ(refusal({"gain=700"}),
            "--where gain=700: error: no run has gain '700'\n  hint: valid names are: 10, 30");
  EXPECT_THAT(refusal({"gain"}), testing::HasSubstr("expected KEY=VALUE"));
  EXPECT_THAT(refusal({"gain=10", "gain=30"}), testing::HasSubstr("'gain' is given twice"));
  EXPECT_THAT(error_of([] { parse_where({}, {"gain=1"}); }),
              testing::HasSubstr("--where needs an axis"));
}

TEST(VariedAxis, IsTheDelayUnlessItIsChosen) {
  EXPECT_EQ(varied_axis(axes(), {}), 1U);
  EXPECT_EQ(varied_axis(axes(), parse_where(axes(), {"link.delay=5ms"})), 0U);
  EXPECT_EQ(varied_axis(axes(), parse_where(axes(), {"link.delay=5ms", "gain=10"})), std::nullopt);
}

TEST(WidestSlice, IsWhereStableRunsDifferMost) {
  std::vector<SummaryRow> rows;
  const auto add = [&](std::size_t gain, std::size_t delay, double deviation_m, bool is_stable) {
    SummaryRow& row = rows.emplace_back();
    row.point = {gain, delay};
    row.count = 1;
    row.stable = is_stable ? 1 : 0;
    row.unstable = is_stable ? 0 : 1;
    row.cells.resize(metric_columns().size());
    row.cells[0] = SummaryCell{1, deviation_m, std::nullopt};
  };
  ASSERT_EQ(metric_columns()[0], "path_deviation_max_m");
  // the second gain's runs differ by 3 mm, the first's by 1 mm and what ran away
  add(0, 0, 0.001, true);
  add(0, 1, 0.002, true);
  add(0, 2, 9.0, false);
  add(1, 0, 0.001, true);
  add(1, 1, 0.004, true);
  EXPECT_THAT(
      widest_slice(axes(), metric_column_labels(), rows, Steps(2), varied_axis(axes(), Steps(2))),
      ElementsAre(1U, std::nullopt));
  EXPECT_THAT(widest_slice(axes(), metric_column_labels(), rows, parse_where(axes(), {"gain=10"}),
                           varied_axis(axes(), parse_where(axes(), {"gain=10"}))),
              ElementsAre(0U, std::nullopt));
}

std::vector<Point> grid(std::size_t first, std::size_t second, std::size_t third) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < first * second * third; ++i) {
    points.push_back({i / third / second, i / third % second, i % third});
  }
  return points;
}

TEST(ChoosePoints, ThinsOutEverySliceEqually) {
  const std::vector<Point> points = grid(1, 4, 16);
  const std::vector<std::size_t> chosen = choose_points(points, 2, {}, 48);
  std::vector<std::vector<std::size_t>> steps(4);
  for (const std::size_t i : chosen) {
    steps[points[i][1]].push_back(points[i][2]);
  }
  EXPECT_EQ(chosen.size(), 48U);
  for (const auto& each : steps) {
    EXPECT_EQ(each, steps[0]);
    EXPECT_EQ(each.front(), 0U);
    EXPECT_EQ(each.back(), 15U);
  }
  // also if the grid's order is the other way round
  EXPECT_EQ(choose_points(grid(1, 16, 4), 1, {}, 48).size(), 48U);
  EXPECT_EQ(choose_points(grid(2, 3, 4), 1, {}, 48).size(), 24U);
}

TEST(ChoosePoints, OfTooManySlicesTakesSomeWithEveryValue) {
  // 100 slices of 5; eight curves in focus leave room for 20 slices of two
  const std::vector<Point> points = grid(10, 10, 5);
  const Steps focus{7U, 3U, std::nullopt};
  std::set<std::size_t> first;
  std::set<std::size_t> second;
  std::size_t in_focus = 0;
  const std::vector<std::size_t> chosen = choose_points(points, 2, focus, 48);
  for (const std::size_t i : chosen) {
    first.insert(points[i][0]);
    second.insert(points[i][1]);
    in_focus += matches(focus, points[i]) ? 1 : 0;
  }
  EXPECT_EQ(first.size(), 10U);
  EXPECT_EQ(second.size(), 10U);
  EXPECT_EQ(in_focus, 5U);
  EXPECT_EQ(chosen.size(), 45U);
}

}  // namespace
}  // namespace longarm::study
