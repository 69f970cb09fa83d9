// SPDX-License-Identifier: Apache-2.0
// Tests of MCAP files against the format's specification, byte by byte.
#include "longarm/record/mcap_writer.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/version.h"
#include "longarm/record/mcap_decompress.h"
#include "longarm/record/test/mcap_fixture.h"

namespace longarm::record {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

class McapWriterTest : public McapTest {
 protected:
  std::unique_ptr<McapWriter> open(McapOptions options = {}) const {
    auto writer = McapWriter::open(path, std::move(options));
    EXPECT_TRUE(writer);
    return std::move(writer).value();
  }
};

/// Little-endian, spelled out once more so that the test does not lean on what it tests.
std::string number(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) {
    out += static_cast<char>((value >> (8 * i)) & 0xffU);
  }
  return out;
}
std::string text(const std::string& words) {
  return number(words.size(), 4) + words;
}
std::string record(int opcode, const std::string& content) {
  return number(static_cast<std::uint64_t>(opcode), 1) + number(content.size(), 8) + content;
}
std::string crc(const std::string& bytes) {
  return number(crc32(as_bytes(bytes)), 4);
}

TEST_F(McapWriterTest, WritesEachRecordAsTheFormatSays) {
  auto writer = open();
  const McapChannelId channel =
      writer->add_channel({"/t", "p/msg/S", "bool b\n", {{"k", "v"}}, "ros2msg", "cdr"});
  writer->attach("a.yaml", "text/x", "hi");
  writer->write(channel, Time(5ns), as_bytes("AB"));
  writer->write(channel, Time(9ns), as_bytes("C"));
  ASSERT_TRUE(writer->close());
  const std::string file = read_bytes(path);

  const std::string magic = "\x89MCAP0\r\n"s;
  const std::string header = record(0x01, text("ros2") + text("longarm " LONGARM_VERSION));
  const std::string attached =
      number(0, 8) + number(0, 8) + text("a.yaml") + text("text/x") + number(2, 8) + "hi";
  const std::string attachment = record(0x09, attached + crc(attached));
  const std::string schema =
      record(0x03, number(1, 2) + text("p/msg/S") + text("ros2msg") + text("bool b\n"));
  const std::string channel_record = record(
      0x04, number(0, 2) + number(1, 2) + text("/t") + text("cdr") + text(text("k") + text("v")));
  const std::string first =
      record(0x05, number(0, 2) + number(0, 4) + number(5, 8) + number(5, 8) + "AB");
  const std::string second =
      record(0x05, number(0, 2) + number(1, 4) + number(9, 8) + number(9, 8) + "C");
  const std::string records = schema + channel_record + first + second;

  // the chunk's own bytes are zstd's business; all around them is ours
  const std::size_t chunk_at = magic.size() + header.size() + attachment.size();
  const std::string chunk_start =
      number(5, 8) + number(9, 8) + number(records.size(), 8) + crc(records) + text("zstd");
  ASSERT_GT(file.size(), chunk_at + 9 + chunk_start.size() + 8);
  const auto packed_size = static_cast<unsigned char>(file[chunk_at + 9 + chunk_start.size()]);
  const std::string packed = file.substr(chunk_at + 9 + chunk_start.size() + 8, packed_size);
  std::vector<std::byte> unpacked;
  ASSERT_TRUE(decompress("zstd", as_bytes(packed), records.size(), unpacked));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(unpacked.data()), unpacked.size()), records);

  const std::string chunk = record(0x06, chunk_start + number(packed.size(), 8) + packed);
  const std::size_t first_at = schema.size() + channel_record.size();
  const std::string message_index =
      record(0x07, number(0, 2) + text(number(5, 8) + number(first_at, 8) + number(9, 8) +
                                       number(first_at + first.size(), 8)));
  const std::string data = magic + header + attachment + chunk + message_index;
  const std::string data_end = record(0x0f, crc(data));

  const std::size_t summary_at = data.size() + data_end.size();
  const std::string statistics = record(
      0x0b, number(2, 8) + number(1, 2) + number(1, 4) + number(1, 4) + number(0, 4) +
                number(1, 4) + number(5, 8) + number(9, 8) + text(number(0, 2) + number(2, 8)));
  const std::string chunk_index =
      record(0x08, number(5, 8) + number(9, 8) + number(chunk_at, 8) + number(chunk.size(), 8) +
                       text(number(0, 2) + number(chunk_at + chunk.size(), 8)) +
                       number(message_index.size(), 8) + text("zstd") + number(packed.size(), 8) +
                       number(records.size(), 8));
  const std::string attachment_index = record(
      0x0a, number(magic.size() + header.size(), 8) + number(attachment.size(), 8) + number(0, 8) +
                number(0, 8) + number(2, 8) + text("a.yaml") + text("text/x"));
  std::string summary;
  std::string offsets;
  const auto add_group = [&](int opcode, const std::string& group) {
    offsets += record(0x0e, number(static_cast<std::uint64_t>(opcode), 1) +
                                number(summary_at + summary.size(), 8) + number(group.size(), 8));
    summary += group;
  };
  add_group(0x03, schema);
  add_group(0x04, channel_record);
  add_group(0x0b, statistics);
  add_group(0x08, chunk_index);
  add_group(0x0a, attachment_index);
  // the footer: its checksum covers the summary and the footer up to itself
  std::string checked = summary + offsets + number(0x02, 1) + number(20, 8) +
                        number(summary_at, 8) + number(summary_at + summary.size(), 8);
  EXPECT_EQ(file, data + data_end + checked + crc(checked) + magic);
}

TEST_F(McapWriterTest, ClosesAChunkWhenItIsLargeOrLongEnough) {
  // a message of one byte is 9 + 22 + 1 = 32 bytes; a schema and a channel come first
  auto writer = open({.chunk_size_bytes = 1000, .chunk_span = Duration(10ms)});
  const McapChannelId channel = writer->add_channel({"/t", "p/msg/S", "", {}});
  const std::uintmax_t start = std::filesystem::file_size(path);
  writer->write(channel, Time(0ms), as_bytes("a"));
  writer->write(channel, Time(9ms), as_bytes("b"));
  EXPECT_EQ(std::filesystem::file_size(path), start);
  writer->write(channel, Time(10ms), as_bytes("c"));  // 10 ms after the first
  const std::uintmax_t after_first = std::filesystem::file_size(path);
  EXPECT_GT(after_first, start);
  // c and 31 more are 1024 bytes: the next one starts a new chunk
  for (int i = 0; i < 31; ++i) {
    writer->write(channel, Time(10ms), as_bytes("d"));
  }
  EXPECT_EQ(std::filesystem::file_size(path), after_first);
  writer->write(channel, Time(10ms), as_bytes("e"));
  EXPECT_GT(std::filesystem::file_size(path), after_first);

  // what is on disk before the end is readable as it is
  McapContents contents;
  EXPECT_EQ(messages_of(path, &contents).size(), 2U + 32U);
  EXPECT_FALSE(contents.is_complete);
  EXPECT_EQ(contents.last, Time(10ms));
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(messages_of(path, &contents).size(), 2U + 32U + 1U);
  EXPECT_TRUE(contents.is_complete) << contents.problem;
}

TEST_F(McapWriterTest, KeepsWhatWaitedWhenItIsNotClosed) {
  {
    auto writer = open();
    const McapChannelId channel = writer->add_channel({"/t", "p/msg/S", "", {}});
    writer->write(channel, Time(1ms), as_bytes("a"));
  }
  McapContents contents;
  EXPECT_THAT(messages_of(path, &contents), ::testing::ElementsAre("/t@1000000:a"));
  EXPECT_FALSE(contents.is_complete);
  EXPECT_THAT(contents.problem, ::testing::EndsWith("the file ends here without its last records"));
}

TEST_F(McapWriterTest, WritesTheSameBytesForTheSameCalls) {
  std::string before;
  for (int run = 0; run < 2; ++run) {
    auto writer = open({.chunk_size_bytes = 2000});
    const McapChannelId a = writer->add_channel({"/a", "p/msg/S", "", {}});
    const McapChannelId b = writer->add_channel({"/b", "p/msg/S", "", {}});
    for (int i = 0; i < 500; ++i) {
      writer->write(i % 3 == 0 ? a : b, Time(i * Duration(1ms)), as_bytes(std::to_string(i)));
    }
    ASSERT_TRUE(writer->close());
    EXPECT_TRUE(run == 0 || read_bytes(path) == before);
    before = read_bytes(path);
  }
}

TEST_F(McapWriterTest, TellsOfAFullDiskWhenItCloses) {
  auto writer = McapWriter::open("/dev/full", {.chunk_size_bytes = 100});
  if (!writer) {
    GTEST_SKIP() << "no /dev/full here";
  }
  const McapChannelId channel = writer.value()->add_channel({"/t", "p/msg/S", "", {}});
  for (int i = 0; i < 100; ++i) {
    writer.value()->write(channel, Time(i * Duration(1ms)), as_bytes("some words"));
  }
  const auto closed = writer.value()->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().message, "cannot write /dev/full: No space left on device");
}

TEST_F(McapWriterTest, TellsWhyAFileCannotBeMade) {
  const std::string nowhere = folder / "no" / "trace.mcap";
  const auto writer = McapWriter::open(nowhere, {});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().message, "cannot write " + nowhere + ": No such file or directory");
}

}  // namespace
}  // namespace longarm::record
