// SPDX-License-Identifier: Apache-2.0
// Packed columns come back within a millionth of their range, or exactly where that is promised;
// the unpacking here is written from docs/how-to/viewer.md.
#include "longarm/view/packed.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

namespace longarm::view {
namespace {

class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : bytes_(bytes) {}

  std::vector<double> column(std::size_t rows) {
    const int kind = static_cast<unsigned char>(bytes_[at_++]);
    std::vector<double> out(rows, std::numeric_limits<double>::quiet_NaN());
    if (kind == 0) {
      for (double& value : out) {
        value = number();
      }
    } else if (kind == 3) {
      std::fill(out.begin(), out.end(), number());
    } else if (kind == 4) {
      const double first = number();
      const double period = number();
      for (std::size_t i = 0; i < rows; ++i) {
        out[i] = first + static_cast<double>(i) * period;
      }
    } else {
      const std::vector<bool> is_there = kind == 2 ? gaps(rows) : std::vector<bool>(rows, true);
      const double minimum = number();
      const double step = number();
      std::int64_t last = 0;
      std::int64_t difference = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        if (is_there[i]) {
          difference += zigzag();
          last += difference;
          out[i] = minimum + step * static_cast<double>(last);
        }
      }
    }
    return out;
  }
  bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  double number() {
    double value = 0.0;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) {
        return value;
      }
    }
  }
  std::int64_t zigzag() {
    const std::uint64_t coded = varint();
    return static_cast<std::int64_t>(coded >> 1U) ^ -static_cast<std::int64_t>(coded & 1U);
  }
  std::vector<bool> gaps(std::size_t rows) {
    std::vector<bool> out;
    for (bool is_there = true; out.size() < rows; is_there = !is_there) {
      out.insert(out.end(), varint(), is_there);
    }
    return out;
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

std::vector<double> round_trip(const std::vector<double>& values) {
  const std::string packed = pack_column(values);
  Unpacker unpacker(packed);
  std::vector<double> out = unpacker.column(values.size());
  EXPECT_TRUE(unpacker.is_at_end());
  return out;
}

void expect_close(const std::vector<double>& values, double range) {
  const std::vector<double> back = round_trip(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(back[i]));
    } else {
      EXPECT_NEAR(back[i], values[i], 1e-6 * range);
    }
  }
}

TEST(Packed, SmoothCurvesKeepAMillionthOfTheirRangeInLessThanABytePerValue) {
  std::vector<double> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(-3.0 + 2.0 * std::sin(i * 1e-3));
  }
  expect_close(values, 4.0);
  EXPECT_LT(deflated(pack_column(values)).size(), values.size() / 2);
}

TEST(Packed, JumpsAndHugeRangesSurvive) {
  expect_close({0.0, 1e9, -1e9, 3.5, 3.25, 0.1}, 2e9);
  expect_close({1e-9, 2.5e-9, -1e-9}, 3.5e-9);
}

TEST(Packed, GapsStayGaps) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  expect_close({nothing, 1.5, 2.5, nothing, nothing, 0.25}, 2.25);
  expect_close({1.5, nothing, 1.5}, 1.0);
  expect_close({nothing, nothing}, 1.0);
  expect_close({2.0, nothing, 2.0}, 1.0);
}

TEST(Packed, WholeNumbersConstantsAndInfinitiesAreExact) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& values : {std::vector<double>{},
                                            {5.0},
                                            {0.1, 0.1, 0.1},
                                            {7.0, -3.0, 1e6, 12345.0},
                                            {0.1, infinity, -infinity}}) {
    EXPECT_EQ(round_trip(values), values);
  }
}

TEST(Packed, TimesAtEqualDistancesTakeSeventeenBytes) {
  std::vector<double> times;
  for (int i = 0; i < 1000; ++i) {
    times.push_back(0.01 + i * 1e-3);
  }
  EXPECT_EQ(pack_column(times).size(), 17U);
  const std::vector<double> back = round_trip(times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(back[i], times[i], 1e-9);
  }
}

TEST(Packed, InstantsInNanosecondsAreSecondDifferencesToo) {
  // 1 000 000, then no change of the difference, then −999 999: zigzag 2 000 000, 0, 1 999 997
  EXPECT_EQ(pack_times(std::vector<double>{0.001, 0.002, 0.002000001}),
            std::string("\x05\x80\x89\x7a\x00\xfd\x88\x7a", 8));
}

TEST(Packed, DeflatedBytesAreThoseOfRawDeflate) {
  std::string text(100'000, 'a');
  text += "and an end";
  const std::string small = deflated(text);
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, -MAX_WBITS), Z_OK);
  std::string out(text.size() + 10, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(small.data()));
  stream.avail_in = static_cast<uInt>(small.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(out.substr(0, stream.total_out), text);
  inflateEnd(&stream);
}

}  // namespace
}  // namespace longarm::view
