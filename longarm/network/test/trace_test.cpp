// SPDX-License-Identifier: Apache-2.0
// Tests of links that follow a measured trace, and of the files such traces come in.
#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/test/link_fixture.h"
#include "longarm/network/trace/pcap_file.h"
#include "longarm/network/trace/trace_link.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr std::optional<Duration> kLost = std::nullopt;

std::string error_of(const Result<DelayTrace>& trace) {
  return trace ? "no error" : trace.error().message;
}

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
            "line 1: a header such as 'time_s,delay_s' is expected, not '0,0.1'");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay\n0,1\n")),
            "line 1: a header such as 'time_s,delay_s' is expected, not 'time_s,delay'");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_s\n0,0.1\nx,0.1\n")),
            "line 3: 'x' is not a time");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_s\n0,0.1\n1,gone\n")),
            "line 3: 'gone' is not a delay; write 'lost' or nothing for a lost packet");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_s\n0,-0.1\n")),
            "line 2: the delay -0.1 is negative");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_s\n2,0.1\n1,0.1\n")),
            "line 3: this time is before the one above");
  EXPECT_EQ(error_of(read_csv_trace("delay_s,time_s\n0.1\n")), "line 2: 1 columns are too few");
  EXPECT_EQ(error_of(read_csv_trace("time_s,delay_s\n0,1e300\n")),
            "line 2: '1e300' is not a delay; write 'lost' or nothing for a lost packet");
}

constexpr const char* kPing =
    "PING time.example.org (192.0.2.1) 56(84) bytes of data.\n"
    "64 bytes from time.example.org (192.0.2.1): icmp_seq=1 ttl=64 time=10.0 ms\n"
    "no answer yet for icmp_seq=2\n"
    "64 bytes from time.example.org (192.0.2.1): icmp_seq=3 ttl=64 time=0.5 ms\n"
    "64 bytes from time.example.org (192.0.2.1): icmp_seq=3 ttl=64 time=0.9 ms (DUP!)\n"
    "64 bytes from time.example.org (192.0.2.1): icmp_seq=5 ttl=64 time=12 ms\n"
    "\n"
    "--- time.example.org ping statistics ---\n"
    "6 packets transmitted, 3 received, +1 duplicates, 50% packet loss, time 1000ms\n"
    "rtt min/avg/max/mdev = 0.500/7.500/12.000/5.000 ms\n";

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
                          "ping does not say how often it sent; one per second is assumed"));
}

TEST(PingTrace, SaysInWhichLineItIsBroken) {
  EXPECT_EQ(error_of(read_ping_trace("PING x\n64 bytes from x: icmp_seq=1 ttl=64\n")),
            "line 2: an answer without 'time=… ms'");
  EXPECT_EQ(error_of(read_ping_trace("PING x (192.0.2.1) 56(84) bytes of data.\n")),
            "this output of ping has no answer with icmp_seq and time");
  EXPECT_EQ(error_of(read_ping_trace("64 bytes from x: icmp_seq=99999999999 time=1 ms\n")),
            "line 1: a sequence number that makes no sense");
  EXPECT_EQ(error_of(read_ping_trace("64 bytes from x: icmp_seq=1 time=1 ms\n"
                                     "64 bytes from x: icmp_seq=99999999 time=1 ms\n")),
            "the sequence numbers of this output of ping make no sense");
  EXPECT_EQ(error_of(read_ping_trace("[100.0] 64 bytes from x: icmp_seq=1 time=1 ms\n"
                                     "[99.0] 64 bytes from x: icmp_seq=2 time=1 ms\n")),
            "the times of this output of ping make no sense");
}

/// Builds pcap files byte by byte.
class Capture {
 public:
  explicit Capture(bool is_big_endian = false, bool is_fine = false, std::uint32_t link_type = 1)
      : is_big_endian_(is_big_endian), is_fine_(is_fine) {
    number(is_fine ? 0xa1b23c4d : 0xa1b2c3d4);
    number(is_big_endian ? 0x00020004 : 0x00040002);
    number(0);
    number(0);
    number(65535);
    number(link_type);
  }

  Capture& add(std::int64_t at_ns, const std::string& frame) {
    number(static_cast<std::uint32_t>(at_ns / 1'000'000'000));
    number(static_cast<std::uint32_t>(at_ns % 1'000'000'000 / (is_fine_ ? 1 : 1000)));
    number(static_cast<std::uint32_t>(frame.size()));
    number(static_cast<std::uint32_t>(frame.size()));
    bytes += frame;
    return *this;
  }

  std::string bytes;

 private:
  void number(std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned shift = 8 * (is_big_endian_ ? 3 - i : i);
      bytes += static_cast<char>(value >> shift & 0xffU);
    }
  }
  bool is_big_endian_;
  bool is_fine_;
};

/// An IPv4 UDP packet with one byte of payload, padded as Ethernet does.
std::string udp(char payload, char time_to_live = 64, char checksum = 0, bool is_ethernet = true) {
  std::string ip{0x45, 0, 0, 29, 0,  0, 0, 0, time_to_live, 17, checksum, checksum,
                 10,   0, 0, 1,  10, 0, 0, 2};
  ip += std::string{0, 1, 0, 2, 0, 9, checksum, checksum};
  ip += payload;
  if (!is_ethernet) {
    return ip;
  }
  const std::string ethernet = std::string(12, 'm') + std::string{0x08, 0x00};
  return ethernet + ip + std::string(17, checksum == 0 ? '\0' : 'p');
}

TEST(PcapTrace, MatchesPacketsByTheirBytesInAnyByteOrder) {
  // the receiver sees another time to live, other checksums and other padding; 'b' is lost
  const Capture sent = Capture(false, false)
                           .add(1'000'000'000, udp('a'))
                           .add(1'001'000'000, udp('b'))
                           .add(1'002'000'000, udp('c'))
                           .add(1'003'000'000, udp('a'));
  const Capture received = Capture(true, true)
                               .add(1'000'400'007, udp('a', 61, 5))
                               .add(1'003'100'000, udp('c', 61, 5))
                               .add(1'003'250'000, udp('a', 61, 5));
  const Result<DelayTrace> trace = read_pcap_trace(sent.bytes, received.bytes);
  ASSERT_TRUE(trace) << error_of(trace);
  EXPECT_THAT(trace->samples,
              ElementsAre(DelaySample{0ms, Duration(400'007)}, DelaySample{1ms, kLost},
                          DelaySample{2ms, 1100us}, DelaySample{3ms, 250us}));
  EXPECT_THAT(
      trace->remarks,
      ElementsAre("one-way delays from two captures are only as good as the two clocks agree; 1 of "
                  "4 packets were not seen at the receiver and count as lost"));
}

TEST(PcapTrace, KnowsSeveralKindsOfLinks) {
  const std::string ip = udp('a', 64, 0, false);
  const std::string vlan = std::string(12, 'm') + std::string{'\x81', 0, 0, 7, 0x08, 0x00} + ip;
  const std::string cooked = std::string(14, 'c') + std::string{0x08, 0x00} + ip;
  const std::string cooked2 = std::string{0x08, 0x00} + std::string(18, 'c') + ip;
  const std::string loopback = std::string{2, 0, 0, 0} + ip;
  const std::string plain = Capture(false, false, 101).add(5000, ip).bytes;
  for (const std::string& other : {Capture(false, false, 1).add(9000, vlan).bytes,
                                   Capture(false, false, 113).add(9000, cooked).bytes,
                                   Capture(false, false, 276).add(9000, cooked2).bytes,
                                   Capture(false, false, 0).add(9000, loopback).bytes}) {
    const Result<DelayTrace> trace = read_pcap_trace(plain, other);
    ASSERT_TRUE(trace) << error_of(trace);
    EXPECT_THAT(trace->samples, ElementsAre(DelaySample{0ms, 4us}));
  }
}

TEST(PcapTrace, LeavesOutWhatIsNoIp) {
  const std::string arp = std::string(12, 'm') + std::string{0x08, 0x06} + std::string(28, 'a');
  const Result<std::vector<CapturedPacket>> packets =
      read_pcap(Capture().add(0, arp).add(0, udp('a')).add(0, "").bytes);
  ASSERT_TRUE(packets);
  EXPECT_EQ(packets->size(), 1U);
}

TEST(PcapTrace, SaysAtWhichByteItIsCut) {
  const std::string whole = Capture().add(0, udp('a')).bytes;  // 24 + 16 + 60 bytes
  ASSERT_EQ(whole.size(), 100U);
  const auto cut = [&](std::size_t bytes) {
    return error_of(read_pcap_trace(whole.substr(0, bytes), whole));
  };
  EXPECT_EQ(cut(10), "at the sender: the file header needs 24 bytes, the file ends at byte 10");
  EXPECT_EQ(cut(24), "at the sender: there are no IP packets in this capture");
  EXPECT_EQ(cut(30), "at the sender: the record at byte 24 is cut: the file ends at byte 30");
  EXPECT_EQ(cut(99),
            "at the sender: the record at byte 24 has 60 bytes, but the file ends at byte 99");
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_FALSE(read_pcap_trace(whole, whole.substr(0, bytes))) << bytes;
  }
}

TEST(PcapTrace, RefusesWhatItCannotRead) {
  const std::string good = Capture().add(1000, udp('a')).bytes;
  EXPECT_EQ(error_of(read_pcap_trace(good, "text")), "at the receiver: this is no pcap file");
  EXPECT_EQ(error_of(read_pcap_trace("\x0a\x0d\x0d\x0a and more", good)),
            "at the sender: this is a pcapng file; make a pcap file of it: editcap -F pcap IN OUT");
  EXPECT_EQ(error_of(read_pcap_trace(Capture(false, false, 105).bytes, good)),
            "at the sender: captures of link type 105 are not understood; capture on an Ethernet, "
            "loopback or tunnel device");
  EXPECT_EQ(error_of(read_pcap_trace(good, Capture().add(0, udp('a')).bytes)),
            "IP packet 1 arrives 1000 ns before it was sent: the clocks differ, or the captures "
            "hold the other direction too (filter them: tcpdump src host SENDER)");
  EXPECT_EQ(error_of(read_pcap_trace(good, Capture().add(0, udp('b')).bytes)),
            "no packet of the sender's capture is in the receiver's");
}

std::vector<Outcome> play(const TraceConfig& config, std::vector<DelaySample> samples, int count,
                          Duration period) {
  DelayTrace trace;
  trace.samples = std::move(samples);
  return send_stream(*make_trace_link(config, trace), count, period);
}

Outcome after(Duration delay) {
  return {{delay}, std::nullopt};
}
const Outcome kDropped{{}, DropReason::kLoss};

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

/// A file that goes away with the test.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& content)
      : path_(::testing::TempDir() + "longarm-" + name) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<std::string> load(LinkModel& model, Keys keys) {
  KeyFields fields(std::move(keys));
  model.list_fields(fields);
  if (!fields.rejections.empty()) {
    return fields.rejections;
  }
  InputFiles files;
  std::vector<std::string> texts;
  for (const KeyRemark& remark : model.load(files)) {
    const std::string severity = remark.severity == Severity::kError ? "error" : "warning";
    texts.push_back(severity + " at " + remark.key + ": " + remark.message +
                    (remark.hint.empty() ? "" : " / " + remark.hint));
  }
  return texts;
}

std::vector<std::string> load(Keys keys) {
  return load(*built_in_link_models().make("trace"), std::move(keys));
}

TEST(TraceModel, ReadsWhateverFileItIsGiven) {
  const TemporaryFile csv("trace.csv", "time_ms,delay_ms\n0,4\n10,6\n");
  const std::unique_ptr<LinkModel> model = built_in_link_models().make("trace");
  EXPECT_THAT(load(*model, {{"trace", csv.path()}}), ElementsAre());
  EXPECT_THAT(send_stream(*model->make({1, "link.states"}), 2, 10ms),
              ElementsAre(after(4ms), after(6ms)));

  const TemporaryFile ping("trace.ping", kPing);
  EXPECT_THAT(load({{"trace", ping.path()}}),
              ElementsAre("warning at trace: " + ping.path() +
                          ": ping measures round trips: each way is taken as half of them"));

  const TemporaryFile sent("sent.pcap", Capture().add(0, udp('a')).bytes);
  const TemporaryFile received("received.pcap", Capture().add(7000, udp('a')).bytes);
  EXPECT_THAT(load(*model, {{"trace", sent.path()}, {"trace_received", received.path()}}),
              ElementsAre("warning at trace: " + sent.path() +
                          ": one-way delays from two captures are only as good as the two clocks "
                          "agree; 0 of 1 packets were not seen at the receiver and count as lost"));
  EXPECT_THAT(send_stream(*model->make({1, "link.states"}), 1, 0ms), ElementsAre(after(7us)));
}

TEST(TraceModel, SaysWhichKeyIsWrong) {
  const TemporaryFile csv("trace.csv", "time_ms,delay_ms\n0,4\n10,x\n");
  const TemporaryFile column("column.csv", "delay_ms\n4\n");
  const TemporaryFile pcap("sent.pcap", Capture().add(0, udp('a')).bytes);
  EXPECT_THAT(load({}), ElementsAre("link model 'trace' needs the key 'trace' / name a file"));
  EXPECT_THAT(load({{"trace", csv.path()}}),
              ElementsAre("error at trace: " + csv.path() +
                          ": line 3: 'x' is not a delay; write 'lost' or nothing for a lost packet "
                          "/ see docs/links.md for what a trace may look like"));
  EXPECT_THAT(load({{"trace", column.path()}}),
              ElementsAre("error at trace: " + column.path() +
                          ": the trace says not when its packets were sent / add a column time_s, "
                          "or set trace_by: packet"));
  EXPECT_THAT(load({{"trace", column.path()}, {"trace_by", "packet"}}), ElementsAre());
  EXPECT_THAT(load({{"trace", pcap.path()}}),
              ElementsAre("error at trace: a capture at the sender needs one at the receiver / "
                          "name it with trace_received"));
  EXPECT_THAT(load({{"trace", csv.path()}, {"trace_received", pcap.path()}}),
              ElementsAre("error at trace_received: 'trace_received' goes with a pcap file as "
                          "'trace' / remove it, or give both captures"));
  const std::vector<std::string> missing = load({{"trace", "no-such-trace.csv"}});
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_THAT(missing[0], ::testing::StartsWith("error at trace: "));
  EXPECT_THAT(missing[0], ::testing::HasSubstr("no-such-trace.csv"));
}

}  // namespace
}  // namespace longarm::network
