// SPDX-License-Identifier: Apache-2.0
// Tests of traces as ping prints them, and of what a lost ping costs.
#include <algorithm>

#include "longarm/network/test/trace_fixture.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(PingTrace, HalvesRoundTripsAndCountsGapsAsLost) {
  // six sent within 1000 ms: one per 200 ms; 2, 4 and 6 never came back
  const Result<DelayTrace> trace = read_ping_trace(kPing);
  ASSERT_TRUE(trace) << error_of(trace);
  EXPECT_THAT(trace->samples, ElementsAre(DelaySample{0ms, 5ms}, DelaySample{200ms, kLost},
                                          DelaySample{400ms, 250us}, DelaySample{600ms, kLost},
                                          DelaySample{800ms, 6ms}, DelaySample{1s, kLost}));
  EXPECT_THAT(trace->remarks,
              ElementsAre("ping measures round trips: each way is taken as half of them"));
}

TEST(PingTrace, TakesTheIntervalFromStampsOrSaysThatItIsAssumed) {
  // -D stamps answers: sent 0.1 s apart
  const Result<DelayTrace> stamped = read_ping_trace(
      "[100.010] 64 bytes from 192.0.2.1: icmp_seq=8 ttl=64 time=10 ms\n"
      "[100.220] 64 bytes from 192.0.2.1: icmp_seq=10 ttl=64 time=20 ms\n");
  ASSERT_TRUE(stamped) << error_of(stamped);
  EXPECT_THAT(stamped->samples, ElementsAre(DelaySample{0ms, 5ms}, DelaySample{100ms, kLost},
                                            DelaySample{200ms, 10ms}));
  const Result<DelayTrace> bare = read_ping_trace("64 bytes from 192.0.2.1: seq=0 time=1.2 ms\n");
  ASSERT_TRUE(bare) << error_of(bare);
  EXPECT_THAT(bare->remarks,
              ElementsAre("ping measures round trips: each way is taken as half of them",
                          "the output has no send times; one ping per second is assumed"));
}

TEST(PingTrace, SaysInWhichLineItIsBroken) {
  EXPECT_EQ(error_of(read_ping_trace("PING x\n64 bytes from x: icmp_seq=1 ttl=64\n")),
            "line 2: an answer without 'time=… ms'");
  EXPECT_EQ(error_of(read_ping_trace("PING x (192.0.2.1) 56(84) bytes of data.\n")),
            "this output of ping has no answer with icmp_seq and time");
  EXPECT_EQ(error_of(read_ping_trace("64 bytes from x: icmp_seq=99999999999 time=1 ms\n")),
            "line 1: implausible sequence number");
  EXPECT_EQ(error_of(read_ping_trace("64 bytes from x: icmp_seq=1 time=1 ms\n"
                                     "64 bytes from x: icmp_seq=99999999 time=1 ms\n")),
            "the sequence numbers in this ping output are implausible");
  EXPECT_EQ(error_of(read_ping_trace("[100.0] 64 bytes from x: icmp_seq=1 time=1 ms\n"
                                     "[99.0] 64 bytes from x: icmp_seq=2 time=1 ms\n")),
            "the times in this ping output are implausible");
}

TEST(PingTrace, OfMacOsAndBusyboxIsTakenAsOnePerSecondWithAWarning) {
  const std::string mac =
      "PING 192.0.2.1 (192.0.2.1): 56 data bytes\n"
      "64 bytes from 192.0.2.1: icmp_seq=0 ttl=57 time=10.5 ms\n"
      "Request timeout for icmp_seq 1\n"
      "64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 time=11 ms\n\n"
      "--- 192.0.2.1 ping statistics ---\n"
      "3 packets transmitted, 2 packets received, 33.3% packet loss\n"
      "round-trip min/avg/max/stddev = 10.5/10.7/11.0/0.2 ms\n";
  const std::string busybox =
      "PING 192.0.2.1 (192.0.2.1): 56 data bytes\n"
      "64 bytes from 192.0.2.1: seq=0 ttl=57 time=10.5 ms\n"
      "64 bytes from 192.0.2.1: seq=2 ttl=57 time=11 ms\n\n"
      "--- 192.0.2.1 ping statistics ---\n"
      "3 packets transmitted, 2 packets received, 33% packet loss\n";
  for (const std::string& content : {mac, busybox}) {
    const TemporaryFile file("trace.ping", content);
    // one warning, because a place in a scenario is spoken of once
    EXPECT_THAT(load({{"trace", file.path()}}),
                ElementsAre("warning at trace: " + file.path() +
                            ": ping measures round trips: each way is taken as half of them; the "
                            "output has no send times; one ping per second is assumed; samples are "
                            "1 s apart; messages in between get the delay of the sample before, "
                            "and a lost round trip loses one message, each way"));
    const Result<DelayTrace> trace = read_ping_trace(content);
    ASSERT_TRUE(trace) << error_of(trace);
    EXPECT_THAT(trace->samples, ElementsAre(DelaySample{0ms, 5250us}, DelaySample{1s, kLost},
                                            DelaySample{2s, 5500us}));
  }
}

TEST(PingTrace, CountsOnWhereNumbersOf16BitsBeginAgain) {
  // 65534 to 65537, one lost; stamps 0.1 s apart
  const Result<DelayTrace> trace = read_ping_trace(
      "[100.010] 64 bytes from 192.0.2.1: icmp_seq=65534 ttl=64 time=10 ms\n"
      "[100.120] 64 bytes from 192.0.2.1: icmp_seq=65535 ttl=64 time=20 ms\n"
      "[100.304] 64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=4 ms\n");
  ASSERT_TRUE(trace) << error_of(trace);
  EXPECT_THAT(trace->samples, ElementsAre(DelaySample{0ms, 5ms}, DelaySample{100ms, 10ms},
                                          DelaySample{200ms, kLost}, DelaySample{300ms, 2ms}));
}

TEST(PingTrace, TakesHalfOfABound) {
  // below 1 ms: 0.5 ms there and back, 0.25 ms each way
  const Result<DelayTrace> trace =
      read_ping_trace("64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time<1 ms\n");
  ASSERT_TRUE(trace) << error_of(trace);
  EXPECT_THAT(trace->samples, ElementsAre(DelaySample{0ms, 250us}));
  EXPECT_THAT(trace->remarks,
              ::testing::Contains(
                  "1 answers say 'time<' only: half of that time is taken for the round trip"));
}

TEST(PingTrace, SaysHowToMakeOneThatIsUnderstood) {
  const std::string make =
      "make the file with LC_ALL=C ping HOST, on Linux (with -D), macOS, BSD or busybox";
  const char* german =
      "PING x (192.0.2.1) 56(84) Bytes an Daten.\n"
      "64 Bytes von x (192.0.2.1): icmp_seq=1 ttl=64 Zeit=10.5 ms\n";
  EXPECT_EQ(error_of(read_ping_trace(german)), "line 2: this reply is not in English; " + make);
  const char* windows =
      "Pinging 192.0.2.1 with 32 bytes of data:\r\n"
      "Reply from 192.0.2.1: bytes=32 time<1ms TTL=118\r\n";
  EXPECT_EQ(recognise_trace(windows), TraceFormat::kPing);
  EXPECT_EQ(error_of(read_ping_trace(windows)),
            "these replies have no icmp_seq, as on Windows; " + make);
  EXPECT_EQ(error_of(read_ping_trace("64 bytes from x: icmp_seq=1 ttl=64 time=10,5 ms\n")),
            "line 1: an answer without 'time=… ms'");
}

TEST(PingTrace, LosesOneMessagePerLostPing) {
  // pings 1 s apart, the second lost; messages every 250 ms: the fifth of them is lost, the rest of
  // that second get the delay before; the cycle is 3 s
  const std::string content =
      "PING x\n"
      "64 bytes from x: icmp_seq=1 ttl=64 time=10 ms\n"
      "64 bytes from x: icmp_seq=3 ttl=64 time=30 ms\n";
  const Result<DelayTrace> trace = read_ping_trace(content);
  ASSERT_TRUE(trace) << error_of(trace);
  const std::vector<Outcome> outcomes = send_stream(*make_trace_link({}, *trace), 24, 250ms);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::size_t in_cycle = i % 12;
    EXPECT_EQ(outcomes[i], in_cycle == 4 ? kDropped : after(in_cycle < 8 ? 5ms : 15ms)) << i;
  }
  // fewer messages than pings: no ping that no message followed takes a later one with it
  EXPECT_THAT(send_stream(*make_trace_link({}, *trace), 3, 2s),
              ElementsAre(after(5ms), after(15ms), kDropped));
}

TEST(PingTrace, ThatBeginsWithALossGoesOnWithTheDelayOfItsEnd) {
  DelayTrace trace;
  trace.is_of_pings = true;
  trace.samples = {{0ms, kLost}, {10ms, kLost}, {20ms, 4ms}};
  EXPECT_THAT(send_stream(*make_trace_link({}, trace), 6, 5ms),
              ElementsAre(kDropped, after(4ms), kDropped, after(4ms), after(4ms), after(4ms)));
}

}  // namespace
}  // namespace longarm::network
