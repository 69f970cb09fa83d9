// SPDX-License-Identifier: Apache-2.0
// Tests of the joint interfaces: who may command what, and what a controller sees.
#include "longarm/control/joint_interfaces.h"

#include <optional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/control/test/arm_fixture.h"

namespace longarm::control {
namespace {

using namespace std::chrono_literals;
using test::claim_of;
using ::testing::ElementsAre;

class JointInterfacesTest : public ::testing::Test {
 protected:
  std::string error_of(const std::string& controller, const std::vector<std::string>& joints) {
    const Result<Claim> claim = arm.claim(controller, joints, CommandKind::kVelocity);
    return claim.has_value() ? "no error" : claim.error().message;
  }
  std::vector<std::string> owners() const { return {arm.owner(0), arm.owner(1), arm.owner(2)}; }

  JointInterfaces arm{{"shoulder", "elbow", "wrist"}, std::vector<model::JointLimits>(3)};
};

TEST_F(JointInterfacesTest, AClaimOwnsItsJointsAndNoOthers) {
  const Claim claim = claim_of(arm, "servo", {"wrist", "shoulder"}, CommandKind::kEffort);
  EXPECT_EQ(claim.kind(), CommandKind::kEffort);
  EXPECT_THAT(claim.joints(), ElementsAre(2, 0));
  EXPECT_THAT(owners(), ElementsAre("servo", "", "servo"));
}

TEST_F(JointInterfacesTest, AClaimedJointIsRefusedWithItsOwnersNameForEveryKindOfCommand) {
  const Claim claim = claim_of(arm, "servo", {"elbow"}, CommandKind::kEffort);
  // the error is about velocities while the owner has efforts
  EXPECT_EQ(error_of("jogger", {"shoulder", "elbow"}),
            "jogger claims joint 'elbow', which servo holds");
  EXPECT_EQ(error_of("servo", {"elbow"}), "servo claims joint 'elbow', which servo holds");
}

TEST_F(JointInterfacesTest, ARefusedClaimTakesNothing) {
  const Claim claim = claim_of(arm, "servo", {"wrist"}, CommandKind::kVelocity);
  EXPECT_FALSE(
      arm.claim("jogger", {"shoulder", "elbow", "wrist"}, CommandKind::kVelocity).has_value());
  EXPECT_THAT(owners(), ElementsAre("", "", "servo"));
  const Claim other = claim_of(arm, "jogger", {"shoulder", "elbow"}, CommandKind::kVelocity);
  EXPECT_THAT(owners(), ElementsAre("jogger", "jogger", "servo"));
}

TEST_F(JointInterfacesTest, AnUnknownJointIsRefusedWithTheNearestName) {
  EXPECT_EQ(error_of("jogger", {"elbwo"}),
            "jogger claims unknown joint 'elbwo'; did you mean 'elbow'?");
  EXPECT_EQ(error_of("jogger", {"knee"}),
            "jogger claims unknown joint 'knee'; valid names are: shoulder, elbow, wrist");
}

TEST_F(JointInterfacesTest, AJointIsNotClaimedTwiceAtOnce) {
  EXPECT_EQ(error_of("jogger", {"wrist", "elbow", "wrist"}), "jogger claims joint 'wrist' twice");
  EXPECT_THAT(owners(), ElementsAre("", "", ""));
}

TEST_F(JointInterfacesTest, ADestroyedClaimIsGivenBack) {
  {
    const Claim claim = claim_of(arm, "servo", {"elbow"}, CommandKind::kVelocity);
    EXPECT_EQ(arm.owner(1), "servo");
  }
  EXPECT_EQ(arm.owner(1), "");
  const Claim next = claim_of(arm, "jogger", {"elbow"}, CommandKind::kPosition);
  EXPECT_EQ(arm.owner(1), "jogger");
}

TEST_F(JointInterfacesTest, AMovedClaimKeepsItsJointsUntilTheNewOneGoes) {
  std::optional<Claim> first = claim_of(arm, "servo", {"elbow"}, CommandKind::kVelocity);
  {
    const Claim second = std::move(*first);
    first.reset();  // destroys the claim that was moved from
    EXPECT_EQ(arm.owner(1), "servo");
    EXPECT_THAT(second.joints(), ElementsAre(1));
  }
  EXPECT_EQ(arm.owner(1), "");
}

TEST_F(JointInterfacesTest, MoveAssignmentGivesBackTheOldClaimAndTakesTheNew) {
  Claim claim = claim_of(arm, "servo", {"shoulder", "elbow"}, CommandKind::kVelocity);
  claim = claim_of(arm, "jogger", {"wrist"}, CommandKind::kEffort);
  EXPECT_THAT(owners(), ElementsAre("", "", "jogger"));
  EXPECT_EQ(claim.kind(), CommandKind::kEffort);
  EXPECT_THAT(claim.joints(), ElementsAre(2));
}

TEST_F(JointInterfacesTest, MoveAssignmentToItselfKeepsTheClaim) {
  Claim claim = claim_of(arm, "servo", {"elbow"}, CommandKind::kVelocity);
  Claim& same = claim;
  claim = std::move(same);
  EXPECT_THAT(owners(), ElementsAre("", "servo", ""));
  EXPECT_THAT(claim.joints(), ElementsAre(1));
}

TEST_F(JointInterfacesTest, WritesCountJointsWithinTheClaim) {
  const Claim outer = claim_of(arm, "jogger", {"wrist", "shoulder"}, CommandKind::kVelocity);
  arm.write(outer, 0, 3.0, 0.3);
  arm.write(outer, 1, 1.0);
  EXPECT_THAT(arm.commands(), ElementsAre(1.0, 0.0, 3.0));
  EXPECT_THAT(arm.command_velocities(), ElementsAre(0.0, 0.0, 0.3));
}

TEST_F(JointInterfacesTest, StatesAreCopiedToAddressesThatStayValid) {
  const double* const elbow = &arm.states().positions[1];
  EXPECT_EQ(*elbow, 0.0);
  JointStates received{Time(5ms), {0.1, 0.2, 0.3}, {1.0, 2.0, 3.0}, {10.0, 20.0, 30.0}};
  arm.receive(received);
  received.positions.assign(3, 99.0);  // the message is gone, what was received is not
  EXPECT_EQ(&arm.states().positions[1], elbow);
  EXPECT_EQ(*elbow, 0.2);
  EXPECT_EQ(arm.states().stamp, Time(5ms));
  EXPECT_THAT(arm.states().velocities, ElementsAre(1.0, 2.0, 3.0));
  EXPECT_THAT(arm.states().efforts, ElementsAre(10.0, 20.0, 30.0));
}

}  // namespace
}  // namespace longarm::control
