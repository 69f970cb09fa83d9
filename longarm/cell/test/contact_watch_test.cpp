// SPDX-License-Identifier: Apache-2.0
// Who touches whom.
#include "longarm/cell/contact_watch.h"

#include <memory>

#include <gtest/gtest.h>

namespace longarm::cell {
namespace {

/// Two robots of a link and a finger each, a part and a table.
class Touching : public ::testing::Test {
 protected:
  Touching() {
    cell_.placements = {robot("a"), robot("b"), single("gear", false), single("table", true)};
    watch_ = std::make_unique<ContactWatch>(
        cell_, std::vector<RobotBodies>{{"a", {physics::BodyId{0}, physics::BodyId{1}}},
                                        {"b", {physics::BodyId{2}, physics::BodyId{3}}}});
  }
  static model::Placement single(const std::string& name, bool is_fixed) {
    model::Placement placement;
    placement.name = name;
    placement.is_fixed = is_fixed;
    placement.tree.bodies.resize(1);
    placement.tree.bodies[0].name = name;
    return placement;
  }
  static model::Placement robot(const std::string& name) {
    model::Placement placement = single(name, true);
    placement.tree.bodies.resize(2);
    placement.tree.bodies[1].name = "finger";
    placement.tree.joints.resize(1);
    placement.tree.joints[0].type = model::JointType::kPrismatic;
    return placement;
  }
  void touch(std::vector<std::pair<int, int>> pairs) {
    std::vector<physics::Contact> contacts;
    for (const auto& [a, b] : pairs) {
      contacts.emplace_back();
      contacts.back().a = static_cast<physics::BodyId>(a);
      contacts.back().b = static_cast<physics::BodyId>(b);
    }
    watch_->update(contacts);
  }

  static constexpr int kLinkA = 0, kFingerA = 1, kLinkB = 2, kFingerB = 3, kGear = 4, kTable = 5;
  model::Cell cell_;
  std::unique_ptr<ContactWatch> watch_;
};

TEST_F(Touching, CountsEachTouchOfTwoArmsOnce) {
  touch({{kLinkA, kFingerB}});
  touch({{kFingerB, kLinkA}});  // the same, still
  touch({});
  touch({{kLinkA, kFingerB}});
  EXPECT_EQ(watch_->counts().arm_contacts, 2u);
  EXPECT_EQ(watch_->counts().arm_contact_steps, 3u);
  EXPECT_NE(watch_->counts().first_arm_contact.find("finger"), std::string::npos);
}

TEST_F(Touching, CountsWhatTheOtherArmHolds) {
  touch({{kFingerA, kGear}, {kGear, kTable}});
  EXPECT_EQ(watch_->counts().arm_contacts, 0u);
  touch({{kFingerA, kGear}, {kGear, kLinkB}});
  EXPECT_EQ(watch_->counts().arm_contacts, 1u);
}

TEST_F(Touching, KnowsFingersAndPartsFromFurniture) {
  touch({{kFingerA, kTable}, {kLinkA, kGear}});
  EXPECT_EQ(watch_->counts().environment_hits, 0u);
  touch({{kLinkA, kTable}});
  EXPECT_EQ(watch_->counts().environment_hits, 1u);
  EXPECT_EQ(watch_->counts().arm_contacts, 0u);
}

}  // namespace
}  // namespace longarm::cell
