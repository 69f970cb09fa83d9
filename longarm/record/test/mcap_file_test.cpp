// SPDX-License-Identifier: Apache-2.0
// What is read from the middle of a file is what reading from its start gives; broken files tell.
#include "longarm/record/mcap_file.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "longarm/record/mcap_reader.h"
#include "longarm/record/mcap_writer.h"

namespace longarm::record {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class McapFiles : public testing::Test {
 protected:
  McapFiles() {
    fs::create_directories(folder_);
    McapOptions options;
    options.chunk_size_bytes = 4096;
    auto writer = McapWriter::open(path(), options);
    const McapChannelId even = (*writer)->add_channel({"/even", "A", "", {}});
    const McapChannelId rare = (*writer)->add_channel({"/rare", "B", "", {}});
    for (int i = 0; i < 3000; ++i) {
      const std::string text = "message " + std::to_string(i);
      (*writer)->write(even, Time(i * 1ms), as_bytes(text));
      if (i % 700 == 0) {
        (*writer)->write(rare, Time(i * 1ms), as_bytes("rare " + std::to_string(i)));
      }
    }
    EXPECT_TRUE((*writer)->close());
  }
  ~McapFiles() override { fs::remove_all(folder_); }

  std::string path() const { return (folder_ / "trace.mcap").string(); }
  fs::path folder_ = fs::temp_directory_path() / ("longarm_mcap_file_" + std::to_string(getpid()));
};

std::string row_text(std::span<const std::byte> data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

TEST_F(McapFiles, HaveTheSameMessagesAsReadFromTheStart) {
  std::map<std::uint16_t, std::vector<std::pair<Time, std::string>>> expected;
  ASSERT_TRUE(read_mcap(path(), [&](const McapMessage& message) {
    expected[message.channel.id].emplace_back(message.log_time, row_text(message.data));
  }));
  const auto file = McapFile::open(path());
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->problem(), "");
  ASSERT_EQ((*file)->channels().size(), 2U);
  for (const McapChannel& channel : (*file)->channels()) {
    const auto& all = expected[channel.id];
    ASSERT_EQ((*file)->rows(channel.id), all.size());
    std::size_t next = 0;
    ASSERT_TRUE((*file)->read(channel.id, 0, all.size(),
                              [&](std::size_t row, Time time, std::span<const std::byte> data) {
                                ASSERT_EQ(row, next++);
                                EXPECT_EQ(time, all[row].first);
                                EXPECT_EQ(row_text(data), all[row].second);
                              }));
    EXPECT_EQ(next, all.size());
  }
}

TEST_F(McapFiles, AreReadFromAnywhere) {
  const auto file = McapFile::open(path());
  ASSERT_TRUE(file);
  std::vector<std::string> texts;
  ASSERT_TRUE((*file)->read(0, 1234, 1236, [&](std::size_t, Time, std::span<const std::byte> data) {
    texts.push_back(row_text(data));
  }));
  EXPECT_EQ(texts, (std::vector<std::string>{"message 1234", "message 1235"}));
  EXPECT_EQ((*file)->times(1, 1, 3), (std::vector<Time>{Time(700ms), Time(1400ms)}));
}

TEST_F(McapFiles, FindTheRowAfterAnInstant) {
  const auto file = McapFile::open(path());
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->row_after(0, Time(0ms)), 1U);
  EXPECT_EQ((*file)->row_after(0, Time(1234ms)), 1235U);
  EXPECT_EQ((*file)->row_after(0, Time(1234ms + 1us)), 1235U);
  EXPECT_EQ((*file)->row_after(0, Time(1h)), 3000U);
  EXPECT_EQ((*file)->row_after(1, Time(699ms)), 1U);
}

TEST_F(McapFiles, ThatWereCutShortEndWithTheirLastWholeChunk) {
  const auto size = fs::file_size(path());
  fs::resize_file(path(), size / 2);
  const auto file = McapFile::open(path());
  ASSERT_TRUE(file);
  EXPECT_TRUE((*file)->problem().starts_with("cut short at byte ")) << (*file)->problem();
  const std::size_t rows = (*file)->rows(0);
  EXPECT_GT(rows, 100U);
  EXPECT_LT(rows, 3000U);
  std::size_t read = 0;
  EXPECT_TRUE((*file)->read(0, 0, rows, [&](auto, auto, auto) { ++read; }));
  EXPECT_EQ(read, rows);
}

TEST_F(McapFiles, ThatAreDamagedSayWhere) {
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(path()) / 3));
    file << "damage";
  }
  const auto file = McapFile::open(path());
  ASSERT_TRUE(file);
  const Result<bool> read = (*file)->read(0, 0, (*file)->rows(0), [](auto, auto, auto) {});
  EXPECT_TRUE(!read || !(*file)->problem().empty());
  if (!read) {
    EXPECT_TRUE(read.error().message.starts_with("damaged at byte ")) << read.error().message;
  }
}

TEST_F(McapFiles, ThatAreNoneAreRefused) {
  std::ofstream(folder_ / "text") << "no trace";
  const auto text = McapFile::open((folder_ / "text").string());
  ASSERT_FALSE(text);
  EXPECT_TRUE(text.error().message.ends_with(
      "text is not an MCAP file: it does not start with the MCAP magic bytes"));
  EXPECT_FALSE(McapFile::open(folder_.string()));
  EXPECT_FALSE(McapFile::open((folder_ / "nothing").string()));
}

}  // namespace
}  // namespace longarm::record
