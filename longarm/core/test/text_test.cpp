// SPDX-License-Identifier: Apache-2.0
// Tests of durations and numbers as users write them.
#include "longarm/core/text.h"

#include <gtest/gtest.h>

namespace longarm {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsUnitsExactly) {
  EXPECT_EQ(*parse_duration("2ms"), Duration(2ms));
  EXPECT_EQ(*parse_duration("0.1 ms"), Duration(100us));
  EXPECT_EQ(*parse_duration("1.5s"), Duration(1500ms));
  EXPECT_EQ(*parse_duration("2min"), Duration(120s));
  EXPECT_EQ(*parse_duration("7ns"), Duration(7));
  EXPECT_EQ(*parse_duration("0"), Duration(0));
}

TEST(Duration, RefusesBareNumbersAndOtherUnits) {
  EXPECT_EQ(parse_duration("2").error().message, "'2' is not a duration");
  EXPECT_EQ(parse_duration("2mm").error().message, "'2mm' is not a duration");
  EXPECT_EQ(parse_duration("fast").error().message, "'fast' is not a duration");
  EXPECT_EQ(parse_duration("0.5ns").error().message,
            "'0.5ns' is not a whole number of nanoseconds");
  EXPECT_EQ(parse_duration("1e30s").error().message, "'1e30s' is longer than 292 years");
}

TEST(Duration, WritesTheShortestExactSpelling) {
  EXPECT_EQ(format_duration(2ms), "2ms");
  EXPECT_EQ(format_duration(1500us), "1500us");
  EXPECT_EQ(format_duration(12s), "12s");
  EXPECT_EQ(format_duration(Duration(0)), "0s");
  EXPECT_EQ(format_duration(-3ms), "-3ms");
}

TEST(Number, ReadsBackTheSameBits) {
  for (const double x : {0.1, -1.0 / 3.0, 1e-300, 12345.0}) {
    EXPECT_EQ(parse_number(format_number(x)), x);
  }
  EXPECT_EQ(parse_number("1.5x"), std::nullopt);
  EXPECT_EQ(parse_number(""), std::nullopt);
}

}  // namespace
}  // namespace longarm
