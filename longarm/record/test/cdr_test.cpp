// SPDX-License-Identifier: Apache-2.0
// Tests of CDR against bytes laid out by hand.
#include "longarm/record/cdr.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace longarm::record {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

std::string text_of(const ByteBuffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.bytes().data()), buffer.size()};
}

const std::string kHeader = "\0\1\0\0"s;
const std::string kOne = "\0\0\0\0\0\0\xf0\x3f"s;  // 1.0 is 0x3ff0000000000000

TEST(Cdr, AlignsToTheSizeOfANumberAfterTheHeader) {
  ByteBuffer out;
  CdrWriter cdr(out);
  cdr.put(std::uint8_t{7});   // at 0 after the header
  cdr.put(1.0);               // at 8, not at 4 as the file has it
  cdr.put(std::uint8_t{8});   // at 16
  cdr.put(std::uint32_t{9});  // at 20
  EXPECT_EQ(text_of(out), kHeader + "\7\0\0\0\0\0\0\0"s + kOne + "\10\0\0\0"s + "\11\0\0\0"s);
}

TEST(Cdr, CountsTheZeroThatEndsAString) {
  ByteBuffer out;
  CdrWriter cdr(out);
  cdr.put(std::string_view("ab"));
  cdr.put(std::string_view(""));
  // "ab" takes 4 + 3 bytes, so that the next length is one further, at 8
  EXPECT_EQ(text_of(out), kHeader + "\3\0\0\0ab\0"s + "\0"s + "\1\0\0\0\0"s);
}

TEST(Cdr, PadsBeforeTheNumbersOfASequenceButNotBeforeNone) {
  ByteBuffer out;
  CdrWriter cdr(out);
  cdr.put(std::span<const double>());
  cdr.put(std::uint32_t{5});
  const std::vector<double> numbers = {1.0};
  cdr.put(std::span<const double>(numbers));
  EXPECT_EQ(text_of(out), kHeader + "\0\0\0\0"s + "\5\0\0\0"s + "\1\0\0\0"s + "\0\0\0\0"s + kOne);
}

TEST(Cdr, RoundsSecondsDown) {
  EXPECT_EQ(to_ros_time(Time(1500ms)).seconds, 1);
  EXPECT_EQ(to_ros_time(Time(1500ms)).nanoseconds, 500'000'000U);
  // a clock that is behind may stamp before zero: -1 ns = -1 s + 999999999 ns
  EXPECT_EQ(to_ros_time(Time(-1ns)).seconds, -1);
  EXPECT_EQ(to_ros_time(Time(-1ns)).nanoseconds, 999'999'999U);
}

TEST(Cdr, ReadsBackWhatItWrote) {
  ByteBuffer out;
  CdrWriter cdr(out);
  const std::vector<std::string> names = {"a", "", "joint"};
  const std::vector<double> numbers = {0.1, -0.0, 1e300};
  cdr.put(Time(-1ns));
  cdr.put(std::span<const std::string>(names));
  cdr.put(std::span<const double>(numbers));
  cdr.put(std::uint64_t{1} << 63);
  CdrReader in(out.bytes());
  EXPECT_EQ(in.get_time(), Time(-1ns));
  EXPECT_EQ(in.get_strings(), names);
  EXPECT_EQ(in.get_numbers(), numbers);
  EXPECT_EQ(in.get<std::uint64_t>(), std::uint64_t{1} << 63);
  EXPECT_FALSE(in.has_failed());
  in.get<std::uint8_t>();
  EXPECT_TRUE(in.has_failed());
}

TEST(Cdr, RefusesLengthsThatTheBytesCannotHold) {
  const std::string many = kHeader + "\xff\xff\xff\xff"s + kOne;
  EXPECT_TRUE(CdrReader(as_bytes(many)).get_numbers().empty());
  CdrReader numbers(as_bytes(many));
  numbers.get_numbers();
  EXPECT_TRUE(numbers.has_failed());
  CdrReader strings(as_bytes(many));
  EXPECT_TRUE(strings.get_strings().empty());
  EXPECT_TRUE(strings.has_failed());
  // two numbers announced, room for one and its padding
  const std::string two = kHeader + "\2\0\0\0"s + "\0\0\0\0"s + kOne;
  CdrReader short_of_one(as_bytes(two));
  EXPECT_TRUE(short_of_one.get_numbers().empty());
  EXPECT_TRUE(short_of_one.has_failed());
}

TEST(Cdr, RefusesBytesOfAnotherEncoding) {
  const std::string big_endian = "\0\0\0\0"s + "\0\0\0\1"s;
  CdrReader in(as_bytes(big_endian));
  EXPECT_EQ(in.get<std::uint32_t>(), 0U);
  EXPECT_TRUE(in.has_failed());
  EXPECT_TRUE(CdrReader({}).has_failed());
  const std::string unended = kHeader + "\2\0\0\0ab"s;
  CdrReader text(as_bytes(unended));
  EXPECT_EQ(text.get_string(), "");
  EXPECT_TRUE(text.has_failed());
}

}  // namespace
}  // namespace longarm::record
