// SPDX-License-Identifier: Apache-2.0
// Messages: bytes as ROS 1 has them, schemas, sizes, and bytes that are no message.
#include "longarm/components/message.h"

#include <limits>

#include <gtest/gtest.h>

namespace longarm::components {
namespace {

using namespace std::chrono_literals;

Bytes from_hex(std::string_view hex) {
  Bytes bytes;
  int high = -1;
  for (const char c : hex) {
    const std::string_view digits = "0123456789abcdef";
    const std::size_t digit = digits.find(c);
    if (digit == digits.npos) {
      continue;
    }
    if (high < 0) {
      high = static_cast<int>(digit);
    } else {
      bytes.push_back(static_cast<std::byte>(16 * high + static_cast<int>(digit)));
      high = -1;
    }
  }
  return bytes;
}

struct Point {
  static constexpr std::string_view kTypeName = "test/Point";
  float x = 0;
  float y = 0;
  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("x", self.x);
    visitor("y", self.y);
  }
};

/// All fourteen built-in types.
struct Everything {
  static constexpr std::string_view kTypeName = "test/Everything";
  bool a = false;
  std::int8_t b = 0;
  std::uint8_t c = 0;
  std::int16_t d = 0;
  std::uint16_t e = 0;
  std::int32_t f = 0;
  std::uint32_t g = 0;
  std::int64_t h = 0;
  std::uint64_t i = 0;
  float j = 0;
  double k = 0;
  std::string l;
  Time m{};
  Duration n{};
  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("a", self.a);
    visitor("b", self.b);
    visitor("c", self.c);
    visitor("d", self.d);
    visitor("e", self.e);
    visitor("f", self.f);
    visitor("g", self.g);
    visitor("h", self.h);
    visitor("i", self.i);
    visitor("j", self.j);
    visitor("k", self.k);
    visitor("l", self.l);
    visitor("m", self.m);
    visitor("n", self.n);
  }
};

/// Table 1.2: fixed, variable, uint8[], bool[]; of messages, too.
struct Arrays {
  static constexpr std::string_view kTypeName = "test/Arrays";
  Header header;
  std::array<std::int16_t, 3> fixed{};
  std::vector<double> variable;
  std::vector<std::uint8_t> bytes;
  std::vector<bool> flags;
  std::vector<std::string> names;
  std::vector<Point> points;
  std::array<Point, 2> corners{};
  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("header", self.header);
    visitor("fixed", self.fixed);
    visitor("variable", self.variable);
    visitor("bytes", self.bytes);
    visitor("flags", self.flags);
    visitor("names", self.names);
    visitor("points", self.points);
    visitor("corners", self.corners);
  }
};

Everything some_of_everything() {
  return {true,
          -2,
          200,
          -300,
          60000,
          -70000,
          4'000'000'000U,
          -5'000'000'000LL,
          10'000'000'000'000'000'000ULL,
          1.5F,
          -0.25,
          "ros",
          Time(3s + 7ns),
          -1500ms};
}

// By hand, little-endian. float 1.5 = 0x3fc00000; double -0.25 = 0xbfd0000000000000;
// -300 = 0xfed4; 60000 = 0xea60; -70000 = 0xfffeee90; 4e9 = 0xee6b2800;
// -5e9 = 0xfffffffed5fa0e00; 1e19 = 0x8ac7230489e80000; -1.5 s = -2 s + 500 000 000 ns (1dcd6500)
constexpr std::string_view kEverythingHex =
    "01 fe c8 d4fe 60ea 90eefeff 00286bee 000efad5feffffff 0000e8890423c78a 0000c03f"
    "000000000000d0bf 03000000 726f73 03000000 07000000 feffffff 0065cd1d";

TEST(Message, HasTheBytesOfRosForAllBuiltInTypes) {
  EXPECT_EQ(encode(some_of_everything()), from_hex(kEverythingHex));
}

TEST(Message, ReadsBackAllBuiltInTypes) {
  const Result<Everything> read = decode<Everything>(from_hex(kEverythingHex));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->a);
  EXPECT_EQ(read->h, -5'000'000'000LL);
  EXPECT_EQ(read->i, 10'000'000'000'000'000'000ULL);
  EXPECT_EQ(read->l, "ros");
  EXPECT_EQ(read->m, Time(3s + 7ns));
  EXPECT_EQ(read->n, Duration(-1500ms));
  EXPECT_EQ(encode(*read), from_hex(kEverythingHex));
}

TEST(Message, HasTheBytesOfRosForArraysAndNestedMessages) {
  const Arrays message{.header = {.seq = 5, .stamp = Time(1s), .frame_id = "arm"},
                       .fixed = {1, 2, 3},
                       .variable = {1.0},
                       .bytes = {9, 8},
                       .flags = {true, false, true},
                       .names = {"a", ""},
                       .points = {{1.0F, 2.0F}},
                       .corners = {}};
  // header: seq, secs, nsecs, length 3, "arm"; fixed: no length; others: length first
  const Bytes expected = from_hex(
      "05000000 01000000 00000000 03000000 61726d  0100 0200 0300  01000000 000000000000f03f"
      "02000000 0908  03000000 010001  02000000 01000000 61 00000000  01000000 0000803f 00000040"
      "00000000 00000000 00000000 00000000");
  EXPECT_EQ(encode(message), expected);
  EXPECT_EQ(wire_size(message), expected.size());
  const Result<Arrays> read = decode<Arrays>(expected);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->flags, message.flags);
  EXPECT_EQ(read->names, message.names);
  EXPECT_EQ(encode(*read), expected);
}

TEST(Message, WritesItsSchemaAsRosDoes) {
  EXPECT_EQ(schema<Arrays>(),
            "std_msgs/Header header\nint16[3] fixed\nfloat64[] variable\nuint8[] bytes\n"
            "bool[] flags\nstring[] names\ntest/Point[] points\ntest/Point[2] corners\n" +
                std::string(80, '=') +
                "\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n" +
                std::string(80, '=') + "\nMSG: test/Point\nfloat32 x\nfloat32 y\n");
  EXPECT_EQ(schema<Everything>(),
            "bool a\nint8 b\nuint8 c\nint16 d\nuint16 e\nint32 f\nuint32 g\nint64 h\nuint64 i\n"
            "float32 j\nfloat64 k\nstring l\ntime m\nduration n\n");
}

TEST(Message, RefusesEveryPrefixAndEveryLongerText) {
  Bytes bytes = from_hex(kEverythingHex);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode<Everything>(std::span(bytes).first(size))) << size;
  }
  bytes.push_back(std::byte{0});
  const Result<Everything> read = decode<Everything>(bytes);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "test/Everything: bytes are left over");
}

TEST(Message, RefusesALengthThatTheBytesCannotHold) {
  // four billion doubles would be 32 GB: refused before anything is allocated
  const Bytes bytes = from_hex("00000000 00000000 00000000 00000000 000000000000 ffffffff");
  const Result<Arrays> read = decode<Arrays>(bytes);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            "test/Arrays: 'variable': claims 4294967295 elements, 0 bytes are left");
}

TEST(Message, KeepsTimesThatDoNotFitAtTheNearestThatDoes) {
  Header header;
  header.stamp = Time(-1ns);
  EXPECT_EQ(decode<Header>(encode(header))->stamp, Time{});
  header.stamp = Time::max();  // 292 years; 32 bits hold 136
  EXPECT_EQ(decode<Header>(encode(header))->stamp, Time(4294967295s + 999'999'999ns));
}

}  // namespace
}  // namespace longarm::components
