// SPDX-License-Identifier: Apache-2.0
// Tests that files are read as far as they go, whatever happened to them.
#include "longarm/record/mcap_reader.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/random.h"
#include "longarm/record/crc32.h"
#include "longarm/record/test/mcap_fixture.h"

namespace longarm::record {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class McapReaderTest : public McapTest {
 protected:
  /// Two topics, an attachment, several chunks.
  std::string write_small_file(int message_count, std::size_t chunk_size_bytes) const {
    auto opened = McapWriter::open(path, {.chunk_size_bytes = chunk_size_bytes});
    McapWriter& writer = *opened.value();
    const McapChannelId a = writer.add_channel({"/a", "p/msg/S", "bool b\n", {{"k", "v"}}});
    const McapChannelId b = writer.add_channel({"/b", "p/msg/T", "bool c\n", {}});
    writer.attach("scenario.yaml", "application/yaml", "seed: 1\n");
    for (int i = 0; i < message_count; ++i) {
      writer.write(i % 3 == 0 ? a : b, Time(i * Duration(1ms)), as_bytes(std::to_string(i * i)));
    }
    EXPECT_TRUE(writer.close());
    return read_bytes(path);
  }

  static bool is_prefix(const std::vector<std::string>& part,
                        const std::vector<std::string>& whole) {
    return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
  }
};

TEST_F(McapReaderTest, ReadsAWholeFile) {
  write_small_file(4, 1 << 20);
  EXPECT_EQ(read_mcap(path)->message_count, 4U);
  McapContents contents;
  EXPECT_THAT(messages_of(path, &contents),
              ElementsAre("/a@0:0", "/b@1000000:1", "/b@2000000:4", "/a@3000000:9"));
  EXPECT_TRUE(contents.is_complete);
  EXPECT_EQ(contents.problem, "");
  EXPECT_EQ(contents.profile, "ros2");
  EXPECT_EQ(contents.first, Time(0ms));
  EXPECT_EQ(contents.last, Time(3ms));
  ASSERT_EQ(contents.attachments.size(), 1U);
  EXPECT_EQ(contents.attachments[0].name, "scenario.yaml");
  EXPECT_EQ(contents.attachments[0].content, "seed: 1\n");
  ASSERT_EQ(contents.channels.size(), 2U);
  EXPECT_EQ(contents.channels[0].metadata, (McapMetadata{{"k", "v"}}));
  ASSERT_EQ(contents.schemas.size(), 2U);
  EXPECT_EQ(contents.schemas[1].text, "bool c\n");
}

TEST_F(McapReaderTest, ReadsAFileCutAtAnyByteUpToThere) {
  const std::string file = write_small_file(60, 400);
  const std::vector<std::string> whole = messages_of(path, nullptr);
  ASSERT_EQ(whole.size(), 60U);
  std::size_t most = 0;
  for (std::size_t size = 0; size < file.size(); ++size) {
    McapContents contents;
    const std::vector<std::string> part =
        messages_in(std::string_view(file).substr(0, size), &contents);
    EXPECT_FALSE(contents.is_complete) << size;
    EXPECT_TRUE(size < 8 || !contents.problem.empty()) << size;
    EXPECT_TRUE(is_prefix(part, whole)) << size;
    EXPECT_GE(part.size(), most) << size;  // a longer file never says less
    EXPECT_EQ(contents.message_count, part.size());
    most = part.size();
  }
  EXPECT_EQ(most, 60U);
}

TEST_F(McapReaderTest, ReadsIntoAChunkThatIsCut) {
  // one chunk of more than one zstd block (128 KiB each), of text that hardly compresses
  auto opened = McapWriter::open(path, {.chunk_size_bytes = 1 << 20});
  McapWriter& writer = *opened.value();
  const McapChannelId channel = writer.add_channel({"/a", "p/msg/S", "", {}});
  const RandomStream random(1, "words");
  std::string words(1000, ' ');
  for (int i = 0; i < 500; ++i) {
    for (std::size_t k = 0; k < words.size(); ++k) {
      words[k] =
          static_cast<char>(random.bits_at(static_cast<std::uint64_t>(i) * 1000 + k) & 0xffU);
    }
    writer.write(channel, Time(i * Duration(1ms)), as_bytes(words));
  }
  ASSERT_TRUE(writer.close());
  const std::string file = read_bytes(path);
  const std::vector<std::string> whole = messages_of(path, nullptr);
  write_bytes(path, std::string_view(file).substr(0, file.size() / 2));
  McapContents contents;
  const std::vector<std::string> part = messages_of(path, &contents);
  // 250 of 500 kB are there, less than a block of 128 KiB is lost: at least 115 messages
  EXPECT_GE(part.size(), 115U);
  EXPECT_LT(part.size(), 250U);
  EXPECT_TRUE(is_prefix(part, whole));
  EXPECT_THAT(contents.problem, HasSubstr("the file ends inside this chunk"));
}

TEST_F(McapReaderTest, NoticesEverySpoiledByte) {
  const std::string file = write_small_file(30, 400);
  const std::vector<std::string> whole = messages_of(path, nullptr);
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string spoiled = file;
      spoiled[at] = static_cast<char>(spoiled[at] ^ mask);
      McapContents contents;
      const std::vector<std::string> part = messages_in(spoiled, &contents);
      EXPECT_FALSE(contents.is_complete) << at;
      // nothing false is handed out on the way, and nothing is passed over
      EXPECT_TRUE(is_prefix(part, whole)) << at;
    }
  }
}

TEST_F(McapReaderTest, SaysThatAFileIsDamagedBeforeItsFirstMessage) {
  // magic 0-7, then the header: kind 8, length 9-16
  std::string file = write_small_file(30, 1 << 20);
  file[8] = 0x55;
  EXPECT_EQ(read_mcap_bytes(as_bytes(file), "t.mcap").error().message,
            "t.mcap is damaged at byte 8: the first record is not a header; everything after it is "
            "ignored");
  file = write_small_file(30, 1 << 20);
  file[16] = 0x01;  // a header of 2^56 bytes: not a file that was cut, as its end is there
  EXPECT_EQ(read_mcap_bytes(as_bytes(file), "t.mcap").error().message,
            "t.mcap is damaged at byte 8: a record claims to be longer than the file; everything "
            "after it is ignored");
  // without its end it is one that was cut: nothing is in it, which is no error
  McapContents contents;
  messages_in(std::string_view(file).substr(0, file.size() - 1), &contents);
  EXPECT_EQ(contents.problem, "cut short at byte 8: the file ends inside this record");
  EXPECT_FALSE(contents.is_damaged);
}

TEST_F(McapReaderTest, StopsAtTheFirstChunkThatIsDamaged) {
  const std::string file = write_small_file(60, 400);
  const std::vector<std::string> whole = messages_of(path, nullptr);
  // zstd frames start with these four bytes, and each chunk is one
  const std::size_t first = file.find("\x28\xb5\x2f\xfd");
  const std::size_t second = file.find("\x28\xb5\x2f\xfd", first + 1);
  ASSERT_NE(second, std::string::npos);
  // before it: kind 1, length 8, times 8 + 8, size 8, checksum 4, "zstd" 4 + 4, stored size 8
  const std::size_t chunk = second - 53;
  for (const std::size_t at : {chunk, chunk + 33, second, second + 20}) {
    std::string spoiled = file;
    spoiled[at] = static_cast<char>(spoiled[at] ^ 0x80);
    McapContents contents;
    const std::vector<std::string> part = messages_in(spoiled, &contents);
    EXPECT_TRUE(contents.is_damaged);
    EXPECT_THAT(contents.problem, StartsWith("damaged at byte " + std::to_string(chunk) + ": "));
    EXPECT_THAT(contents.problem, EndsWith("; everything after it is ignored"));
    EXPECT_GT(part.size(), 0U);
    EXPECT_LT(part.size(), 60U);
    EXPECT_TRUE(is_prefix(part, whole));
  }
}

TEST_F(McapReaderTest, SurvivesNonsense) {
  const std::string file = write_small_file(30, 400);
  const RandomStream random(1, "nonsense");
  std::uint64_t draw = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string spoiled = file;
    const std::uint64_t changes = 1 + random.bits_at(draw++) % 30;
    for (std::uint64_t i = 0; i < changes; ++i) {
      // lengths and kinds of records are early in the file as often as not
      const std::size_t range = i % 2 == 0 ? file.size() : 400;
      const std::size_t at = 8 + random.bits_at(draw++) % (range - 8);
      spoiled[at] = static_cast<char>(random.bits_at(draw++) & 0xffU);
    }
    const auto contents = read_mcap_bytes(as_bytes(spoiled), "nonsense");
    if (spoiled == file) {
      continue;
    }
    const std::string problem = contents ? contents->problem : contents.error().message;
    EXPECT_THAT(problem, AnyOf(HasSubstr("damaged "), HasSubstr("cut short at byte ")));
  }
}

TEST_F(McapReaderTest, ReadsWhatOtherWritersMayWrite) {
  // no chunks, no checksums, no summary, a record nobody knows, a channel without a schema
  ByteBuffer out;
  out.put(kMcapMagic);
  McapRecord header(out, McapOpcode::kHeader);
  out.put_string("");
  out.put_string("someone else");
  header.finish();
  put_record(out, McapChannel{7, 0, "/t", "json", {}});
  McapRecord unknown(out, McapOpcode{0x99});
  out.put_string("what is this?");
  unknown.finish();
  McapRecord message(out, McapOpcode::kMessage);
  out.put(std::uint16_t{7});
  out.put(std::uint32_t{0});
  out.put(std::uint64_t{5});
  out.put(std::uint64_t{4});
  out.put(as_bytes("{}"));
  message.finish();
  McapRecord data_end(out, McapOpcode::kDataEnd);
  out.put(std::uint32_t{0});
  data_end.finish();
  McapRecord footer(out, McapOpcode::kFooter);
  out.put(std::uint64_t{0});
  out.put(std::uint64_t{0});
  out.put(std::uint32_t{0});
  footer.finish();
  out.put(kMcapMagic);
  write_bytes(path, {reinterpret_cast<const char*>(out.bytes().data()), out.size()});

  McapContents contents;
  EXPECT_THAT(messages_of(path, &contents), ElementsAre("/t@5:{}"));
  EXPECT_TRUE(contents.is_complete) << contents.problem;
}

TEST_F(McapReaderTest, RefusesWhatIsNoMcapFile) {
  EXPECT_EQ(read_mcap(folder / "none").error().message,
            "cannot read " + (folder / "none").string() + ": No such file or directory");
  write_bytes(path, "time_s,position.elbow\n");
  EXPECT_EQ(read_mcap(path).error().message,
            path + " is not an MCAP file: it does not start with the MCAP magic bytes");
  EXPECT_FALSE(read_mcap(folder));
}

}  // namespace
}  // namespace longarm::record
