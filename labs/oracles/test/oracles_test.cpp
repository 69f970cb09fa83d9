// SPDX-License-Identifier: Apache-2.0
// The oracles agree with the simulator, and their closed forms with textbooks.
#include "labs/oracles/oracles.h"

#include <cmath>
#include <complex>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "labs/oracles/closed_forms.h"

namespace longarm::oracles {
namespace {

using study::choose_oracles;
using study::Oracle;
using study::OracleRow;
using study::oracles_json;
using study::run_oracles;

TEST(Oracles, EveryOneAgreesWithTheSimulatorAndGivesAReasonForItsTolerance) {
  for (const OracleRow& row : run_oracles(all_oracles(), 2, {})) {
    EXPECT_TRUE(row.verdict) << row.name << ": expected " << row.expected << ", simulated "
                             << row.simulated << " ± " << row.tolerance << "; " << row.reason;
    EXPECT_FALSE(row.reason.empty()) << row.name;
  }
}

TEST(Oracles, ThereAreManyWithNamesOfTheirOwn) {
  const std::vector<Oracle> all = all_oracles();
  std::set<std::string> names;
  for (const Oracle& oracle : all) {
    EXPECT_TRUE(names.insert(oracle.name).second) << oracle.name;
    EXPECT_FALSE(oracle.what.empty() || oracle.group.empty() || oracle.unit.empty());
  }
  EXPECT_GE(all.size(), 25U);
}

TEST(Oracles, RowsAreTheSameForAnyNumberOfThreads) {
  const std::vector<Oracle> some =
      choose_oracles(all_oracles(), {"timing", "determinism", "links"});
  EXPECT_EQ(oracles_json(run_oracles(some, 1, {})).dump(),
            oracles_json(run_oracles(some, 4, {})).dump());
}

// ---- the closed forms themselves, against numbers derived elsewhere ----

TEST(ClosedForms, SampledLimitsAreTheTextbooksNumbers) {
  EXPECT_NEAR(sampled_limit(0), 2.0, 1e-12);
  EXPECT_NEAR(sampled_limit(1), 1.0, 1e-12);
  EXPECT_NEAR(sampled_limit(2), (std::sqrt(5.0) - 1.0) / 2.0, 1e-12);  // golden ratio
  EXPECT_NEAR(sampled_limit(5), 0.284630, 5e-7);
  EXPECT_NEAR(sampled_limit(20), 0.076605, 5e-7);
}

TEST(ClosedForms, FractionalLimitsMeetTheWholeOnes) {
  EXPECT_NEAR(fractional_limit(0.005, 0.001), 1e3 * sampled_limit(5), 1e-8);
  // x[k+1] = x[k] - K (3 x[k-1] + x[k-2]) ms at 5 ms and 4 ms: K = (√5 - 2)/ms
  EXPECT_NEAR(fractional_limit(0.005, 0.004), 1e3 * (std::sqrt(5.0) - 2.0), 1e-8);
  EXPECT_NEAR(fractional_limit(0.005, 0.008), 200.0, 1e-8);
  EXPECT_NEAR(fractional_limit(0.010, 0.004), 133.975, 5e-4);
  EXPECT_NEAR(fractional_limit(0.020, 0.008), 66.987, 5e-4);
}

TEST(ClosedForms, TheDominantRootIsOnTheCircleAtTheLimit) {
  const std::complex<double> z = dominant_root(sampled_limit(5), 5);
  EXPECT_NEAR(std::abs(z), 1.0, 1e-12);
  EXPECT_NEAR(std::arg(z), std::acos(-1.0) / 11.0, 1e-12);
}

TEST(ClosedForms, TheDelayedExponentialFollowsItsRecurrence) {
  constexpr int kTicks = 3;
  std::vector<double> x(kTicks + 1, 1.0);  // x[-3] … x[0]
  for (int k = 0; k < 40; ++k) {
    x.push_back(x.back() - 0.1 * x[x.size() - 1 - kTicks]);
    EXPECT_NEAR(delayed_decay(0.1, kTicks, k + 1), x.back(), 1e-12);
  }
}

TEST(ClosedForms, LaggedLimitsAreTheTextbooksNumbers) {
  EXPECT_NEAR(lagged_limit(0.020, 0.0), 78.54, 5e-3);
  EXPECT_NEAR(lagged_limit(0.020, 0.010), 61.15, 5e-3);
  EXPECT_NEAR(lagged_limit(0.020, 0.050), 53.06, 5e-3);
  // in short steps the sampled form is the continuous one
  EXPECT_NEAR(sampled_lagged_limit(20'000, 1e-6, 0.010), lagged_limit(0.020, 0.010), 1e-2);
}

}  // namespace
}  // namespace longarm::oracles
