// SPDX-License-Identifier: Apache-2.0
// Tests of netem lines: what they mean, that they print and read back, and what wrong ones say.
#include "longarm/network/netem/netem_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/netem/tc_units.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;

TEST(TcUnits, ReadTimesRatesAndSizesAsTcDoes) {
  EXPECT_EQ(parse_tc_time("100"), Duration(100us));  // bare numbers count microseconds
  EXPECT_EQ(parse_tc_time("1.5ms"), Duration(1500us));
  EXPECT_EQ(parse_tc_time("2sec"), Duration(2s));
  EXPECT_EQ(parse_tc_time("40NS"), Duration(40));
  EXPECT_EQ(parse_tc_time("-1ms"), std::nullopt);
  EXPECT_EQ(parse_tc_rate("1mbit"), 1'000'000);
  EXPECT_EQ(parse_tc_rate("1Mbit"), 1'000'000);
  EXPECT_EQ(parse_tc_rate("100kbps"), 800'000);  // bps are bytes
  EXPECT_EQ(parse_tc_rate("9600"), 9600);
  EXPECT_EQ(parse_tc_rate("2kibit"), 2048);
  EXPECT_EQ(parse_tc_rate("fast"), std::nullopt);
  EXPECT_EQ(parse_tc_size("10k"), 10'240);
  EXPECT_EQ(parse_tc_size("1500"), 1500);
  EXPECT_EQ(parse_tc_percent("25"), 25.0);
  EXPECT_EQ(parse_tc_percent("0.3%"), 0.3);
  EXPECT_EQ(parse_tc_percent("101%"), std::nullopt);
  EXPECT_EQ(parse_tc_percent("nan"), std::nullopt);
}

TEST(Netem, ReadsEveryOption) {
  const Result<NetemConfig> read = parse_netem(
      "limit 50 delay 100ms 10ms 25% distribution normal loss 0.3% corrupt 0.1% 5% "
      "duplicate 1% reorder 25% 50% gap 5 rate 1mbit 20 48 -5 slot 1ms 2ms packets 3 bytes 10k");
  ASSERT_TRUE(read) << read.error().message;
  NetemConfig expected;
  expected.limit_packets = 50;
  expected.delay = {100ms, 10ms, 25.0, NetemDistribution::kNormal};
  expected.loss.model = NetemConfig::LossModel::kRandom;
  expected.loss.percent = 0.3;
  expected.corrupt = {0.1, 5.0};
  expected.duplicate = {1.0, 0.0};
  expected.reorder = {25.0, 50.0};
  expected.reorder_gap = 5;
  expected.rate = {1'000'000, 20, 48, -5};
  expected.slot.emplace();
  expected.slot->minimum = 1ms;
  expected.slot->maximum = 2ms;
  expected.slot->packets = 3;
  expected.slot->bytes = 10'240;
  EXPECT_EQ(*read, expected);
}

TEST(Netem, FillsInWhatLossModelsLeaveOutAsTcDoes) {
  EXPECT_EQ(format_netem(*parse_netem("loss state 5%")), "loss state 5% 95% 0% 100% 0%");
  EXPECT_EQ(format_netem(*parse_netem("loss gemodel 5%")), "loss gemodel 5% 95% 100% 0%");
}

TEST(Netem, AcceptsWholeTcCommandsShortWordsAndWhatTcPrints) {
  const NetemConfig plain = *parse_netem("delay 100ms 10ms duplicate 1%");
  for (const char* line :
       {"tc qdisc add dev eth0 root netem delay 100ms 10ms duplicate 1%",
        "sudo tc qdisc change dev eth0 root handle 1: netem delay 100ms 10ms duplicate 1%",
        "tc qdisc replace dev wlan0 parent 1:1 handle 10: netem latency 100000 10000 dup 1",
        "qdisc netem 8001: root refcnt 2 limit 1000 delay 100ms  10ms duplicate 1%",
        "qdisc netem 8001: dev eth0 root refcnt 2 limit 1000 delay 100ms  10ms duplicate 1%"}) {
    const Result<NetemConfig> read = parse_netem(line);
    ASSERT_TRUE(read) << line << ": " << read.error().message;
    EXPECT_EQ(*read, plain) << line;
  }
}

TEST(Netem, AcceptsTheNamesThatTcPrintsBeforeValues) {
  const std::pair<const char*, const char*> lines[] = {
      {"qdisc netem 8001: root refcnt 2 limit 1000 loss gemodel p 1% r 25% 1-h 100% 1-k 0%",
       "loss gemodel 1% 25% 100% 0%"},
      {"qdisc netem 10: parent 1:1 limit 1000 loss state p13 1% p31 99% p32 0% p23 100% p14 0%",
       "loss state 1% 99% 0% 100% 0%"},
      {"parent 1:1 handle 10: netem delay 5ms", "delay 5ms"},
      {"dev eth0 root netem delay 5ms", "delay 5ms"},
      {"del 5ms", "delay 5ms"},  // a short word, not a command
      {"/sbin/tc qdisc add dev eth0 root netem delay 5ms", "delay 5ms"},
      {"rate 1Mbit packetoverhead 20 cellsize 0 celloverhead 0", "rate 1mbit 20"},
      {"rate 1Mbit packetoverhead -4 cellsize 48 celloverhead 5", "rate 1mbit -4 48 5"},
      {"rate 1Mbit cellsize 48", "rate 1mbit 0 48 0"},  // tc leaves out what is 0
      {"limit 1000 delay 10ms reorder 25% 50% gap 5", "delay 10ms reorder 25% 50% gap 5"},
      {"limit 1000 delay 10ms seed 18446744073709551615", "delay 10ms"},
      // without a chance Linux takes 100 %: each fifth packet
      {"gap 5 delay 10ms", "delay 10ms reorder 100% gap 5"}};
  for (const auto& [printed, plain] : lines) {
    const Result<NetemConfig> read = parse_netem(printed);
    ASSERT_TRUE(read) << printed << ": " << read.error().message;
    EXPECT_EQ(format_netem(*read), plain) << printed;
  }
}

TEST(Netem, LinesPrintAndReadBackAsTheSame) {
  for (const char* line :
       {"delay 1ms",
        "delay 100ms 10ms",
        "delay 100ms 10ms 25%",
        "delay 1234567ns 10us",
        "delay 0ms 1ms",
        "delay 3s 1ms distribution paretonormal",
        "delay 10ms 1ms 50% distribution pareto",
        "loss 0.3%",
        "loss random 33.333333333333336% 12.5%",
        "loss state 1% 2% 3% 4% 5%",
        "loss state 0.1%",
        "loss gemodel 1% 10% 70% 0.1%",
        "loss gemodel 0.7%",
        "drop 1%",
        "corrupt 1% 3%",
        "corrupt 0% 3%",
        "duplicate 2%",
        "delay 10ms reorder 25% 50%",
        "delay 10ms reorder 25% gap 5",
        "rate 1mbit",
        "rate 1234567",
        "rate 1mbit 20",
        "rate 5gbit 0 53 -5",
        "rate 1kbps -10",
        "slot 10ms",
        "slot 1ms 20ms packets 3",
        "slot 800us bytes 32k",
        "slot distribution pareto 1ms 0.1ms packets 8 bytes 100",
        "limit 12",
        "limit 1000",
        "limit 5 delay 1ms 1us 1% loss gemodel 1% corrupt 1% duplicate 1% reorder 1% gap 2 rate "
        "1mbit slot 1ms"}) {
    const Result<NetemConfig> once = parse_netem(line);
    ASSERT_TRUE(once) << line << ": " << once.error().message;
    const std::string printed = format_netem(*once);
    const Result<NetemConfig> twice = parse_netem(printed);
    ASSERT_TRUE(twice) << printed << ": " << twice.error().message;
    EXPECT_EQ(*once, *twice) << line << " printed as " << printed;
    EXPECT_EQ(format_netem(*twice), printed);
  }
}

TEST(Netem, PrintsOneCanonicalLine) {
  EXPECT_EQ(format_netem(*parse_netem("loss 1 latency 2500 500us distribution normal limit 9")),
            "limit 9 delay 2500us 500us distribution normal loss 1%");
  EXPECT_EQ(format_netem(*parse_netem("reorder 25% delay 10ms rate 125kbps")),
            "delay 10ms reorder 25% rate 1mbit");
}

struct Broken {
  const char* line;
  const char* message;
  const char* hint;
};

constexpr const char* kDelayUsage =
    "delay TIME [JITTER [CORRELATION]] [distribution uniform|normal|pareto|paretonormal]";
constexpr const char* kLossUsage =
    "loss [random] PERCENT [CORRELATION], loss state P13 [P31 [P32 [P23 [P14]]]], or loss gemodel "
    "P [R [1-H [1-K]]]";
constexpr const char* kSlotUsage =
    "slot MIN [MAX] [packets N] [bytes N], or slot distribution NAME DELAY JITTER [packets N] "
    "[bytes N]";
constexpr const char* kReorderUsage = "reorder PERCENT [CORRELATION] [gap DISTANCE], with a delay";

TEST(Netem, SaysWhichWordIsWrongAndWhatWouldBeRight) {
  const Broken all[] = {
      {"", "the netem line is empty", "for example: delay 10ms 2ms loss 0.1%"},
      {"dealy 10ms", "'dealy' is not a netem option", "did you mean 'delay'?"},
      {"delay", "the line ends after 'delay'; a time such as 100ms, 250us or 1.5s is missing",
       kDelayUsage},
      {"delay 100mz", "'100mz' after 'delay' is not a time such as 100ms, 250us or 1.5s",
       kDelayUsage},
      {"delay -5ms", "'-5ms' after 'delay' is not a time such as 100ms, 250us or 1.5s",
       kDelayUsage},
      {"delay 10ms 2ms 130%", "'130%' after '2ms' is not a percentage from 0% to 100%",
       kDelayUsage},
      {"delay 10ms 2ms 10% 5", "unexpected value '5'",
       "options are: limit, delay, distribution, loss, corrupt, duplicate, reorder, gap, rate, "
       "slot"},
      {"delay 10ms 2ms distribution gaussian", "unknown distribution 'gaussian'",
       "valid names are: uniform, normal, pareto, paretonormal"},
      {"delay 10ms distribution normal", "a distribution needs a delay and a jitter",
       "distribution uniform|normal|pareto|paretonormal, after a delay with jitter"},
      {"delay 1ms delay 2ms", "'delay' is given twice", "keep one of them"},
      {"delay 1000000s", "'1000000s' after 'delay' is too long: 24 hours at most", kDelayUsage},
      {"delay 1ms 99999999999999999999ms",
       "'99999999999999999999ms' after '1ms' is too long: 24 hours at most", kDelayUsage},
      {"loss much", "'much' after 'loss' is not a percentage from 0% to 100%", kLossUsage},
      {"loss gemodel", "the line ends after 'gemodel'; a percentage from 0% to 100% is missing",
       kLossUsage},
      {"loss state 60% 60% 60%", "the chances to leave a state of 'loss state' exceed 100%",
       "P13 + P14 and P31 + P32 may each be 100% at most"},
      {"loss 1% ecn", "'ecn' is not supported: packets are dropped instead of marked",
       "remove 'ecn'"},
      {"loss 1% seed five", "'five' after 'seed' is not a whole number",
       "remove it and set the scenario's key 'seed'"},
      {"reorder 25%",
       "nothing can be reordered without a delay: packets that are reordered skip it",
       kReorderUsage},
      {"gap 5", "nothing can be reordered without a delay: packets that are reordered skip it",
       kReorderUsage},
      {"slot distribution 1ms 100us", "unknown distribution '1ms'",
       "tc does not print its name: write it before the times"},
      {"rate 0", "'0' after 'rate' is not a rate such as 1mbit or 100kbit",
       "rate RATE [PACKETOVERHEAD [CELLSIZE [CELLOVERHEAD]]], for example rate 1mbit"},
      {"rate 10mb/s", "'10mb/s' after 'rate' is not a rate such as 1mbit or 100kbit",
       "rate RATE [PACKETOVERHEAD [CELLSIZE [CELLOVERHEAD]]], for example rate 1mbit"},
      {"slot 10ms 5ms", "the longest slot delay is shorter than the shortest", kSlotUsage},
      {"slot 10ms packets some", "'some' after 'packets' is not a whole number of packets",
       kSlotUsage},
      {"limit 0", "'0' after 'limit' is not a whole number of packets", "limit PACKETS"},
      {"tc qdisc add dev eth0 root tbf rate 1mbit", "there is no 'netem' in this tc command",
       "tc qdisc add dev eth0 root netem delay 10ms"},
      {"tc qdisc del dev eth0 root netem",
       "this tc command removes a netem; it does not describe one",
       "tc qdisc add dev eth0 root netem delay 10ms"},
  };
  for (const Broken& broken : all) {
    NetemConfig config;
    const std::optional<NetemMistake> mistake = read_netem(broken.line, config);
    ASSERT_TRUE(mistake) << broken.line;
    EXPECT_EQ(mistake->message, broken.message) << broken.line;
    EXPECT_EQ(mistake->hint, broken.hint) << broken.line;
  }
}

}  // namespace
}  // namespace longarm::network
