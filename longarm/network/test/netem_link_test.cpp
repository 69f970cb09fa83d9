// SPDX-License-Identifier: Apache-2.0
// Tests of the netem link's queue: rate, limit, order and slots, in exact numbers.
#include "longarm/network/netem/netem_link.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/test/link_fixture.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

std::unique_ptr<Link> make_netem(const std::string& line) {
  const Result<NetemConfig> config = parse_netem(line);
  EXPECT_TRUE(config) << config.error().message;
  return make_netem_link(*config, {7, "link.test"});
}

std::vector<Duration> delays(const std::vector<Outcome>& outcomes) {
  std::vector<Duration> all;
  for (const Outcome& outcome : outcomes) {
    all.push_back(outcome.delays.at(0));
  }
  return all;
}

TEST(NetemRate, TakesSizeOverRatePlusDelay) {
  // 125 bytes at 1 Mbit/s: 1 ms
  const std::unique_ptr<Link> link = make_netem("delay 20ms rate 1mbit");
  EXPECT_THAT(delays(send_stream(*link, 2, 50ms, 125)), ElementsAre(21ms, 21ms));
}

TEST(NetemRate, TheLastOfABurstOfKTakesKTimesSizeOverRatePlusDelay) {
  const std::unique_ptr<Link> link = make_netem("delay 20ms rate 1mbit");
  const std::vector<Duration> all = delays(send_stream(*link, 50, 0ms, 125));
  for (int k = 1; k <= 50; ++k) {
    EXPECT_EQ(all[static_cast<std::size_t>(k - 1)], k * 1ms + 20ms);
  }
}

TEST(NetemRate, CountsOverheadAndWholeCells) {
  // 100 + 20 bytes need 3 cells of 48, each 53 on the wire: 159 bytes, 1.272 ms
  EXPECT_THAT(delays(send_stream(*make_netem("rate 1mbit 20 48 5"), 1, 0ms, 100)),
              ElementsAre(1272us));
  EXPECT_THAT(delays(send_stream(*make_netem("rate 1mbit 25"), 1, 0ms, 100)), ElementsAre(1ms));
}

TEST(NetemLimit, DropsWhatFindsTheQueueFull) {
  // each packet waits 10 ms; three may wait: 0, 1, 2 fill it, 10 finds the first one gone
  const std::vector<Outcome> outcomes = send_stream(*make_netem("delay 10ms limit 3"), 23, 1ms);
  std::vector<int> arrived;
  for (int i = 0; i < 23; ++i) {
    const Outcome& outcome = outcomes[static_cast<std::size_t>(i)];
    if (outcome.dropped) {
      EXPECT_EQ(outcome.dropped, DropReason::kQueueFull);
    } else {
      arrived.push_back(i);
    }
  }
  EXPECT_THAT(arrived, ElementsAre(0, 1, 2, 10, 11, 12, 20, 21, 22));
}

TEST(NetemLimit, IsAThousandPacketsUnlessSaid) {
  const std::vector<Outcome> outcomes = send_stream(*make_netem("delay 1s"), 1002, 1us);
  EXPECT_FALSE(outcomes[999].dropped);
  EXPECT_EQ(outcomes[1000].dropped, DropReason::kQueueFull);
}

TEST(NetemLimit, OfALinkThatIsTooFastIsNeverReached) {
  // without delay nothing waits
  for (const Outcome& outcome : send_stream(*make_netem("loss 0% limit 1"), 10, 0ms)) {
    EXPECT_EQ(outcome.delays, std::vector<Duration>{0ms});
  }
}

bool arrives_in_order(const std::vector<Outcome>& outcomes, Duration period) {
  Duration last{0};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Duration at = static_cast<std::int64_t>(i) * period + outcomes[i].delays.at(0);
    if (at < last) {
      return false;
    }
    last = at;
  }
  return true;
}

TEST(NetemDelay, LetsJitterReorderUnlessARateKeepsTheOrder) {
  EXPECT_FALSE(arrives_in_order(send_stream(*make_netem("delay 20ms 5ms"), 100, 1ms), 1ms));
  EXPECT_TRUE(
      arrives_in_order(send_stream(*make_netem("delay 20ms 5ms rate 1gbit"), 100, 1ms), 1ms));
}

TEST(NetemDelay, NeverArrivesBeforeItIsSent) {
  for (const Outcome& outcome : send_stream(*make_netem("delay 1ms 5ms"), 1000, 1ms)) {
    EXPECT_GE(outcome.delays.at(0), Duration(0));
  }
}

TEST(NetemCorrupt, TakesItsTimeOnTheWireAllTheSame) {
  // all damaged: the queue fills as if they were sound
  const std::vector<Outcome> outcomes =
      send_stream(*make_netem("corrupt 100% rate 1mbit limit 2"), 3, 0ms, 125);
  EXPECT_EQ(outcomes[0].dropped, DropReason::kCorrupt);
  EXPECT_EQ(outcomes[1].dropped, DropReason::kCorrupt);
  EXPECT_EQ(outcomes[2].dropped, DropReason::kQueueFull);
}

TEST(NetemDuplicate, SendsTheCopyFirstAndBothTakeTheirTurn) {
  // 1 ms each: the copy is done at 1, the packet at 2, the next pair at 3 and 4
  const std::vector<Outcome> outcomes =
      send_stream(*make_netem("duplicate 100% rate 1mbit"), 2, 0ms, 125);
  EXPECT_THAT(outcomes[0].delays, ElementsAre(1ms, 2ms));
  EXPECT_THAT(outcomes[1].delays, ElementsAre(3ms, 4ms));
}

TEST(NetemDuplicate, ThatArrivesOnceIsNotCalledLost) {
  for (const Outcome& outcome : send_stream(*make_netem("duplicate 50% corrupt 50%"), 1000, 1ms)) {
    EXPECT_NE(outcome.delays.empty(), !outcome.dropped.has_value());
  }
}

TEST(NetemSlot, LetsPacketsOutTogether) {
  // 0 opens a slot at 10, which takes all up to 10; 11 opens the next one at 21
  const std::vector<Outcome> outcomes = send_stream(*make_netem("slot 10ms"), 15, 1ms);
  for (int i = 0; i < 15; ++i) {
    const Duration leaves = i <= 10 ? 10ms : 21ms;
    EXPECT_EQ(outcomes[static_cast<std::size_t>(i)].delays.at(0), leaves - i * 1ms) << i;
  }
}

TEST(NetemSlot, HoldsSoManyPackets) {
  // four per slot, slots every 10 ms as long as packets wait
  const std::vector<Outcome> outcomes = send_stream(*make_netem("slot 10ms packets 4"), 14, 1ms);
  for (int i = 0; i < 14; ++i) {
    const Duration leaves = (i / 4 + 1) * 10ms;
    EXPECT_EQ(outcomes[static_cast<std::size_t>(i)].delays.at(0), leaves - i * 1ms) << i;
  }
}

TEST(NetemSlot, HoldsSoManyBytes) {
  // closes with the packet that reaches 250 bytes: the third
  const std::vector<Outcome> outcomes =
      send_stream(*make_netem("slot 10ms bytes 250"), 7, 1ms, 100);
  for (int i = 0; i < 7; ++i) {
    const Duration leaves = (i / 3 + 1) * 10ms;
    EXPECT_EQ(outcomes[static_cast<std::size_t>(i)].delays.at(0), leaves - i * 1ms) << i;
  }
}

TEST(NetemSlot, OpensAtRandomWithinItsRangeOrDistribution) {
  // packets far apart each open their own slot: uniform 5 to 15 ms has mean 10, variance 100/12;
  // normal 10 ± 1 has variance 1
  constexpr int kCount = 100'000;
  const std::pair<const char*, double> lines[] = {{"slot 5ms 15ms", std::sqrt(100.0 / 12.0)},
                                                  {"slot distribution normal 10ms 1ms", 1.0}};
  for (const auto& [line, sigma] : lines) {
    double sum = 0.0;
    for (const Outcome& outcome : send_stream(*make_netem(line), kCount, 100ms)) {
      sum += static_cast<double>(outcome.delays.at(0).count()) * 1e-6;
    }
    EXPECT_NEAR(sum / kCount, 10.0, 3.0 * sigma / std::sqrt(kCount)) << line;
  }
}

TEST(NetemModel, ReadsItsLineAndReportsAWrongOne) {
  const std::unique_ptr<LinkModel> model = built_in_link_models().make("netem");
  KeyFields good(Keys{{"netem", "delay 3ms"}});
  model->list_fields(good);
  EXPECT_THAT(good.rejections, ElementsAre());
  EXPECT_THAT(delays(send_stream(*model->make({1, "link.states"}), 1, 0ms)), ElementsAre(3ms));

  KeyFields bad(Keys{{"netem", "delai 3ms"}});
  built_in_link_models().make("netem")->list_fields(bad);
  EXPECT_THAT(bad.rejections, ElementsAre("'delai' is not a netem option / did you mean 'delay'?"));
}

/// What is said of a line, as "message / hint".
std::vector<std::string> remarks_on(const std::string& line) {
  std::vector<std::string> texts;
  for (const KeyRemark& remark : remarks_on_netem("netem", *parse_netem(line))) {
    EXPECT_EQ(remark.severity, Severity::kWarning);
    texts.push_back(remark.message + " / " + remark.hint);
  }
  return texts;
}

TEST(NetemRemarks, SpeakOfDelaysBelowZero) {
  // uniform on [m - j, m + j], cut at 0: (j - m)/2j below, mean (m + j)²/4j; 15/40 and 625/80
  EXPECT_THAT(remarks_on("delay 5ms 20ms"),
              ElementsAre("the jitter is too large for the delay: 37.5% of the delays fall below 0 "
                          "and count as 0, and their mean is 7.812 ms rather than 5 ms / use a "
                          "smaller jitter"));
  double sum_ms = 0.0;
  constexpr int kCount = 100'000;
  for (const Outcome& outcome :
       send_stream(*make_netem("delay 5ms 20ms limit 1000000"), kCount, 1ms)) {
    sum_ms += static_cast<double>(outcome.delays.at(0).count()) * 1e-6;
  }
  // variance: E[d²] = 25³/(6·20) = 130.2, less 7.81²: sigma 8.3
  EXPECT_NEAR(sum_ms / kCount, 7.8125, 3.0 * 8.3 / std::sqrt(kCount));

  // half of a normal distribution around 0 is cut: mean j/√(2π) = 3.989 (a little less: it ends at
  // 4)
  const std::vector<std::string> normal = remarks_on("delay 1ns 10ms distribution normal");
  ASSERT_EQ(normal.size(), 1U);
  EXPECT_THAT(normal[0], ::testing::HasSubstr(": 50% of the delays"));
  EXPECT_THAT(normal[0], ::testing::HasSubstr("their mean is 3.98"));
  EXPECT_THAT(remarks_on("delay 20ms 20ms"), ElementsAre());
  EXPECT_THAT(remarks_on("delay 10ms 4ms distribution normal"), ElementsAre());  // 0.6 %
}

TEST(NetemRemarks, SayWhatACorrelationDoesToJitter) {
  const std::string in_kernel =
      "the correlation of 25% has almost no effect on the jitter, as in the kernel: delays are "
      "independent and use the whole jitter range / set jitter_correlation: kept for correlated "
      "delays";
  EXPECT_THAT(remarks_on("delay 20ms 5ms 25%"), ElementsAre(in_kernel));
  EXPECT_THAT(remarks_on("delay 5ms 20ms 25%"),
              ElementsAre(::testing::HasSubstr("their mean is 7.812 ms"), in_kernel));
  EXPECT_THAT(remarks_on("delay 20ms 0ms 25%"), ElementsAre()) << "of nothing";

  // kept: √((1-ρ)/(1+ρ)) of the spread, √(0.6) for a quarter
  const std::unique_ptr<LinkModel> model = built_in_link_models().make("netem");
  KeyFields fields(Keys{{"netem", "delay 5ms 20ms 25%"}, {"jitter_correlation", "kept"}});
  model->list_fields(fields);
  EXPECT_THAT(fields.rejections, ElementsAre());
  InputFiles files;
  const std::vector<KeyRemark> remarks = model->load(files);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].message,
            "the jitter is too large for the delay: delays below 0 count as 0; with "
            "'jitter_correlation: kept' successive delays are correlated and spread 0.77 times as "
            "far as without a correlation; in the kernel they are and do neither");
}

TEST(NetemRemarks, RecommendBurstsOfLossForLossOnly) {
  for (const char* line : {"corrupt 1% 25%", "duplicate 1% 25%", "delay 1ms reorder 1% 25%"}) {
    const std::vector<std::string> remarks = remarks_on(line);
    ASSERT_EQ(remarks.size(), 1U);
    EXPECT_THAT(remarks[0], ::testing::EndsWith(" / for 1% of packets, remove the correlation"));
  }
  EXPECT_THAT(remarks_on("corrupt 1% 99%"),
              ElementsAre("'corrupt' with a correlation of 99% is decided by its first draw / use "
                          "a lower correlation"));
  EXPECT_THAT(remarks_on("loss 1% 99%"),
              ElementsAre("'loss' with a correlation of 99% is decided by its first draw / use a "
                          "lower correlation, or loss gemodel for bursts"));
}

TEST(NetemModel, IgnoresASeedAndSaysAllItHasToSayAtOnce) {
  const std::unique_ptr<LinkModel> model = built_in_link_models().make("netem");
  KeyFields fields(Keys{{"netem", "delay 5ms 20ms seed 1234"}});
  model->list_fields(fields);
  EXPECT_THAT(fields.rejections, ElementsAre());
  InputFiles files;
  const std::vector<KeyRemark> remarks = model->load(files);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_THAT(
      remarks[0].message,
      ::testing::EndsWith("rather than 5 ms; the 'seed' of the netem line is ignored: draws "
                          "follow the scenario's seed"));
  EXPECT_EQ(remarks[0].hint, "use a smaller jitter; set the scenario's key 'seed'");
  EXPECT_EQ(remarks[0].severity, Severity::kWarning);
}

}  // namespace
}  // namespace longarm::network
