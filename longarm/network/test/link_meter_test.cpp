// SPDX-License-Identifier: Apache-2.0
// Tests of what is measured on a link, against closed forms.
#include "longarm/network/link_meter.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/core/random.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;

/// What becomes of a message: how long it takes, or that it is lost.
using MessageFate = std::optional<Duration>;

/// Sends a message every `period` from zero on and reports at `end`; all fates are settled by then.
LinkReport report_of(const std::vector<MessageFate>& fates, Duration period, Duration end,
                     const LinkRequirements& requirements = {}) {
  struct Arrival {
    Time at;
    std::uint64_t index;
  };
  LinkMeter meter(period, requirements);
  std::vector<Arrival> arrivals;
  for (std::uint64_t i = 0; i < fates.size(); ++i) {
    meter.sent();
    if (fates[i]) {
      arrivals.push_back({Time(static_cast<std::int64_t>(i) * period + *fates[i]), i});
    } else {
      meter.dropped(DropReason::kLoss);
    }
  }
  std::stable_sort(arrivals.begin(), arrivals.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
  for (const Arrival& arrival : arrivals) {
    meter.arrived(arrival.index, Time(static_cast<std::int64_t>(arrival.index) * period),
                  arrival.at);
  }
  return meter.report(Time(end), 0);
}

TEST(LinkMeter, AgeOfARegularStreamIsItsDelayPlusHalfAPeriod) {
  // a sawtooth from 3 ms to 7 ms, from the first arrival at 3 ms to 403 ms: a hundred whole teeth
  const LinkReport report = report_of(std::vector<MessageFate>(100, 3ms), 4ms, 403ms);
  EXPECT_NEAR(report.age_mean_s, 0.005, 1e-15);
  EXPECT_EQ(report.age_max, Duration(7ms));
  EXPECT_NEAR(report.age_peak_mean_s, 0.007, 1e-15);
  EXPECT_EQ(report.longest_outage, Duration(4ms));
  EXPECT_EQ(report.survival_violations, 0U);
  EXPECT_EQ(report.deadline_miss_ratio(), 0.0);
  EXPECT_EQ(report.delay_min, Duration(3ms));
  EXPECT_EQ(report.delay_max, Duration(3ms));
  EXPECT_NEAR(report.delay_mean_s, 0.003, 1e-15);
}

TEST(LinkMeter, AgeOfAStreamWithIndependentLossesFollowsTheClosedForm) {
  // Messages to the next one that arrives: N, geometric with q = 1 - p. Mean age = delay + period ·
  // E[N²] / 2 E[N] = delay + period · (1 / (1 - p) - 1/2), and peaks average delay + period · E[N].
  // p = 1/2: E[N] = 2, E[N²] = 6, E[N³] = 26, E[N⁴] = 150; in periods the age beyond the delay is
  // A = 3/2, and from m arrivals its variance is Var[N²/2 - A N] / (m E[N]²)
  // = (150/4 - 3/2 · 26 + 9/4 · 6) / 4m = 3/m; that of the peaks Var[N] / m = 2/m.
  constexpr int kMessages = 200'000;
  const RandomStream random(7, "losses");
  std::vector<MessageFate> fates;
  for (std::uint64_t i = 0; i < kMessages; ++i) {
    fates.push_back(random.uniform_at(i) < 0.5 ? MessageFate() : MessageFate(2ms));
  }
  const LinkReport report = report_of(fates, 1ms, kMessages * 1ms + 2ms);
  const auto m = static_cast<double>(report.delivered);
  EXPECT_NEAR(report.age_mean_s, 0.0035, 3e-3 * std::sqrt(3.0 / m));
  EXPECT_NEAR(report.age_peak_mean_s, 0.004, 3e-3 * std::sqrt(2.0 / m));
  EXPECT_EQ(report.sent, report.delivered + report.lost);
  // a gap of three periods or more is longer than a period and the survival time of another:
  // P(N > 2) = 1/4 of the gaps
  EXPECT_NEAR(static_cast<double>(report.survival_violations) / m, 0.25,
              3.0 * std::sqrt(0.25 * 0.75 / m));
  // all take 2 ms or for ever, and the deadline is one period of 1 ms
  EXPECT_EQ(report.deadline_miss_ratio(), 1.0);
}

TEST(LinkMeter, MissedDeadlinesAreLateAndLostMessages) {
  // 1, 2, 3, 4 ms and one lost; deadline 3 ms: two of five are missed
  const LinkReport report =
      report_of({1ms, 2ms, 3ms, 4ms, MessageFate()}, 10ms, 100ms, {.deadline = 3ms});
  EXPECT_EQ(report.deadline_missed, 2U);
  EXPECT_EQ(report.deadline_judged, 5U);
  EXPECT_DOUBLE_EQ(report.deadline_miss_ratio(), 0.4);
}

TEST(LinkMeter, OvertakenMessagesMakeNothingNewer) {
  // sent at 0, 1, 2, 3 ms, here at 5, 2, 9, 4 ms: newer are 1 (at 2 ms) and 3 (at 4 ms)
  const LinkReport report = report_of({5ms, 1ms, 7ms, 1ms}, 1ms, 10ms);
  EXPECT_EQ(report.delivered, 4U);
  EXPECT_EQ(report.reordered, 2U);
  // from 2 to 4 ms the age grows from 1 to 3 ms, from 4 to 10 ms from 1 to 7 ms: (4 + 24) / 8
  EXPECT_NEAR(report.age_mean_s, 0.0035, 1e-15);
  EXPECT_EQ(report.age_max, Duration(7ms));
  EXPECT_NEAR(report.age_peak_mean_s, 0.003, 1e-15);
  EXPECT_EQ(report.longest_outage, Duration(6ms));
}

TEST(LinkMeter, AnOutageLastsToTheEndIfNothingComesAnyMore) {
  // arrivals at 0, 1, 2, 6 ms, then nothing until 20 ms: gaps of 1, 1, 4 and 14 ms
  const std::vector<MessageFate> fates{0ms,           0ms,           0ms, MessageFate(),
                                       MessageFate(), MessageFate(), 0ms, MessageFate()};
  const LinkReport report = report_of(fates, 1ms, 20ms);
  EXPECT_EQ(report.longest_outage, Duration(14ms));
  EXPECT_EQ(report.age_max, Duration(14ms));
  EXPECT_EQ(report.survival_violations, 2U);
  // a gap of a period and the survival time is just survived
  EXPECT_EQ(report_of(fates, 1ms, 20ms, {.survival_time = 3ms}).survival_violations, 1U);
  EXPECT_EQ(report_of(fates, 1ms, 20ms, {.survival_time = 13ms}).survival_violations, 0U);
  EXPECT_EQ(report_of(fates, 1ms, 20ms, {.survival_time = 3ms - 1ns}).survival_violations, 2U);
}

TEST(LinkMeter, WhereNothingArrivesNothingIsClaimed) {
  const LinkReport report = report_of({MessageFate(), MessageFate()}, 1ms, 10ms);
  EXPECT_EQ(report.delivered, 0U);
  EXPECT_EQ(report.lost, 2U);
  EXPECT_EQ(report.age_mean_s, 0.0);
  EXPECT_EQ(report.longest_outage, Duration(0));
  EXPECT_EQ(report.deadline_miss_ratio(), 1.0);
}

TEST(LinkMeter, WithoutAPeriodNothingIsDue) {
  LinkMeter meter;
  meter.sent();
  meter.arrived(0, Time{}, Time(5ms));
  const LinkReport report = meter.report(Time(100ms), 0);
  EXPECT_EQ(report.deadline_judged, 0U);
  EXPECT_EQ(report.survival_violations, 0U);
  EXPECT_EQ(report.delay_max, Duration(5ms));
}

TEST(DurationHistogram, QuantilesAreRightToATenthOfAPercent) {
  // against the sorted durations themselves, over six powers of ten
  const RandomStream random(3, "durations");
  DurationHistogram histogram;
  std::vector<std::int64_t> all;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    all.push_back(static_cast<std::int64_t>(std::pow(10.0, 3.0 + 6.0 * random.uniform_at(i))));
    histogram.add(Duration(all.back()));
  }
  std::sort(all.begin(), all.end());
  for (const double fraction : {0.0001, 0.25, 0.5, 0.9, 0.99, 0.999}) {
    const auto rank = static_cast<std::size_t>(std::lround(fraction * 20'000.0));
    const auto exact = static_cast<double>(all[rank - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.quantile(fraction).count()), exact, 0.001 * exact);
  }
  EXPECT_EQ(histogram.min().count(), all.front());
  EXPECT_EQ(histogram.max().count(), all.back());
  EXPECT_EQ(histogram.quantile(1.0).count(), all.back());
}

TEST(DurationHistogram, IsExactForShortDurationsAndForASingleOne) {
  DurationHistogram ten;
  for (int i = 1; i <= 10; ++i) {
    ten.add(Duration(i * 100));
  }
  // nearest rank: the ninth of ten is the smallest that 90 % do not exceed
  EXPECT_EQ(ten.quantile(0.9), 900ns);
  EXPECT_EQ(ten.quantile(0.901), 1000ns);
  EXPECT_EQ(ten.quantile(0.5), 500ns);
  DurationHistogram one;
  one.add(123'456'789ns);
  EXPECT_EQ(one.quantile(0.5), 123'456'789ns);
  DurationHistogram huge;
  huge.add(Duration::max());
  EXPECT_EQ(huge.quantile(0.5), Duration::max());
  EXPECT_EQ(DurationHistogram().quantile(0.5), Duration(0));
}

TEST(DurationHistogram, NeighbouringBinsMeetWithoutGapOrOverlap) {
  // each number around the powers of two comes back within half a bin
  for (int bit = 1; bit < 62; ++bit) {
    for (const std::int64_t nudge : {-1, 0, 1}) {
      const std::int64_t number = (std::int64_t{1} << bit) + nudge;
      DurationHistogram histogram;
      histogram.add(Duration(0));
      histogram.add(Duration(number));
      histogram.add(Duration::max());
      const double found = static_cast<double>(histogram.quantile(0.5).count());
      EXPECT_NEAR(found, static_cast<double>(number), static_cast<double>(number) / 1024.0);
    }
  }
}

TEST(DurationHistogram, IsSummedUpInEqualBinsBetweenItsSmallestAndLargest) {
  DurationHistogram histogram;
  for (const int delay_ms : {10, 11, 19, 20}) {
    histogram.add(std::chrono::milliseconds(delay_ms));
  }
  // ten bins of 1 ms from 10 to 20 ms; the fine bin of 11 ms may have its middle just below 11 ms
  const std::vector<DurationHistogram::Bin> bins = histogram.summary(10);
  std::uint64_t count = 0;
  for (const DurationHistogram::Bin& bin : bins) {
    EXPECT_EQ(bin.high - bin.low, std::chrono::milliseconds(1));
    count += bin.count;
  }
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(bins.front().low, std::chrono::milliseconds(10));
  EXPECT_EQ(bins.back().high, std::chrono::milliseconds(20));
  EXPECT_LE(bins.size(), 4U);
}

TEST(DurationHistogram, OfOneDelayIsOneBin) {
  DurationHistogram histogram;
  EXPECT_TRUE(histogram.summary(10).empty());
  histogram.add(std::chrono::milliseconds(5));
  histogram.add(std::chrono::milliseconds(5));
  const std::vector<DurationHistogram::Bin> bins = histogram.summary(10);
  ASSERT_EQ(bins.size(), 1U);
  EXPECT_EQ(bins[0].low, std::chrono::milliseconds(5));
  EXPECT_EQ(bins[0].high, std::chrono::milliseconds(5));
  EXPECT_EQ(bins[0].count, 2U);
}

}  // namespace
}  // namespace longarm::network
