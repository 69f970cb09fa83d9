// SPDX-License-Identifier: Apache-2.0
// The kinematic engine carries parts: between fingers, on belts, in trays; and lets them drop.
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Vector3;

// bodies: 0 ground, 1 rail, 2 hand, 3 and 4 fingers, 5 belt's base, 6 its surface, 7 tray, 8 part
constexpr BodyId kLeft{3};
constexpr BodyId kRight{4};
constexpr BodyId kTray{7};
constexpr BodyId kPart{8};
// joints: 0 hand along z, 1 and 2 fingers along x, 3 belt along y
constexpr JointId kHand{0};
constexpr JointId kLeftFinger{1};
constexpr JointId kRightFinger{2};
constexpr JointId kBeltJoint{3};

/// A hand over a belt whose top is at 0.5 m; on the belt a tray of 1 cm, on the tray a cube of
/// 2 cm, between the fingers of the hand, which are 1 cm away from it on both sides.
class CarriedPartsTest : public testing::Test {
 protected:
  CarriedPartsTest() : engine_(built_in_engines().make("kinematic", cell(), {})) {
    engine_->set_gripping(kLeft);
    engine_->set_gripping(kRight);
    for (int joint = 0; joint < 4; ++joint) {
      engine_->set_velocity(joint_id(joint), 0.0, 1e3);
    }
  }

  static model::Cell cell() {
    const Vector3 pad(0.01, 0.01, 0.01);
    const auto finger = [&](double side) {
      model::TreeJoint joint = slider(Vector3::UnitX());
      joint.parent_body = 1;
      joint.X_PJ.translation().x() = side * 0.025;
      return std::pair(joint, make_box(0.1, pad));
    };
    const auto hand =
        mechanism({{slider(Vector3::UnitZ()), make_mass(1.0, pad)}, finger(-1.0), finger(1.0)},
                  {0.0, 0.0, 0.52});
    const auto belt =
        mechanism({{slider(Vector3::UnitY()), make_box(10.0, {0.4, 2.0, 0.02})}}, {0, 0, 0.49});
    return cell_of({ground(), hand, belt, free_body(make_box(0.1, {0.1, 0.1, 0.01}), {0, 0, 0.505}),
                    free_body(make_box(0.1, {0.02, 0.02, 0.02}), {0, 0, 0.52})});
  }

  void close(double speed_m_s) {
    engine_->set_velocity(kLeftFinger, speed_m_s, 1e3);
    engine_->set_velocity(kRightFinger, -speed_m_s, 1e3);
  }
  Vector3 at(BodyId body) const { return engine_->pose(body).translation(); }

  std::unique_ptr<Engine> engine_;
};

TEST_F(CarriedPartsTest, FingersStopAtAPartAndCarryIt) {
  close(0.1);
  run(*engine_, 500);
  // 1 cm, and no more than a step's way into it
  EXPECT_NEAR(engine_->positions()[1], 0.01, 1.1e-4);
  EXPECT_NEAR(engine_->positions()[2], -0.01, 1.1e-4);
  // the tray on the belt, and the part between two fingers
  EXPECT_EQ(engine_->contacts().size(), 3u);
  engine_->set_velocity(kHand, 0.1, 1e3);
  run(*engine_, 1000);
  EXPECT_NEAR(at(kPart).z(), 0.62, 1e-9);
  EXPECT_NEAR(engine_->twist(kPart).linear_W.z(), 0.1, 1e-9);
  EXPECT_NEAR(at(kTray).z(), 0.505, 1e-12) << "the tray stays";
}

TEST_F(CarriedPartsTest, APartThatIsLetGoDropsOntoWhatIsBelow) {
  close(0.1);
  run(*engine_, 200);
  engine_->set_velocity(kHand, 0.1, 1e3);
  run(*engine_, 1000);
  engine_->set_velocity(kHand, 0.0, 1e3);
  close(-0.1);
  run(*engine_, 10);
  EXPECT_EQ(engine_->contacts().size(), 2u) << "the part on the tray, and the tray on the belt";
  EXPECT_NEAR(at(kPart).z(), 0.52, 1e-5);
  EXPECT_EQ(engine_->twist(kPart).linear_W.norm(), 0.0);
}

TEST_F(CarriedPartsTest, ABeltCarriesTraysAndWhatLiesInThem) {
  engine_->set_velocity(kBeltJoint, 0.1, 1e3);
  run(*engine_, 1000);
  EXPECT_NEAR(at(kTray).y(), 0.1, 1e-9);
  EXPECT_NEAR(at(kPart).y(), 0.1, 1e-9);
  EXPECT_NEAR(engine_->twist(kPart).linear_W.y(), 0.1, 1e-9);
  // the surface is put back without its load
  engine_->reset_joint(kBeltJoint, 0.0, 0.0);
  EXPECT_NEAR(at(kPart).y(), 0.1, 1e-9);
  engine_->set_velocity(kBeltJoint, 0.0, 1e3);
  run(*engine_, 10);
  EXPECT_NEAR(at(kTray).y(), 0.1, 1e-9);
  EXPECT_EQ(engine_->twist(kTray).linear_W.norm(), 0.0);
}

TEST_F(CarriedPartsTest, ATrayFallsOffTheEndOfABeltWithItsLoad) {
  engine_->set_velocity(kBeltJoint, 0.1, 1e3);
  for (int i = 0; i < 12; ++i) {  // 1.2 m, with a surface that never comes further than 0.1 m
    run(*engine_, 1000);
    engine_->reset_joint(kBeltJoint, 0.0, 0.1);
  }
  EXPECT_NEAR(at(kTray).z(), 0.005, 1e-5) << "on the ground";
  EXPECT_NEAR(at(kPart).z(), 0.02, 1e-5) << "still on the tray";
}

TEST_F(CarriedPartsTest, RepeatsFromASnapshot) {
  close(0.1);
  run(*engine_, 200);
  engine_->set_velocity(kHand, 0.1, 1e3);
  engine_->set_velocity(kBeltJoint, 0.1, 1e3);
  run(*engine_, 50);
  const Snapshot snapshot = engine_->save();
  const auto go_on = [&] {
    run(*engine_, 100);
    close(-0.1);
    run(*engine_, 100);
    const Vector3 p = at(kPart);
    close(0.1);
    return p;
  };
  const Vector3 first = go_on();
  engine_->restore(snapshot);
  EXPECT_EQ(go_on(), first);
}

}  // namespace
}  // namespace longarm::physics
