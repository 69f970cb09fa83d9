// SPDX-License-Identifier: Apache-2.0
// Simplified parts among other bodies: fingers, links of arms, neighbours; and the kludge.
#include "longarm/mechanisms/test/simplifier_fixture.h"

namespace longarm::mechanisms {
namespace {

using namespace physics;
using model::Vector3;

/// The ground (body 0), a part of 0.1 kg, 40 mm wide (1), and a gripper that can go up (bodies 2 to
/// 5; joints 0: up, 1 and 2: its fingers along ±x).
model::Cell gripper_over_part() {
  model::Body palm = make_mass(1.0, {0.1, 0.05, 0.05});
  model::Body finger = make_mass(0.2, {0.01, 0.03, 0.03});
  finger.collisions.push_back(make_shape(model::Box{{0.01, 0.03, 0.03}}, 1.0));
  std::vector<std::pair<model::TreeJoint, model::Body>> parts;
  parts.emplace_back(slider(Vector3::UnitZ()), palm);
  parts.emplace_back(make_joint(model::JointType::kPrismatic, Vector3::UnitX(), 1, {-0.04, 0, 0.0}),
                     finger);
  parts.emplace_back(make_joint(model::JointType::kPrismatic, -Vector3::UnitX(), 1, {0.04, 0, 0.0}),
                     finger);
  return cell_of({ground(), free_body(make_box(0.1, {0.04, 0.04, 0.04}, 1.0), {0, 0, 0.02}),
                  mechanism(std::move(parts), {0, 0, 0.025})});
}
constexpr BodyId kPart{1};
constexpr BodyId kLeftFinger{4};
constexpr JointId kLift{0};
constexpr JointId kFingers[] = {JointId{1}, JointId{2}};

class SimplifyingAmongOthers : public SimplifierTest {};

TEST_P(SimplifyingAmongOthers, AGraspedPartIsPartedFromItsSupportAndLifted) {
  SimplifiedWorld w = world(gripper_over_part());
  w.engine->set_velocity(kLift, 0.0, 1e4);
  w.run(200);
  ASSERT_TRUE(w.simplifier.is_joined(kGround, kPart));
  for (const JointId finger : kFingers) {
    w.engine->set_velocity(finger, 0.1, 10.0);
  }
  w.run(300);
  w.engine->set_velocity(kLift, 0.1, 1e4);
  w.run(500);
  EXPECT_FALSE(w.simplifier.is_joined(kGround, kPart));
  // 0.1 m/s for 0.5 s
  EXPECT_NEAR(w.engine->pose(kPart).translation().z(), 0.02 + 0.05, 5e-3);
  EXPECT_EQ(w.simplifier.counts().joined, 0u) << "fingers hold by contact";
}

TEST_P(SimplifyingAmongOthers, NothingIsJoinedToALinkOfAnArm) {
  // a plate on two hinges that hold still, and a box on it
  model::Body plate = make_box(2.0, {0.2, 0.2, 0.02});
  const model::Cell cell =
      cell_of({mechanism({{hinge(Vector3::UnitZ()), make_mass(2.0, {0.1, 0.1, 0.1})},
                          {make_joint(model::JointType::kRevolute, Vector3::UnitZ(), 1), plate}}),
               free_body(make_box(0.1, {0.04, 0.04, 0.04}), {0, 0, 0.03})});
  SimplifiedWorld w = world(cell);
  w.engine->set_velocity(JointId{0}, 0.0, 1e4);
  w.engine->set_velocity(JointId{1}, 0.0, 1e4);
  w.run(400);
  EXPECT_FALSE(w.engine->contacts().empty());
  EXPECT_EQ(w.simplifier.counts().made, 0u);
}

TEST_P(SimplifyingAmongOthers, APartThatSpinsInItsPlaceIsNotAtRest) {
  // a disc without friction turns at 2 rad/s: its rim moves at 0.06 m/s, its middle does not
  model::Body disc = make_mass(0.1, {0.06, 0.06, 0.02});
  disc.collisions.push_back(make_shape(model::Box{{0.06, 0.06, 0.02}}, 0.0));
  SimplifiedWorld w = world(cell_of({ground(0.0), free_body(disc, {0, 0, 0.01})}));
  w.engine->reset_body(kPart, w.engine->pose(kPart), {.angular_W = {0, 0, 2.0}});
  w.run(400);
  EXPECT_NEAR(w.engine->twist(kPart).angular_W.z(), 2.0, 0.1);
  EXPECT_EQ(w.simplifier.counts().made, 0u);
}

TEST_P(SimplifyingAmongOthers, NeighboursThatTouchAreJoinedToTheirSupportAndStay) {
  const model::Body box = make_box(0.2, {0.04, 0.04, 0.04}, 0.5);
  SimplifiedWorld w = world(
      cell_of({ground(0.5), free_body(box, {0, 0, 0.02}), free_body(box, {0.03999, 0, 0.02})}));
  w.run(1000);
  EXPECT_TRUE(w.simplifier.is_joined(kGround, BodyId{1}));
  EXPECT_TRUE(w.simplifier.is_joined(kGround, BodyId{2}));
  EXPECT_FALSE(w.simplifier.is_joined(BodyId{1}, BodyId{2}));
  const std::uint64_t removed = w.simplifier.counts().removed;
  w.run(1000);
  EXPECT_EQ(w.simplifier.counts().removed, removed);
}

TEST_P(SimplifyingAmongOthers, AStackIsAChain) {
  const model::Body box = make_box(0.2, {0.04, 0.04, 0.02}, 0.5);
  std::vector<model::Placement> placements{ground(0.5)};
  for (int i = 0; i < 4; ++i) {
    placements.push_back(free_body(box, {0, 0, 0.01 + 0.02 * i}));
  }
  SimplifiedWorld w = world(cell_of(std::move(placements)));
  w.run(1000);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(w.simplifier.is_joined(body_id(i), body_id(i + 1))) << i;
  }
  EXPECT_TRUE(w.engine->contacts().empty());
  // what is pulled at parts from what it lies on; those below stay
  EXPECT_NEAR(w.pull_until_parted(body_id(3), body_id(2), {1, 0, 0}, 3.0), 0.5, 0.05);
  EXPECT_TRUE(w.simplifier.is_joined(body_id(1), body_id(2)));
  EXPECT_TRUE(w.simplifier.is_joined(body_id(3), body_id(4)));
}

INSTANTIATE_TEST_SUITE_P(Modes, SimplifyingAmongOthers, testing::ValuesIn(all_simplifier_cases()),
                         simplifier_case_name);

TEST(Kludge, WeldsToTheFirstFingerThatTouchesAndTakesTheWeightAway) {
  SimplifiedWorld w(gripper_over_part(), {{"mujoco", "newton"}, "kludge"});
  w.engine->set_velocity(kLift, 0.0, 1e4);
  w.run(100);
  EXPECT_EQ(w.simplifier.counts().made, 0u) << "rest does not matter";
  // one finger alone closes, with a force that could not even carry the part by friction
  w.engine->set_velocity(kFingers[0], 0.05, 0.5);
  w.run(350);
  EXPECT_TRUE(w.simplifier.is_joined(kLeftFinger, kPart));
  w.engine->set_velocity(kFingers[0], 0.0, 10.0);
  w.engine->set_velocity(kLift, 0.1, 1e4);
  w.run(500);
  EXPECT_NEAR(w.engine->pose(kPart).translation().z(), 0.07, 5e-3);
  // opening lets go, and gravity is back
  w.engine->set_velocity(kLift, 0.0, 1e4);
  w.engine->set_velocity(kFingers[0], -0.05, 10.0);
  w.run(400);
  EXPECT_EQ(w.simplifier.counts().joined, 0u);
  EXPECT_NEAR(w.engine->pose(kPart).translation().z(), 0.02, 1e-3);
}

}  // namespace
}  // namespace longarm::mechanisms
