// SPDX-License-Identifier: Apache-2.0
// Tests of traces from the JSON of iperf3: round trips of TCP, and why others cannot be used.
#include "longarm/network/test/trace_fixture.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

// Two streams for two intervals, with the members that count; a real one has many more.
constexpr const char* kTcp = R"({
  "start": {"version": "iperf 3.12", "test_start": {"protocol": "TCP"}},
  "intervals": [
    {"streams": [{"socket": 5, "start": 0, "end": 1.0, "rtt": 20000, "sender": true},
                 {"socket": 7, "start": 0, "end": 1.0, "rtt": 24000, "sender": true}],
     "sum": {"start": 0, "retransmits": 3, "sender": true}},
    {"streams": [{"socket": 5, "start": 1.0, "end": 2.0, "rtt": 30000, "sender": true},
                 {"socket": 9, "start": 1.0, "end": 2.0, "sender": false}],
     "sum": {"start": 1.0, "retransmits": 0, "sender": true}}],
  "end": {"streams": []}})";

TEST(IperfTrace, HalvesTheMeanRoundTripOfEachInterval) {
  const Result<DelayTrace> trace = read_iperf_trace(kTcp);
  ASSERT_TRUE(trace) << error_of(trace);
  EXPECT_THAT(trace->samples, ElementsAre(DelaySample{0ms, 11ms}, DelaySample{1s, 15ms}));
  EXPECT_THAT(
      trace->remarks,
      ElementsAre("iperf3 reports the round trips of a link that it fills: each way is taken as "
                  "half of them",
                  "3 segments were retransmitted; which packets were lost is unknown, so no losses "
                  "are simulated"));
}

TEST(IperfTrace, IsRecognisedByItsContent) {
  EXPECT_EQ(recognise_trace(kTcp), TraceFormat::kIperf);
  EXPECT_EQ(recognise_trace("\n  {}"), TraceFormat::kIperf);
  const TemporaryFile file("iperf.json", kTcp);
  const std::unique_ptr<LinkModel> model = built_in_link_models().make("trace");
  const std::vector<std::string> said = load(*model, {{"trace", file.path()}});
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], ::testing::StartsWith("warning at trace: "));
  EXPECT_THAT(send_stream(*model->make({1, "link.states"}), 2, 1s),
              ElementsAre(after(11ms), after(15ms)));
}

TEST(IperfTrace, SaysWhatToDoWhereThereAreNoRoundTrips) {
  EXPECT_EQ(error_of(read_iperf_trace("{\"intervals\": [")),
            "this JSON is incomplete or invalid; let iperf3 -J run to its end");
  EXPECT_EQ(error_of(read_iperf_trace("{}")),
            "this JSON has no 'intervals', as that of iperf3 -J has");
  EXPECT_EQ(error_of(read_iperf_trace(R"({"intervals": [], "error": "unable to connect"})")),
            "iperf3 failed: unable to connect");
  EXPECT_EQ(error_of(read_iperf_trace(
                R"({"intervals": [{"streams": [{"start": 0, "packets": 90}]}],
                    "end": {"sum": {"jitter_ms": 0.25, "lost_percent": 1.5}}})")),
            "this measurement of iperf3 has no round trips; it reports 1.5% loss and 0.25 ms of "
            "jitter: write that as netem, for example \"delay 10ms 0.25ms loss 1.5%\"");
  EXPECT_EQ(error_of(read_iperf_trace(R"({"intervals": [{"streams": [{"start": 0}]}]})")),
            "this measurement of iperf3 has no round trips; use the JSON of the side that sends "
            "TCP");
  EXPECT_EQ(error_of(read_iperf_trace(R"({"intervals": [3, {"streams": "x"}], "end": 7})")),
            "this measurement of iperf3 has no round trips; use the JSON of the side that sends "
            "TCP");
  EXPECT_EQ(error_of(read_iperf_trace(
                R"({"intervals": [{"streams": [{"start": 1, "rtt": 5}]},
                                  {"streams": [{"start": 1, "rtt": 5}]}]})")),
            "the intervals of this JSON do not follow one another");
}

}  // namespace
}  // namespace longarm::network
