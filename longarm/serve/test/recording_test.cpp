// SPDX-License-Identifier: Apache-2.0
// What is written comes back the same, also when the end is missing.
#include "longarm/serve/recording.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "longarm/core/random.h"

namespace longarm::serve {
namespace {

using namespace std::chrono_literals;

class Recording : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  RecordingWriter write() {
    return std::move(RecordingWriter::make(file_, {1ms, {"plc", "a \"door\""}, "f00d"})).value();
  }
  std::vector<RecordingReader::Entry> read() {
    auto made = RecordingReader::make(file_);
    EXPECT_TRUE(made);
    RecordingReader reader = std::move(made).value();
    std::vector<RecordingReader::Entry> entries;
    while (auto entry = reader.next()) {
      entries.push_back(*entry);
    }
    problem_ = reader.problem();
    head_ = reader.head();
    return entries;
  }
  std::string text() const {
    std::stringstream all;
    all << std::ifstream(file_).rdbuf();
    return all.str();
  }

  std::filesystem::path file_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("longarm_recording_") +
       testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl");
  std::string problem_;
  RecordingHead head_;
};

TEST_F(Recording, CanBeReadByPeople) {
  write().add(7, {DoorEventKind::kData, 1, ConnectionId{3}, "<a b=\"c\">\n"});
  EXPECT_EQ(text(),
            "{\"format\":1,\"period_ns\":1000000,\"doors\":[\"plc\",\"a \\\"door\\\"\"],"
            "\"files_hash\":\"f00d\"}\n"
            "{\"step\":7,\"door\":\"a \\\"door\\\"\",\"client\":3,\"event\":\"data\","
            "\"text\":\"<a b=\\\"c\\\">\\n\"}\n");
}

TEST_F(Recording, KeepsCallsThatFailed) {
  const DoorEvent failed{DoorEventKind::kCallFailed, 0, ConnectionId{}, "10.0.0.1:1: why"};
  write().add(3, failed);
  EXPECT_TRUE(
      text().ends_with("{\"step\":3,\"door\":\"plc\",\"client\":0,"
                       "\"event\":\"call_failed\",\"text\":\"10.0.0.1:1: why\"}\n"));
  const auto entries = read();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].event, failed);
}

TEST_F(Recording, KeepsLinesForAMomentAndWritesThemTogether) {
  RecordingWriter writer = write();
  const std::string head = text();
  EXPECT_EQ(head.back(), '\n');
  const auto start = std::chrono::steady_clock::now();
  writer.add(1, {DoorEventKind::kOpen, 0, ConnectionId{1}, {}});
  writer.add(2, {DoorEventKind::kClose, 0, ConnectionId{1}, {}});
  EXPECT_EQ(text(), head);
  while (text() == head) {
    ASSERT_LT(std::chrono::steady_clock::now() - start, 10s);
    writer.flush_if_old();
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, 5ms);
  EXPECT_EQ(read().size(), 2U);
  // and with a checkpoint at once
  writer.add(3, {DoorEventKind::kOpen, 0, ConnectionId{2}, {}});
  writer.add({4, "w", "s", ""});
  EXPECT_EQ(read().size(), 4U);
}

TEST_F(Recording, BringsBackAnyBytes) {
  RandomStream random(1, "bytes");
  std::vector<DoorEvent> events;
  {
    RecordingWriter writer = write();
    for (std::uint64_t step = 0; step < 300; ++step) {
      std::string bytes;
      for (std::uint64_t i = random.bits() % 50; i > 0; --i) {
        // half of the lines are text
        bytes += static_cast<char>(step % 2 == 0 ? random.bits() % 256 : 32 + random.bits() % 95);
      }
      events.push_back({DoorEventKind::kData, step % 2, ConnectionId{9}, bytes});
      writer.add(step / 3, events.back());
    }
    writer.add({100, "w", "s", "stopped"});
  }
  const auto entries = read();
  ASSERT_EQ(entries.size(), 301U);
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(entries[i].step, i / 3);
    EXPECT_EQ(entries[i].event, events[i]) << i;
  }
  EXPECT_EQ(entries[300].checkpoint.end, "stopped");
  EXPECT_EQ(problem_, "");
  EXPECT_EQ(head_.files_hash, "f00d");
  EXPECT_EQ(head_.period, 1ms);
}

TEST_F(Recording, GoesAsFarAsItIsWhole) {
  {
    RecordingWriter writer = write();
    writer.add(1, {DoorEventKind::kOpen, 0, ConnectionId{1}, {}});
    writer.add(2, {DoorEventKind::kData, 0, ConnectionId{1}, "hello"});
  }
  const std::string whole = text();
  std::ofstream(file_) << whole.substr(0, whole.size() - 4);
  EXPECT_EQ(read().size(), 1U);
  EXPECT_EQ(problem_, "cut off in line 3");
  // also where only the end of the line is missing: more may have belonged to it
  std::ofstream(file_) << whole.substr(0, whole.size() - 1);
  EXPECT_EQ(read().size(), 1U);
}

TEST_F(Recording, NamesTheDamagedLine) {
  const std::string head =
      "{\"format\":1,\"period_ns\":1,\"doors\":[\"plc\"],\"files_hash\":\"\"}\n";
  const std::string good = "{\"step\":5,\"door\":\"plc\",\"client\":1,\"event\":\"open\"}\n";
  for (const std::string bad :
       {"{\"step\":4,\"door\":\"plc\",\"client\":1,\"event\":\"close\"}\n",  // back in time
        "{\"step\":5,\"door\":\"gate\",\"client\":1,\"event\":\"close\"}\n", "[]\n", "rubbish\n",
        "{\"step\":5,\"door\":\"plc\",\"client\":1,\"event\":\"data\",\"hex\":\"abc\"}\n",
        "{\"step\":5,\"door\":\"plc\",\"client\":1,\"event\":\"jump\"}\n", "{\"step\":-5}\n",
        "{\"step\":6,\"door\":3,\"event\":\"open\"}\n"}) {
    std::ofstream(file_) << head << good << bad << good;
    EXPECT_EQ(read().size(), 1U) << bad;
    EXPECT_EQ(problem_, "damaged in line 3") << bad;
  }
  std::ofstream(file_) << "{\"format\":2}\n";
  EXPECT_FALSE(RecordingReader::make(file_));
  std::ofstream(file_) << "rubbish\n";
  EXPECT_FALSE(RecordingReader::make(file_));
}

TEST(RecordingWriter, SaysWhenTheDiskIsFull) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "there is no /dev/full";
  }
  EXPECT_FALSE(RecordingWriter::make("/dev/full", {1ms, {"plc"}}));
}

}  // namespace
}  // namespace longarm::serve
