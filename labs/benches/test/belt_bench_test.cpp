// SPDX-License-Identifier: Apache-2.0
// A part on a belt that starts slips as long and as far as Coulomb says.
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "labs/benches/slip_fit.h"
#include "labs/benches/test/bench_fixture.h"
#include "longarm/cell/run_folder.h"

namespace longarm::benches {
namespace {

nlohmann::ordered_json run_belt(const std::string& engine, const std::vector<std::string>& keys) {
  return run_bench(load_bench("belt-bench", keys, {"engine=" + engine}));
}

TEST(SlipFit, FindsAnEndBetweenTwoSamples) {
  // u = 4·(0.0137 − t), 5 ms steps: 0.0548, 0.0348, 0.0148, 0, …; over 4·0.0137²/2 m
  const SlipFit fit = fit_slip(std::vector<double>{0.0548, 0.0348, 0.0148, 0.0, 0.0, 0.0}, 0.005);
  EXPECT_NEAR(fit.time_s, 0.0137, 1e-9);
  EXPECT_NEAR(fit.deceleration_m_s2, 4.0, 1e-6);
  EXPECT_NEAR(fit.distance_m(), 3.7538e-4, 1e-10);
  EXPECT_NEAR(fit.rms_m_s, 0.0, 1e-9);
}

using BeltCase = std::tuple<const char*, double, double>;
class BeltBench : public testing::TestWithParam<BeltCase> {};

TEST_P(BeltBench, SlipsAsLongAndAsFarAsCoulombSays) {
  const auto [engine, speed, friction] = GetParam();
  const auto results = run_belt(engine, {fmt::format("speed_m_s={}", speed),
                                         fmt::format("friction={}", friction), "length=400ms"});
  const double time_s = std::abs(speed) / (friction * 9.81);
  const double distance_m = speed * speed / (2 * friction * 9.81);
  EXPECT_NEAR(results["slip_time_s"].get<double>(), time_s, 0.05 * time_s);
  EXPECT_NEAR(results["slip_distance_m"].get<double>(), distance_m, 0.05 * distance_m);
  EXPECT_DOUBLE_EQ(results["slip_time_expected_s"].get<double>(), time_s);
  EXPECT_DOUBLE_EQ(results["slip_distance_expected_m"].get<double>(), distance_m);
}

INSTANTIATE_TEST_SUITE_P(Engines, BeltBench,
                         testing::Combine(testing::Values("mujoco", "ode"),
                                          testing::Values(0.1, 0.2, 0.5, -0.2),
                                          testing::Values(0.3, 1.0)));

TEST(BeltBenchKeys, AreRefusedWhereTheyMakeNoSense) {
  const auto refusal = [](const std::vector<std::string>& keys) {
    return bench_refusal("belt-bench", keys);
  };
  EXPECT_EQ(refusal({"speed_m_s=0"}), "the belt's speed must be within 5 m/s, and not zero");
  EXPECT_EQ(refusal({"friction=0"}), "the friction must be above 0 and at most 2, the belt's");
  EXPECT_EQ(refusal({"length=-1s"}), "settle and length must be positive and at most a minute");
  // 0.5/(0.01·9.81) = 5.1 s
  EXPECT_EQ(refusal({"speed_m_s=0.5", "friction=0.01"}),
            "the part slips for 5.1 s, longer than the run");
  EXPECT_EQ(bench_refusal("belt-bench", {}, {"engine=kinematic"}),
            "this engine has no contacts: the belt carries nothing");
}

TEST(BeltBenchRuns, RepeatBitByBit) {
  for (const std::string engine : {"mujoco", "ode"}) {
    const std::vector<std::string> keys{"length=200ms"};
    EXPECT_EQ(run_belt(engine, keys).dump(), run_belt(engine, keys).dump()) << engine;
  }
}

}  // namespace
}  // namespace longarm::benches
