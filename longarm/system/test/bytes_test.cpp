// SPDX-License-Identifier: Apache-2.0
// Bytes written out by hand, in both orders.
#include "longarm/system/bytes.h"

#include <limits>

#include <gtest/gtest.h>

namespace longarm::system {
namespace {

using namespace std::string_literals;

using Big = ByteWriter<std::endian::big>;
using Little = ByteWriter<std::endian::little>;

template <typename Writer>
Writer put_some() {
  Writer out;
  out.put(std::uint16_t{0x0102});
  out.put(std::int32_t{-2});
  out.put(1.5);    // 0x3ff8 and zeros
  out.put(-2.0F);  // 0xc0000000
  out.put(true);
  return out;
}

TEST(Bytes, AreInTheOrderThatIsAskedFor) {
  EXPECT_EQ(put_some<Big>().text(), "\x01\x02\xff\xff\xff\xfe\x3f\xf8\0\0\0\0\0\0\xc0\0\0\0\x01"s);
  EXPECT_EQ(put_some<Little>().text(),
            "\x02\x01\xfe\xff\xff\xff\0\0\0\0\0\0\xf8\x3f\0\0\0\xc0\x01"s);
}

TEST(Bytes, ReadBackAsTheyWereWritten) {
  const Big out = put_some<Big>();
  ByteReader<std::endian::big> in(out.bytes());
  EXPECT_EQ(in.get<std::uint16_t>(), 0x0102);
  EXPECT_EQ(in.get<std::int32_t>(), -2);
  EXPECT_EQ(in.get<double>(), 1.5);
  EXPECT_EQ(in.get<float>(), -2.0F);
  EXPECT_TRUE(in.get<bool>());
  EXPECT_TRUE(in.is_good());
  EXPECT_EQ(in.size(), 0U);
}

TEST(Bytes, OfWiderNumbersOnlyTheLowestArePut) {
  Big out;
  out.put8(0x1234);
  out.put16(0x12345678);
  out.put32(std::numeric_limits<std::uint64_t>::max() - 1);
  EXPECT_EQ(out.text(), "\x34\x56\x78\xff\xff\xff\xfe");
}

TEST(Bytes, CanBePutBeforeTheyAreKnown) {
  Little out;
  out.put(std::uint16_t{0});
  out.put_string("ab");
  out.put_zeros(1);
  out.put_at(0, static_cast<std::uint16_t>(out.size()));
  out.put_at(6, as_bytes("c"));
  EXPECT_EQ(out.text(), "\x09\0\x02\0\0\0cb\0"s);
  out.clear();
  EXPECT_TRUE(out.bytes().empty());
}

TEST(Bytes, ThatAreNotThereReadAsZeroForGood) {
  ByteReader<std::endian::little> in(as_bytes("abc"));
  EXPECT_EQ(in.get<std::uint32_t>(), 0U);
  EXPECT_FALSE(in.is_good());
  EXPECT_EQ(in.get<std::uint8_t>(), 0U);
  ByteReader<std::endian::little> text(std::string_view("\x05\0\0\0abc", 7));
  EXPECT_EQ(text.get_string(), "");
  EXPECT_FALSE(text.is_good());
}

TEST(Bytes, NeedNoAlignment) {
  const std::string bytes = "\x7f\x01\x02\x03\x04"s;
  EXPECT_EQ((load<std::endian::big, std::uint32_t>(bytes.data() + 1)), 0x01020304U);
  EXPECT_EQ((load<std::endian::little, std::uint32_t>(bytes.data() + 1)), 0x04030201U);
}

}  // namespace
}  // namespace longarm::system
