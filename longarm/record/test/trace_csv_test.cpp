// SPDX-License-Identifier: Apache-2.0
// Tests that traces read back the very numbers that were written.
#include "longarm/record/trace_csv.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace longarm::record {
namespace {

using namespace std::chrono_literals;

class TraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::temp_directory_path() / (std::string("longarm-") + info->name());
    std::filesystem::create_directories(folder);
    path = folder / "trace.csv";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::filesystem::path folder;
  std::string path;
};

TEST_F(TraceTest, ReadsBackEveryBit) {
  double value = 0.1;
  sim::Probes probes;
  probes.add({"position", {"a", "b"}, [&](std::span<double> out) {
                out[0] = value;
                out[1] = -1.0 / 3.0;
              }});
  auto writer = CsvTraceWriter::open(path, probes);
  ASSERT_TRUE(writer);
  writer.value()->record(Time(1ms));
  value = 1e-300;
  writer.value()->record(Time(2ms));
  ASSERT_TRUE(writer.value()->close());

  auto reader = CsvTraceReader::open(path);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader.value()->find_column("position.b"), 2U);
  EXPECT_EQ(reader.value()->find_column("position.c"), std::nullopt);
  EXPECT_EQ(*reader.value()->next(), (std::vector<double>{0.001, 0.1, -1.0 / 3.0}));
  EXPECT_EQ(*reader.value()->next(), (std::vector<double>{0.002, 1e-300, -1.0 / 3.0}));
  EXPECT_EQ(reader.value()->next(), nullptr);
}

TEST_F(TraceTest, StopsAtARowThatWasCutShort) {
  std::ofstream(path) << "time_s,position.a\n0.001,1\n0.002,\n";
  auto reader = CsvTraceReader::open(path);
  ASSERT_TRUE(reader);
  EXPECT_NE(reader.value()->next(), nullptr);
  EXPECT_EQ(reader.value()->next(), nullptr);
}

TEST_F(TraceTest, SaysWhatIsWrongWithAFile) {
  EXPECT_EQ(CsvTraceReader::open(path).error().message, "cannot read " + path);
  std::ofstream(path) << "a,b\n1,2\n";
  EXPECT_EQ(CsvTraceReader::open(path).error().message,
            path + " is not a trace: its first column is not time_s");
  EXPECT_EQ(CsvTraceWriter::open(folder / "no" / "t.csv", sim::Probes()).error().message,
            "cannot write " + (folder / "no" / "t.csv").string() + ": No such file or directory");
}

}  // namespace
}  // namespace longarm::record
