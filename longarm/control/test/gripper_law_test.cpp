// SPDX-License-Identifier: Apache-2.0
// Tests of the gripper laws against their equations, by hand.
#include "longarm/control/gripper/gripper_law.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace longarm::control {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using Mode = FingerCommand::Mode;

GripperConfig round_config(const std::string& law) {
  GripperConfig config;
  config.law = law;
  config.force_N = 20.0;
  config.stiffness_N_m = 1000.0;
  config.speed_m_s = 0.1;
  return config;
}

std::vector<FingerCommand> commands(GripperLaw& law, const std::vector<double>& p,
                                    bool closes = true, double goal = 0.05) {
  const std::vector<double> velocity(p.size(), 0.0);
  std::vector<FingerCommand> out(p.size());
  law.drive({p, velocity, goal, closes}, out);
  return out;
}

std::vector<double> values(GripperLaw& law, const std::vector<double>& p, bool closes = true) {
  std::vector<double> out;
  for (const FingerCommand& command : commands(law, p, closes)) {
    out.push_back(command.value);
  }
  return out;
}

std::vector<double> values(const GripperConfig& config, const std::vector<double>& p,
                           bool closes = true) {
  const auto law = make_gripper_law(config, p.size(), 1ms);
  return values(*law, p, closes);
}

TEST(ParallelLaw, AddsTheDifferenceOfTwoFingers) {
  // Piliptchak et al. 2019, eq. 1 and 2: 20 ± 1000·(0.012 − 0.010)
  EXPECT_THAT(values(round_config("parallel"), {0.010, 0.012}), ElementsAre(22.0, 18.0));
}

TEST(ParallelLaw, SumsOverAllOtherFingers) {
  // eq. 3: finger 1: 20 + 1000·(0.001 + 0.004), finger 2: 20 + 1000·(−0.001 + 0.003),
  // finger 3: 20 − 1000·(0.004 + 0.003)
  const auto forces = values(round_config("parallel"), {0.0, 0.001, 0.004});
  EXPECT_NEAR(forces[0], 25.0, 1e-12);
  EXPECT_NEAR(forces[1], 22.0, 1e-12);
  EXPECT_NEAR(forces[2], 13.0, 1e-12);
}

TEST(ParallelLaw, OfOneFingerIsItsOwnForce) {
  EXPECT_THAT(values(round_config("parallel"), {0.3}), ElementsAre(20.0));
}

TEST(ParallelLaw, TakesAnyForceOfAJointAndOfADifference) {
  // F_j = 3p, F_s = d³: 3·1 + 1³ and 3·2 − 1³
  ParallelLaw law([](double p) { return 3.0 * p; }, [](double d) { return d * d * d; }, 5.0, 100.0);
  EXPECT_THAT(values(law, {1.0, 2.0}), ElementsAre(4.0, 5.0));
}

TEST(ParallelLaw, StaysAlignedWhileItOpens) {
  // −20/2 ± 1000·0.002
  EXPECT_THAT(values(round_config("parallel"), {0.010, 0.012}, false), ElementsAre(-8.0, -12.0));
}

TEST(ParallelLaw, KeepsBothFingersPressingWhenItClosesOnTouch) {
  GripperConfig config = round_config("parallel");
  config.closes_on_touch = true;
  // 1000·0.1 = 100 N is cut to half the closing force
  EXPECT_THAT(values(config, {0.0, 0.1}), ElementsAre(30.0, 10.0));
  config.most_align_N = 4.0;
  EXPECT_THAT(values(config, {0.0, 0.1}), ElementsAre(24.0, 16.0));
}

TEST(ConstantForceLaw, DoesNotLookAtPositions) {
  EXPECT_THAT(values(round_config("constant-force"), {0.0, 0.1, 0.2}),
              ElementsAre(20.0, 20.0, 20.0));
  GripperConfig config = round_config("constant-force");
  config.open_force_N = 3.0;
  EXPECT_THAT(values(config, {0.0, 0.1}, false), ElementsAre(-3.0, -3.0));
}

TEST(MimicPidLaw, ExertsNothingWhereFingersAreSymmetric) {
  // the first defect that Piliptchak et al. 2019 name: the follower does not press
  EXPECT_THAT(values(round_config("mimic-pid"), {0.01, 0.01}), ElementsAre(20.0, 0.0));
}

TEST(MimicPidLaw, LeavesTheLeaderAlone) {
  // the second defect: wherever the followers are
  GripperConfig config = round_config("mimic-pid");
  config.mimic = {.p = 1000.0};
  EXPECT_THAT(values(config, {0.01, 0.0, 0.012}), ElementsAre(20.0, 10.0, -2.0));
}

TEST(MimicPidLaw, ClampsItsFollowersAndForgetsOnReset) {
  GripperConfig config = round_config("mimic-pid");
  config.mimic = {.p = 0.0, .i = 1000.0, .d = 0.0, .i_clamp = 50.0};
  config.mimic_max_effort_N = 15.0;
  const auto law = make_gripper_law(config, 2, 1ms);
  // 1000·0.01 m·1 ms = 0.01 N more in every step
  EXPECT_NEAR(values(*law, {0.01, 0.0})[1], 0.01, 1e-12);
  EXPECT_NEAR(values(*law, {0.01, 0.0})[1], 0.02, 1e-12);
  law->reset();
  EXPECT_NEAR(values(*law, {0.01, 0.0})[1], 0.01, 1e-12);
  EXPECT_THAT(values(*law, {100.0, 0.0})[1], 15.0);
}

TEST(VelFmaxLaw, GivesEveryMotorTheSpeedAndTheForce) {
  const auto law = make_gripper_law(round_config("vel-fmax"), 2, 1ms);
  for (const FingerCommand& command : commands(*law, {0.0, 0.01})) {
    EXPECT_EQ(command.mode, Mode::kVelocity);
    EXPECT_EQ(command.value, 0.1);
    EXPECT_EQ(command.max_force_N, 20.0);
  }
  EXPECT_THAT(values(*law, {0.0, 0.01}, false), ElementsAre(-0.1, -0.1));
}

TEST(PositionLaw, GoesNoFartherInAStepThanItsSpeed) {
  const auto law = make_gripper_law(round_config("position"), 2, 1ms);
  // 0.1 m/s for 1 ms is 0.1 mm; the second finger is nearer than that
  const auto out = commands(*law, {0.01, 0.04995});
  EXPECT_EQ(out[0].mode, Mode::kPosition);
  EXPECT_NEAR(out[0].value, 0.0101, 1e-12);
  EXPECT_NEAR(out[1].value, 0.05, 1e-12);
  EXPECT_EQ(out[1].max_force_N, 20.0);
}

TEST(GripperConfig, OfDefaultsIsInOrder) {
  EXPECT_TRUE(judge_gripper({}, "gripper.").empty());
}

TEST(GripperConfig, OfAnUnknownLawIsRefused) {
  const auto remarks = judge_gripper(round_config("paralel"), "gripper.");
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].key, "gripper.law");
  EXPECT_EQ(remarks[0].message, "unknown gripper law 'paralel'");
}

TEST(GripperConfig, SaysWhatIsWrongWithIt) {
  GripperConfig config;
  config.force_N = -5.0;
  config.open_force_N = 1.0;
  config.stiffness_N_m = -1.0;
  config.mimic.d = -2.0;
  config.speed_m_s = 0.0;
  const auto remarks = judge_gripper(config, "gripper.");
  std::string text;
  for (const auto& remark : remarks) {
    text += remark.key + ": " + remark.message + " / " + remark.hint + "\n";
  }
  EXPECT_EQ(text,
            "gripper.force_N: gripper.force_N is -5: it must not be negative / the closing force "
            "must be positive; open the gripper to release\n"
            "gripper.stiffness_N_m: gripper.stiffness_N_m is -1: it must not be negative / a "
            "negative stiffness pushes fingers apart; 4000 is usual\n"
            "gripper.mimic.d: gripper.mimic.d is -2: it must not be negative / a negative gain "
            "feeds oscillations\n"
            "gripper.speed_m_s: gripper.speed_m_s is 0: it must be greater than zero / the "
            "commands open and close set its direction\n");
}

}  // namespace
}  // namespace longarm::control
