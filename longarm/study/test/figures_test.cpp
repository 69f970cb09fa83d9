// SPDX-License-Identifier: Apache-2.0
// Figures have what they claim to show, and unstable runs do not squash them.
#include "longarm/study/report/figures.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include "longarm/study/report/figures_space.h"
#include "longarm/study/report/figures_style.h"
#include "longarm/study/report/path_difference.h"
#include "longarm/study/test/report_fixture.h"

namespace longarm::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

/// A run that goes along x for a second, up to `height` off the line.
ReportSeries series(const std::string& label, Point point, float height, bool is_stable) {
  ReportSeries out;
  out.label = label;
  out.point = std::move(point);
  out.verdict = is_stable ? "stable" : "unstable";
  out.ended = "completed";
  out.curves.start_s = 0.0;
  out.curves.period_s = 0.1;
  out.curves.names = {"end_effector.x", "end_effector.y", "end_effector.z",
                      "velocity_command.joint", "cumulated_velocity_command_difference"};
  out.curves.columns.resize(5);
  for (int i = 0; i <= 10; ++i) {
    const float part = static_cast<float>(i) / 10.0F;
    const float values[5]{part, 4.0F * part * (1.0F - part) * height, 0.5F, height * part,
                          height * part};
    for (std::size_t column = 0; column < 5; ++column) {
      out.curves.columns[column].push_back(values[column]);
    }
  }
  return out;
}

Report report() {
  Report out;
  out.kind = "study";
  out.title = "by hand";
  out.axes = read_axes(nlohmann::ordered_json::parse(
      R"([{"key": "link.delay", "values": ["0ms", "10ms", "99ms"]}])"));
  out.joints = {"joint"};
  record::PlanGeometry plan;
  plan.path_m = {{0.0, 0.0, 0.5}, {1.0, 0.0, 0.5}};
  plan.waypoints_m = {{1.0, 0.0, 0.5}};
  plan.start_m = record::Point3{0.0, 0.0, 0.5};
  plan.hold_start_s = 0.9;
  out.plan = plan;
  out.series = {series("0 ms", {0}, 0.0F, true), series("10 ms", {1}, 0.01F, true),
                series("99 ms", {2}, 1e9F, false)};
  out.series[0].is_reference = true;
  return out;
}

TEST(SpaceProjection, IsParallelWithZUp) {
  const SpaceProjection project{{-1.0, 0.5}, 100.0, {0.0, 0.0, 0.0}, {200.0, 200.0}};
  const auto a = project({0.2, 0.3, 0.1});
  const auto b = project({0.2, 0.3, 0.6});
  EXPECT_DOUBLE_EQ(a[0], b[0]);
  EXPECT_LT(b[1], a[1]);
  // equal steps in space are equal steps on the page
  const auto c = project({0.7, 0.3, 0.1});
  const auto d = project({0.7, 0.3, 0.6});
  EXPECT_NEAR(d[0] - c[0], b[0] - a[0], 1e-9);
  EXPECT_NEAR(d[1] - c[1], b[1] - a[1], 1e-9);
}

TEST(SpaceProjection, FitsTheBox) {
  const SpaceBox box{{0, 0, 0}, {1, 2, 1}};
  const SpaceView view = view_across(std::nullopt);
  const SpaceProjection project{
      view, fitting_scale(box, view, 400.0, 300.0), box.middle(), {200.0, 150.0}};
  for (unsigned i = 0; i < 8; ++i) {
    const auto p = project({i & 1U ? 1.0 : 0.0, i & 2U ? 2.0 : 0.0, i & 4U ? 1.0 : 0.0});
    EXPECT_NEAR(p[0], 200.0, 200.0 + 1e-9);
    EXPECT_NEAR(p[1], 150.0, 150.0 + 1e-9);
  }
}

TEST(SpaceView, TurnsOnlyWhereADifferenceWouldBeSeenEndOn) {
  const SpaceView first = view_across(std::nullopt);
  // heights are seen from the side
  EXPECT_EQ(view_across(record::Point3{0, 0, 1}).azimuth_rad, first.azimuth_rad);
  const record::Point3 towards{std::cos(first.azimuth_rad) * std::cos(first.elevation_rad),
                               std::sin(first.azimuth_rad) * std::cos(first.elevation_rad),
                               std::sin(first.elevation_rad)};
  const SpaceProjection project{view_across(towards), 1.0, {0, 0, 0}, {0, 0}};
  const auto seen = project(towards);
  // turned by 60° about z: of the horizontal part cos 25° the share sin 60° is seen at least
  EXPECT_GT(std::hypot(seen[0], seen[1]), 0.78);
}

TEST(SpaceGrid, IsRoundSharesOneStepAndHoldsTheBox) {
  // a sixth of 0.97 is 0.16: the nearest round step is 0.2
  const SpaceGrid grid = grid_of({{-0.43, 0.11, 0.2}, {0.54, 0.38, 0.2}});
  const auto is_near = [](const std::vector<double>& ticks, const std::vector<double>& expected) {
    ASSERT_EQ(ticks.size(), expected.size());
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      EXPECT_NEAR(ticks[i], expected[i], 1e-12);
    }
  };
  is_near(grid.ticks[0], {-0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6});
  is_near(grid.ticks[1], {0, 0.2, 0.4});
  is_near(grid.ticks[2], {0, 0.2, 0.4});  // a flat scene gets a step on either side
}

TEST(PathDifference, IsWhereAPathIsFarthestFromTheBaseHoweverLateItIs) {
  // up to 0.01 m off the plan, in the middle, at 0.5 s
  const Report all = report();
  const auto found = largest_difference(all, all.series[1]);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->distance_m, 0.01, 1e-6);
  EXPECT_NEAR(found->time_s, 0.5, 1e-6);
  EXPECT_NEAR(found->centre[0], 0.5, 1e-6);
  EXPECT_NEAR(found->centre[1], 0.005, 1e-6);
  EXPECT_EQ(found->words()[0], "largest distance: 10 mm,");
  Report late = all;
  for (int i = 0; i < 4; ++i) {
    late.series[1].curves.columns[0].insert(late.series[1].curves.columns[0].begin(), 0.0F);
    late.series[1].curves.columns[1].insert(late.series[1].curves.columns[1].begin(), 0.0F);
    late.series[1].curves.columns[2].insert(late.series[1].curves.columns[2].begin(), 0.5F);
  }
  EXPECT_NEAR(largest_difference(late, late.series[1])->distance_m, 0.01, 1e-6);
}

TEST(PathDifference, BelowWhatSamplesResolveIsNone) {
  Report bent = report();
  bent.series.pop_back();
  bent.series[1] = series("10 ms", {1}, 0.04e-3F, true);
  const auto found = largest_difference(bent, bent.series[1]);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_seen());
  EXPECT_EQ(found->words()[0], "the paths coincide");
}

TEST(Figures, ShowPlanWaypointsLatenciesAndAnInset) {
  const std::string svg = draw(report(), "paths");
  for (const char* words : {"id=\"paths-planned\"", "id=\"inset-1\"", ">10 ms<",
                            ">99 ms (unstable)<", ">1</text>", "magnified", "x [m]", "z [m]"}) {
    EXPECT_THAT(svg, HasSubstr(words));
  }
}

TEST(Figures, AreTheSameWhereAnUnstableRunIsUnstabler) {
  // stable curves keep their pixels, whatever an unstable one does
  const auto stable_curve = [](const std::string& svg, const std::string& id) {
    const std::size_t at = svg.find("id=\"" + id + "\"");
    EXPECT_NE(at, std::string::npos) << id;
    return svg.substr(at, svg.find("/>", at) - at);
  };
  Report worse = report();
  worse.series[2] = series("99 ms", {2}, 1e20F, false);
  EXPECT_EQ(stable_curve(draw(report(), "velocity"), "velocity1-1"),
            stable_curve(draw(worse, "velocity"), "velocity1-1"));
  EXPECT_EQ(stable_curve(draw(report(), "cumulated"), "cumulated1-1"),
            stable_curve(draw(worse, "cumulated"), "cumulated1-1"));
  EXPECT_EQ(stable_curve(draw(report(), "paths"), "paths-1"),
            stable_curve(draw(worse, "paths"), "paths-1"));
  EXPECT_THAT(draw(report(), "velocity"), HasSubstr("unstable runs are cut off"));
  EXPECT_THAT(draw(report(), "paths"), HasSubstr("unstable runs leave this view"));
}

TEST(Figures, OfStableRunsDoNotSpeakOfUnstableOnes) {
  Report stable = report();
  stable.series.pop_back();
  EXPECT_THAT(draw(stable, "velocity"), Not(HasSubstr("unstable")));
  EXPECT_THAT(draw(stable, "paths"), Not(HasSubstr("unstable")));
}

TEST(Figures, OfAJointAtRestShowNoRoundingErrors) {
  Report resting = report();
  resting.joints = {"joint", "resting"};
  for (ReportSeries& each : resting.series) {
    each.curves.names.push_back("velocity_command.resting");
    each.curves.columns.emplace_back(11, 1e-16F);
  }
  // the axis of a panel that shows them would need sixteen decimals
  EXPECT_THAT(draw(resting, "velocity"), Not(HasSubstr("0.00000000")));
}

TEST(Figures, ChooseOneSliceOfAGridAndSayWhich) {
  Report grid = report();
  grid.axes = read_axes(nlohmann::ordered_json::parse(
      R"([{"key": "cut", "values": ["velocity", "effort"]},
          {"key": "link.delay", "values": ["0ms", "10ms"]}])"));
  grid.series = {series("", {0, 0}, 0.0F, true), series("", {0, 1}, 0.1F, true),
                 series("", {1, 0}, 0.2F, true), series("", {1, 1}, 0.3F, true)};
  const FigureChoice choice = choose_series(grid);
  ASSERT_EQ(choice.series.size(), 2U);
  EXPECT_EQ(choice.series[1].label, "10 ms");
  EXPECT_EQ(choice.remark, "cut velocity (1 of 2 values)");

  grid.focus = {std::optional<std::size_t>(1), std::nullopt};
  EXPECT_EQ(choose_series(grid).series[0].series, &grid.series[2]);
  EXPECT_EQ(choose_series(grid).remark, "cut effort (1 of 2 values)");
}

TEST(Figures, SayHowManyOfTheValuesTheyShow) {
  Report many = report();
  Json values = Json::array();
  many.series.clear();
  for (std::size_t i = 0; i < 15; ++i) {
    values.push_back(std::to_string(i) + "ms");
    many.series.push_back(series("", {i}, 0.1F, true));
  }
  many.axes = read_axes({{{"key", "link.delay"}, {"values", values}}});
  const FigureChoice choice = choose_series(many);
  EXPECT_EQ(choice.remark, "12 of 15 values of link.delay");
  ASSERT_EQ(choice.series.size(), 12U);
  EXPECT_EQ(choice.series[1].label, "1 ms");
  EXPECT_EQ(choice.series[11].label, "14 ms");
}

TEST(Figures, MagnifyWhatCanBeSeen) {
  // 10 mm off a line of 1 m
  EXPECT_THAT(draw(report(), "paths"), HasSubstr("magnified ×"));
  Report flat = report();
  flat.series[1] = series("10 ms", {1}, 0.04e-3F, true);
  flat.series.pop_back();
  EXPECT_THAT(draw(flat, "paths"), Not(HasSubstr("magnified")));
}

TEST(Figures, KeepTheirTitleOnThePage) {
  Report wordy = report();
  wordy.title = std::string(400, 'w');
  const std::string svg = draw(wordy, "paths");
  EXPECT_THAT(svg, Not(HasSubstr(std::string(100, 'w'))));
  EXPECT_THAT(svg, HasSubstr("w…w"));
}

TEST(Figures, TellSmallNumbersOfAnAxisApart) {
  Report small = report();
  small.series = {series("0 ms", {0}, 0.0F, true), series("10 ms", {1}, 2e-7F, true)};
  const std::string svg = draw(small, "cumulated");
  EXPECT_THAT(svg, HasSubstr("×1e-9"));  // 2e-7 is 200e-9
  EXPECT_THAT(svg, HasSubstr(">100<"));
}

/// Rows of one cell, 1, 2, 3 … mm, for every point of two axes.
Report metric_report(std::size_t gains) {
  Report out;
  Json values = Json::array();
  for (std::size_t i = 0; i < gains; ++i) {
    values.push_back(std::to_string(10 * i));
  }
  out.axes = read_axes({{{"key", "gain"}, {"values", values}},
                        {{"key", "link.delay"}, {"values", {"0ms", "5ms", "9ms", "12ms"}}}});
  out.columns = {{"path_deviation_max_m", "path deviation, max", "mm", 1e3, 3}};
  for (std::size_t gain = 0; gain < gains; ++gain) {
    for (std::size_t delay = 0; delay < 4; ++delay) {
      SummaryRow& row = out.rows.emplace_back();
      row.point = {gain, delay};
      row.count = 1;
      row.stable = 1;
      row.cells = {SummaryCell{1, 1e-3 * static_cast<double>(delay + 1), std::nullopt}};
    }
  }
  return out;
}

std::size_t count_of(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    ++count;
  }
  return count;
}

TEST(MetricFigure, DrawsUnstableRunsHollowAndUnconnected) {
  Report metrics = metric_report(1);
  // where the line goes to, in pixels: numbers between its quotes
  const auto numbers = [](const std::string& svg) {
    const std::size_t begin = svg.find(" d=\"", svg.find("id=\"line-0\"")) + 4;
    std::string line = svg.substr(begin, svg.find('"', begin) - begin);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == 'M' || c == 'l'; }, ' ');
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream in(line);
    return std::distance(std::istream_iterator<double>(in), std::istream_iterator<double>());
  };
  EXPECT_EQ(numbers(draw(metrics, "metric")), 8);
  metrics.rows[2].stable = 0;
  metrics.rows[2].unstable = 1;
  const std::string svg = draw(metrics, "metric");
  EXPECT_EQ(count_of(svg, "<circle"), 4U);
  EXPECT_EQ(count_of(svg, "r=\"4.3\" fill=\"#ffffff\""), 1U);  // 58 px² = π · 4.3²
  EXPECT_EQ(numbers(svg), 4);                                  // only the first two are neighbours
  EXPECT_THAT(svg, HasSubstr("Hollow markers are points with unstable"));
}

TEST(MetricFigure, SaysHowManyCombinationsItLeavesOut) {
  EXPECT_THAT(draw(metric_report(12), "metric"), Not(HasSubstr(" of 12")));
  EXPECT_THAT(draw(metric_report(15), "metric"), HasSubstr("12 of 15 combinations"));
  Report one = metric_report(12);
  one.where = parse_where(one.axes, {"gain=80"});  // the ninth, which has circles again
  EXPECT_THAT(draw(one, "metric"), HasSubstr(">gain 80<"));
  EXPECT_EQ(count_of(draw(one, "metric"), "<circle"), 4U);
}

TEST(MetricFigure, LinesHaveMarkersOfTheirOwn) {
  const std::string svg = draw(metric_report(2), "metric");
  EXPECT_EQ(count_of(svg, "<circle"), 4U);
  EXPECT_EQ(count_of(svg, "<polygon"), 4U);
}

TEST(Figures, OfNothingAreNothing) {
  EXPECT_EQ(draw(Report{}, "paths"), "");
  EXPECT_EQ(draw(Report{}, "velocity"), "");
  EXPECT_EQ(draw(Report{}, "cumulated"), "");
  EXPECT_EQ(draw(Report{}, "metric"), "");
  EXPECT_EQ(draw(Report{}, "margin"), "");
}

TEST(Figures, OfMarginsMarkWhatWasFoundAndWhatMustBe) {
  Report margins;
  margins.margins = nlohmann::ordered_json::parse(R"([{"cut": "effort", "direction": "both",
      "control_period_s": 0.001, "critical_s": 0.005, "unstable_s": 0.006, "closed_form_s": 0.004,
      "tried": [{"latency_s": 0.005, "verdict": "stable", "growth_per_s": -3.0},
                {"latency_s": 0.006, "verdict": "unstable", "growth_per_s": 1000.0}]}])");
  const std::string svg = draw(margins, "margin");
  EXPECT_THAT(svg, HasSubstr("effort, both ways"));
  EXPECT_THAT(svg, HasSubstr(">simulated 5 ms<"));
  EXPECT_THAT(svg, HasSubstr(">closed form 4 ms<"));
  EXPECT_EQ(count_of(svg, "<polygon"), 1U);  // the unstable one
}

TEST(MarginPanel, HasPowersOfTenOnBothSidesOfZero) {
  // 0.004 … 30: decades −3 … 1, five of them, so every second one from the top
  const Report none;
  const auto margin = Json::parse(R"([{"tried": [
      {"latency_s": 0.001, "growth_per_s": -30}, {"latency_s": 0.002, "growth_per_s": -0.5},
      {"latency_s": 0.003, "growth_per_s": 0.004}, {"latency_s": 0.004, "growth_per_s": 12}]}])");
  const MarginFrame frame = margin_panel(none, margin[0]).near;
  EXPECT_DOUBLE_EQ(frame.constant, 1e-3);
  ASSERT_EQ(frame.ticks.size(), 7U);
  EXPECT_NEAR(frame.ticks[0], -10.0, 1e-9);
  EXPECT_NEAR(frame.ticks[4], 0.001, 1e-12);
  EXPECT_NEAR(frame.ticks[5], 0.1, 1e-12);
}

TEST(FigureList, ThePageHasTheSameWordsAsTheFiles) {
  const Report both = report();
  const Json page = to_json(both);
  for (const FigureInfo& figure : figures_of(both)) {
    const std::string svg = draw_figure(both, figure);
    EXPECT_EQ(page["figures"][figure.id]["title"], figure.title);
    EXPECT_EQ(page["figures"][figure.id]["file"], figure.file);
    EXPECT_THAT(svg, HasSubstr(">" + figure.title + "<"));
  }
  // the colour of 10 ms, of three values
  EXPECT_THAT(draw(both, "velocity"), HasSubstr(page["colours"]["light"][1].get<std::string>()));
}

class FigureFilesTest : public ReportTest {};

TEST_F(FigureFilesTest, AreWrittenForARealStudy) {
  sweep_one_joint({"link.delay=0ms,5ms,200ms", "seed=1,2"});
  const std::vector<fs::path> files = write_figures(make_report(folder), folder / "figures");
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    names.push_back(file.filename());
    EXPECT_GT(fs::file_size(file), 1000U);
  }
  EXPECT_THAT(names, testing::ElementsAre("paths.svg", "velocity-commands.svg",
                                          "cumulated-difference.svg", "metrics.svg"));
}

}  // namespace
}  // namespace longarm::study
