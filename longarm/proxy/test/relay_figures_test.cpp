// SPDX-License-Identifier: Apache-2.0
// What relays count.
#include "longarm/proxy/relay_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace longarm::proxy {
namespace {

using namespace std::chrono_literals;
using network::DropReason;
using testing::HasSubstr;

TEST(DurationFigures, HaveMeanDeviationAndPercentiles) {
  DurationFigures figures;
  for (int i = 1; i <= 100; ++i) {
    figures.add(i * 1ms);
  }
  EXPECT_NEAR(figures.mean_s(), 0.0505, 1e-15);
  // of 1…n: sqrt(n (n+1) / 12)
  EXPECT_NEAR(figures.deviation_s(), 1e-3 * std::sqrt(100.0 * 101.0 / 12.0), 1e-12);
  EXPECT_NEAR(to_seconds(figures.median()), 0.050, 50e-6);  // the histogram's 0.1 %
  EXPECT_NEAR(to_seconds(figures.p99()), 0.099, 99e-6);
  EXPECT_EQ(figures.max(), 100ms);
}

TEST(DirectionFigures, TellAskedFromGiven) {
  DirectionFigures figures;
  figures.received(100);
  figures.sent(0, 100, Time(1s), Time(1s + 10ms), Time(1s + 10ms + 200us));
  EXPECT_DOUBLE_EQ(figures.delay_asked().mean_s(), 0.010);
  EXPECT_DOUBLE_EQ(figures.delay_given().mean_s(), 0.0102);
  EXPECT_DOUBLE_EQ(figures.lateness().mean_s(), 0.0002);
}

TEST(DirectionFigures, CountThoseThatWereOvertaken) {
  DirectionFigures figures;
  // 1 and 2 leave after 3; 4 is in order
  for (const std::uint64_t index : {0, 3, 1, 2, 4}) {
    figures.sent(index, 1, Time(0s), Time(0s), Time(0s));
  }
  EXPECT_EQ(figures.reordered(), 2U);
}

TEST(DirectionFigures, SecondCopiesAreDuplicatesOnly) {
  DirectionFigures figures;
  figures.sent(0, 10, Time(0s), Time(1ms), Time(1ms));
  figures.sent(0, 10, Time(0s), Time(5ms), Time(5ms), true);
  EXPECT_EQ(figures.packets_out(), 2U);
  EXPECT_EQ(figures.bytes_out(), 20U);
  EXPECT_EQ(figures.duplicated(), 1U);
  EXPECT_EQ(figures.reordered(), 0U);
  EXPECT_EQ(figures.delay_asked().count(), 1U);
}

TEST(RelayFigures, AreJsonInSeconds) {
  RelayFigures figures;
  figures.up.received(7);
  figures.up.dropped(DropReason::kLoss);
  figures.down.sent(0, 3, Time(0s), Time(2ms), Time(3ms));
  const nlohmann::ordered_json json = figures_json(figures);
  EXPECT_EQ(json["up"]["packets_in"], 1);
  EXPECT_EQ(json["up"]["lost"], 1);
  EXPECT_EQ(json["down"]["delay_asked"]["mean_s"], 0.002);
  EXPECT_EQ(json["down"]["lateness"]["max_s"], 0.001);
}

TEST(RelayFigures, TableLeavesOutWhatDidNotHappen) {
  RelayFigures figures;
  figures.up.received(7);
  figures.up.dropped(DropReason::kLoss);
  const std::string text = figures_text(figures, "udp");
  EXPECT_THAT(text, HasSubstr("  udp                        to the server   to the client\n"));
  EXPECT_THAT(text, HasSubstr("  lost                                   1               0\n"));
  EXPECT_EQ(text.find("duplicated"), std::string::npos);
}

TEST(RelayFigures, WarnWhenTheRelayItselfIsLate) {
  RelayFigures figures;
  figures.up.sent(0, 1, Time(0s), Time(20ms), Time(22ms));
  EXPECT_TRUE(figures_warnings(figures, "udp").empty());  // 2 ms of 20 are allowed
  figures.up.sent(1, 1, Time(0s), Time(20ms), Time(25ms));
  EXPECT_THAT(figures_warnings(figures, "udp"),
              testing::ElementsAre(HasSubstr("udp to the server: 1 % of packets left more than ")));
}

TEST(RelayFigures, WarnOfDatagramsThatNobodyTook) {
  RelayFigures figures;
  figures.up.refuse(3);
  EXPECT_THAT(figures_warnings(figures, "udp"),
              testing::ElementsAre("udp to the server: 3 packets were rejected: no program "
                                   "listened, or there were too many clients"));
  EXPECT_TRUE(figures_warnings(figures, "tun").empty());  // while its device comes up
}

TEST(RelayFigures, WarnOfLossThatNobodyAskedFor) {
  RelayFigures figures;
  figures.down.lose_in_kernel(3);
  figures.down.lose_here();
  EXPECT_THAT(
      figures_warnings(figures, "udp"),
      testing::ElementsAre("udp to the client: 4 packets were lost by the relay, not by the link "
                           "(1 for lack of buffer space, 3 in the kernel's buffer)"));
}

}  // namespace
}  // namespace longarm::proxy
