// SPDX-License-Identifier: Apache-2.0
// Every netem option through real datagrams: each statistic within three standard errors of its
// closed form. Fates follow from the seed, so what is counted here is the same in every run; delays
// are measured by the receiver, and what the relay says of its own lateness is allowed on top.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "longarm/proxy/test/udp_fixture.h"

namespace longarm::proxy {
namespace {

using namespace std::chrono_literals;

struct Sample {
  std::vector<UdpArrival> arrivals;
  RelayFigures figures;
  std::uint64_t sent = 0;
  std::set<std::uint64_t> badly_stamped;  ///< this thread was interrupted while it sent them

  double share(std::uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(sent);
  }
};

/// Sends `count` datagrams, `spacing` apart, and gathers what arrives.
Sample send_through(const std::string& line, std::uint64_t count, std::chrono::microseconds spacing,
                    std::size_t size = 64) {
  const UdpPeer server;
  const UdpPeer client;
  UdpRelayThread relay(line, "", server.address(), 3);
  Sample sample;
  sample.sent = count;
  auto next = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < count;) {
    // as many as are due, should this thread have overslept
    if (std::chrono::steady_clock::now() >= next) {
      const std::int64_t before_ns = udp_clock_ns();
      client.send_numbered(relay.address(), i, size);
      if (udp_clock_ns() - before_ns > 100'000) {
        sample.badly_stamped.insert(i);
      }
      ++i;
      next += spacing;
    }
    while (std::optional<UdpArrival> arrival = server.receive(0ms)) {
      sample.arrivals.push_back(std::move(*arrival));
    }
  }
  while (std::optional<UdpArrival> arrival =
             server.receive(sample.arrivals.empty() ? 1000ms : 250ms)) {
    sample.arrivals.push_back(std::move(*arrival));
  }
  sample.figures = relay.stop();
  // a test of distributions needs every datagram that it sent
  EXPECT_EQ(sample.figures.up.packets_in(), count);
  EXPECT_EQ(sample.figures.up.lost_here() + sample.figures.up.lost_in_kernel(), 0U);
  EXPECT_EQ(sample.figures.up.packets_out(), sample.arrivals.size());
  return sample;
}

double binomial_error(double p, std::uint64_t n) {
  return std::sqrt(p * (1.0 - p) / static_cast<double>(n));
}

struct Moments {
  double mean = 0.0;
  double deviation = 0.0;
  double kurtosis = 0.0;     // of a normal distribution: 3
  double correlation = 0.0;  // of neighbours
};

Moments moments(const std::vector<double>& values) {
  Moments out;
  const auto n = static_cast<double>(values.size());
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double second = 0.0;
  double fourth = 0.0;
  double product = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double d = values[i] - out.mean;
    second += d * d / n;
    fourth += d * d * d * d / n;
    product += i > 0 ? d * (values[i - 1] - out.mean) / n : 0.0;
  }
  out.deviation = std::sqrt(second);
  out.kurtosis = fourth / (second * second);
  out.correlation = product / second;
  return out;
}

/// In the order of sending.
std::vector<double> delays(const Sample& sample) {
  std::map<std::uint64_t, double> by_number;
  for (const UdpArrival& arrival : sample.arrivals) {
    if (!sample.badly_stamped.contains(arrival.stamp.number)) {
      by_number.emplace(arrival.stamp.number, arrival.delay_s());
    }
  }
  std::vector<double> out;
  for (const auto& [number, delay_s] : by_number) {
    out.push_back(delay_s);
  }
  return out;
}

/// Mean and standard deviation of the delay, from sender to receiver. Lateness only ever adds: it
/// is subtracted from the mean, and the receiver's own wake-up, which nobody measures, is bounded
/// by as much again; the deviations of two causes add like squares.
void expect_delay(const std::string& line, double mean_s, double deviation_s) {
  const Sample sample = send_through(line, 3000, 150us);
  const Moments seen = moments(delays(sample));
  const auto n = static_cast<double>(sample.arrivals.size());
  const DurationFigures& late = sample.figures.up.lateness();
  const double mean_error = deviation_s / std::sqrt(n);
  const double deviation_error = deviation_s * std::sqrt((seen.kurtosis - 1.0) / (4.0 * n));
  EXPECT_NEAR(seen.mean - late.mean_s(), mean_s, 3.0 * mean_error + late.mean_s() + 50e-6) << line;
  EXPECT_NEAR(seen.deviation, deviation_s, 3.0 * deviation_error + late.deviation_s() + 50e-6)
      << line;
  // what the relay aimed at has no lateness in it at all
  const DurationFigures& asked = sample.figures.up.delay_asked();
  EXPECT_NEAR(asked.mean_s(), mean_s, 3.0 * mean_error) << line;
  EXPECT_NEAR(asked.deviation_s(), deviation_s, 3.0 * deviation_error) << line;
}

TEST(NetemThroughUdp, LosesTheShareAskedFor) {
  const Sample sample = send_through("loss 5%", 4000, 100us);
  const std::uint64_t lost = sample.sent - sample.arrivals.size();
  EXPECT_NEAR(sample.share(lost), 0.05, 3.0 * binomial_error(0.05, sample.sent));
  EXPECT_EQ(sample.figures.up.drops(network::DropReason::kLoss), lost);
}

TEST(NetemThroughUdp, LosesInBurstsLikeGilbertElliott) {
  // good to bad 2 %, back 20 %: 2/22 lost in the long run, bursts of 1/0.2 = 5. Neighbours have a
  // correlation of rho = 1 - 0.02 - 0.2, so the variance of the share is (1 + rho)/(1 - rho) times
  // the binomial one
  const Sample sample = send_through("loss gemodel 2% 20%", 6000, 80us);
  const double share = 2.0 / 22.0;
  const double rho = 0.78;
  const double error = binomial_error(share, sample.sent) * std::sqrt((1.0 + rho) / (1.0 - rho));
  EXPECT_NEAR(sample.share(sample.sent - sample.arrivals.size()), share, 3.0 * error);

  std::vector<bool> is_here(sample.sent, false);
  for (const UdpArrival& arrival : sample.arrivals) {
    is_here[arrival.stamp.number] = true;
  }
  int bursts = 0;
  for (std::size_t i = 0; i < is_here.size(); ++i) {
    bursts += !is_here[i] && (i == 0 || is_here[i - 1]) ? 1 : 0;
  }
  // geometric: mean 1/r, variance (1 - r)/r²
  const double length = static_cast<double>(sample.sent - sample.arrivals.size()) / bursts;
  EXPECT_NEAR(length, 5.0, 3.0 * std::sqrt(0.8 / 0.04 / bursts));
}

TEST(NetemThroughUdp, DoublesTheShareAskedFor) {
  const Sample sample = send_through("duplicate 10%", 4000, 100us);
  const std::uint64_t doubled = sample.arrivals.size() - sample.sent;
  EXPECT_NEAR(sample.share(doubled), 0.10, 3.0 * binomial_error(0.10, sample.sent));
  EXPECT_EQ(sample.figures.up.duplicated(), doubled);
}

TEST(NetemThroughUdp, DamagesOneBitOfTheShareAskedFor) {
  const Sample sample = send_through("corrupt 10%", 4000, 100us);
  std::uint64_t damaged = 0;
  std::uint64_t by_relay = sample.figures.up.damaged();
  EXPECT_EQ(sample.arrivals.size(), sample.sent);
  for (const UdpArrival& arrival : sample.arrivals) {
    // of 64 bytes the first 16 are numbers, which may be damaged without being seen
    int bits = 0;
    for (std::size_t i = sizeof(UdpStamp); i < arrival.bytes.size(); ++i) {
      bits += std::popcount(static_cast<unsigned char>(arrival.bytes[i] ^ 'x'));
    }
    EXPECT_LE(bits, 1);
    damaged += bits > 0 ? 1 : 0;
  }
  EXPECT_NEAR(sample.share(by_relay), 0.10, 3.0 * binomial_error(0.10, sample.sent));
  EXPECT_NEAR(sample.share(damaged), 0.075, 3.0 * binomial_error(0.075, sample.sent));
}

TEST(NetemThroughUdp, LetsTheShareAskedForOvertake) {
  const Sample sample = send_through("delay 40ms reorder 25%", 3000, 150us);
  // those that overtake do not wait
  const std::vector<double> all = delays(sample);
  const auto quick =
      std::count_if(all.begin(), all.end(), [](double delay_s) { return delay_s < 0.040; });
  EXPECT_NEAR(static_cast<double>(quick) / static_cast<double>(all.size()), 0.25,
              3.0 * binomial_error(0.25, all.size()));
}

TEST(NetemThroughUdp, DelaysAConstant) {
  expect_delay("delay 20ms", 0.020, 0.0);
}

TEST(NetemThroughUdp, DelaysUniformly) {
  expect_delay("delay 20ms 5ms", 0.020, 0.005 / std::sqrt(3.0));
}

TEST(NetemThroughUdp, DelaysNormally) {
  expect_delay("delay 20ms 3ms distribution normal", 0.020, 0.003);
}

TEST(NetemThroughUdp, DelaysLikePareto) {
  // x = min(4, 4/3 (v^(-1/3) - 3/2)) with v uniform, cut at v0 = 4.5^-3:
  // E x = 6 v0 - 2 v0^(2/3) = -0.0329218
  // E x² = 16/9 (3 (1 - 1/4.5) - 4.5 (1 - 4.5^-2) + 2.25 (1 - v0)) + 16 v0 = 0.6748971
  // deviation sqrt(0.6748971 - 0.0329218²) = 0.8208614
  expect_delay("delay 20ms 3ms distribution pareto", 0.020 - 0.0329218 * 0.003, 0.8208614 * 0.003);
}

TEST(NetemThroughUdp, CorrelatesDelaysAsLittleAsTheKernelDoes) {
  // the kernel's remainder undoes what mixing each draw with the one before does
  const double r = 0.0;
  const Sample sample = send_through("delay 30ms 10ms 50%", 3000, 150us);
  const Moments seen = moments(delays(sample));
  const double deviation_s = 0.010 / std::sqrt(3.0);
  const DurationFigures& late = sample.figures.up.lateness();
  // noise of the relay's own thins the correlation out by its share of the variance
  const double noise = late.deviation_s() / deviation_s;
  const double error = std::sqrt((1.0 - r * r) / static_cast<double>(sample.arrivals.size()));
  EXPECT_NEAR(seen.correlation, r, 3.0 * error + 2.0 * noise * noise + noise);
  EXPECT_NEAR(sample.figures.up.delay_asked().deviation_s(), deviation_s, 0.05 * deviation_s);
}

TEST(NetemThroughUdp, TakesTheTimeOfItsRate) {
  // 1000 bytes with headers at 16 Mbit/s take 0.5 ms each; 400 at once are through after 200 ms,
  // the k-th after (k + 1) 0.5 ms
  const Sample sample = send_through("rate 16mbit", 400, 0us, 972);
  ASSERT_EQ(sample.arrivals.size(), 400U);
  EXPECT_TRUE(std::is_sorted(
      sample.arrivals.begin(), sample.arrivals.end(),
      [](const UdpArrival& a, const UdpArrival& b) { return a.stamp.number < b.stamp.number; }));
  const double first_sent_s = static_cast<double>(sample.arrivals.front().stamp.sent_ns) * 1e-9;
  const double last_here_s = static_cast<double>(sample.arrivals.back().at_ns) * 1e-9;
  const double late_s = to_seconds(sample.figures.up.lateness().max());
  EXPECT_GE(last_here_s - first_sent_s, 0.200);
  EXPECT_NEAR(last_here_s - first_sent_s, 0.200, 2e-3 + 2.0 * late_s);
}

TEST(NetemThroughUdp, ForgetsWhatDoesNotFitIntoItsQueue) {
  // ten wait, the others find no room, as long as all come within the 300 ms
  const Sample sample = send_through("delay 300ms limit 10", 50, 0us);
  EXPECT_EQ(sample.figures.up.drops(network::DropReason::kQueueFull), 40U);
  EXPECT_EQ(sample.arrivals.size(), 10U);
}

}  // namespace
}  // namespace longarm::proxy
