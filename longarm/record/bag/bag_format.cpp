// SPDX-License-Identifier: Apache-2.0
// Names and times of bags.
#include "longarm/record/bag/bag_format.h"

#include <algorithm>
#include <limits>

namespace longarm::record {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

}  // namespace

std::string_view compression_name(BagCompression compression) {
  switch (compression) {
    case BagCompression::kNone:
      return "none";
    case BagCompression::kBz2:
      return "bz2";
    case BagCompression::kLz4:
      return "lz4";
  }
  return "";
}

void put_bag_time(ByteBuffer& out, Time time) {
  constexpr std::int64_t kLast =
      std::int64_t{std::numeric_limits<std::uint32_t>::max()} * kBillion + kBillion - 1;
  const std::int64_t ns = std::clamp<std::int64_t>(time.time_since_epoch().count(), 0, kLast);
  out.put32(static_cast<std::uint64_t>(ns / kBillion));
  out.put32(static_cast<std::uint64_t>(ns % kBillion));
}

Time get_bag_time(ByteReader& in) {
  const std::int64_t seconds = in.get<std::uint32_t>();
  const std::int64_t nanoseconds = in.get<std::uint32_t>();
  return Time(Duration(seconds * kBillion + nanoseconds));
}

}  // namespace longarm::record
