// SPDX-License-Identifier: Apache-2.0
// Studies of experiments: real ones of a belt that runs for a moment, and rows made by hand.
#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include "labs/labs.h"
#include "longarm/core/suggest.h"
#include "longarm/study/curves.h"
#include "longarm/study/report/export.h"
#include "longarm/study/report/figures.h"
#include "longarm/study/report/report_data.h"
#include "longarm/study/report/report_figures.h"
#include "longarm/study/test/report_fixture.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ExperimentStudyTest : public ReportTest {
 protected:
  SweepResult run(const std::vector<std::string>& texts, const std::string& file, int threads = 1) {
    std::vector<Axis> axes;
    for (const std::string& text : texts) {
      axes.push_back(parse_axis(text));
    }
    const cell::Plugins plugins = labs::built_in_plugins();
    const StudySource source{"belt", "", "belt-bench", {"actors.bench.length=400ms"}, {}};
    const PointRunner runner(source, Grid(axes), {}, plugins);
    Store store(folder / file, Store::Mode::kWrite);
    SweepOptions options;
    options.command = "longarm sweep belt";
    options.workers = [&](const Work& work) { work_in_threads(work, threads); };
    return sweep(source, runner, store, options);
  }

  /// Everything that is compared between studies.
  std::string exported(const std::string& file, const ExportOptions& options) const {
    const Store store(folder / file, Store::Mode::kRead);
    std::string text;
    export_csv(store, options, [&](const std::string& line) { text += line; });
    store.for_each_result([&](const ResultRow& row) {
      text += store.scenario(row.identity) + store.curves(row.identity);
    });
    return text;
  }

  static RunRow made(const std::string& identity, Json metrics) {
    RunRow run;
    run.identity = identity;
    run.metrics = {{"ended", "completed"}, {"simulated_s", 3.0}};
    run.metrics.update(metrics);
    run.metrics["state_hash"] = "hash of " + identity;
    run.wall_s = 1.5;
    return run;
  }

  /// Two laws by two forces; 0.3 s and 4 ms, of which 0.5 s and 8 ms are the closed forms.
  void make_by_hand() const {
    StudyFigures figures;
    figures.kind = "drop";
    figures.title = "something dropped";
    figures.curves = {{"x", "displacement", "mm", 1e3}, {"angle", "angle", "deg", 57.3}};
    figures.columns = {{"is_held", "held", "", 1.0, 0},
                       {"slip_s", "slip time", "ms", 1e3, 1, "slip_closed_s"},
                       {"slip_closed_s", "slip time, closed form", "ms", 1e3, 1}};
    figures.outcome = "is_held";
    Store store(study_file(), Store::Mode::kWrite);
    store.put_document(kFiguresDocument, to_json(figures));
    StudyQuestion question{"drop", "drop", "longarm sweep drop", "", {}};
    question.axes = {{{"key", "law"}, {"values", {"parallel", "mimic-pid"}}},
                     {{"key", "force_n"}, {"values", {"1", "10"}}}};
    store.ask(question, {{"a", {0, 0}}, {"b", {0, 1}}, {"c", {1, 0}}, {"d", {1, 1}}},
              names_of(figures.columns));
    Curves curves{0.001, 0.001, {"x", "angle"}, {{0.001F, 0.002F}, {0.0F, 0.5F}}};
    RunRow first = made("a", {{"is_held", true}, {"slip_s", 0.3}, {"slip_closed_s", 0.5}});
    first.curves = pack(curves);
    store.add("a", first);
    store.add("b", made("b", {{"is_held", false}, {"slip_s", 0.004}, {"slip_closed_s", 0.008}}));
    store.add("c", made("c", {{"is_held", nullptr}, {"slip_s", "never"}}));
    store.add("d", made("d", {{"ended", "diverged"}, {"is_held", false}, {"slip_s", 7.0}}));
  }
};

TEST_F(ExperimentStudyTest, GivesTheSameRowsWithAnyNumberOfThreads) {
  const std::vector<std::string> axes{"actors.bench.speed_m_s=0.1,0.2",
                                      "actors.bench.friction=0.3,1"};
  EXPECT_EQ(run(axes, "one.db").progress.answered, 4U);
  run(axes, "two.db", 2);
  const ExportOptions all{.has_all_metrics = true};
  EXPECT_EQ(exported("one.db", all), exported("two.db", all));
}

TEST_F(ExperimentStudyTest, RunsOnlyWhatIsNew) {
  EXPECT_EQ(run({"actors.bench.speed_m_s=0.1,0.2"}, "study.db").progress.ran, 2U);
  EXPECT_EQ(run({"actors.bench.speed_m_s=0.2,0.1"}, "study.db").progress.ran, 0U);
  EXPECT_EQ(run({"actors.bench.speed_m_s=0.1,0.2,0.5"}, "study.db").progress.ran, 1U);
}

TEST_F(ExperimentStudyTest, KeepsCurvesOfEveryStepOfAShortRunAndOfTheFirstSeedOnly) {
  run({"seed=1,2"}, "study.db");
  const Store store(study_file(), Store::Mode::kRead);
  std::vector<std::string> packed;
  double simulated_s = 0.0;
  store.for_each_result({"simulated_s"}, [&](const ResultRow& row) {
    EXPECT_EQ(row.reference, "");
    packed.push_back(store.curves(row.identity));
    simulated_s = row.metrics[0].value();
  });
  ASSERT_EQ(packed.size(), 2U);
  EXPECT_EQ(packed[1], "");
  const Result<Curves> curves = unpack(packed[0]);
  ASSERT_TRUE(curves);
  // steps of 1 ms each; what is recorded after a step has the time of its end
  EXPECT_EQ(curves->samples(), static_cast<std::size_t>(std::lround(simulated_s / 0.001)));
  EXPECT_DOUBLE_EQ(curves->start_s, 0.001);
  EXPECT_DOUBLE_EQ(curves->period_s, 0.001);
  // those of the figures, and the positions of joints for the scene
  EXPECT_EQ(
      static_cast<std::size_t>(std::ranges::count_if(
          curves->names, [](const std::string& name) { return !name.starts_with("position."); })),
      figures_of(store)->curves.size());
  EXPECT_LT(figures_of(store)->curves.size(), curves->names.size());
}

TEST_F(ExperimentStudyTest, ThinsOutTheCurvesOfALongRun) {
  const cell::Plugins plugins = labs::built_in_plugins();
  const StudySource source{
      "belt", "", "belt-bench", {"actors.bench.length=500ms", "physics.period=100us"}, {}};
  const PointRunner runner(source, Grid({parse_axis("seed=1")}), {}, plugins);
  const RunRow row = runner.run(0).row.value();
  const Result<Curves> curves = unpack(row.curves);
  ASSERT_TRUE(curves);
  // so many steps are more than 2000 samples: every n-th is kept, n the least that will do
  const auto steps =
      static_cast<std::size_t>(std::lround(row.metrics["simulated_s"].get<double>() / 1e-4));
  ASSERT_GE(steps, 5000U);
  const std::size_t every = (steps + 1999) / 2000;
  EXPECT_EQ(curves->samples(), steps / every);
  EXPECT_DOUBLE_EQ(curves->period_s, 1e-4 * static_cast<double>(every));
}

TEST_F(ExperimentStudyTest, SaysBeforeAnythingRunsThatAnAxisNamesNoKey) {
  const std::string error = error_of([&] { run({"actors.bench.speeed_m_s=0.1"}, "study.db"); });
  EXPECT_EQ(error,
            "--axis actors.bench.speeed_m_s=0.1: error: unknown key 'actors.bench.speeed_m_s'\n"
            "  hint: did you mean 'speed_m_s'?");
  EXPECT_FALSE(std::filesystem::exists(study_file()));
}

TEST_F(ExperimentStudyTest, AStudyOfAnArmInTheSameFileTakesItsFiguresAway) {
  run({"actors.bench.speed_m_s=0.1"}, "study.db");
  EXPECT_TRUE(figures_of(Store(study_file(), Store::Mode::kRead)));
  sweep_one_joint({"link.delay=0ms"});
  const Store store(study_file(), Store::Mode::kRead);
  EXPECT_FALSE(figures_of(store));
  EXPECT_EQ(summarise(store).columns.front().name, "path_deviation_max_m");
}

TEST_F(ExperimentStudyTest, ReadsNumbersAndTruthFromTheMetricsAndNoWords) {
  make_by_hand();
  const Store store(study_file(), Store::Mode::kRead);
  std::vector<std::vector<std::optional<double>>> found;
  store.for_each_result({"is_held", "slip_s", kRealTimeFactor},
                        [&](const ResultRow& row) { found.push_back(row.metrics); });
  // 3 s simulated in 1.5 s
  EXPECT_THAT(
      found, ElementsAre(ElementsAre(1.0, 0.3, 2.0), ElementsAre(0.0, 0.004, 2.0),
                         ElementsAre(std::nullopt, std::nullopt, 2.0), ElementsAre(0.0, 7.0, 2.0)));
}

TEST_F(ExperimentStudyTest, TheTableHasTheKindsMetricsAndMarksTheMachines) {
  make_by_hand();
  const std::string table =
      format_summary_table(summarise(Store(study_file(), Store::Mode::kRead)));
  EXPECT_THAT(table, HasSubstr("slip time"));
  EXPECT_THAT(table, HasSubstr("300.0"));
  EXPECT_THAT(table, HasSubstr("7000.0*"));
  EXPECT_THAT(table, HasSubstr("DIVERGED"));
  EXPECT_THAT(table, HasSubstr("† of this machine"));
  EXPECT_THAT(table, Not(HasSubstr("stable")));
}

TEST_F(ExperimentStudyTest, ExportsWhatTheMachineDidOnlyWhenAsked) {
  make_by_hand();
  const std::string plain = exported("study.db", {});
  EXPECT_THAT(plain, testing::StartsWith("law,force_n,ended,is_held,slip_s,slip_closed_s,"
                                         "state_hash,identity\r\n"
                                         "parallel,1,completed,1,0.3,0.5,hash of a,a\r\n"));
  EXPECT_THAT(exported("study.db", {.has_machine = true}),
              HasSubstr("identity,machine.real_time_factor\r\nparallel,1,completed,1,0.3,0.5,"
                        "hash of a,a,2\r\n"));
}

TEST_F(ExperimentStudyTest, TheReportNeedsNothingButTheDatabase) {
  make_by_hand();
  const Json page = to_json(make_report(study_file()));
  EXPECT_EQ(page["title"], "something dropped");
  EXPECT_EQ(page["experiment"]["outcome"], "is_held");
  EXPECT_EQ(page["figures"]["curves-2"]["unit"], "deg");
  EXPECT_EQ(page["columns"][1]["expected"], "slip_closed_s");
  EXPECT_EQ(page["columns"].back()["is_of_machine"], true);
  EXPECT_EQ(page["rows"][3]["verdicts"]["unstable"], 1);
  ASSERT_EQ(page["series"].size(), 1U);
  EXPECT_EQ(page["series"][0]["curves"].size(), 2U);
  EXPECT_FALSE(page["figures"].contains("paths"));
}

TEST_F(ExperimentStudyTest, AnArmsPageKnowsNothingOfExperiments) {
  make_study();
  const Json page = to_json(make_report(study_file()));
  EXPECT_FALSE(page.contains("experiment"));
  EXPECT_FALSE(page["columns"][0].contains("expected"));
}

TEST_F(ExperimentStudyTest, FiguresAreOnePerUnitOnePerMetricAndAMap) {
  make_by_hand();
  std::vector<std::string> names;
  for (const auto& file : write_figures(make_report(study_file()), folder / "svg")) {
    names.push_back(file.filename());
  }
  EXPECT_THAT(names, ElementsAre("outcome.svg", "curves-1.svg", "curves-2.svg", "metric-slip_s.svg",
                                 "metric-real_time_factor.svg"));
}

TEST_F(ExperimentStudyTest, TheMapHasASignForEveryPoint) {
  make_by_hand();
  const std::string svg = draw(make_report(study_file()), "outcome");
  for (const char* sign : {">●<", ">✕<", ">?<", ">▲<"}) {
    EXPECT_THAT(svg, HasSubstr(sign));
  }
  EXPECT_THAT(svg, HasSubstr(">mimic-pid<"));
}

TEST_F(ExperimentStudyTest, MetricsOverDecadesAreDrawnOnALogarithmicAxisWithTheirClosedForm) {
  make_by_hand();
  const Report report = make_report(study_file());
  // of 4 ms to 7 s: three decades, and every power of ten of milliseconds has a number
  const std::string svg = draw_metric(report, metric_scales(report)[1]);
  EXPECT_THAT(svg, HasSubstr(">10<"));
  EXPECT_THAT(svg, HasSubstr(">100<"));
  EXPECT_THAT(svg, HasSubstr("line-0-closed-form"));
  EXPECT_THAT(svg, HasSubstr("Hollow markers are points with diverged runs"));
}

TEST_F(ExperimentStudyTest, AMapOfWhatIsBadWhenTrueHasItsSignsTheOtherWayRound) {
  make_by_hand();
  Report report = make_report(study_file());
  EXPECT_THAT(find_figure(figures_of(report), "outcome")->caption, HasSubstr("● yes"));
  report.experiment->outcome_is_good = false;
  const std::string svg = draw(report, "outcome");
  EXPECT_THAT(svg, HasSubstr("✕ yes"));
  EXPECT_THAT(svg, HasSubstr("● no"));
}

TEST_F(ExperimentStudyTest, TheTableSaysYesAndNoAndLeavesClosedFormsOut) {
  make_by_hand();
  const std::string table =
      format_summary_table(summarise(Store(study_file(), Store::Mode::kRead)));
  EXPECT_THAT(table, HasSubstr(" yes "));
  EXPECT_THAT(table, HasSubstr(" no "));
  EXPECT_THAT(table, Not(HasSubstr("closed form")));
}

/// One metric over an axis of two lines, in its own unit.
Report report_of_metric(const std::vector<std::string>& values, const std::vector<double>& means) {
  Report report;
  report.experiment = StudyFigures{};
  report.columns = {{"slip_m", "slip", "m", 1.0, 3}};
  nlohmann::ordered_json axis{{"key", "trays"}, {"values", values}};
  report.axes = read_axes({axis, {{"key", "mode"}, {"values", {"none", "merge"}}}});
  for (std::size_t mode = 0; mode < 2; ++mode) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      SummaryRow row;
      row.point = {i, mode};
      row.count = row.stable = 1;
      row.cells = {SummaryCell{1, means[i] * static_cast<double>(1 + mode), std::nullopt}};
      report.rows.push_back(row);
    }
  }
  return report;
}

/// The different places of markers across.
std::set<std::string> columns_of_markers(const std::string& svg) {
  std::set<std::string> places;
  for (std::size_t at = svg.find("<circle cx=\""); at != std::string::npos;
       at = svg.find("<circle cx=\"", at + 1)) {
    places.insert(svg.substr(at, svg.find("\" cy", at) - at));
  }
  return places;
}

TEST(ExperimentFigure, MarkersOfSeveralLinesStandAtTheirNumber) {
  const std::string svg = draw(report_of_metric({"1", "10", "100"}, {1.0, 2.0, 3.0}), "metric");
  EXPECT_EQ(columns_of_markers(svg).size(), 3U);
  EXPECT_THAT(svg, HasSubstr("id=\"line-0\""));
}

TEST(ExperimentFigure, NoLineJoinsWords) {
  const std::string svg = draw(report_of_metric({"ode", "mujoco"}, {1.0, 2.0}), "metric");
  EXPECT_EQ(columns_of_markers(svg).size(), 2U);
  EXPECT_THAT(svg, Not(HasSubstr("id=\"line-0\" d=\"M")));
}

TEST(ExperimentFigure, RoundingNoiseStandsBelowTheAxisAndDoesNotStretchIt) {
  // 1 to 50, or 100 of the second line; 1e-15 would be fifteen decades below
  const std::string svg = draw(report_of_metric({"1", "2", "3"}, {1e-15, 1.0, 50.0}), "metric");
  EXPECT_THAT(svg, HasSubstr(">≈ 0<"));
  EXPECT_THAT(svg, HasSubstr(">10<"));
  EXPECT_THAT(svg, Not(HasSubstr(">1e-")));
  EXPECT_THAT(draw(report_of_metric({"1", "2"}, {1.0, 50.0}), "metric"), Not(HasSubstr("≈ 0")));
}

TEST(ExperimentFigure, AMapHasTwoNumericAxesWhereThereAreTwoElseThoseThatComeFirst) {
  const auto axes_of = [](const nlohmann::ordered_json& axes) {
    Report report;
    report.axes = read_axes(axes);
    return outcome_axes(report);
  };
  const nlohmann::ordered_json law{{"key", "law"}, {"values", {"a", "b"}}};
  const nlohmann::ordered_json force{{"key", "force"}, {"values", {"1", "2"}}};
  const nlohmann::ordered_json mass{{"key", "mass"}, {"values", {"1", "5"}}};
  const nlohmann::ordered_json one{{"key", "mass"}, {"values", {"1"}}};
  EXPECT_THAT(axes_of({law, force, mass}), ElementsAre(1U, 2U));
  EXPECT_THAT(axes_of({law, force}), ElementsAre(0U, 1U));
  EXPECT_THAT(axes_of({one, law}), ElementsAre(1U));
}

TEST(ExperimentFigure, AnOutcomeIsYesOrNoOnlyIfAllRunsOfAPointAgree) {
  Report report = report_of_metric({"1", "2"}, {1.0, 0.0});
  report.experiment->outcome = "slip_m";
  const auto sign = [&](const std::optional<SummaryCell>& cell, std::size_t unstable) {
    SummaryRow row;
    row.count = 2;
    row.unstable = unstable;
    row.cells = {cell};
    return outcome_signs(report)[outcome_of(report, &row)].name;
  };
  EXPECT_EQ(sign(SummaryCell{2, 1.0, std::nullopt}, 0), "yes");
  EXPECT_EQ(sign(SummaryCell{2, 0.0, std::nullopt}, 0), "no");
  EXPECT_EQ(sign(SummaryCell{2, 0.5, std::nullopt}, 0), "mixed");
  EXPECT_EQ(sign(SummaryCell{1, 1.0, std::nullopt}, 0), "mixed");  // the other run has none
  EXPECT_EQ(sign(std::nullopt, 0), "undecided");
  EXPECT_EQ(sign(SummaryCell{2, 1.0, std::nullopt}, 2), "diverged");
  EXPECT_EQ(outcome_signs(report)[outcome_of(report, nullptr)].name, "open");
}

TEST(ExperimentFigure, AChartOpensOnTheFirstMetricThatIsNotTheSameEverywhere) {
  Report report = report_of_metric({"1", "2"}, {1.0, 2.0});
  report.columns.insert(report.columns.begin(), {{"still", "still", "m", 1.0, 3}});
  report.columns.push_back({{"slip_closed_m", "closed form", "m", 1.0, 3}});
  report.columns[1].expected = "slip_closed_m";
  double noise = 0.0;
  for (SummaryRow& row : report.rows) {
    row.cells.insert(row.cells.begin(), SummaryCell{1, noise += 1e-15, std::nullopt});
    row.cells.push_back(row.cells[1]);
  }
  const std::vector<MetricScale> scales = metric_scales(report);
  ASSERT_EQ(scales.size(), 2U);  // a closed form is no metric of its own
  EXPECT_EQ(first_metric(report, scales), 1U);
  EXPECT_EQ(scales[1].title, "slip [m]");
  EXPECT_FALSE(scales[1].is_log);  // 1 to 4: not thirty times apart
  EXPECT_DOUBLE_EQ(scales[1].floor, 4e-6);
}

TEST(ReportAxis, ShowsDurationsInOneUnit) {
  const ReportAxis axis = read_axes({{{"key", "p"}, {"values", {"0s", "250us", "1ms"}}}})[0];
  EXPECT_EQ(axis.values[0].shown, "0 ms");
  EXPECT_EQ(axis.values[1].shown, "0.25 ms");
  EXPECT_EQ(axis.title(), "p [ms]");
}

TEST(ReportAxis, NamesTheUnitThatAKeyEndsIn) {
  const auto title = [](const std::string& key) {
    ReportAxis axis;
    axis.key = key;
    return axis.title();
  };
  EXPECT_EQ(title("impulse_m_s"), "impulse [m/s]");
  EXPECT_EQ(title("contact.min_depth_m"), "contact.min_depth [m]");
  EXPECT_EQ(title("trays"), "trays");
}

TEST(ComparedAxis, IsOfWordsOtherThanTheEngine) {
  const std::vector<ReportAxis> axes =
      read_axes({{{"key", "engine"}, {"values", {"mujoco", "ode"}}},
                 {{"key", "force_n"}, {"values", {"1", "2"}}},
                 {{"key", "law"}, {"values", {"parallel", "mimic-pid"}}}});
  EXPECT_EQ(compared_axis(axes, Steps(3)), 2U);
  EXPECT_EQ(varied_axis(axes, Steps(3)), 1U);
  EXPECT_EQ(compared_axis(axes, {std::nullopt, std::nullopt, 0}), 1U);
}

TEST(StudyFigures, ReadBackAsTheyWereAndRefuseWhatIsDamaged) {
  StudyFigures figures;
  figures.kind = "drop";
  figures.columns = {{"a", "b", "mm", 1e3, 2, "c"}};
  figures.outcome = "a";
  figures.outcome_is_good = false;
  figures.headline = 6;
  EXPECT_EQ(read_figures_document(to_json(figures)), figures);
  Json damaged = to_json(figures);
  damaged["metrics"][0]["scale"] = "much";
  EXPECT_EQ(read_figures_document(damaged), std::nullopt);
}

}  // namespace
}  // namespace longarm::study
