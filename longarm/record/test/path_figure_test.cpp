// SPDX-License-Identifier: Apache-2.0
// Tests that the path figure shows the run: points to scale, nothing lost, nothing hidden.
#include "longarm/record/path_figure.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/record/figure_panel.h"
#include "longarm/record/polyline.h"
#include "longarm/record/svg_drawing.h"

namespace longarm::record {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A straight plan, followed exactly; x is the wide axis.
PathFigure straight_figure() {
  PathFigure figure;
  figure.title = "straight";
  figure.subtitle = "cut velocity";
  figure.planned_m = {{0.0, 0.0, 0.0}, {0.8, 0.2, 0.0}};
  figure.executed.path_m = figure.planned_m;
  figure.executed.deviation = {{1.0, 0.0}, {2.0, 0.010}, {4.0, 0.005}};
  return figure;
}

/// The `d` attribute of the path with this id; empty if there is none.
std::string path_data(const std::string& svg, const std::string& id) {
  const std::regex element("<path id=\"" + id + "\"[^>]* d=\"([^\"]*)\"/>");
  std::smatch match;
  return std::regex_search(svg, match, element) ? match[1].str() : "";
}

/// Says what keeps a text from being an XML document as strict readers want it; empty if nothing.
std::string xml_problem(const std::string& text) {
  const std::regex token(
      "<\\?xml[^>]*\\?>|<(/?)([A-Za-z]+)((?: [A-Za-z0-9:-]+=\"[^\"<]*\")*)(/?)>");
  std::vector<std::string> open;
  auto at = text.cbegin();
  std::smatch match;
  const auto is_plain = [](const std::string& between) {
    const std::regex plain("(?:[^<>&]|&(?:amp|lt|gt|quot);)*");
    return std::regex_match(between, plain);
  };
  for (; std::regex_search(at, text.cend(), match, token); at = match[0].second) {
    if (!is_plain(match.prefix()) || !is_plain(match[3])) {
      return "stray character before or in " + match[0].str();
    }
    if (match[1] == "/") {
      if (open.empty() || open.back() != match[2]) {
        return "unexpected " + match[0].str();
      }
      open.pop_back();
    } else if (match[2].length() > 0 && match[4] != "/") {
      open.push_back(match[2]);
    }
  }
  return open.empty() && std::string(at, text.cend()) == "\n" ? "" : "does not end well";
}

TEST(PathFigure, IsWellFormedWhateverTheTitleSays) {
  PathFigure figure = straight_figure();
  figure.title = "a <b> & \"c\"\n";
  figure.reference = figure.executed;
  figure.waypoints_m = {{0.8, 0.2, 0.0}};
  figure.start_m = Point3{};
  figure.hold_start_s = 3.0;
  const std::string svg = draw_path_figure(figure);
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr(">a &lt;b&gt; &amp; &quot;c&quot; </text>"));
  EXPECT_NE(xml_problem("<svg><g></svg>\n"), "");  // the check itself can fail
  EXPECT_NE(xml_problem("<svg>a & b</svg>\n"), "");
}

TEST(PathFigure, PutsPointsWhereTheScaleSays) {
  // The page is 900 wide with 72 left and 20 right of the frame: 808, centred at 476. Less 32 of
  // padding on both sides 744 pixels show 0.8 m: 930 px/m (the height would allow 402 / 0.2 m).
  // Top view: 92 + 26 above it, 0.2 m · 930 + 64 = 250 high: y from 118 to 368, centre 243.
  //   (0, 0) -> (476 - 372, 243 + 93) = (104, 336); (0.8, 0.2) -> (848, 150).
  // Side view: 40 + 26 further down from 434, flat and so 130 high: centre 499.
  const std::string svg = draw_path_figure(straight_figure());
  EXPECT_EQ(path_data(svg, "top-planned"), "M104 336l744-186");
  EXPECT_EQ(path_data(svg, "top-executed"), "M104 336l744-186");
  EXPECT_EQ(path_data(svg, "top-reference"), "");
  EXPECT_EQ(path_data(svg, "side-planned"), "M104 499l744 0");

  // Deviation: from 564 + 66 = 630 to 780; 4 s over 808 pixels; 10.8 mm (8 % headroom) over 150.
  //   (1 s, 0 mm) -> (274, 780); (2 s, 10 mm) -> (476, 641.1); (4 s, 5 mm) -> (880, 710.6).
  EXPECT_EQ(path_data(svg, "distance-executed"), "M274 780l202-138.9 404 69.5");
}

TEST(PathFigure, RunsTheWiderAxisAcrossAndYToTheLeft) {
  // as above with x and y exchanged; seen from above with x up, y points to the left
  PathFigure figure = straight_figure();
  figure.planned_m = {{0.0, -0.4, 0.0}, {0.2, 0.4, 0.0}};
  figure.executed.path_m = figure.planned_m;
  const std::string svg = draw_path_figure(figure);
  EXPECT_EQ(path_data(svg, "top-planned"), "M848 336l-744-186");
  EXPECT_THAT(svg, HasSubstr(">Side view, along x<"));
}

TEST(PathFigure, PutsTheViewsSideBySideWhereThatShowsMore) {
  // A cube of 0.5 m. Stacked (530 - 4·32) / 1 m = 402 px/m; side by side each frame is
  // (808 - 72) / 2 = 368 wide: (368 - 64) / 0.5 m = 608 px/m and so 368 high, from 118: centre 302.
  // Centres across: 72 + 184 = 256 and 512 + 184 = 696; half the cube is 152 pixels.
  PathFigure figure = straight_figure();
  figure.planned_m = {{0.0, 0.0, 0.0}, {0.5, 0.5, 0.5}};
  figure.executed.path_m = figure.planned_m;
  const std::string svg = draw_path_figure(figure);
  EXPECT_EQ(path_data(svg, "top-planned"), "M104 454l304-304");
  EXPECT_EQ(path_data(svg, "side-planned"), "M544 454l304-304");
}

TEST(PathFigure, ShadesTheHold) {
  // from 2 s of 4 s: the right half of 72...880
  PathFigure figure = straight_figure();
  figure.hold_start_s = 2.0;
  const std::string svg = draw_path_figure(figure);
  EXPECT_THAT(svg, HasSubstr("<rect x=\"476\" y=\"630\" width=\"404\" height=\"150\""));
  EXPECT_THAT(svg, HasSubstr(">hold<"));
  EXPECT_THAT(draw_path_figure(straight_figure()), Not(HasSubstr(">hold<")));
}

TEST(PathFigure, StaysWithThePlanWhenTheRunLeavesIt) {
  // The plan is 0.8 m wide; the view may grow by a quarter, 0.2 m, on each side. The run goes to
  // x = 5.8 m and y = 0.2 m, so the view is 1.0 m wide: 744 px/m, the plan from 104 to 699.2; and
  // 0.2 m · 744 = 148.8 high, centred at 118 + 106.4 = 224.4.
  PathFigure figure = straight_figure();
  for (int i = 0; i <= 5000; ++i) {
    figure.executed.path_m.push_back({0.8 + i * 1e-3, 0.2, 0.0});
  }
  figure.executed.deviation.push_back({5.0, 5.0});
  const std::string svg = draw_path_figure(figure);
  EXPECT_THAT(svg, HasSubstr(">executed path leaves this view: up to 5000 mm from the plan<"));
  EXPECT_EQ(path_data(svg, "top-planned"), "M104 298.8l595.2-148.8");
  EXPECT_THAT(draw_path_figure(straight_figure()), Not(HasSubstr("leaves this view")));

  // within a quarter the view follows instead
  figure.executed.path_m = {{0.0, 0.0, 0.0}, {1.0, 0.2, 0.0}};
  EXPECT_THAT(draw_path_figure(figure), Not(HasSubstr("leaves this view")));
}

TEST(PathFigure, LeavesOutJumpsOfARunawayOnly) {
  PathFigure figure = straight_figure();
  figure.executed.path_m = {{0.0, 0.0, 0.0}, {9.0, 0.0, 0.0}, {0.8, 0.2, 0.0}};
  EXPECT_EQ(path_data(draw_path_figure(figure), "top-executed"), "");
  EXPECT_NE(path_data(draw_path_figure(straight_figure()), "top-executed"), "");
}

TEST(PathFigure, NumbersEveryWaypointEvenAtOnePlace) {
  PathFigure figure = straight_figure();
  figure.start_m = Point3{};
  figure.waypoints_m = {{0.8, 0.2, 0.0}, {0.0, 0.0, 0.0}, {0.8, 0.2, 0.0}};
  const std::string svg = draw_path_figure(figure);
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"848\" cy=\"150\" r=\"3.4\""));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"104\" cy=\"336\" r=\"3.4\""));
  EXPECT_THAT(svg, HasSubstr(">1, 3</text>"));
  EXPECT_THAT(svg, HasSubstr(">start, 2</text>"));
}

TEST(PathFigure, ShowsAStepThatSettlesSoonWhileItSettles) {
  // beyond 1 % of 50 mm until 1 s of 20 s: shown for 2 s
  PathFigure figure = straight_figure();
  figure.planned_m = {{0.8, 0.2, 0.0}};
  figure.executed.deviation = {{0.5, 0.050}, {1.0, 0.001}, {1.5, 0.0}, {20.0, 0.0}};
  const std::string svg = draw_path_figure(figure);
  EXPECT_THAT(svg, HasSubstr(">stays below 0.5 mm until the end at 20 s<"));
  EXPECT_TRUE(path_data(svg, "distance-executed").starts_with("M274 "));  // 0.5 s of 2 s
}

TEST(PathFigure, CopesWithNothing) {
  EXPECT_EQ(xml_problem(draw_path_figure(PathFigure())), "");
}

TEST(PathFigure, IsTheSameBytesAndSmallForTheWildestRun) {
  // an arm thrown about at random for half a minute, with a reference that is no better
  PathFigure figure = straight_figure();
  std::uint64_t state = 1;
  const auto draw = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 40U) / static_cast<double>(1U << 24U);
  };
  figure.reference.emplace();
  for (PathTrace* trace : {&figure.executed, &*figure.reference}) {
    trace->path_m.clear();
    trace->deviation.clear();
    for (int i = 1; i <= 30000; ++i) {
      trace->path_m.push_back({0.8 * draw(), 0.2 * draw(), 0.1 * draw()});
      trace->deviation.push_back({i * 1e-3, draw()});
    }
  }
  const std::string svg = draw_path_figure(figure);
  EXPECT_EQ(svg, draw_path_figure(figure));
  EXPECT_LT(svg.size(), 150'000U);
  EXPECT_NE(path_data(svg, "side-reference"), "");
}

TEST(Polyline, LeavesOutOnlyWhatLiesWithinTheTolerance) {
  Polyline curve;
  for (int i = 0; i <= 2000; ++i) {
    curve.push_back({i * 0.4, 50.0 * std::sin(i * 0.01)});
  }
  const Polyline kept = decimate(curve, 0.1);
  EXPECT_LT(kept.size(), 200U);
  EXPECT_EQ(kept.front(), curve.front());
  EXPECT_EQ(kept.back(), curve.back());
  for (const PlanePoint& point : curve) {
    double nearest = 1.0;
    for (std::size_t i = 1; i < kept.size(); ++i) {
      nearest = std::min(nearest, distance_to_segment(point, kept[i - 1], kept[i]));
    }
    EXPECT_LE(nearest, 0.1);
  }
}

TEST(Polyline, KeepsTurningPointsOnALine) {
  EXPECT_EQ(decimate(Polyline{{0, 0}, {5, 0}, {10, 0}, {4, 0}}, 0.1),
            (Polyline{{0, 0}, {10, 0}, {4, 0}}));
}

// Back and forth for ever, as near a stability limit: every turn counts, so each was looked at once
// for every other one. 400 000 points took half an hour; linear in them, a fraction of a second.
TEST(Polyline, IsDecimatedInTimeProportionalToItsLength) {
  Polyline swing;
  for (int i = 0; i < 400'000; ++i) {
    swing.push_back({200.0 + 100.0 * std::sin(i * 0.2), 100.0 + 30.0 * std::cos(i * 0.2)});
  }
  const std::clock_t start = std::clock();
  const std::vector<Polyline> runs = runs_in({{0, 0}, {400, 200}}, swing);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5.0);
  std::size_t points = 0;
  double lowest = 200.0;
  for (const Polyline& run : runs) {
    points += run.size();
    for (const PlanePoint& point : run) {
      lowest = std::min(lowest, point[0]);
    }
  }
  EXPECT_LE(points, 1500U);
  EXPECT_NEAR(lowest, 100.0, 1.0);  // the swing is still as wide as it was
}

// Over time a swing too quick to be seen stays as high as it is, however many points there are.
TEST(Polyline, KeepsTheHeightOfAQuickSwingOverTime) {
  Polyline swing;
  for (int i = 0; i < 100'000; ++i) {
    swing.push_back({i * 8e-3, 50.0 + 40.0 * std::sin(i * 0.3)});
  }
  const std::vector<Polyline> runs = runs_in({{0, 0}, {800, 100}}, swing);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_LE(runs[0].size(), 1500U);
  for (const PlanePoint& point : runs[0]) {
    EXPECT_NEAR(std::abs(point[1] - 50.0), 40.0, 1.0);
  }
}

TEST(Polyline, MeasuresToTheNearestPointOfTheSegment) {
  EXPECT_DOUBLE_EQ(distance_to_segment({3, 4}, {-10, 0}, {10, 0}), 4.0);
  EXPECT_DOUBLE_EQ(distance_to_segment({13, 4}, {-10, 0}, {10, 0}), 5.0);  // 3-4-5 from the end
  EXPECT_DOUBLE_EQ(distance_to_segment({3, 4}, {0, 0}, {0, 0}), 5.0);
}

TEST(Polyline, BreaksWhereItIsOutOfSightOrJumps) {
  const PlaneBox box{{0, 0}, {10, 10}};
  const Polyline line{{1, 1}, {20, 1}, {20, 5}, {9, 5}, {8, 5}};
  EXPECT_EQ(visible_runs(line, box),
            (std::vector<Polyline>{{{1, 1}, {20, 1}}, {{20, 5}, {9, 5}, {8, 5}}}));
  EXPECT_EQ(visible_runs(line, box, 5.0), (std::vector<Polyline>{{{9, 5}, {8, 5}}}));
}

TEST(Ticks, AreRoundAndCoverTheAxis) {
  // a fifth of 0.83 is 0.166: the next round step is 0.2
  const Ticks ticks = ticks_between(-0.42, 0.41, 5.0);
  std::vector<std::string> labels;
  for (const double value : ticks.values) {
    labels.push_back(tick_label(value));
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"\u22120.4", "\u22120.2", "0", "0.2", "0.4"}));
  EXPECT_EQ(ticks_between(0.0, 91.0, 5.0).step, 20.0);  // 18.2
  EXPECT_EQ(ticks_between(0.0, 70.0, 10.0).step, 5.0);  // 7 is nearer to 5, by ratio
  EXPECT_EQ(tick_label(10.0), "10");
  EXPECT_EQ(tick_label(ticks_between(0.0, 0.7, 10.0).values[1]), "0.05");
}

class PathTraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path = std::filesystem::temp_directory_path() /
           (std::string("longarm-figure-") + info->name() + ".csv");
  }
  void TearDown() override { std::filesystem::remove(path); }
  std::filesystem::path path;
};

TEST_F(PathTraceTest, IsReadFromItsColumnsWithoutStepsTooSmallToSee) {
  // the third row is 1 µm from the second and left out; the last is kept as the end
  std::ofstream(path) << "time_s,end_effector.x,end_effector.y,end_effector.z,path_deviation.m\n"
                         "0.001,1,2,3,0.5\n0.002,1.1,2,3,0.25\n0.003,1.100001,2,3,0.125\n"
                         "0.004,1.100002,2,3,0\n";
  const Result<PathTrace> trace = read_path_trace(path);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace.value().path_m, (std::vector<Point3>{{1, 2, 3}, {1.1, 2, 3}, {1.100002, 2, 3}}));
  ASSERT_EQ(trace.value().deviation.size(), 4U);
  EXPECT_EQ(trace.value().deviation[1].time_s, 0.002);
  EXPECT_EQ(trace.value().deviation[1].distance_m, 0.25);
}

TEST_F(PathTraceTest, SaysWhichColumnIsMissing) {
  std::ofstream(path) << "time_s,end_effector.x,end_effector.y\n";
  EXPECT_EQ(read_path_trace(path).error().message, path.string() + " has no column end_effector.z");
}

}  // namespace
}  // namespace longarm::record
