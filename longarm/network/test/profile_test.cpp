// SPDX-License-Identifier: Apache-2.0
// Tests of links that change in time: backlog, drain, edges and order against closed forms.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/profile/profile_link.h"
#include "longarm/network/test/link_fixture.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

struct Made {
  std::unique_ptr<Link> link;
  std::vector<std::string> rejections;
};

Made make_profile(Keys keys) {
  const std::unique_ptr<LinkModel> model = built_in_link_models().make("profile");
  KeyFields fields(std::move(keys));
  model->list_fields(fields);
  if (!fields.rejections.empty()) {
    return {nullptr, fields.rejections};
  }
  return {model->make({7, "link.test"}), {}};
}

std::unique_ptr<Link> make_phases(std::vector<std::string> phases, bool repeat = true,
                                  bool overtaking = false) {
  return make_profile(
             {{"phases", std::move(phases)}, {"repeat", repeat}, {"overtaking", overtaking}})
      .link;
}

std::vector<Duration> arrivals(const std::vector<Outcome>& outcomes, Duration period) {
  std::vector<Duration> all;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    all.push_back(static_cast<std::int64_t>(i) * period + outcomes[i].delays.at(0));
  }
  return all;
}

TEST(ProfileLink, BacklogAndDrainOfTheDarpaLinkAreTheClosedForm) {
  // 250 bytes every 10 ms: r = 200 kbit/s. The good minute (C₂ = 1 Mbit/s) carries it: 2 ms each.
  // The bad one (C = 100 kbit/s, 20 ms each) does not: after t = 60 s the backlog is
  // (r - C) t = 6 Mbit = 3000 packets, which drains in (r - C) t / (C₂ - r) = 7.5 s.
  const Made made = make_profile({{"profile", "darpa"}});
  ASSERT_TRUE(made.link);
  const std::vector<Duration> at = arrivals(send_stream(*made.link, 18'000, 10ms, 250), 10ms);

  // the good minute
  for (std::size_t i = 0; i < 6000; ++i) {
    ASSERT_EQ(at[i], i * 10ms + 2ms + 50ms) << i;
  }
  // packet k of the bad minute leaves k + 1 service times after it began: 3000 leave within it, the
  // other 3000 are the backlog
  for (std::size_t k = 0; k < 2999; ++k) {
    ASSERT_EQ(at[6000 + k], 60s + (k + 1) * 20ms + 500ms) << k;
  }
  // the 3000th leaves exactly at the edge, into the good minute
  EXPECT_EQ(at[8999], Duration(120s + 50ms));
  // then one every 2 ms until nothing waits; that is 750 packets, 7.5 s, after the edge
  for (std::size_t k = 3000; k < 6750; ++k) {
    ASSERT_EQ(at[6000 + k], 120s + (k - 2999) * 2ms + 50ms) << k;
  }
  const auto waits = [&](std::size_t i) { return at[i] - i * 10ms > 52ms; };
  EXPECT_TRUE(waits(12'000 + 749));
  for (std::size_t i = 12'000 + 750; i < 18'000; ++i) {
    ASSERT_FALSE(waits(i)) << i;
  }
}

TEST(ProfileLink, TheDarpaLinkReordersAtTheSlowToFastEdgeOnly) {
  // 230 bytes at 40 Hz fit both minutes: 51.84 and 518.4 ms. Into the good minute at 120 s, what
  // was sent from 119.55 s to 119.975 s (18 packets) arrives after the first fast one at
  // 120.05184 s; ns-3 finds 18 as well.
  const Made made = make_profile({{"profile", "darpa"}});
  const std::vector<Duration> at = arrivals(send_stream(*made.link, 16'000, 25ms, 230), 25ms);
  std::vector<std::size_t> overtaken;
  Duration earliest_later = Duration::max();
  for (std::size_t i = at.size(); i-- > 0;) {
    if (at[i] > earliest_later) {
      overtaken.push_back(i);
    }
    earliest_later = std::min(earliest_later, at[i]);
  }
  std::sort(overtaken.begin(), overtaken.end());
  EXPECT_EQ(at[0], Duration(51'840us));
  EXPECT_EQ(at[2400], Duration(60s + 518'400us));
  // edges into the good minute within 400 s: at 120, 240 and 360 s
  ASSERT_EQ(overtaken.size(), 3U * 18U);
  for (std::size_t edge = 0; edge < 3; ++edge) {
    for (std::size_t i = 0; i < 18; ++i) {
      EXPECT_EQ(overtaken[edge * 18 + i], (edge + 1) * 4800 - 18 + i);
    }
  }
}

TEST(ProfileLink, KeepsTheOrderUnlessOvertakingIsAllowed) {
  const Made made = make_profile({{"profile", "darpa"}, {"overtaking", false}});
  const std::vector<Duration> at = arrivals(send_stream(*made.link, 16'000, 25ms, 230), 25ms);
  EXPECT_TRUE(std::is_sorted(at.begin(), at.end()));
  // the first fast one waits for the last slow one: sent at 119.975 s, 18.4 ms on the wire, 500 ms
  EXPECT_EQ(at[4800], Duration(119'975ms + 18'400us + 500ms));
}

TEST(ProfileLink, APacketThatMeetsAnEdgeGoesOnAtTheNewRate) {
  // 2000 bits: 1000 in the first second at 1 kbit/s, 1000 in 0.1 s at 10 kbit/s; the next, 0.2 s
  const std::unique_ptr<Link> link =
      make_phases({"1s rate 1kbit delay 5ms", "1s rate 10kbit delay 1ms"});
  EXPECT_THAT(arrivals(send_stream(*link, 2, 0s, 250), 0s), ElementsAre(1101ms, 1301ms));
}

TEST(ProfileLink, TheDelayIsThatOfTheInstantOfLeaving) {
  const std::unique_ptr<Link> link = make_phases({"1s delay 5ms", "1s delay 1ms"});
  EXPECT_THAT(arrivals(send_stream(*link, 5, 500ms), 500ms),
              ElementsAre(5ms, 505ms, 1001ms, 1501ms, 2005ms));
}

TEST(ProfileLink, TheLastPhaseGoesOnWithoutRepetition) {
  const std::unique_ptr<Link> link = make_phases({"1s delay 5ms", "1s delay 1ms"}, false);
  EXPECT_THAT(arrivals(send_stream(*link, 4, 1s), 1s), ElementsAre(5ms, 1001ms, 2001ms, 3001ms));
}

TEST(ProfileLink, KeepsFractionsOfNanosecondsInTheQueue) {
  // 8 bits at 3 kbit/s are 2666666.67 ns; the third leaves after 8 ms sharp, the 3000th after 8 s
  const std::unique_ptr<Link> link = make_phases({"1000s rate 3kbit"});
  const std::vector<Duration> at = arrivals(send_stream(*link, 3000, 0s, 1), 0s);
  EXPECT_EQ(at[0], Duration(2'666'667));
  EXPECT_EQ(at[1], Duration(5'333'334));
  EXPECT_EQ(at[2], Duration(8ms));
  EXPECT_EQ(at[2999], Duration(8s));
}

TEST(ProfileLink, AnOutageHoldsPacketsBack) {
  // nothing leaves in the first second of two; 125 bytes take 1 ms
  const std::unique_ptr<Link> link = make_phases({"1s rate 0bit", "1s rate 1mbit"});
  EXPECT_THAT(arrivals(send_stream(*link, 4, 700ms, 125), 700ms),
              ElementsAre(1001ms, 1002ms, 1401ms, 3001ms));
}

TEST(ProfileLink, SlowLinksOfShortPhasesTakeNoLongerToCompute) {
  // 8000 bits at 2 kbit/s on average: 4 s, two million cycles
  const std::unique_ptr<Link> link = make_phases({"1us rate 1kbit", "1us rate 3kbit"});
  EXPECT_THAT(arrivals(send_stream(*link, 1, 0s, 1000), 0s), ElementsAre(4s));
}

TEST(ProfileLink, LosesAndLimitsByPhase) {
  // 1 kHz; the second phase loses everything, the third lets two wait at 8 ms each
  const std::unique_ptr<Link> link =
      make_phases({"10ms", "10ms loss 100%", "1s rate 100kbit limit 2"}, false);
  const std::vector<Outcome> outcomes = send_stream(*link, 30, 1ms, 100);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(outcomes[i].delays, std::vector<Duration>{0ms});
    EXPECT_EQ(outcomes[10 + i].dropped, DropReason::kLoss);
  }
  EXPECT_EQ(outcomes[20].delays, std::vector<Duration>{8ms});
  EXPECT_EQ(outcomes[21].delays, std::vector<Duration>{15ms});
  EXPECT_EQ(outcomes[22].dropped, DropReason::kQueueFull);
  EXPECT_EQ(outcomes[28].delays, std::vector<Duration>{16ms});
}

TEST(ProfileLink, LossIsDrawnPerPacket) {
  // 30 % ± √(p(1-p)/n)
  const std::unique_ptr<Link> link = make_phases({"1s loss 30%"});
  double lost = 0.0;
  for (const Outcome& outcome : send_stream(*link, 100'000, 1ms)) {
    lost += outcome.dropped ? 1.0 : 0.0;
  }
  EXPECT_NEAR(lost / 100'000, 0.3, 3.0 * 0.00145);
}

TEST(Phase, PrintsAndReadsBackAsTheSame) {
  for (const char* text : {"60s rate 1mbit delay 50ms", "100ms delay 0s", "1s rate 0bit delay 3us",
                           "2s rate 123bit delay 1ms loss 0.3% limit 7"}) {
    const Result<Phase> phase = parse_phase(text);
    ASSERT_TRUE(phase) << phase.error().message;
    EXPECT_EQ(format_phase(*phase), text);
  }
}

TEST(ProfileLink, RefusesWhatItCannotMean) {
  const auto message = [](Keys keys) { return make_profile(std::move(keys)).rejections.at(0); };
  const auto phase = [&](const std::string& text) {
    return message({{"phases", std::vector<std::string>{"1s delay 1ms", text}}});
  };
  const std::string hint = " / for example: \"60s rate 1mbit delay 50ms loss 1% limit 100\"";
  EXPECT_EQ(message({}),
            "link model 'profile' needs 'profile' or 'phases' / for example profile: darpa");
  EXPECT_EQ(message({{"profile", "darpa"}, {"phases", std::vector<std::string>{"1s"}}}),
            "'profile' and 'phases' exclude each other / for example profile: darpa");
  EXPECT_EQ(phase(""), "phase 2: a phase is empty" + hint);
  EXPECT_EQ(phase("rate 1mbit"),
            "phase 2: a phase must start with its duration, such as 60s, not 'rate'" + hint);
  EXPECT_EQ(phase("0s"),
            "phase 2: a phase must start with its duration, such as 60s, not '0s'" + hint);
  EXPECT_EQ(phase("1s dely 1ms"),
            "phase 2: unknown option 'dely' in a phase; did you mean 'delay'?" + hint);
  EXPECT_EQ(phase("1s delay"),
            "phase 2: the phase ends after 'delay'; its value is missing" + hint);
  EXPECT_EQ(phase("1s delay 5"), "phase 2: '5' after 'delay' is not a time such as 50ms" + hint);
  EXPECT_EQ(phase("1s delay 1ms delay 1ms"), "phase 2: 'delay' is given twice" + hint);
  EXPECT_EQ(phase("1s rate fast"),
            "phase 2: 'fast' after 'rate' is not a rate such as 1mbit or 100kbit" + hint);
  EXPECT_EQ(phase("1s loss 120%"),
            "phase 2: '120%' after 'loss' is not a percentage from 0% to 100%" + hint);
  EXPECT_EQ(phase("1s limit 0"),
            "phase 2: '0' after 'limit' is not a whole number of packets" + hint);
  EXPECT_EQ(message({{"phases", std::vector<std::string>{"1s rate 0"}}}),
            "the rate is 0 in every phase: packets would wait forever / give one phase a rate");
  EXPECT_EQ(
      message(
          {{"phases", std::vector<std::string>{"1s rate 1mbit", "1s rate 0"}}, {"repeat", false}}),
      "the last phase continues forever, and its rate is 0 / give it a rate, or set repeat: true");
}

TEST(ProfileModel, KeepsAnOvertakingThatTheUserChose) {
  // list_fields runs again when the scenario is written; darpa's own default must not come back
  const std::unique_ptr<LinkModel> model = built_in_link_models().make("profile");
  KeyFields chosen(Keys{{"profile", "darpa"}, {"overtaking", false}});
  model->list_fields(chosen);
  IgnoringFields writer;
  model->list_fields(writer);
  const std::unique_ptr<Link> link = model->make({7, "link.test"});
  const std::vector<Duration> at = arrivals(send_stream(*link, 5000, 25ms, 230), 25ms);
  EXPECT_TRUE(std::is_sorted(at.begin(), at.end()));
}

}  // namespace
}  // namespace longarm::network
