// SPDX-License-Identifier: Apache-2.0
// Every random option of netem against its definition, within three standard errors.
#include "longarm/network/netem/netem_random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/netem/netem_link.h"
#include "longarm/network/test/link_fixture.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;

constexpr int kMillion = 1'000'000;

NetemConfig config_of(const std::string& line) {
  const Result<NetemConfig> config = parse_netem(line);
  EXPECT_TRUE(config) << line << ": " << config.error().message;
  return *config;
}

std::vector<Outcome> run_netem(const std::string& line, int count,
                               const std::string& name = "link.test", std::uint64_t seed = 7) {
  const std::unique_ptr<Link> link = make_netem_link(config_of(line), {seed, name});
  return send_stream(*link, count, 1ms);
}

/// Delays in milliseconds, of packets sent so that none waits for another.
std::vector<double> delays_ms(const std::string& line, int count, bool keeps_correlation = false) {
  NetemConfig config = config_of(line + " limit 100000");
  config.keeps_jitter_correlation = keeps_correlation;
  const std::unique_ptr<Link> link = make_netem_link(config, {7, "link.test"});
  std::vector<double> all;
  for (const Outcome& outcome : send_stream(*link, count, 1ms)) {
    all.push_back(std::chrono::duration<double, std::milli>(outcome.delays.at(0)).count());
  }
  return all;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Mean of (x[i] - m)(x[i+lag] - m).
double covariance(const std::vector<double>& values, double m, std::size_t lag) {
  double sum = 0.0;
  for (std::size_t i = 0; i + lag < values.size(); ++i) {
    sum += (values[i] - m) * (values[i + lag] - m);
  }
  return sum / static_cast<double>(values.size() - lag);
}

double share_below(const std::vector<double>& values, double limit) {
  return static_cast<double>(std::count_if(values.begin(), values.end(),
                                           [&](double value) { return value < limit; })) /
         static_cast<double>(values.size());
}

/// The standard error of a share of n independent trials.
double binomial_error(double p, int n) {
  return std::sqrt(p * (1.0 - p) / n);
}

template <typename Predicate>
double share(const std::vector<Outcome>& outcomes, Predicate holds) {
  return static_cast<double>(std::count_if(outcomes.begin(), outcomes.end(), holds)) /
         static_cast<double>(outcomes.size());
}

bool is_lost(const Outcome& outcome) {
  return outcome.dropped == DropReason::kLoss;
}

TEST(NetemDelay, IsUniformWithinTheJitter) {
  // mean 20, variance 5²/3; of the variance's estimate (E x⁴ - var²)/n with E x⁴ = 5⁴/5
  const std::vector<double> delays = delays_ms("delay 20ms 5ms", kMillion);
  const double variance = 25.0 / 3.0;
  EXPECT_NEAR(mean(delays), 20.0, 3.0 * std::sqrt(variance / kMillion));
  EXPECT_NEAR(covariance(delays, 20.0, 0), variance,
              3.0 * std::sqrt((125.0 - variance * variance) / kMillion));
  EXPECT_GE(*std::min_element(delays.begin(), delays.end()), 15.0);
  EXPECT_LE(*std::max_element(delays.begin(), delays.end()), 25.0);
  // draws of different packets do not know each other: lag-1 correlation 0 ± 1/√n
  EXPECT_NEAR(covariance(delays, 20.0, 1) / variance, 0.0, 3.0 / std::sqrt(kMillion));
}

TEST(NetemDelay, IsNormalWithTheJitterAsStandardDeviation) {
  // variance 100, its estimate ± 100 √(2/n); two thirds within one sigma
  const std::vector<double> delays = delays_ms("delay 100ms 10ms distribution normal", kMillion);
  EXPECT_NEAR(mean(delays), 100.0, 3.0 * 10.0 / std::sqrt(kMillion));
  EXPECT_NEAR(covariance(delays, 100.0, 0), 100.0, 3.0 * 100.0 * std::sqrt(2.0 / kMillion));
  const double within = std::erf(1.0 / std::sqrt(2.0));
  EXPECT_NEAR(share_below(delays, 110.0) - share_below(delays, 90.0), within,
              3.0 * binomial_error(within, kMillion));
  EXPECT_NEAR(share_below(delays, 120.0), 0.9772498680518208,
              3.0 * binomial_error(0.977, kMillion));
  // netem's tables end at four sigma
  EXPECT_GE(*std::min_element(delays.begin(), delays.end()), 60.0);
  EXPECT_LE(*std::max_element(delays.begin(), delays.end()), 140.0);
}

TEST(NetemDelay, OfParetoFollowsItsDistributionFunction) {
  // x = 4/3 (y - 3/2) jitters, P(Y > y) = y⁻³, cut at y = 4.5 (four jitters).
  // E min(Y,c) = 1 + (1 - c⁻²)/2 = 1.4753086; E min(Y,c)² = 1 + 2 (1 - 1/c) = 2.5555556.
  const std::vector<double> delays = delays_ms("delay 100ms 10ms distribution pareto", kMillion);
  const double c = 4.5;
  const double mean_y = 1.0 + 0.5 * (1.0 - 1.0 / (c * c));
  const double variance_y = 1.0 + 2.0 * (1.0 - 1.0 / c) - mean_y * mean_y;
  EXPECT_NEAR(mean(delays), 100.0 + 10.0 * 4.0 / 3.0 * (mean_y - 1.5),
              3.0 * 10.0 * 4.0 / 3.0 * std::sqrt(variance_y / kMillion));
  for (const double y : {1.1, 1.5, 2.0, 4.0}) {
    const double p = 1.0 - 1.0 / (y * y * y);
    EXPECT_NEAR(share_below(delays, 100.0 + 10.0 * 4.0 / 3.0 * (y - 1.5)), p,
                3.0 * binomial_error(p, kMillion));
  }
  EXPECT_EQ(*std::max_element(delays.begin(), delays.end()), 140.0);
}

TEST(NetemDelay, OfParetonormalIsAQuarterNormalAndThreeQuartersPareto) {
  // at the quantile q: normal quantiles -0.6744897502, 0, 1.2815515655
  const std::vector<double> delays =
      delays_ms("delay 100ms 10ms distribution paretonormal", kMillion);
  const std::pair<double, double> quantiles[] = {
      {0.25, -0.6744897501960817}, {0.5, 0.0}, {0.9, 1.2815515655446004}};
  for (const auto& [q, normal] : quantiles) {
    const double pareto = 4.0 / 3.0 * (std::pow(1.0 - q, -1.0 / 3.0) - 1.5);
    EXPECT_NEAR(share_below(delays, 100.0 + 10.0 * (0.25 * normal + 0.75 * pareto)), q,
                3.0 * binomial_error(q, kMillion));
  }
}

TEST(NetemDelay, CorrelationIsUndoneByTheKernelsRemainder) {
  // the remainder of a 32-bit draw by 2·6 ms, or by a table of 4096: as without a correlation
  const std::vector<double> uniform = delays_ms("delay 20ms 6ms 40%", kMillion);
  EXPECT_NEAR(mean(uniform), 20.0, 3.0 * std::sqrt(12.0 / kMillion));
  // of the variance's estimate (E x⁴ - var²)/n with E x⁴ = 6⁴/5
  EXPECT_NEAR(covariance(uniform, 20.0, 0), 12.0,
              3.0 * std::sqrt((1296.0 / 5.0 - 144.0) / kMillion));
  EXPECT_NEAR(covariance(uniform, 20.0, 1) / 12.0, 0.0, 3.0 / std::sqrt(kMillion));
  const std::vector<double> normal =
      delays_ms("delay 100ms 10ms 40% distribution normal", kMillion);
  EXPECT_NEAR(covariance(normal, 100.0, 0), 100.0, 3.0 * 100.0 * std::sqrt(2.0 / kMillion));
  EXPECT_NEAR(covariance(normal, 100.0, 1) / 100.0, 0.0, 3.0 / std::sqrt(kMillion));
  // by hand: x = 0.7 is 3006477107.2 of 2³²; the rest of 12 000 000 is 6477107.2
  NetemConfig::Delay delay;
  delay.jitter = 6ms;
  EXPECT_NEAR(kernel_remainder(delay, 0.7), 6'477'107.2 / 12e6, 1e-9);
  delay.distribution = NetemDistribution::kNormal;
  EXPECT_NEAR(kernel_remainder(delay, 0.7), std::fmod(3006477107.2, 4096.0) / 4096.0, 1e-6);
}

TEST(NetemDelay, CorrelationMixesEachDrawWithTheLastIfItIsKept) {
  // x = (1-ρ) u + ρ x': mean 1/2, variance (1-ρ)/(1+ρ)/12, lag-k correlation ρ^k. The mean's
  // variance is 1/(12 n), as without correlation; that of the lag-1 correlation (1-ρ²)/n; that of
  // the variance at most the Gaussian 2 var² (1+ρ²)/(1-ρ²)/n, as uniform tails are lighter.
  const std::vector<double> delays = delays_ms("delay 20ms 6ms 40%", kMillion, true);
  const double rho = 0.4;
  const double variance = 144.0 / 12.0 * (1.0 - rho) / (1.0 + rho);
  EXPECT_NEAR(mean(delays), 20.0, 3.0 * std::sqrt(12.0 / kMillion));
  EXPECT_NEAR(covariance(delays, 20.0, 0), variance,
              3.0 * variance * std::sqrt(2.0 * (1.0 + rho * rho) / (1.0 - rho * rho) / kMillion));
  EXPECT_NEAR(covariance(delays, 20.0, 1) / covariance(delays, 20.0, 0), rho,
              3.0 * std::sqrt((1.0 - rho * rho) / kMillion));
}

TEST(NetemLoss, TakesThePercentageAtRandom) {
  const std::vector<Outcome> outcomes = run_netem("loss 5%", kMillion);
  EXPECT_NEAR(share(outcomes, is_lost), 0.05, 3.0 * binomial_error(0.05, kMillion));
}

TEST(NetemLoss, WithHalfCorrelationIsTheFabiusFunctionOfThePercentage) {
  // Σ 2^-k u_k has the Fabius function as distribution function: F(1/4) = 5/72, F(1/8) = 1/288.
  // Every 20th packet is independent of the last such one (ρ²⁰ = 1e-6).
  for (const auto& [line, p] :
       {std::pair("loss 25% 50%", 5.0 / 72.0), std::pair("loss 12.5% 50%", 1.0 / 288.0)}) {
    const std::vector<Outcome> outcomes = run_netem(line, kMillion);
    std::vector<Outcome> thinned;
    for (std::size_t i = 0; i < outcomes.size(); i += 20) {
      thinned.push_back(outcomes[i]);
    }
    EXPECT_NEAR(share(thinned, is_lost), p, 3.0 * binomial_error(p, kMillion / 20)) << line;
  }
}

TEST(NetemLoss, IsForetoldWithCorrelation) {
  EXPECT_NEAR(correlated_probability(0.5, 0.5), 0.5, 1e-6);
  EXPECT_NEAR(correlated_probability(0.25, 0.5), 5.0 / 72.0, 1e-5);
  EXPECT_NEAR(correlated_probability(0.125, 0.5), 1.0 / 288.0, 1e-6);
  EXPECT_NEAR(correlated_probability(0.0625, 0.5), 143.0 / 2073600.0, 1e-7);
  EXPECT_NEAR(correlated_probability(0.75, 0.5), 67.0 / 72.0, 1e-5);
  EXPECT_EQ(correlated_probability(0.1, 0.0), 0.1);
}

TEST(NetemLoss, WithCorrelationSaysWhatItReallyDoes) {
  const std::vector<KeyRemark> remarks =
      remarks_on_netem("netem", *parse_netem("loss 12.5% 50% corrupt 50% 50% duplicate 1%"));
  ASSERT_EQ(remarks.size(), 1U);  // half of the packets is half of them at any correlation
  EXPECT_EQ(remarks[0].severity, Severity::kWarning);
  EXPECT_EQ(remarks[0].message,
            "netem's correlation changes the rate: 'loss 12.5% 50%' happens to 0.347% of packets");
}

/// Lengths of the runs of lost packets.
std::vector<double> bursts(const std::vector<Outcome>& outcomes) {
  std::vector<double> lengths;
  double length = 0.0;
  for (const Outcome& outcome : outcomes) {
    if (is_lost(outcome)) {
      length += 1.0;
    } else if (length > 0.0) {
      lengths.push_back(length);
      length = 0.0;
    }
  }
  return lengths;
}

TEST(NetemLoss, OfGilbertElliottHasItsRateAndBurstLength) {
  // p = 1 %, r = 10 %: loss p/(p+r) = 1/11. A two-state chain with λ = 1 - p - r multiplies the
  // variance of the mean by (1+λ)/(1-λ) = 17.2. Bursts are geometric: mean 1/r = 10, variance
  // (1-r)/r² = 90, and there are n p r/(p+r) of them.
  const double p = 0.01;
  const double r = 0.1;
  const std::vector<Outcome> outcomes = run_netem("loss gemodel 1% 10%", kMillion);
  const double lambda = 1.0 - p - r;
  const double loss = p / (p + r);
  EXPECT_NEAR(share(outcomes, is_lost), loss,
              3.0 * binomial_error(loss, kMillion) * std::sqrt((1.0 + lambda) / (1.0 - lambda)));
  const double count = kMillion * loss * r;
  EXPECT_NEAR(mean(bursts(outcomes)), 1.0 / r, 3.0 * std::sqrt((1.0 - r) / (r * r) / count));
}

TEST(NetemLoss, OfGilbertElliottMayLoseInBothStates) {
  // loss = good 0.02 · 10/11 + bad 0.7 · 1/11. Variance of the mean: coin tosses within the states
  // plus (0.7 - 0.02)² times that of the share of bad states, 17.2 π(1-π)/n.
  const std::vector<Outcome> outcomes = run_netem("loss gemodel 1% 10% 70% 2%", kMillion);
  const double bad = 1.0 / 11.0;
  const double loss = 0.02 * (1.0 - bad) + 0.7 * bad;
  const double tosses = 0.02 * 0.98 * (1.0 - bad) + 0.7 * 0.3 * bad;
  const double states = 0.68 * 0.68 * bad * (1.0 - bad) * (1.89 / 0.11);
  EXPECT_NEAR(share(outcomes, is_lost), loss, 3.0 * std::sqrt((tosses + states) / kMillion));
}

TEST(NetemLoss, OfFourStatesIsStationary) {
  // 1 ↔ 3 balance: π3 = π1 p13/p31; 3 ↔ 2: π2 = π3 p32/p23; π4 = π1 p14 (4 always returns).
  // p13 = 20, p31 = 30, p32 = 20, p23 = 40, p14 = 1 %: π1 = 1/(1 + 0.01 + (2/3)(1.5)) = 1/2.01,
  // lost π3 + π4 = (2/3 + 0.01)/2.01. Every 25th packet counts: by then the chain has forgotten.
  const std::vector<Outcome> outcomes = run_netem("loss state 20% 30% 20% 40% 1%", kMillion);
  std::vector<Outcome> thinned;
  for (std::size_t i = 24; i < outcomes.size(); i += 25) {
    thinned.push_back(outcomes[i]);
  }
  const double loss = (2.0 / 3.0 + 0.01) / 2.01;
  EXPECT_NEAR(share(thinned, is_lost), loss, 3.0 * binomial_error(loss, kMillion / 25));
}

TEST(NetemLoss, InGapsIsAlwaysAlone) {
  // only p14: π4 = p14/(1 + p14) = 1/11; renewals of mean 11, variance (1-p)/p² = 90: the error of
  // the rate is √(90/11³/n)
  const std::vector<Outcome> outcomes = run_netem("loss state 0% 0% 0% 0% 10%", kMillion);
  EXPECT_NEAR(share(outcomes, is_lost), 1.0 / 11.0, 3.0 * std::sqrt(90.0 / 1331.0 / kMillion));
  const std::vector<double> lengths = bursts(outcomes);
  EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), 1.0);
}

TEST(NetemLoss, OfOneStateProbabilityIsIndependentLoss) {
  // loss state p means p31 = 1 - p: the next packet is lost with probability p from either state
  const std::vector<Outcome> outcomes = run_netem("loss state 20%", kMillion);
  EXPECT_NEAR(share(outcomes, is_lost), 0.2, 3.0 * binomial_error(0.2, kMillion));
  // bursts of mean 1/(1-p) = 1.25, variance p/(1-p)² = 0.3125, count n p (1-p)
  EXPECT_NEAR(mean(bursts(outcomes)), 1.25, 3.0 * std::sqrt(0.3125 / (kMillion * 0.16)));
}

TEST(NetemCorrupt, DamagesThePercentage) {
  const auto is_damaged = [](const Outcome& o) { return o.dropped == DropReason::kCorrupt; };
  EXPECT_NEAR(share(run_netem("corrupt 2%", kMillion), is_damaged), 0.02,
              3.0 * binomial_error(0.02, kMillion));
}

TEST(NetemDuplicate, DoublesThePercentage) {
  const auto is_doubled = [](const Outcome& o) { return o.delays.size() == 2; };
  EXPECT_NEAR(share(run_netem("duplicate 3%", kMillion), is_doubled), 0.03,
              3.0 * binomial_error(0.03, kMillion));
}

TEST(NetemDuplicate, AndLossMeetAsInLinux) {
  // doubled and lost leaves one packet: none arrives with p(1-d); a copy is lost once more, so two
  // arrive with d(1-p)²
  const double p = 0.1;
  const double d = 0.3;
  const std::vector<Outcome> outcomes = run_netem("loss 10% duplicate 30%", kMillion);
  const double none = p * (1.0 - d);
  const double two = d * (1.0 - p) * (1.0 - p);
  EXPECT_NEAR(share(outcomes, is_lost), none, 3.0 * binomial_error(none, kMillion));
  EXPECT_NEAR(share(outcomes, [](const Outcome& o) { return o.delays.size() == 2; }), two,
              3.0 * binomial_error(two, kMillion));
}

bool is_immediate(const Outcome& outcome) {
  return outcome.delays.at(0) == Duration(0);
}

TEST(NetemReorder, SendsThePercentageAtOnce) {
  EXPECT_NEAR(share(run_netem("delay 10ms reorder 25%", kMillion), is_immediate), 0.25,
              3.0 * binomial_error(0.25, kMillion));
}

TEST(NetemReorder, WithGapWaitsThatLongBetween) {
  const std::vector<Outcome> sure = run_netem("delay 10ms reorder 100% gap 5", 20);
  for (std::size_t i = 0; i < sure.size(); ++i) {
    EXPECT_EQ(is_immediate(sure[i]), i % 5 == 4) << i;
  }
  // 25 %: four packets wait, then a geometric number: mean 8, variance 12, error √(12/8³/n)
  EXPECT_NEAR(share(run_netem("delay 10ms reorder 25% gap 5", kMillion), is_immediate), 0.125,
              3.0 * std::sqrt(12.0 / 512.0 / kMillion));
}

TEST(NetemReorder, DrawsOnlyOutsideTheGap) {
  // The kernel asks for a draw only where a packet may skip the queue, and mixes it with the last
  // one asked for. With a gap of 3 and 50 % the chain x = u/2 + x'/2 so advances once for each
  // packet asked, whatever lies between: neighbouring decisions correlate as without a gap.
  // The chain has the Fabius function F as distribution function; x < 1/2 iff u < 1 - x', so after
  // a skip the next one has the chance 1 - E[x' | x' < 1/2]. E[x'; x' < 1/2] = F(1/2)/2 - ∫₀^½ F,
  // and as F(x) is the derivative of F(x/2), ∫₀^½ F = F(1/4) = 5/72: 1 - 2 (1/4 - 5/72) = 23/36.
  for (const auto& [line, gap] :
       {std::pair<const char*, std::size_t>{"reorder 50% 50%", 1},
        std::pair<const char*, std::size_t>{"reorder 50% 50% gap 3", 3}}) {
    const std::vector<Outcome> outcomes = run_netem(std::string("delay 10ms ") + line, 300'000);
    std::vector<bool> decisions;
    std::size_t since = 0;
    for (const Outcome& outcome : outcomes) {
      const bool is_at_once = outcome.delays.at(0) == Duration(0);
      if (since + 1 >= gap) {
        decisions.push_back(is_at_once);
      }
      since = is_at_once ? 0 : since + 1;
    }
    double after_skip = 0.0;
    double again = 0.0;
    for (std::size_t i = 1; i < decisions.size(); ++i) {
      after_skip += decisions[i - 1] ? 1.0 : 0.0;
      again += decisions[i - 1] && decisions[i] ? 1.0 : 0.0;
    }
    const double expected = 23.0 / 36.0;
    EXPECT_NEAR(again / after_skip, expected,
                4.0 * binomial_error(expected, static_cast<int>(after_skip)))
        << line;
  }
}

TEST(NetemReorder, AndLossLeaveDelaysOfAChainToThosePacketsThatAreDelayed) {
  // what is lost or skips the queue draws no delay: with a correlation of 50 %, kept, the delays of
  // those that are left correlate as if nothing had been between
  NetemConfig config = config_of("delay 20ms 6ms 50% loss 50% reorder 30% limit 100000");
  config.keeps_jitter_correlation = true;
  const std::unique_ptr<Link> link = make_netem_link(config, {7, "link.test"});
  std::vector<double> delays;
  for (const Outcome& outcome : send_stream(*link, 200'000, 1ms)) {
    if (!outcome.dropped && outcome.delays.at(0) > Duration(0)) {
      delays.push_back(static_cast<double>(outcome.delays.at(0).count()) * 1e-6);
    }
  }
  const auto count = static_cast<double>(delays.size());
  EXPECT_NEAR(covariance(delays, 20.0, 1) / covariance(delays, 20.0, 0), 0.5,
              3.0 * std::sqrt((1.0 - 0.25) / count));
}

TEST(NetemDraws, WithoutCorrelationDoNotDependOnOtherOptions) {
  const std::vector<Outcome> alone = run_netem("delay 20ms 5ms", 10'000);
  const std::vector<Outcome> mixed =
      run_netem("delay 20ms 5ms loss 10% corrupt 10% duplicate 10% reorder 10%", 10'000);
  const std::vector<Outcome> lossy = run_netem("loss 10%", 10'000);
  const std::vector<Outcome> damaged = run_netem("corrupt 10%", 10'000);
  int compared = 0;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    // where only a copy arrives, it is the copy's delay
    const bool is_original = !is_lost(lossy[i]) && !damaged[i].dropped;
    if (is_original && mixed[i].delays.size() == 1 && !is_immediate(mixed[i])) {
      EXPECT_EQ(mixed[i].delays, alone[i].delays) << i;
      ++compared;
    }
    if (is_lost(mixed[i])) {
      EXPECT_TRUE(is_lost(lossy[i])) << i;
    }
  }
  // neither lost, damaged, doubled nor reordered: 0.9⁴ of them, at least
  EXPECT_GT(compared, 6300);
}

TEST(NetemDraws, DependOnThePacketAndNotOnWhenItIsSent) {
  const std::unique_ptr<Link> slow = make_netem_link(*parse_netem("delay 20ms 5ms"), {7, "a"});
  const std::unique_ptr<Link> fast = make_netem_link(*parse_netem("delay 20ms 5ms"), {7, "a"});
  EXPECT_EQ(send_stream(*slow, 100, 1s), send_stream(*fast, 100, 1us));
}

TEST(NetemDraws, OfTheTwoDirectionsAreUnrelated) {
  const auto column = [](const std::string& name, std::uint64_t seed) {
    std::vector<double> values;
    for (const Outcome& outcome : run_netem("delay 20ms 5ms limit 100000", 100'000, name, seed)) {
      values.push_back(static_cast<double>(outcome.delays.at(0).count()) * 1e-6 - 20.0);
    }
    return values;
  };
  const std::vector<double> states = column("link.states", 7);
  const std::vector<double> commands = column("link.commands", 7);
  const std::vector<double> again = column("link.states", 8);
  EXPECT_EQ(states, column("link.states", 7));
  // correlation 0 ± 1/√n
  const double variance = 25.0 / 3.0;
  const double product = std::inner_product(states.begin(), states.end(), commands.begin(), 0.0);
  EXPECT_NEAR(product / 100'000 / variance, 0.0, 3.0 / std::sqrt(100'000.0));
  const double seeds = std::inner_product(states.begin(), states.end(), again.begin(), 0.0);
  EXPECT_NEAR(seeds / 100'000 / variance, 0.0, 3.0 / std::sqrt(100'000.0));
}

TEST(NormalQuantile, IsTheInverseOfTheNormalDistribution) {
  EXPECT_NEAR(normal_quantile(0.5), 0.0, 1e-15);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 1e-13);
  for (const double x : {-7.0, -3.3, -0.1, 0.4, 2.5}) {
    EXPECT_NEAR(normal_quantile(0.5 * std::erfc(-x / std::sqrt(2.0))), x, 1e-11);
  }
}

}  // namespace
}  // namespace longarm::network
