// SPDX-License-Identifier: Apache-2.0
// Oracles of what links do to packets by chance: losses, bursts, jitter, waiting in queues.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "labs/oracles/experiment.h"
#include "labs/oracles/groups.h"
#include "labs/oracles/link_trial.h"
#include "longarm/core/random.h"

namespace longarm::oracles {
namespace {

using namespace std::chrono_literals;

constexpr const char* kStatisticsGroup = "link-statistics";
constexpr int kPackets = 100'000;

/// A share p among n independent ones, within three standard errors.
Comparison share(double expected, double count, double n) {
  return {expected, count / n, 3.0 * std::sqrt(expected * (1.0 - expected) / n),
          "three standard errors √(p(1-p)/n)"};
}

LinkTrial stream(const std::string& setting) {
  return send_over(link_of(setting), regular(kPackets, 1ms, 100));
}

void add_losses(std::vector<Oracle>& all) {
  all.push_back({"loss", kStatisticsGroup, "netem loss 2% loses 2 % of the packets", "share", [] {
                   const LinkTrial trial = stream("netem=loss 2%");
                   return share(0.02, static_cast<double>(trial.report.lost), kPackets);
                 }});
  all.push_back({"loss-profile", kStatisticsGroup, "a phase with loss 2% loses 2 % of the packets",
                 "share", [] {
                   const LinkTrial trial = stream("phases=[\"1000s loss 2%\"]");
                   return share(0.02, static_cast<double>(trial.report.lost), kPackets);
                 }});
  all.push_back(
      {"corruption", kStatisticsGroup, "netem corrupt 3%: as many are refused", "share", [] {
         const LinkTrial trial = stream("netem=corrupt 3%");
         return share(0.03, static_cast<double>(trial.report.corrupt), kPackets);
       }});
  all.push_back(
      {"duplication", kStatisticsGroup, "netem duplicate 5%: as many arrive twice", "share", [] {
         const LinkTrial trial = stream("netem=duplicate 5%");
         return share(0.05, static_cast<double>(trial.report.duplicated), kPackets);
       }});
}

void add_bursts(std::vector<Oracle>& all) {
  constexpr double p = 0.01;
  constexpr double r = 0.20;
  const auto trial = [] { return stream("netem=loss gemodel 1% 20%"); };
  all.push_back(
      {"gilbert-elliott-loss", kStatisticsGroup,
       "Gilbert and Elliott's model with p = 1 %, r = 20 % loses p/(p+r)", "share", [trial] {
         // neighbours have correlation 1 - p - r, which stretches the standard error
         const double loss = p / (p + r);
         const double rho = 1.0 - p - r;
         const double error = std::sqrt(loss * (1.0 - loss) / kPackets * (1.0 + rho) / (1.0 - rho));
         return Comparison{loss, static_cast<double>(trial().report.lost) / kPackets, 3.0 * error,
                           "three standard errors of a Markov chain's share"};
       }});
  all.push_back({"gilbert-elliott-burst", kStatisticsGroup, "and its bursts are 1/r packets long",
                 "packets", [trial] {
                   const LinkTrial found = trial();
                   double lost = 0.0;
                   double bursts = 0.0;
                   for (std::size_t i = 0; i < found.delays.size(); ++i) {
                     const bool is_lost = !found.delays[i];
                     lost += is_lost ? 1.0 : 0.0;
                     bursts += is_lost && (i == 0 || found.delays[i - 1]) ? 1.0 : 0.0;
                   }
                   return Comparison{1.0 / r, lost / bursts,
                                     3.0 * std::sqrt((1.0 - r) / (r * r) / bursts),
                                     "three standard errors of a geometric distribution's mean"};
                 }});
}

void add_jitter(std::vector<Oracle>& all) {
  all.push_back(
      {"jitter-mean", kStatisticsGroup, "netem delay 10ms 2ms takes 10 ms on average", "ms", [] {
         const LinkTrial trial = stream("netem=delay 10ms 2ms");
         const double deviation_ms = 2.0 / std::sqrt(3.0);
         return Comparison{10.0, 1e3 * trial.mean_delay_s(),
                           3.0 * deviation_ms / std::sqrt(kPackets),
                           "three standard errors of a uniform distribution's mean"};
       }});
  struct Case {
    const char* name;
    const char* what;
    const char* setting;
    double deviation_ms;
    double kurtosis;  // decides how well a sample knows its deviation
  };
  for (const Case& c : {Case{"jitter-uniform", "uniform jitter of ±2 ms has a deviation of 2/√3 ms",
                             "netem=delay 10ms 2ms", 2.0 / std::numbers::sqrt3, 1.8},
                        Case{"jitter-normal", "normal jitter of 2 ms has a deviation of 2 ms",
                             "netem=delay 20ms 2ms distribution normal", 2.0, 3.0}}) {
    all.push_back(
        {c.name, kStatisticsGroup, c.what, "ms", [c] {
           const LinkTrial trial = stream(c.setting);
           const double mean = trial.mean_delay_s();
           double squares = 0.0;
           for (const std::optional<Duration>& delay : trial.delays) {
             squares += std::pow(to_seconds(delay.value()) - mean, 2);
           }
           const double error = 0.5 * c.deviation_ms * std::sqrt((c.kurtosis - 1.0) / kPackets);
           return Comparison{c.deviation_ms, 1e3 * std::sqrt(squares / kPackets), 3.0 * error,
                             "three standard errors σ/2 √((kurtosis - 1)/n); netem's cut "
                             "at 4 σ changes 1e-4 of it"};
         }});
  }
  all.push_back({"reordering", kStatisticsGroup,
                 "jitter of ±0.75 ms reorders a stream of 1 kHz with probability "
                 "(2 J - h)²/(2 (2 J)²)",
                 "share", [] {
                   // a packet is overtaken by the next one only: two periods exceed the range 2 J
                   const LinkTrial trial = stream("netem=delay 10ms 750us");
                   return share(0.25 / 4.5, static_cast<double>(trial.report.reordered), kPackets);
                 }});
}

/// Ages of a stream that loses each message with probability p: with X the time between arrivals,
/// the mean is d + E[X²]/(2 E[X]) = d + h (1+p)/(2 (1-p)).
Comparison compare_age_with_loss() {
  constexpr double kLoss = 0.2;
  constexpr double kPeriod_ms = 1.0;
  constexpr double kSeconds = 20.0;
  const Recording run = record("one-joint", {"gain=10", fmt::format("task.hold={}s", kSeconds),
                                             "link.commands.netem=delay 5ms loss 20%"});
  const double expected = 5.0 + kPeriod_ms * (1.0 + kLoss) / (2.0 * (1.0 - kLoss));
  // a ratio of means: variance of X²/2 - A X over n E[X]², A = E[X²]/(2 E[X]), X geometric
  const double a = expected - 5.0;
  double variance = 0.0;
  double mean = 0.0;
  for (int x = 1; x < 200; ++x) {
    const double chance = (1.0 - kLoss) * std::pow(kLoss, x - 1);
    variance += chance * std::pow(0.5 * x * x - a * x, 2);
    mean += chance * x;
  }
  const double arrivals = kSeconds * 1e3 / kPeriod_ms * (1.0 - kLoss);
  return {expected, 1e3 * run.results["link"]["commands"]["age_mean_s"].get<double>(),
          3.0 * std::sqrt(variance / arrivals) / mean,
          "three standard errors of a ratio of means, arrivals being geometric"};
}

/// Poisson arrivals, 500 per second, each served for 1 ms on average by 10 Mbit/s.
std::vector<Sending> poisson(bool has_random_sizes) {
  constexpr double kSize_bytes = 1250.0;
  RandomStream gaps(1, "oracle.arrivals");
  RandomStream sizes(1, "oracle.sizes");
  std::vector<Sending> sendings;
  double now_ns = 0.0;
  for (int i = 0; i < 2 * kPackets; ++i) {
    now_ns += -2e6 * std::log1p(-gaps.uniform());
    const double size =
        has_random_sizes ? -kSize_bytes * std::log1p(-sizes.uniform()) : kSize_bytes;
    sendings.push_back(
        {Time(Duration(std::llround(now_ns))), static_cast<std::size_t>(std::lround(size))});
  }
  return sendings;
}

Comparison compare_wait(const char* setting, bool has_random_sizes, double expected_ms) {
  const LinkTrial trial = send_over(link_of(setting), poisson(has_random_sizes));
  std::vector<double> waits_ms;
  for (std::size_t i = 0; i < trial.sent.size(); ++i) {
    const double service_ms = static_cast<double>(trial.sent[i].size_bytes) * 8.0 / 1e4;
    waits_ms.push_back(1e3 * to_seconds(trial.delays[i].value()) - service_ms);
  }
  const Estimate wait = batch_means(waits_ms);
  return {expected_ms, wait.mean, 3.0 * wait.standard_error,
          "three standard errors, from the means of 100 batches"};
}

}  // namespace

void add_link_statistics_oracles(std::vector<Oracle>& all) {
  add_losses(all);
  add_bursts(all);
  add_jitter(all);
  all.push_back({"age-mean-with-loss", kStatisticsGroup,
                 "a stream that loses a share p is d + h (1+p)/(2 (1-p)) old on average", "ms",
                 compare_age_with_loss});
  // ρ = 0.5, μ = 1/ms
  all.push_back({"wait-m-m-1", kStatisticsGroup,
                 "random arrivals, random sizes, ρ = 1/2: a mean wait of ρ/(μ(1-ρ))", "ms",
                 [] { return compare_wait("phases=[\"10s rate 10mbit\"]", true, 1.0); }});
  all.push_back({"wait-m-d-1", kStatisticsGroup, "random arrivals, equal sizes: half of that", "ms",
                 [] { return compare_wait("netem=rate 10mbit limit 100000", false, 0.5); }});
}

}  // namespace longarm::oracles
