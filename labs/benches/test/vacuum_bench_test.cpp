// SPDX-License-Identifier: Apache-2.0
// A suction cup lets go where pressure, area and the pull's distance from the axis say.
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "labs/benches/test/bench_fixture.h"
#include "longarm/cell/run_folder.h"

namespace longarm::benches {
namespace {

using VacuumCase = std::tuple<const char*, double>;
class VacuumBench : public testing::TestWithParam<VacuumCase> {};

TEST_P(VacuumBench, LetsGoWhereItShould) {
  const auto [engine, eccentricity_m] = GetParam();
  const auto results = run_bench(load_bench("vacuum-bench",
                                            {fmt::format("eccentricity_m={}", eccentricity_m),
                                             "vacuum.pressure_Pa=50000", "vacuum.area_m2=9e-4"},
                                            {std::string("engine=") + engine}));
  // 50 kPa · 9 cm² = 45 N; of a cup of 30 mm, about its far edge: 45·15/(15 + e)
  const double expected_N = 45.0 * 0.015 / (0.015 + eccentricity_m);
  ASSERT_TRUE(results.contains("pull_off_N")) << results.dump();
  EXPECT_NEAR(results["pull_off_N"].get<double>(), expected_N, 0.05 * expected_N);
  EXPECT_NEAR(results["pull_off_expected_N"].get<double>(), expected_N, 1e-9);
  EXPECT_EQ(results["state"], "lost");
}

INSTANTIATE_TEST_SUITE_P(Engines, VacuumBench,
                         testing::Combine(testing::Values("mujoco", "ode"),
                                          testing::Values(0.0, 0.01, 0.03)));

TEST(VacuumBenchKeys, AreRefusedWhereTheyMakeNoSense) {
  const auto refusal = [](const std::string& key) { return bench_refusal("vacuum-bench", {key}); };
  EXPECT_EQ(refusal("vacuum.pressure_Pa=-5"),
            "vacuum pressure must be between 0 and 101325 Pa below ambient");
  EXPECT_EQ(refusal("eccentricity_m=0.2"), "the plate ends 0.1 m from the cup's axis");
  EXPECT_EQ(refusal("ramp=0s"), "the ramp must take from 100ms to 60s");
}

}  // namespace
}  // namespace longarm::benches
