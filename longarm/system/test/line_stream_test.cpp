// SPDX-License-Identifier: Apache-2.0
// Lines in pieces, lines without end, and those who neither read nor write.
#include "longarm/system/line_stream.h"

#include <array>

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace longarm::system {
namespace {

using namespace std::chrono_literals;

class LineStreamTest : public testing::Test {
 protected:
  LineStreamTest() {
    std::array<int, 2> pair{};
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data());
    here_ = LineStream(Descriptor(pair[0]), 1000);
    there_ = LineStream(Descriptor(pair[1]), 1000);
  }

  LineStream here_{Descriptor()};
  LineStream there_{Descriptor()};
};

TEST_F(LineStreamTest, PutsPiecesTogether) {
  ASSERT_TRUE(there_.write("one\ntw", 1s).value());
  EXPECT_EQ(here_.read_line(1s).value(), "one");
  EXPECT_TRUE(here_.has_pending());
  EXPECT_EQ(here_.read_line(1ms).value(), std::nullopt);
  ASSERT_TRUE(there_.write_line("o", 1s).value());
  EXPECT_EQ(here_.read_line(1s).value(), "two");
  EXPECT_FALSE(here_.has_pending());
}

TEST_F(LineStreamTest, GivesUpOnALineWithoutEnd) {
  ASSERT_TRUE(there_.write(std::string(2000, 'a'), 1s).value());
  EXPECT_EQ(here_.read_line(1s).error().message, LineStream::kEndless);
}

TEST_F(LineStreamTest, SaysWhoIsGone) {
  there_ = LineStream(Descriptor());
  EXPECT_EQ(here_.read_line(1s).error().message, "it closed its connection");
  EXPECT_EQ(here_.write_line("a", 1s).error().message, "its connection broke: Broken pipe");
}

TEST_F(LineStreamTest, DoesNotWaitForOneWhoNeverReads) {
  const std::string much(10'000'000, 'a');
  EXPECT_FALSE(here_.write(much, 1ms).value());
  EXPECT_EQ(here_.write_line(much, 1ms).error().message, "it does not read its messages");
}

}  // namespace
}  // namespace longarm::system
