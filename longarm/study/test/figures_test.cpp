// SPDX-License-Identifier: Apache-2.0
// Figures have what they claim to show, and unstable runs do not squash them.
#include "longarm/study/report/figures.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <sstream>

#include "longarm/study/report/figures_space.h"
#include "longarm/study/report/figures_style.h"
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

TEST(Ramp, GetsLighterAllTheWay) {
  // relative luminance by its usual weights, of the hexadecimal digits
  double last = 0.0;
  for (int i = 0; i <= 20; ++i) {
    const std::string colour = ramp_colour(i / 20.0);
    ASSERT_EQ(colour.size(), 7U);
    const auto channel = [&](std::size_t at) {
      return std::pow(std::stoi(colour.substr(at, 2), nullptr, 16) / 255.0, 2.2);
    };
    const double luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
    EXPECT_GT(luminance, last) << i;
    last = luminance;
  }
  EXPECT_LT(last, 0.5);  // still seen on white
}

TEST(SpaceView, IsAParallelProjectionWithZUp) {
  const SpaceView view({{0, 0, 0}, {1, 2, 1}}, {{0, 0}, {400, 400}});
  const auto a = view({0.2, 0.3, 0.1});
  const auto b = view({0.2, 0.3, 0.6});
  EXPECT_DOUBLE_EQ(a[0], b[0]);
  EXPECT_LT(b[1], a[1]);
  // equal steps in space are equal steps on the page
  const auto c = view({0.7, 0.3, 0.1});
  const auto d = view({0.7, 0.3, 0.6});
  EXPECT_NEAR(d[0] - c[0], b[0] - a[0], 1e-9);
  EXPECT_NEAR(d[1] - c[1], b[1] - a[1], 1e-9);
  // all corners are within the frame
  for (unsigned i = 0; i < 8; ++i) {
    const auto p = view({i & 1U ? 1.0 : 0.0, i & 2U ? 2.0 : 0.0, i & 4U ? 1.0 : 0.0});
    for (const double pixel : p) {
      EXPECT_GE(pixel, -1e-9);
      EXPECT_LE(pixel, 400.0 + 1e-9);
    }
  }
}

TEST(SpaceView, MagnifiesAroundAPoint) {
  const SpaceView view({{0, 0, 0}, {1, 2, 1}}, {{0, 0}, {400, 400}});
  const auto place = view({0.5, 0.5, 0.5});
  const SpaceView inset = view.magnified(place, {{500, 100}, {600, 200}}, 10.0);
  EXPECT_NEAR(inset({0.5, 0.5, 0.5})[0], 550.0, 1e-9);
  EXPECT_NEAR(inset({0.5, 0.5, 0.5})[1], 150.0, 1e-9);
  const auto near = view({0.51, 0.5, 0.5});
  EXPECT_NEAR(inset({0.51, 0.5, 0.5})[0], 550.0 + 10.0 * (near[0] - place[0]), 1e-9);
}

TEST(Figures, ShowPlanWaypointsLatenciesAndAnInset) {
  const std::string svg = draw_paths(report());
  for (const char* words : {"id=\"paths-planned\"", "id=\"inset-1\"", ">10 ms<",
                            ">99 ms (unstable)<", ">1</text>", "magnified", "x in m", "z in m"}) {
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
  EXPECT_EQ(stable_curve(draw_velocity_commands(report()), "joint1-1"),
            stable_curve(draw_velocity_commands(worse), "joint1-1"));
  EXPECT_EQ(stable_curve(draw_cumulated_difference(report()), "difference-1"),
            stable_curve(draw_cumulated_difference(worse), "difference-1"));
  EXPECT_EQ(stable_curve(draw_paths(report()), "paths-1"),
            stable_curve(draw_paths(worse), "paths-1"));
  EXPECT_THAT(draw_velocity_commands(report()), HasSubstr("unstable runs are cut off"));
  EXPECT_THAT(draw_paths(report()), HasSubstr("unstable runs leave this view"));
}

TEST(Figures, OfStableRunsDoNotSpeakOfUnstableOnes) {
  Report stable = report();
  stable.series.pop_back();
  EXPECT_THAT(draw_velocity_commands(stable), Not(HasSubstr("unstable")));
  EXPECT_THAT(draw_paths(stable), Not(HasSubstr("unstable")));
}

TEST(Figures, OfAJointAtRestShowNoRoundingErrors) {
  Report resting = report();
  resting.joints = {"joint", "resting"};
  for (ReportSeries& each : resting.series) {
    each.curves.names.push_back("velocity_command.resting");
    each.curves.columns.emplace_back(11, 1e-16F);
  }
  // the axis of a panel that shows them would need sixteen decimals
  EXPECT_THAT(draw_velocity_commands(resting), Not(HasSubstr("0.00000000")));
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
  EXPECT_EQ(choice.remark, "8 of 15 values of link.delay");
  ASSERT_EQ(choice.series.size(), 8U);
  EXPECT_EQ(choice.series[1].label, "2 ms");
  EXPECT_EQ(choice.series[7].label, "14 ms");
}

TEST(Figures, MagnifyByARoundNumberWhatCanBeSeen) {
  // 10 mm off a line of 1 m
  EXPECT_THAT(draw_paths(report()), testing::ContainsRegex("magnified [125]0* times"));
  Report flat = report();
  flat.series[1] = series("10 ms", {1}, 0.04e-3F, true);
  flat.series.pop_back();
  EXPECT_THAT(draw_paths(flat), Not(HasSubstr("magnified")));
}

TEST(Figures, KeepTheirTitleOnThePage) {
  Report wordy = report();
  wordy.title = std::string(400, 'w');
  const std::string svg = draw_paths(wordy);
  EXPECT_THAT(svg, Not(HasSubstr(std::string(100, 'w'))));
  EXPECT_THAT(svg, HasSubstr("w…w"));
}

TEST(Figures, TellSmallNumbersOfAnAxisApart) {
  Report small = report();
  small.series = {series("0 ms", {0}, 0.0F, true), series("10 ms", {1}, 2e-7F, true)};
  const std::string svg = draw_cumulated_difference(small);
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
  EXPECT_EQ(numbers(draw_metric(metrics)), 8);
  metrics.rows[2].stable = 0;
  metrics.rows[2].unstable = 1;
  const std::string svg = draw_metric(metrics);
  EXPECT_EQ(count_of(svg, "<circle"), 4U);
  EXPECT_EQ(count_of(svg, "r=\"4\" fill=\"#ffffff\""), 1U);
  EXPECT_EQ(numbers(svg), 4);  // only the first two are neighbours
  EXPECT_THAT(svg, HasSubstr("○ unstable"));
}

TEST(MetricFigure, SaysHowManyCombinationsItLeavesOut) {
  EXPECT_THAT(draw_metric(metric_report(8)), Not(HasSubstr(" of 8")));
  EXPECT_THAT(draw_metric(metric_report(12)), HasSubstr("8 of 12 combinations"));
  Report one = metric_report(12);
  one.where = parse_where(one.axes, {"gain=110"});
  EXPECT_THAT(draw_metric(one), HasSubstr(">gain 110<"));
  EXPECT_EQ(count_of(draw_metric(one), "<circle"), 4U);
}

TEST(MetricFigure, EqualFiguresDoNotHideEachOther) {
  const std::string svg = draw_metric(metric_report(2));
  std::set<std::string> places;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos;
       at = svg.find("<circle", at + 1)) {
    places.insert(svg.substr(at, svg.find(" r=", at) - at));
  }
  EXPECT_EQ(places.size(), 8U);
}

TEST(Figures, OfNothingAreNothing) {
  EXPECT_EQ(draw_paths(Report{}), "");
  EXPECT_EQ(draw_velocity_commands(Report{}), "");
  EXPECT_EQ(draw_cumulated_difference(Report{}), "");
  EXPECT_EQ(draw_metric(Report{}), "");
  EXPECT_EQ(draw_margins(Report{}), "");
}

TEST(Figures, OfMarginsMarkWhatWasFoundAndWhatMustBe) {
  Report margins;
  margins.margins = nlohmann::ordered_json::parse(R"([{"cut": "effort", "direction": "both",
      "control_period_s": 0.001, "critical_s": 0.005, "unstable_s": 0.006, "closed_form_s": 0.004,
      "tried": [{"latency_s": 0.005, "verdict": "stable", "growth_per_s": -3.0},
                {"latency_s": 0.006, "verdict": "unstable", "growth_per_s": 1000.0}]}])");
  const std::string svg = draw_margins(margins);
  EXPECT_THAT(svg, HasSubstr("cut effort, latency each way, control 1 ms"));
  EXPECT_THAT(svg, HasSubstr("stable up to 5 ms; closed form 4 ms"));
  EXPECT_THAT(svg, HasSubstr("▲"));
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
