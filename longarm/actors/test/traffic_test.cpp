// SPDX-License-Identifier: Apache-2.0
// Background load: as much as was asked for, when it was asked for, and no more than fits.
#include <gmock/gmock.h>

#include "longarm/actors/test/cell_fixture.h"

namespace longarm::actors {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

class Traffic : public CellTest {
 protected:
  static constexpr const char* kText = R"(
title: two hosts and a cable
length: 20s
engine: kinematic
physics: {period: 20ms}
network:
  hosts: [source, sink]
  links: {cable: {between: [source, sink], rate: 10Mbit}}
actors:
  load: {kind: traffic, host: source, to: sink, rate: 1Mbit}
)";

  static Json results(const std::vector<std::string>& changes) {
    const cell::PreparedScenario prepared = prepare(kText, changes);
    const auto run = run_of(prepared);
    run->run_until(Time(20s));
    return run->results();
  }
  static Json load(const std::vector<std::string>& changes) { return results(changes)["load"]; }
  static std::string refusal(const std::string& change) { return told(kText, {change}); }
};

// 1000 bytes each 8 ms; with Ethernet, IPv4 and UDP they are 1054 until the last bit
TEST_F(Traffic, IsConstant) {
  const Json sent = load({});
  EXPECT_EQ(sent["sent"], 2500);
  EXPECT_EQ(sent["delivered"], 2500);
  EXPECT_DOUBLE_EQ(sent["delay_min_s"].get<double>(), 843.2e-6);
  EXPECT_DOUBLE_EQ(sent["delay_max_s"].get<double>(), 843.2e-6);
  EXPECT_DOUBLE_EQ(sent["goodput_bit_s"].get<double>(), 1e6);
}

TEST_F(Traffic, IsSentBetweenStartAndStop) {
  EXPECT_EQ(load({"actors.load.start=5s", "actors.load.stop=13s"})["sent"], 1000);
}

// with sizes of any kind the rate is what was asked for; of n draws the mean is right to 1 / √n
TEST_F(Traffic, HasItsRateWhateverTheSizes) {
  for (const char* sizes : {"uniform", "exponential"}) {
    for (const char* pattern : {"constant", "poisson"}) {
      const Json sent = load({std::string("actors.load.sizes=") + sizes,
                              std::string("actors.load.pattern=") + pattern});
      EXPECT_NEAR(sent["offered_bit_s"].get<double>(), 1e6, 1e6 * 4.0 * std::sqrt(2.0 / 2500.0))
          << sizes << " " << pattern;
      EXPECT_NE(sent["sent"], pattern == std::string("constant") ? 0 : 2500);
    }
  }
}

// bursts of 0.1 s on average and silences of 0.3 s: a quarter of the time, in about 50 bursts
TEST_F(Traffic, ComesInBursts) {
  const Json sent =
      load({"actors.load.pattern=on-off", "actors.load.on=100ms", "actors.load.off=300ms"});
  EXPECT_NEAR(sent["offered_bit_s"].get<double>(), 0.25e6, 0.12e6);
  EXPECT_GT(sent["longest_outage_s"].get<double>(), 0.3);
  EXPECT_EQ(sent["delivered"], sent["sent"]);
}

// 1448 bytes of a full frame of 1538: all of the cable but what headers take. At the end some bytes
// wait for others that were lost, and of a chunk that is not whole nothing counts.
TEST_F(Traffic, FillsTheCableByTcp) {
  const Json sent =
      load({"actors.load.pattern=bulk", "network.links.cable.queue={limit_packets: 100}"});
  EXPECT_NEAR(sent["goodput_bit_s"].get<double>(), 10e6 * 1448.0 / 1538.0, 0.1e6);
}

TEST_F(Traffic, DelaysWhatHasNoPriorityOverIt) {
  const std::vector<std::string> beside{
      "actors.control={kind: traffic, host: source, to: sink, size_bytes: 100, rate: 80kbit, "
      "priority: 0}",
      "actors.load={kind: traffic, host: source, to: sink, pattern: bulk, priority: 1}"};
  std::vector<std::string> with = beside;
  with.emplace_back("network.links.cable.queue={priorities: 2}");
  std::vector<std::string> without = beside;
  without.emplace_back("actors.load.priority=0");
  // its own 154 bytes, and at most one whole frame that is under way
  const double own_s = 154 * 8 / 10e6;
  const double frame_s = 1538 * 8 / 10e6;
  EXPECT_LE(results(with)["control"]["delay_max_s"].get<double>(), own_s + frame_s + 1e-9);
  EXPECT_GT(results(without)["control"]["delay_max_s"].get<double>(), own_s + 10 * frame_s);
}

TEST_F(Traffic, DrawsOfTwoAreIndependent) {
  const std::vector<std::string> random{"actors.load.pattern=poisson"};
  const Json alone = load(random);
  std::vector<std::string> beside = random;
  beside.emplace_back(
      "actors.other={kind: traffic, host: sink, to: source, pattern: poisson, rate: 1Mbit}");
  const Json both = results(beside);
  EXPECT_EQ(both["load"].dump(), alone.dump());
  EXPECT_NE(both["other"]["sent"], both["load"]["sent"]);
}

TEST_F(Traffic, SaysWhatCannotBe) {
  EXPECT_THAT(refusal("actors.load.rate=fast"),
              HasSubstr("error: 'fast' is not a rate\n  hint: for example 10Mbit"));
  EXPECT_THAT(refusal("actors.load.to=sing"),
              HasSubstr("error: the network has no host 'sing'\n  hint: did you mean 'sink'?"));
  EXPECT_THAT(refusal("actors.load={kind: traffic, host: source}"),
              HasSubstr("error: traffic needs two hosts"));
  EXPECT_THAT(refusal("actors.load.size_bytes=70000"),
              HasSubstr("error: messages must have 1 to 65507 bytes"));
  EXPECT_THAT(refusal("actors.load={kind: traffic, host: source, to: sink, start: 2s, stop: 1s}"),
              HasSubstr("error: it would end before it begins"));
}

}  // namespace
}  // namespace longarm::actors
