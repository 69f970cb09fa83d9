// SPDX-License-Identifier: Apache-2.0
// A report says what the study's file says, to the last bit, and is a whole page or none.
#include "longarm/study/report/report.h"

#include <cmath>
#include <cstring>
#include <fstream>

#include "labs/labs.h"
#include "longarm/cell/run_folder.h"
#include "longarm/config/text_file.h"
#include "longarm/core/text.h"
#include "longarm/record/sqlite.h"
#include "longarm/study/test/report_fixture.h"

namespace longarm::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kPage =
    "<html><script type=\"application/json\" id=\"report-data\">{}</script><p>after</p></html>";

/// The other way round, written for the test: base64 (RFC 4648) of little-endian floats.
std::vector<float> floats(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') {
      break;
    }
    bits = bits << 6U | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<unsigned char>(bits >> static_cast<unsigned>(count) & 0xffU));
    }
  }
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), values.size() * 4);
  return values;
}

class ReportDataTest : public ReportTest {};

TEST_F(ReportDataTest, NumbersAreThoseOfTheStudyToTheLastBit) {
  make_study();
  const Json data = Json::parse(to_json(make_report(folder)).dump());
  EXPECT_EQ(data["kind"], "study");
  EXPECT_EQ(data["axes"].size(), 1U);
  EXPECT_EQ(data["repeats"]["count"], 3);
  ASSERT_EQ(data["rows"].size(), 2U);
  EXPECT_EQ(data["columns"][0]["name"], "path_deviation_max_m");
  const Json& cell = data["rows"][1]["cells"][0];
  EXPECT_EQ(cell["mean"].get<double>(), 1.0 / 3.0);
  EXPECT_EQ(cell["low"], nullptr);  // one of the runs became unstable
  EXPECT_EQ(data["rows"][1]["verdicts"], (Json{{"stable", 1}, {"unstable", 1}}));
  EXPECT_EQ(data["rows"][1]["unstable_joint"], "elbow_joint");
  EXPECT_EQ(data["rows"][0]["unstable_joint"], nullptr);
  // columns that no run has are left out
  EXPECT_EQ(data["columns"].size(), 2U);
  EXPECT_EQ(data["columns"][1]["name"], "settling_time_s");
  EXPECT_EQ(data["rows"][1]["cells"][1]["low"], nullptr);
}

TEST_F(ReportDataTest, SaysWhatIsMissing) {
  make_study();
  const Report report = make_report(study_file());
  EXPECT_FALSE(report.plan.has_value());
  EXPECT_THAT(report.about.warnings, testing::Contains(HasSubstr("1 of 6 runs are not finished")));
  EXPECT_THAT(report.about.warnings, testing::Contains(HasSubstr("the planned path is not shown")));
}

TEST_F(ReportDataTest, OfRealRunsHasTheirCurvesAndTheirPlan) {
  sweep_one_joint({"link.delay=0ms,5ms", "gain=20", "seed=1,2"});
  const Json data = to_json(make_report(folder));
  EXPECT_EQ(data["about"]["warnings"], Json::array());
  EXPECT_EQ(data["about"]["runs"], 4);
  EXPECT_EQ(data["about"]["engine"], "mujoco");
  EXPECT_EQ(data["joints"].size(), 1U);
  EXPECT_EQ(data["plan"]["waypoints_m"].size(), 1U);

  // the run without a delay is the reference, too, and drawn once
  ASSERT_EQ(data["series"].size(), 2U);
  const Json& reference = data["series"][0];
  const Json& delayed = data["series"][1];
  EXPECT_EQ(reference["is_reference"], true);
  EXPECT_EQ(delayed["is_reference"], false);
  EXPECT_EQ(delayed["label"], "5 ms, gain 20");
  EXPECT_EQ(delayed["point"], Json({1, 0}));
  EXPECT_EQ(delayed["link"]["commands"]["delay_max_s"], 0.005);

  // samples are those of the file
  const Store store(study_file(), Store::Mode::kRead);
  std::string identity;
  store.for_each_result([&](const ResultRow& row) {
    identity = row.values == Point{1, 0, 0} ? row.identity : identity;
  });
  const Curves curves = unpack(store.curves(identity)).value();
  ASSERT_EQ(curves.samples(), 300U);  // every millisecond: fewer than the page can hold
  EXPECT_EQ(delayed["count"], 300);
  EXPECT_EQ(floats(delayed["curves"]["end_effector.x"]), *curves.find("end_effector.x"));
  EXPECT_EQ(floats(delayed["curves"]["velocity_command.joint"]),
            *curves.find("velocity_command.joint"));
  EXPECT_EQ(floats(delayed["curves"]["cumulated_velocity_command_difference"]),
            *curves.find("cumulated_velocity_command_difference"));
}

TEST_F(ReportDataTest, NeedsNoModelFileAgain) {
  fs::create_directory(folder / "mine");
  fs::copy_file(fs::path(LONGARM_SOURCE_DIR) / "models/one-joint/one-joint.urdf",
                folder / "mine/arm.urdf");
  std::string text =
      config::read_text_file(fs::path(LONGARM_SOURCE_DIR) / "scenarios/one-joint.yaml");
  text.replace(text.find("model: one-joint"), 16, "model: arm.urdf");
  config::write_text_file(folder / "mine/arm.yaml", text);
  sweep_one_joint({"link.delay=1ms"}, folder / "mine/arm.yaml");
  fs::remove_all(folder / "mine");
  const Report report = make_report(folder);
  EXPECT_TRUE(report.about.warnings.empty());
  ASSERT_TRUE(report.plan.has_value());
  // 0.5 m from the axis, 0.1 rad off
  EXPECT_NEAR((*report.plan->start_m)[1], 0.5 * std::sin(0.1), 1e-12);
}

TEST_F(ReportDataTest, AReferenceThatIsNoPointOfTheGridIsAddedOnce) {
  sweep_one_joint({"link.delay=4ms,5ms"});
  const Report report = make_report(folder);
  ASSERT_EQ(report.series.size(), 3U);
  EXPECT_EQ(report.series[2].label, "without the link");
  EXPECT_TRUE(report.series[2].is_reference);
  EXPECT_TRUE(report.series[2].point.empty());
  EXPECT_FALSE(report.series[0].is_reference);
}

TEST_F(ReportDataTest, EverySliceHasItsShareOfTheCurves) {
  sweep_one_joint({"gain=10,15,20,30", "link.delay=1ms..16ms:1ms"});
  const Json data = to_json(make_report(folder));
  // 48 curves for 4 gains are 12 of each, and each gain has a run without the link
  std::vector<int> shown(4, 0);
  std::vector<Json> slices;
  for (const Json& series : data["series"]) {
    if (series["point"].empty()) {
      EXPECT_TRUE(series["is_reference"]);
      slices.push_back(series["slice_of"]);
    } else {
      ++shown[series["point"][0].get<std::size_t>()];
    }
  }
  EXPECT_THAT(shown, ElementsAre(12, 12, 12, 12));
  EXPECT_THAT(slices, ElementsAre(Json({0, nullptr}), Json({1, nullptr}), Json({2, nullptr}),
                                  Json({3, nullptr})));
  EXPECT_EQ(data["series"][48]["label"], "without the link, gain 10");
  // every row has its figures, whether its curves are there or not
  ASSERT_EQ(data["rows"].size(), 64U);
  for (const Json& row : data["rows"]) {
    EXPECT_TRUE(row["cells"][0].is_object());
  }
}

TEST_F(ReportDataTest, WarnsOfWhatCannotBeReadOfARun) {
  sweep_one_joint({"link.delay=1ms,2ms"});
  std::string identity;
  {
    const Store store(study_file(), Store::Mode::kRead);
    store.for_each_result(
        [&](const ResultRow& row) { identity = row.values == Point{1} ? row.identity : identity; });
  }
  for (const char* damage : {"{broken", "[]", R"({"link": 5, "warnings": 7, "state_hash": []})"}) {
    std::filesystem::copy_file(study_file(), folder / "copy.sqlite",
                               fs::copy_options::overwrite_existing);
    {
      record::SqliteConnection connection(folder / "copy.sqlite", SQLITE_OPEN_READWRITE);
      connection.prepare("UPDATE details SET metrics = ? WHERE identity = ?")
          .bind(1, std::string(damage))
          .bind(2, identity)
          .run();
    }
    const Report report = make_report(folder / "copy.sqlite");
    EXPECT_EQ(report.rows.size(), 2U);
    EXPECT_EQ(report.joints, std::vector<std::string>{"joint"});
    if (damage[1] != '"') {
      EXPECT_THAT(report.about.warnings, testing::Contains(HasSubstr("run " + identity)));
    }
    to_json(report);
  }
}

TEST_F(ReportDataTest, OfARunKnowsItsReference) {
  const auto run = [&](const char* name, const std::string& delay, const fs::path& reference) {
    const cell::PreparedScenario prepared =
        cell::load_scenario("one-joint", {{"task.hold=1s", delay}, {}}, labs::built_in_plugins());
    cell::RunOptions options;
    options.out = folder / name;
    options.reference = reference;
    return cell::run_scenario(prepared, options).metrics;
  };
  run("first", "link.delay=0ms", "");
  const Json metrics = run("second", "link.delay=5ms", folder / "first");
  const Report report = make_report(folder / "second");
  EXPECT_THAT(report.about.command, HasSubstr(" --reference " + (folder / "first").string()));
  ASSERT_EQ(report.series.size(), 2U);
  EXPECT_TRUE(report.series[1].is_reference);
  // summed from the traces here, and by the simulation there
  const std::vector<float>* difference =
      report.series[0].curves.find("cumulated_velocity_command_difference");
  ASSERT_NE(difference, nullptr);
  EXPECT_NEAR(static_cast<double>(difference->back()),
              metrics["cumulated_velocity_command_difference_rad"].get<double>(), 1e-6);

  fs::remove_all(folder / "first");
  // it was a run that was named, whatever its link
  EXPECT_THAT(report.columns[2].label, HasSubstr("distance to the reference run"));
  const Report alone = make_report(folder / "second");
  EXPECT_EQ(alone.series.size(), 1U);
  EXPECT_THAT(alone.about.warnings, testing::Contains(HasSubstr("is no longer in")));

  // a run of before this was recorded
  Json older = metrics;
  older.erase("reference");
  config::write_text_file(folder / "second/metrics.json", older.dump());
  EXPECT_THAT(make_report(folder / "second").about.command,
              testing::EndsWith(" --reference DIR (its reference is not recorded)"));
}

TEST_F(ReportDataTest, OfARunFolderHasItsTrace) {
  const cell::PreparedScenario prepared = cell::load_scenario(
      "one-joint", {{"task.hold=5s", "link.delay=3ms"}, {}}, labs::built_in_plugins());
  cell::RunOptions options;
  options.out = folder / "run";
  const cell::RunResult run = cell::run_scenario(prepared, options);
  const Json data = to_json(make_report(folder / "run"));
  EXPECT_EQ(data["kind"], "run");
  EXPECT_EQ(data["about"]["warnings"], Json::array());
  EXPECT_EQ(data["title"], prepared.scenario.title);
  ASSERT_EQ(data["series"].size(), 1U);
  // 5000 steps of 1 ms: every third is the first that makes not more than 2000
  EXPECT_EQ(data["series"][0]["count"], 1667);
  EXPECT_NEAR(data["series"][0]["period_s"].get<double>(), 0.003, 1e-12);
  EXPECT_EQ(data["series"][0]["start_s"], 0.001);
  ASSERT_EQ(data["rows"].size(), 1U);
  EXPECT_EQ(data["rows"][0]["cells"][0]["mean"].get<double>(),
            run.metrics["path_deviation_max_m"].get<double>());
}

TEST_F(ReportDataTest, OfMarginsIsTheirDocument) {
  Store(folder / "study.db", Store::Mode::kWrite).put_document("margin", Json::parse(R"({
      "title": "M", "about": {"scenario": "one-joint", "runs": 7},
      "margins": [{"cut": "velocity", "direction": "both", "critical_s": 0.015, "tried": []}],
      "margin_remarks": ["as predicted"]})"));
  const Json data = to_json(make_report(folder));
  EXPECT_EQ(data["kind"], "margin");
  EXPECT_EQ(data["about"]["runs"], 7);
  EXPECT_EQ(data["about"]["cut"], "velocity");
  EXPECT_EQ(data["margins"][0]["critical_s"], 0.015);
  EXPECT_EQ(data["margin_remarks"][0], "as predicted");
  EXPECT_EQ(data["plan"], nullptr);
}

TEST_F(ReportDataTest, NamesWhatWasFoundInsteadOfAStudy) {
  config::write_text_file(folder / "notes.txt", "?");
  const std::string here = folder.string();
  EXPECT_EQ(
      error_of([&] { make_report(folder); }),
      "error: '" + here +
          "' is neither a run nor a study\n"
          "  hint: the folder has notes.txt; give a run's folder, or the folder or study.db of a "
          "study or a margin search");
  EXPECT_EQ(
      error_of([&] { find_database(folder); }),
      "error: '" + here +
          "' is not a study\n"
          "  hint: the folder has notes.txt; give the folder or study.db written by longarm sweep");
  EXPECT_EQ(error_of([&] { make_report(folder / "gone"); }),
            "error: there is no '" + here +
                "/gone'\n"
                "  hint: give a run's folder, or the folder or study.db of a study or a "
                "margin search");
}

TEST(Thinned, KeepsEveryNthSampleAndTheTimeItHas) {
  Curves curves{0.5, 0.25, {"a"}, {{0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}}};
  EXPECT_EQ(thinned(curves, 7), curves);
  const Curves third = thinned(curves, 3);
  EXPECT_THAT(third.columns[0], ElementsAre(0.0F, 3.0F, 6.0F));
  EXPECT_EQ(third.start_s, 0.5);
  EXPECT_EQ(third.period_s, 0.75);
}

class ReportPageTest : public ReportTest {};

TEST_F(ReportPageTest, NoTextInTheDataCanLeaveIt) {
  make_study("</script><script>alert(1)</script><!--");
  const std::string html = report_html(make_report(folder), kPage);
  EXPECT_THAT(html, Not(HasSubstr("</script><script>")));
  EXPECT_THAT(html, Not(HasSubstr("<!--")));
  EXPECT_THAT(html, HasSubstr("</script><p>after</p></html>"));
  const std::size_t begin = html.find('{');
  const std::string data = html.substr(begin, html.find("</script>") - begin);
  EXPECT_EQ(Json::parse(data)["title"], "</script><script>alert(1)</script><!--");
}

TEST_F(ReportPageTest, TextThatIsNoUtf8DoesNotKeepTheRestBack) {
  make_study("caf\xe9");
  EXPECT_THAT(report_html(make_report(folder), kPage), HasSubstr("\"title\":\"caf\xef\xbf\xbd\""));
}

TEST_F(ReportPageTest, ABuildWithoutThePageSaysWhatToDo) {
  make_study();
  const Report report = make_report(folder);
  EXPECT_EQ(error_of([&] { report_html(report, ""); }),
            "error: this longarm was built without the report page\n"
            "  hint: install npm and rebuild, or use --svg DIR or longarm export");
}

TEST_F(ReportPageTest, AFileIsReplacedAsAWholeOrNotAtAll) {
  const fs::path file = folder / "report.html";
  replace_file(file, "old");
  replace_file(file, "new");
  EXPECT_EQ(config::read_text_file(file), "new");

  // a device that is always full stays one
  EXPECT_EQ(error_of([&] { replace_file("/dev/full", "x"); }),
            "error: cannot write /dev/full: No space left on device\n"
            "  hint: check that the disk is not full and that you may write there, or choose "
            "another --out");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));

  // what is written beside a file does not stay there
  EXPECT_EQ(error_of([&] { replace_file(folder / "no" / "r.html", "x"); }),
            "error: cannot write " + (folder / "no" / "r.html").string() +
                ": No such file or directory\n"
                "  hint: check that the disk is not full and that you may write there, or choose "
                "another --out");
  fs::create_directory(folder / "taken");
  EXPECT_THAT(error_of([&] { replace_file(folder / "taken", "x"); }),
              HasSubstr("cannot write " + (folder / "taken").string()));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2);
}

TEST_F(ReportPageTest, ALinkToAnOlderFileStaysALink) {
  replace_file(folder / "real.html", "old");
  fs::create_symlink("real.html", folder / "link.html");
  replace_file(folder / "link.html", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link.html"));
  EXPECT_EQ(config::read_text_file(folder / "real.html"), "new");
}

}  // namespace
}  // namespace longarm::study
