// SPDX-License-Identifier: Apache-2.0
// The stability verdict on whole runs where it is easily fooled.
#include <gtest/gtest.h>

#include "longarm/scenario/test/scenario_fixture.h"

namespace longarm::scenario {
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
                                "its swing grows"},
                    VerdictCase{"SaturatedLimitCycle",
                                "ur5-waypoints",
                                {"link.delay=85ms", "task.hold=60s"},
                                false,
                                "swings between its limits"},
                    VerdictCase{"SaturatedWithinTheUsualHold",
                                "ur5-waypoints",
                                {"link.delay=120ms"},
                                false,
                                "swings between its limits"},
                    VerdictCase{"NoHold",
                                "ur5-waypoints",
                                {"link.delay=5ms", "task.hold=0s"},
                                "undecided",
                                "the hold is too short to judge by"},
                    VerdictCase{"NothingArrived",
                                "ur5-waypoints",
                                {"link.delay=60s"},
                                "undecided",
                                "no command reached the robot"},
                    VerdictCase{"EmergencyStop",
                                "one-joint",
                                {"link.delay=5ms", "gain=160", "estop.at=1s"},
                                "undecided",
                                "there was an emergency stop"},
                    VerdictCase{"AbortedTrajectory",
                                "ur5-waypoints",
                                {"tolerances.path_rad=0.05"},
                                "undecided",
                                "the trajectory was aborted"},
                    VerdictCase{"LessThanOneSwing",
                                "one-joint",
                                {"link.delay=400ms", "gain=2.55", "task.hold=2s"},
                                "undecided",
                                "the hold is too short for so slow or irregular a swing"},
                    VerdictCase{"LateButOutsideTheLoop",
                                "ur5-waypoints",
                                {"cut=position", "link.commands.delay=1s"},
                                true,
                                "its error decays"}),
    [](const testing::TestParamInfo<VerdictCase>& each) { return each.param.name; });

}  // namespace
}  // namespace longarm::scenario
