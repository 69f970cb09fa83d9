// SPDX-License-Identifier: Apache-2.0
// Second differences of smooth curves are small numbers, which take a byte, and most of them the
// same byte.
#include "longarm/view/packed.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <zlib.h>

#include "longarm/core/check.h"
#include "longarm/record/byte_buffer.h"

namespace longarm::view {
namespace {

enum class Coding : std::uint8_t {
  kPlain = 0,
  kRounded = 1,
  kRoundedWithGaps = 2,
  kConstant = 3,
  kEven = 4,
  kNanoseconds = 5,
};

constexpr double kNanosecond_s = 1e-9;
// beyond that, differences of differences might not fit
constexpr double kMostQuantum = 1e15;

void put_varint(record::ByteBuffer& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) {
    out.put8(number | 0x80);
  }
  out.put8(number);
}

void put_signed(record::ByteBuffer& out, std::int64_t number) {
  put_varint(out,
             (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63));
}

void put_coding(record::ByteBuffer& out, Coding coding) {
  out.put(static_cast<std::uint8_t>(coding));
}

struct Range {
  double least = 0.0;
  double most = 0.0;
  bool has_gaps = false;
  bool is_whole = true;   ///< all numbers are
  bool is_plain = false;  ///< infinite ones are not for rounding
};

Range range_of(std::span<const double> values) {
  Range range;
  bool is_first = true;
  for (const double value : values) {
    if (std::isnan(value)) {
      range.has_gaps = true;
      continue;
    }
    range.is_plain = range.is_plain || !std::isfinite(value);
    range.is_whole = range.is_whole && value == std::floor(value);
    range.least = is_first ? value : std::min(range.least, value);
    range.most = is_first ? value : std::max(range.most, value);
    is_first = false;
  }
  return range;
}

bool is_even(std::span<const double> values, double period) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::abs(values.front() + static_cast<double>(i) * period - values[i]) < kNanosecond_s)) {
      return false;
    }
  }
  return true;
}

/// Lengths of runs of numbers and of nothing, in turn; the first one is of numbers.
void put_gaps(record::ByteBuffer& out, std::span<const double> values) {
  bool is_number = true;
  std::uint64_t length = 0;
  for (const double value : values) {
    if (std::isnan(value) == is_number) {
      put_varint(out, length);
      is_number = !is_number;
      length = 0;
    }
    ++length;
  }
  put_varint(out, length);
}

void put_rounded(record::ByteBuffer& out, std::span<const double> values, const Range& range) {
  const double step = range.is_whole && range.most - range.least < kMostQuantum
                          ? 1.0
                          : (range.most - range.least) / kPackedSteps;
  out.put(range.least);
  out.put(step);
  std::int64_t last = 0;
  std::int64_t last_difference = 0;
  for (const double value : values) {
    if (std::isnan(value)) {
      continue;
    }
    const std::int64_t quantum = std::llround((value - range.least) / step);
    const std::int64_t difference = quantum - last;
    put_signed(out, difference - last_difference);
    last = quantum;
    last_difference = difference;
  }
}

}  // namespace

std::string pack_column(std::span<const double> values) {
  record::ByteBuffer out;
  const Range range = range_of(values);
  if (values.empty() || range.is_plain) {
    put_coding(out, Coding::kPlain);
    out.put(values);
    return out.str();
  }
  if (!range.has_gaps && range.least == range.most) {
    put_coding(out, Coding::kConstant);
    out.put(range.least);
    return out.str();
  }
  const double period =
      (values.back() - values.front()) / std::max(1.0, static_cast<double>(values.size() - 1));
  if (!range.has_gaps && is_even(values, period)) {
    put_coding(out, Coding::kEven);
    out.put(values.front());
    out.put(period);
    return out.str();
  }
  if (range.least == range.most && !range.is_whole) {
    // gaps in a constant that is no whole number: a range of zero has no steps
    put_coding(out, Coding::kPlain);
    out.put(values);
    return out.str();
  }
  put_coding(out, range.has_gaps ? Coding::kRoundedWithGaps : Coding::kRounded);
  if (range.has_gaps) {
    put_gaps(out, values);
  }
  put_rounded(out, values, range);
  return out.str();
}

std::string pack_times(std::span<const double> times_s) {
  record::ByteBuffer out;
  put_coding(out, Coding::kNanoseconds);
  std::int64_t last = 0;
  std::int64_t last_difference = 0;
  for (const double time_s : times_s) {
    const std::int64_t ns = std::llround(time_s * 1e9);
    put_signed(out, ns - last - last_difference);
    last_difference = ns - last;
    last = ns;
  }
  return out.str();
}

std::string deflated(std::string_view bytes) {
  z_stream stream{};
  // negative: without the head and tail of zlib's own format
  check(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                     Z_DEFAULT_STRATEGY) == Z_OK,
        "cannot create the compressor");
  std::string out;
  std::string buffer(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  std::size_t left = bytes.size();
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0 && left > 0) {
      stream.avail_in = static_cast<uInt>(std::min<std::size_t>(left, 1U << 30));
      left -= stream.avail_in;
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    state = deflate(&stream, left == 0 ? Z_FINISH : Z_NO_FLUSH);
    check(state != Z_STREAM_ERROR, "the compressor failed");
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return out;
}

}  // namespace longarm::view
