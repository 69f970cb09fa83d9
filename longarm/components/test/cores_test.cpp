// SPDX-License-Identifier: Apache-2.0
// Cores against closed forms: equal jobs, a late comer, queues with random arrivals.
#include "longarm/components/cores.h"

#include <cmath>

#include <gtest/gtest.h>

#include "longarm/core/random.h"

namespace longarm::components {
namespace {

using namespace std::chrono_literals;

class CoresTest : public ::testing::Test {
 protected:
  void make(std::int64_t count, network::Scheduling scheduling = network::Scheduling::kFair,
            double speed = 1.0, double load = 0.0) {
    network::Host host;
    host.name = "pc";
    host.cores = count;
    host.scheduling = scheduling;
    host.speed = speed;
    host.load = load;
    cores = std::make_unique<Cores>(kernel, host);
  }
  /// Notes when it ends.
  void at(Duration start, Duration work) {
    kernel.deliver(Time(start), source, [this, work](Time) {
      cores->execute(work, 0, [this] { ends.push_back(kernel.now().time_since_epoch()); });
    });
  }
  void run() { ASSERT_TRUE(kernel.run_until(Time(1000s))); }

  sim::Kernel kernel;
  sim::SourceId source = kernel.add_source("test");
  std::unique_ptr<Cores> cores;
  std::vector<Duration> ends;
};

TEST_F(CoresTest, GiveEqualJobsEqualShares) {
  // n jobs of w on c cores, all at once: each ends at w · n / c = 3 ms · 8 / 3 = 8 ms
  make(3);
  for (int i = 0; i < 8; ++i) {
    at(0ms, 3ms);
  }
  run();
  EXPECT_EQ(ends, std::vector<Duration>(8, 8ms));
  EXPECT_DOUBLE_EQ(cores->busy_s(), 0.024);  // all the work, no more
}

TEST_F(CoresTest, SlowDownWhenAJobJoinsAndSpeedUpWhenOneLeaves) {
  // one core: A alone for 1 ms, then A and B at half speed; A has 2 ms left and ends at 1 + 4 = 5;
  // B has received 2 of its 5 ms by then and ends alone at 5 + 3 = 8
  make(1);
  at(0ms, 3ms);
  at(1ms, 5ms);
  run();
  EXPECT_EQ(ends, (std::vector<Duration>{5ms, 8ms}));
}

TEST_F(CoresTest, AreExactWhereSharesAreNoWholeNanoseconds) {
  // one core, three jobs from 0: after 1 ns each has 1/3 ns; a fourth comes. Work W each:
  // the three end when (W − 1/3) has been received at a quarter speed: 1 + 4·W − 4/3; W = 10 ns:
  // 39.67 → 40 ns. The fourth has received (39.67 − 1) / 4 = 9.67 by then and ends 1/3 ns later.
  make(1);
  for (int i = 0; i < 3; ++i) {
    at(0ns, 10ns);
  }
  at(1ns, 10ns);
  run();
  EXPECT_EQ(ends, std::vector<Duration>(4, 40ns));
  EXPECT_NEAR(cores->busy_s(), 40e-9, 1e-15);
}

TEST_F(CoresTest, ServeInOrderWhenFifo) {
  // two cores: 4 and 1 begin; 3 begins at 1 and ends at 4; 2 begins at 4 and ends at 6
  make(2, network::Scheduling::kFifo);
  at(0ms, 4ms);
  at(0ms, 1ms);
  at(0ms, 3ms);
  at(0ms, 2ms);
  run();
  EXPECT_EQ(ends, (std::vector<Duration>{1ms, 4ms, 4ms, 6ms}));
}

TEST_F(CoresTest, KnowSpeedAndLoad) {
  // 2 × as fast, a quarter used by others: 3 ms / (2 · 0.75) = 2 ms
  make(1, network::Scheduling::kFair, 2.0, 0.25);
  at(0ms, 3ms);
  run();
  EXPECT_EQ(ends, (std::vector<Duration>{2ms}));
}

TEST_F(CoresTest, WithoutANumberAreAsManyAsAreWanted) {
  make(0, network::Scheduling::kFifo);
  for (int i = 0; i < 100; ++i) {
    at(0ms, 3ms);
  }
  run();
  EXPECT_EQ(ends, std::vector<Duration>(100, 3ms));
}

TEST_F(CoresTest, FinishForNobodyAfterTheirOwnerIsGone) {
  make(1);
  cores->execute(2ms, 7, [this] { ends.push_back(1s); });
  cores->execute(2ms, 8, [this] { ends.push_back(kernel.now().time_since_epoch()); });
  cores->forget(7);
  run();
  EXPECT_EQ(ends, (std::vector<Duration>{4ms}));  // the other still shared the core
}

/// Mean time in the system of so many jobs that come at random, one core, 1 ms of work in the mean.
double mean_sojourn_ms(network::Scheduling scheduling, bool is_work_random, double load_factor) {
  constexpr int kJobs = 200'000;
  sim::Kernel kernel;
  const sim::SourceId source = kernel.add_source("arrivals");
  network::Host host;
  host.name = "pc";
  host.cores = 1;
  host.scheduling = scheduling;
  Cores cores(kernel, host);
  RandomStream gaps(11, "gaps");
  RandomStream works(11, "works");
  const auto exponential = [](RandomStream& stream, double mean) {
    return Duration(static_cast<std::int64_t>(-mean * std::log(1.0 - stream.uniform())));
  };
  double sum_ns = 0.0;
  int left = kJobs;
  std::function<void(Time)> arrive = [&](Time now) {
    const Duration work = is_work_random ? exponential(works, 1e6) : Duration(1ms);
    cores.execute(work, 0, [&sum_ns, now, &kernel] {
      sum_ns += static_cast<double>((kernel.now() - now).count());
    });
    if (--left > 0) {
      kernel.deliver(now + exponential(gaps, 1e6 / load_factor), source, arrive);
    }
  };
  kernel.deliver(Time{}, source, arrive);
  EXPECT_TRUE(kernel.run_until(Time(1000s)));
  return sum_ns / kJobs / 1e6;
}

TEST(CoresQueue, KeepsTheMeanOfMM1UnderProcessorSharing) {
  // M/M/1-PS: mean time in the system = 1 / (μ − λ) = 1 / (1 − 0.6) = 2.5 ms, whatever the spread.
  // Twenty other seeds spread by 0.017 (sample SD); four of those are allowed.
  EXPECT_NEAR(mean_sojourn_ms(network::Scheduling::kFair, true, 0.6), 2.5, 0.07);
}

TEST(CoresQueue, IsInsensitiveToTheSpreadUnderProcessorSharing) {
  // the same mean for equal jobs; twenty seeds spread by 0.015
  EXPECT_NEAR(mean_sojourn_ms(network::Scheduling::kFair, false, 0.6), 2.5, 0.06);
}

TEST(CoresQueue, KeepsTheMeanOfMD1WhenFifo) {
  // M/D/1: service + ρ / (2 (1 − ρ)) = 1 + 0.6 / 0.8 = 1.75 ms; twenty seeds spread by 0.008
  EXPECT_NEAR(mean_sojourn_ms(network::Scheduling::kFifo, false, 0.6), 1.75, 0.03);
}

}  // namespace
}  // namespace longarm::components
