// SPDX-License-Identifier: Apache-2.0
// Tests the checksum against its published check values.
#include "longarm/record/crc32.h"

#include <string_view>

#include <gtest/gtest.h>

#include "longarm/record/byte_buffer.h"

namespace longarm::record {
namespace {

TEST(Crc32, HasItsCheckValues) {
  // the check value of CRC-32/ISO-HDLC in every catalogue of checksums
  EXPECT_EQ(crc32(as_bytes("123456789")), 0xcbf43926U);
  // longer than one stride; as zip and zlib give it
  EXPECT_EQ(crc32(as_bytes("The quick brown fox jumps over the lazy dog")), 0x414fa339U);
  EXPECT_EQ(crc32({}), 0U);
}

TEST(Crc32, DoesNotSeeWherePiecesEnd) {
  const std::string_view text = "The quick brown fox jumps over the lazy dog";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Crc32 crc;
    crc.add(as_bytes(text.substr(0, cut)));
    crc.add(as_bytes(text.substr(cut)));
    EXPECT_EQ(crc.value(), 0x414fa339U) << "cut at " << cut;
  }
}

}  // namespace
}  // namespace longarm::record
