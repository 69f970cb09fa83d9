// SPDX-License-Identifier: Apache-2.0
// Tests of links that follow a measured trace.
#include "longarm/network/test/trace_fixture.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(TraceLink, TakesTheSampleAtOrBeforeTheInstantOfSending) {
  // samples 10 ms apart on average: the cycle is 30 ms
  const std::vector<DelaySample> samples{{0ms, 1ms}, {12ms, kLost}, {20ms, 3ms}};
  EXPECT_THAT(play({}, samples, 8, 6ms), ElementsAre(after(1ms), after(1ms), kDropped, kDropped,
                                                     after(3ms), after(1ms), after(1ms), kDropped));
  TraceConfig once;
  once.trace_repeat = false;
  EXPECT_THAT(play(once, samples, 8, 6ms),
              ElementsAre(after(1ms), after(1ms), kDropped, kDropped, after(3ms), after(3ms),
                          after(3ms), after(3ms)));
}

TEST(TraceLink, TakesTheNthSampleForTheNthPacket) {
  TraceConfig config;
  config.trace_by = "packet";
  const std::vector<DelaySample> samples{{0ms, 1ms}, {0ms, kLost}, {0ms, 3ms}};
  EXPECT_THAT(play(config, samples, 5, 1us),
              ElementsAre(after(1ms), kDropped, after(3ms), after(1ms), kDropped));
  config.trace_repeat = false;
  EXPECT_THAT(play(config, samples, 5, 1us),
              ElementsAre(after(1ms), kDropped, after(3ms), after(3ms), after(3ms)));
}

TEST(TraceLink, LetsPacketsOvertakeUnlessForbidden) {
  TraceConfig config;
  const std::vector<DelaySample> samples{{0ms, 5ms}, {1ms, 1ms}, {2ms, 9ms}};
  EXPECT_THAT(play(config, samples, 2, 1ms), ElementsAre(after(5ms), after(1ms)));
  config.overtaking = false;
  EXPECT_THAT(play(config, samples, 2, 1ms), ElementsAre(after(5ms), after(4ms)));
}

TEST(TraceLink, OfOneSampleIsAConstant) {
  EXPECT_THAT(play({}, {{0ms, 2ms}}, 3, 1s), ElementsAre(after(2ms), after(2ms), after(2ms)));
}

TEST(TraceModel, ReadsWhateverFileItIsGiven) {
  const TemporaryFile csv("trace.csv", "time_ms,delay_ms\n0,4\n10,6\n");
  const std::unique_ptr<LinkModel> model = built_in_link_models().make("trace");
  EXPECT_THAT(load(*model, {{"trace", csv.path()}}), ElementsAre());
  EXPECT_THAT(send_stream(*model->make({1, "link.states"}), 2, 10ms),
              ElementsAre(after(4ms), after(6ms)));

  const TemporaryFile ping("trace.ping", kPing);
  EXPECT_THAT(
      load({{"trace", ping.path()}}),
      ElementsAre("warning at trace: " + ping.path() +
                  ": ping measures round trips: each way is taken as half of them; samples are "
                  "0.2 s apart; messages in between get the delay of the sample before, and "
                  "a lost round trip loses one message, each way"));
  EXPECT_THAT(load({{"trace", ping.path()}, {"trace_by", "packet"}}),
              ElementsAre("warning at trace: " + ping.path() +
                          ": ping measures round trips: each way is taken as half of them"));

  const TemporaryFile sent("sent.pcap", CaptureFile().add(0, udp('a')).bytes);
  const TemporaryFile received("received.pcap", CaptureFile().add(7000, udp('a')).bytes);
  EXPECT_THAT(
      load(*model, {{"trace", sent.path()}, {"trace_received", received.path()}}),
      ElementsAre("warning at trace: " + sent.path() +
                  ": one-way delays from two captures are only as accurate as the two clocks are "
                  "synchronised; 0 of 1 packets were not seen at the receiver and count as lost"));
  EXPECT_THAT(send_stream(*model->make({1, "link.states"}), 1, 0ms), ElementsAre(after(7us)));
}

TEST(TraceModel, SaysWhichKeyIsWrong) {
  const TemporaryFile csv("trace.csv", "time_ms,delay_ms\n0,4\n10,x\n");
  const TemporaryFile column("column.csv", "delay_ms\n4\n");
  const TemporaryFile pcap("sent.pcap", CaptureFile().add(0, udp('a')).bytes);
  EXPECT_THAT(load({}), ElementsAre("link model 'trace' needs the key 'trace' / name a file"));
  EXPECT_THAT(load({{"trace", csv.path()}}),
              ElementsAre("error at trace: " + csv.path() +
                          ": line 3: 'x' is not a delay; write 'lost' or nothing for a lost packet "
                          "/ see docs/how-to/links.md for the supported formats"));
  EXPECT_THAT(
      load({{"trace", column.path()}}),
      ElementsAre("error at trace: " + column.path() +
                  ": the trace has no send times / add a column time_s, or set trace_by: packet"));
  EXPECT_THAT(load({{"trace", column.path()}, {"trace_by", "packet"}}), ElementsAre());
  EXPECT_THAT(load({{"trace", pcap.path()}}),
              ElementsAre("error at trace: a capture at the sender needs one at the receiver / "
                          "name it with trace_received"));
  EXPECT_THAT(load({{"trace", csv.path()}, {"trace_received", pcap.path()}}),
              ElementsAre("error at trace_received: 'trace_received' needs a pcap file as 'trace' "
                          "/ remove it, or give both captures"));
  const std::vector<std::string> missing = load({{"trace", "no-such-trace.csv"}});
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_THAT(missing[0], ::testing::StartsWith("error at trace: "));
  EXPECT_THAT(missing[0], ::testing::HasSubstr("no-such-trace.csv"));
}

}  // namespace
}  // namespace longarm::network
