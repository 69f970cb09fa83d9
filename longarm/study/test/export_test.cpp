// SPDX-License-Identifier: Apache-2.0
// What is exported reads back as what was stored.
#include "longarm/study/report/export.h"

#include <cstdlib>

#include "longarm/record/sqlite.h"
#include "longarm/study/test/report_fixture.h"

namespace longarm::study {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ExportTest : public ReportTest {
 protected:
  std::vector<std::string> lines(const ExportOptions& options = {}) const {
    const Store store(study_file(), Store::Mode::kRead);
    std::vector<std::string> all;
    export_csv(store, options, [&](const std::string& line) { all.push_back(line); });
    return all;
  }
  static std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> all(1);
    for (const char c : line.substr(0, line.size() - 2)) {
      if (c == ',') {
        all.emplace_back();
      } else {
        all.back() += c;
      }
    }
    return all;
  }
};

TEST_F(ExportTest, HasTheAxesThenWhatCameOut) {
  make_study();
  const std::vector<std::string> all = lines();
  ASSERT_EQ(all.size(), 6U);  // a heading and the five runs that are there
  EXPECT_THAT(all[0], StartsWith("link.delay_s,seed,verdict,unstable_joint,ended,"
                                 "path_deviation_max_m,"));
  EXPECT_THAT(all[0], HasSubstr(",state_hash,identity\r\n"));
  EXPECT_THAT(all[1], StartsWith("0,1,stable,,completed,0.001,,"));
  EXPECT_THAT(all[5], StartsWith("0.02,2,unstable,elbow_joint,diverged,"));
  EXPECT_THAT(all[5], HasSubstr(",hash of e,e\r\n"));
}

TEST_F(ExportTest, NumbersReadBackAsTheSameBits) {
  make_study();
  EXPECT_EQ(std::strtod(fields(lines()[4])[5].c_str(), nullptr), 1.0 / 3.0);
}

TEST_F(ExportTest, AllMetricsAreThoseOfEveryDepth) {
  make_study();
  const std::vector<std::string> all = lines({.has_all_metrics = true});
  const std::vector<std::string> heading = fields(all[0]);
  const auto place = std::find(heading.begin(), heading.end(), "joints.elbow_joint.overshoot_rad");
  ASSERT_NE(place, heading.end());
  EXPECT_EQ(fields(all[1])[static_cast<std::size_t>(place - heading.begin())], "0.25");
  // each name once, also those that have a column of their own
  EXPECT_EQ(std::count(heading.begin(), heading.end(), "path_deviation_max_m"), 1);
  EXPECT_EQ(std::count(heading.begin(), heading.end(), "seed"), 1);
}

TEST_F(ExportTest, KeysThatChangeTogetherHaveAColumnEach) {
  {
    Store store(study_file(), Store::Mode::kWrite);
    StudyQuestion question{"hand", "", "", "", {}};
    question.axes = {{{"key", "link.delay,cut"}, {"values", {"5.0ms/effort", "10ms/velocity"}}}};
    store.ask(question, {{"k0", {0}}, {"k1", {1}}});
    store.add("k0", row("a", 0.001));
    store.add("k1", row("b", 0.001));
  }
  const std::vector<std::string> all = lines();
  EXPECT_THAT(all[0], StartsWith("link.delay_s,cut,verdict,"));
  EXPECT_THAT(all[1], StartsWith("0.005,effort,stable,"));
  EXPECT_THAT(all[2], StartsWith("0.01,velocity,stable,"));
}

TEST_F(ExportTest, NamesTheRunThatIsDamaged) {
  make_study();
  record::SqliteConnection connection(study_file(), SQLITE_OPEN_READWRITE);
  connection.execute("UPDATE details SET metrics = '[]' WHERE identity = 'b'");
  EXPECT_EQ(lines().size(), 6U);  // not needed
  EXPECT_THAT(error_of([&] { lines({.has_all_metrics = true}); }),
              HasSubstr("the metrics of run b are damaged"));
  connection.execute("UPDATE grid SET steps = '[9, 0]' WHERE ordinal = 2");
  EXPECT_THAT(error_of([&] { lines(); }), HasSubstr("do not include the point of run c"));
  connection.execute("UPDATE grid SET steps = '{}' WHERE ordinal = 1");
  EXPECT_THAT(error_of([&] { lines(); }), HasSubstr("the grid is damaged after 1 runs"));
}

TEST(CsvField, IsQuotedWhereItMustBe) {
  // RFC 4180, 2.6 and 2.7
  EXPECT_EQ(csv_field("10ms"), "10ms");
  EXPECT_EQ(csv_field("[5, 10]"), "\"[5, 10]\"");
  EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

}  // namespace
}  // namespace longarm::study
