// SPDX-License-Identifier: Apache-2.0
// Tests of traces as CSV: what is read, and what is said of what cannot be.
#include <algorithm>

#include "longarm/network/test/trace_fixture.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(CsvTrace, ReadsTimesDelaysAndLosses) {
  const Result<DelayTrace> trace = read_csv_trace(
      "# made by hand\n\ntime_s, delay_ms ,note\r\n5,2.5,a\n5.1,lost,b\n5.25,,c\n6,0,\n");
  ASSERT_TRUE(trace) << error_of(trace);
  EXPECT_THAT(trace->samples, ElementsAre(DelaySample{0ms, 2500us}, DelaySample{100ms, kLost},
                                          DelaySample{250ms, kLost}, DelaySample{1s, 0ms}));
  EXPECT_TRUE(trace->has_times);
}

TEST(CsvTrace, NeedsNoTimesAndKnowsFourUnits) {
  const Result<DelayTrace> trace = read_csv_trace("delay_us\n10\n20");
  ASSERT_TRUE(trace) << error_of(trace);
  EXPECT_FALSE(trace->has_times);
  EXPECT_THAT(trace->samples, ElementsAre(DelaySample{0ms, 10us}, DelaySample{0ms, 20us}));
  EXPECT_EQ(read_csv_trace("time_us,delay_ns\n0,7\n3,8\n")->samples[1], (DelaySample{3us, 8ns}));
}

TEST(CsvTrace, SaysInWhichLineItIsBroken) {
  EXPECT_EQ(error_of(read_csv_trace("")), "the trace is empty");
  EXPECT_EQ(error_of(read_csv_trace("# nothing\n")), "the trace is empty");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_s\n")), "the trace has a header but no samples");
  EXPECT_EQ(error_of(read_csv_trace("0,0.1\n1,0.2\n")),
            "line 1: a header such as 'time_s,delay_s' or 'timestamp,rtt_ms' is expected, not "
            "'0,0.1'");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay\n0,1\n")),
            "line 1: a header such as 'time_s,delay_s' or 'timestamp,rtt_ms' is expected, not "
            "'time_s,delay'");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_s\n0,0.1\nx,0.1\n")),
            "line 3: 'x' is not a time");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_s\n0,0.1\n1,gone\n")),
            "line 3: 'gone' is not a delay; write 'lost' or nothing for a lost packet");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_s\n0,-0.1\n")),
            "line 2: the delay -0.1 is negative");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_s\n2,0.1\n1,0.1\n")),
            "line 3: this time is before the one above");
  EXPECT_EQ(error_of(read_csv_trace("delay_s,time_s\n0.1\n")),
            "line 2: the row ends after 1 of 2 columns; write 'lost' for a lost packet");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_s\n0,1e300\n")),
            "line 2: '1e300' is not a delay; write 'lost' or nothing for a lost packet");
}

TEST(CsvTrace, ComesAsSpreadsheetsSaveIt) {
  const std::vector<DelaySample> expected{{0ms, 2500us}, {100ms, kLost}, {200ms, kLost}, {1s, 3ms}};
  for (const char* content : {
           "\xef\xbb\xbftime_s,delay_ms\n5,2.5\n5.1,\n5.2,lost\n6,3\n",  // marked as UTF-8
           "time_s;delay_ms\n5;2.5\n5.1;\n5.2;LOST\n6;3\n",
           "time_s;delay_ms\n5;2,5\n5,1;\n5,2;lost\n6;3,0\n",  // decimal commas
           "time_s\tdelay_ms\n5\t2.5\n5.1\t\n5.2\tlost\n6\t3\n",
           "\"Time_s\",\"Delay_MS\"\n\"5\",\"2.5\"\n5.1,\"\"\n5.2,lost\n6,3\n",
           "note,TIME_S,DELAY_MS\n\"a, b\",5,2.5\nc,5.1,\nd,5.2,lost\n\"e,f,g\",6,3\n",
       }) {
    const Result<DelayTrace> trace = read_csv_trace(content);
    ASSERT_TRUE(trace) << content << error_of(trace);
    EXPECT_EQ(trace->samples, expected) << content;
  }
}

TEST(CsvTrace, HalvesRoundTripsAndReadsTimestamps) {
  // the same three probes, a quarter of a second apart, as five tools write the time
  for (const char* content : {
           "timestamp,rtt_ms\n0,20\n0.25,\n0.5,22\n",
           "timestamp,rtt_ms\n1772366400.0,20\n1772366400.25,lost\n1772366400.5,22\n",
           "Timestamp;RTT_ms\n1772366400000;20\n1772366400250;\n1772366400500;22\n",
           "rtt_us,timestamp\n20000,2026-03-01T12:00:00Z\n,2026-03-01T12:00:00.25Z\n"
           "22000,2026-03-01T12:00:00.500Z\n",
           "time_s,rtt_s\n1772366400.0,0.02\n1772366400.25,\n1772366400.5,0.022\n",
       }) {
    const Result<DelayTrace> trace = read_csv_trace(content);
    ASSERT_TRUE(trace) << error_of(trace) << " in " << content;
    EXPECT_THAT(trace->samples, ElementsAre(DelaySample{0ms, 10ms}, DelaySample{250ms, kLost},
                                            DelaySample{500ms, 11ms}))
        << content;
    EXPECT_TRUE(trace->is_of_pings) << "one lost probe is no outage";
    ASSERT_EQ(trace->remarks.size(), 1U);
    EXPECT_THAT(trace->remarks[0],
                ::testing::HasSubstr("are round trips: each way is taken as half of them"));
  }
  // midnight of a leap day lies between
  const Result<DelayTrace> night = read_csv_trace(
      "timestamp,rtt_ms\n2028-02-28 23:59:59,1\n2028-02-29 00:00:00,1\n2028-03-01 00:00:00,1\n");
  ASSERT_TRUE(night) << error_of(night);
  EXPECT_EQ(night->samples[2].at, 86401s);
  EXPECT_EQ(error_of(read_csv_trace("timestamp,rtt_ms\n2028-13-28 23:59:59,1\n")),
            "line 2: '2028-13-28 23:59:59' is not a time");
  EXPECT_EQ(read_csv_trace("delay_ms,rtt_ms\n4,20\n")->samples[0].delay, 4ms)
      << "where one way was measured, that counts";
}

TEST(CsvTrace, IsRefusedWhereItIsAmbiguous) {
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_s\n0,0.1\n1\n")),
            "line 3: the row ends after 1 of 2 columns; write 'lost' for a lost packet");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_ms,delay_us\n0,1,1000\n")),
            "line 1: both 'delay_ms' and 'delay_us' are delay columns; keep one");
  EXPECT_EQ(error_of(read_csv_trace("time_s,time_ms,delay_us\n0,0,1000\n")),
            "line 1: both 'time_s' and 'time_ms' are delay columns; keep one");
  EXPECT_EQ(error_of(read_csv_trace("# x\ntime_s,delay_ms\n0,1\n0,2\n")),
            "line 4: this time is the same as the one above");
}

TEST(CsvTrace, IsRefusedIfItIsNoUtf8) {
  using namespace std::string_view_literals;
  EXPECT_EQ(error_of(read_csv_trace("\xff\xfet\0i\0"sv)), "this text is UTF-16; save it as UTF-8");
  EXPECT_EQ(error_of(read_csv_trace("\xfe\xff\0t\0i"sv)), "this text is UTF-16; save it as UTF-8");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_s\n0,\0\n"sv)),
            "line 2: a zero byte; this is not text, or it is UTF-16 (save it as UTF-8)");
}

TEST(CsvTrace, OfTheReadyWifiCellIsWhatItsReadmeSays) {
  const auto read = [](const std::string& name) {
    const Result<std::string> content =
        read_file(std::string(LONGARM_SOURCE_DIR) + "/scenarios/wifi-trace/" + name);
    EXPECT_TRUE(content);
    const Result<DelayTrace> trace = content ? read_csv_trace(*content) : Error{"no file"};
    EXPECT_TRUE(trace) << error_of(trace);
    return trace ? trace->samples : std::vector<DelaySample>();
  };
  const auto is_lost = [](const DelaySample& sample) { return !sample.delay; };
  const std::vector<DelaySample> states = read("states.csv");
  const std::vector<DelaySample> commands = read("commands.csv");
  ASSERT_EQ(states.size(), 10'000U);
  ASSERT_EQ(commands.size(), 10'000U);
  EXPECT_EQ(states.back().at, Duration(9999ms));
  EXPECT_EQ(std::count_if(states.begin(), states.end(), is_lost), 0);
  EXPECT_EQ(std::count_if(commands.begin(), commands.end(), is_lost), 7);
}

}  // namespace
}  // namespace longarm::network
