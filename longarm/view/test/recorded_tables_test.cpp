// SPDX-License-Identifier: Apache-2.0
// A recorded run as tables: the numbers that were written, bit for bit, from anywhere in it.
#include "longarm/view/recorded_tables.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "longarm/record/ros_trace.h"

namespace longarm::view {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::size_t kRows = 20'000;

double position_at(std::size_t row) {
  return std::sin(static_cast<double>(row) / 1000.0) / 3.0;
}

class Recorded : public testing::Test {
 protected:
  Recorded() {
    fs::create_directories(folder_);
    record::RosTraceConfig config;
    config.moving_frames = {{"world", "link", {}}};
    auto trace = record::RosTrace::open((folder_ / "trace.mcap").string(), config);
    const auto joints = (*trace)->add_joints("/arm/joint_states", {"shoulder", "elbow"});
    const auto events = (*trace)->add_json(
        "/events", "Event", {{"who", "string"}, {"count", "integer"}, {"speed_m_s", "number"}});
    for (std::size_t i = 0; i < kRows; ++i) {
      const Time now(static_cast<std::int64_t>(i) * 1ms);
      const double positions[] = {position_at(i), -1.0};
      joints->write(now, positions, {}, {});
      const record::FramePose pose({static_cast<double>(i), 0.0, 0.0},
                                   Eigen::Quaterniond::Identity());
      (*trace)->frames(now, std::span(&pose, 1));
    }
    events->write(Time(5s), {{"who", "fanuc"}, {"count", 3}, {"speed_m_s", 0.25}});
    events->write(Time(7s), {{"who", "fanuc"}});
    EXPECT_TRUE((*trace)->close());
    tables_ = std::move(RecordedTables::open((folder_ / "trace.mcap").string())).value();
  }
  ~Recorded() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::temp_directory_path() / ("longarm_tables_" + std::to_string(getpid()));
  std::unique_ptr<RecordedTables> tables_;
};

TEST_F(Recorded, JointsHaveAColumnEachForPositionVelocityAndEffort) {
  const std::size_t table = tables_->find("/arm/joint_states").value();
  const Table& joints = tables_->tables()[table];
  EXPECT_EQ(joints.rows, kRows);
  EXPECT_EQ(joints.period_s, 0.001);
  ASSERT_EQ(joints.columns.size(), 7U);
  EXPECT_EQ(joints.columns[1].name, "position.shoulder");
  EXPECT_EQ(joints.columns[2].name, "position.elbow");
  EXPECT_EQ(joints.columns[4].name, "velocity.elbow");
  EXPECT_EQ(joints.columns[4].unit, "rad/s");

  const auto rows = tables_->columns(table, {1, 0, 4}, 12'345, 12'347);
  EXPECT_EQ(rows[0], position_at(12'345));
  EXPECT_EQ(rows[1], position_at(12'346));
  EXPECT_EQ(rows[2], 12.345);
  EXPECT_TRUE(std::isnan(rows[4]));  // no velocity was written
}

TEST_F(Recorded, FramesHaveSevenColumnsEach) {
  const std::size_t table = tables_->find("/tf").value();
  EXPECT_EQ(tables_->tables()[table].columns.size(), 8U);
  EXPECT_EQ(tables_->tables()[table].columns[1].name, "link.x");
  const auto rows = tables_->columns(table, {0, 1, 7}, 3, 4);
  EXPECT_EQ(rows, (std::vector<double>{0.03, 30.0, 1.0}));
}

TEST_F(Recorded, JsonHasItsNumbersAsColumnsAndAllOfItAsText) {
  const std::size_t table = tables_->find("/events").value();
  const Table& events = tables_->tables()[table];
  ASSERT_EQ(events.columns.size(), 3U);
  EXPECT_EQ(events.columns[2].unit, "m/s");
  EXPECT_TRUE(events.has_texts);
  const auto rows = tables_->columns(table, {1, 2}, 0, 2);
  EXPECT_EQ(rows[0], 3.0);
  EXPECT_TRUE(std::isnan(rows[1]));
  EXPECT_EQ(rows[2], 0.25);
  const auto texts = tables_->texts(table, 1, 2);
  EXPECT_EQ(texts.front(), R"({"who":"fanuc"})");
}

TEST_F(Recorded, ARowIsTheNewestAtOrBeforeAnInstant) {
  const std::size_t table = tables_->find("/arm/joint_states").value();
  EXPECT_EQ(tables_->row_at(table, 0.0), 0U);
  EXPECT_EQ(tables_->row_at(table, 0.0019), 1U);
  EXPECT_EQ(tables_->row_at(table, 1e6), kRows - 1);
  EXPECT_EQ(tables_->row_at(tables_->find("/events").value(), 4.9), std::nullopt);
}

TEST_F(Recorded, AnOverviewMissesNoExtreme) {
  const std::size_t table = tables_->find("/arm/joint_states").value();
  // few bins go through blocks of rows, many through the rows themselves
  for (const std::size_t bins : {7U, 500U}) {
    const auto overview = tables_->overview(table, 1, 0.0, 20.0, bins);
    double least = 1.0;
    double most = -1.0;
    for (std::size_t i = 0; i < bins; ++i) {
      EXPECT_LE(overview.least[i], overview.most[i]);
      least = std::min(least, overview.least[i]);
      most = std::max(most, overview.most[i]);
    }
    double true_least = 1.0;
    double true_most = -1.0;
    for (std::size_t row = 0; row < kRows; ++row) {
      true_least = std::min(true_least, position_at(row));
      true_most = std::max(true_most, position_at(row));
    }
    EXPECT_EQ(least, true_least);
    EXPECT_EQ(most, true_most);
  }
}

TEST_F(Recorded, BinsWithoutRowsHaveNoValue) {
  const auto overview = tables_->overview(tables_->find("/events").value(), 1, 0.0, 10.0, 10);
  EXPECT_TRUE(std::isnan(overview.least[2]));
  EXPECT_EQ(overview.least[5], 3.0);
}

TEST_F(Recorded, ADamagedPartIsAGapThatIsTold) {
  const fs::path path = folder_ / "trace.mcap";
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(path) / 2));
    file << "damage";
  }
  const auto damaged = RecordedTables::open(path.string());
  ASSERT_TRUE(damaged);
  const RecordedTables& found = **damaged;
  EXPECT_EQ(found.problem(), "");
  const std::size_t table = found.find("/arm/joint_states").value();
  ASSERT_EQ(found.tables()[table].rows, kRows);
  // nobody knows before it is wanted
  EXPECT_EQ(found.columns(table, {1}, 0, 1).front(), 0.0);
  EXPECT_EQ(found.damage(), "");

  const std::vector<double> rows = found.columns(table, {0, 1}, 0, kRows);
  EXPECT_TRUE(found.damage().starts_with("damaged at byte ")) << found.damage();
  std::size_t missing = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    EXPECT_EQ(rows[row], static_cast<double>(row) / 1000.0);  // all have their times
    missing += std::isnan(rows[kRows + row]) ? 1 : 0;
    EXPECT_TRUE(std::isnan(rows[kRows + row]) || rows[kRows + row] == position_at(row));
  }
  EXPECT_GT(missing, 0U);
  EXPECT_FALSE(std::isnan(rows.back())) << "what comes after the gap is there";
  EXPECT_LT(missing, kRows / 2);

  // bins of a second and more, through blocks of rows: those in the gap alone have no value
  const Overview overview = found.overview(table, 1, 0.0, 20.0, 100);
  EXPECT_FALSE(std::isnan(overview.least.front()));
  EXPECT_FALSE(std::isnan(overview.least.back()));
}

}  // namespace
}  // namespace longarm::view
