// SPDX-License-Identifier: Apache-2.0
// The stability verdict on whole runs where it is easily fooled.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/actors/test/arm_fixture.h"

namespace longarm::actors {
namespace {

struct VerdictCase {
  std::string name;
  std::string scenario;
  Changes changes;
  Json stable;
  std::string reason;
};

class Verdicts : public testing::TestWithParam<VerdictCase> {};

TEST_P(Verdicts, AreWhatTheRunCanCarry) {
  const VerdictCase& c = GetParam();
  const Json results = run_to_end(prepare(c.scenario, c.changes));
  EXPECT_EQ(results["stable"], c.stable);
  EXPECT_EQ(results["verdict_reason"], c.reason);
}

// Gain 10 at 1 kHz survives a loop delay of 156 ticks, 78 ms each way; velocity limits turn what is
// beyond into a limit cycle whose envelope neither grows nor decays.
INSTANTIATE_TEST_SUITE_P(
    , Verdicts,
    testing::Values(VerdictCase{"BelowTheMargin",
                                "ur5-waypoints",
                                {"link.delay=78ms", "task.hold=60s"},
                                true,
                                "its error decays"},
                    VerdictCase{"AboveTheMargin",
                                "ur5-waypoints",
                                {"link.delay=79ms", "task.hold=60s"},
                                false,
                                "its oscillation grows"},
                    VerdictCase{"SaturatedLimitCycle",
                                "ur5-waypoints",
                                {"link.delay=85ms", "task.hold=60s"},
                                false,
                                "oscillates between its limits"},
                    VerdictCase{"SaturatedWithinTheUsualHold",
                                "ur5-waypoints",
                                {"link.delay=120ms"},
                                false,
                                "oscillates between its limits"},
                    VerdictCase{"NoHold",
                                "ur5-waypoints",
                                {"link.delay=5ms", "task.hold=0s"},
                                "undecided",
                                "the hold is too short to judge"},
                    VerdictCase{"NothingArrived",
                                "ur5-waypoints",
                                {"link.delay=60s"},
                                "undecided",
                                "no command reached the robot"},
                    VerdictCase{"EmergencyStop",
                                "one-joint",
                                {"link.delay=5ms", "gain=160", "estop.at=1s"},
                                "undecided",
                                "emergency stop"},
                    VerdictCase{"AbortedTrajectory",
                                "ur5-waypoints",
                                {"tolerances.path_rad=0.05"},
                                "undecided",
                                "the trajectory was aborted"},
                    VerdictCase{"LessThanOneSwing",
                                "one-joint",
                                {"link.delay=400ms", "gain=2.55", "task.hold=2s"},
                                "undecided",
                                "the hold is too short for such a slow or irregular oscillation"},
                    VerdictCase{"LateButOutsideTheLoop",
                                "ur5-waypoints",
                                {"cut=position", "link.commands.delay=1s"},
                                true,
                                "its error decays"}),
    [](const testing::TestParamInfo<VerdictCase>& each) { return each.param.name; });

// The closed form, of n ticks in the loop: stable below K·h = 2 sin(π/(2(2n+1))). The verdict knows
// neither K nor n, and holds are here often shorter than a swing: of those the
// most are undecided, the growing ones until the error has doubled.
struct GridCase {
  std::string name;
  std::string hold;
  double gain_step;
  int gains;
  int delay_step_ms;
  int delays;
  double decided_share;
};

class VerdictGrid : public testing::TestWithParam<GridCase> {};

TEST_P(VerdictGrid, IsNeverWrongAndDecidesItsShare) {
  const GridCase& c = GetParam();
  int decided = 0;
  for (int i = 1; i <= c.gains; ++i) {
    for (int j = 1; j <= c.delays; ++j) {
      const double gain = i * c.gain_step;
      const int delay_ms = j * c.delay_step_ms;
      const double ticks = 2.0 * delay_ms;
      const bool is_stable =
          gain * 1e-3 < 2.0 * std::sin(std::numbers::pi / (2.0 * (2.0 * ticks + 1.0)));
      const Json results =
          run_to_end(prepare("one-joint", {set("gain", gain), "task.hold=" + c.hold,
                                           "link.delay=" + std::to_string(delay_ms) + "ms"}));
      if (results["stable"] == "undecided") {
        continue;
      }
      ++decided;
      EXPECT_EQ(results["stable"], is_stable)
          << "gain " << gain << ", " << delay_ms << " ms: " << results["verdict_reason"];
    }
  }
  EXPECT_GE(decided, c.decided_share * c.gains * c.delays);
  RecordProperty("decided", decided);
}

INSTANTIATE_TEST_SUITE_P(, VerdictGrid,
                         testing::Values(GridCase{"HoldOf2s", "2s", 1.0, 20, 50, 16, 0.09},
                                         GridCase{"HoldOf20s", "20s", 0.2, 10, 500, 16, 0.08},
                                         GridCase{"HoldOfManySwings", "20s", 2.0, 10, 50, 8, 0.9}),
                         [](const testing::TestParamInfo<GridCase>& each) {
                           return each.param.name;
                         });

}  // namespace
}  // namespace longarm::actors
