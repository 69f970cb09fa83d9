// SPDX-License-Identifier: Apache-2.0
// Estimated masses and inertias against those of solid boxes, by hand.
#include "longarm/model/inertia_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/model/mesh.h"
#include "longarm/model/test/mesh_robot.h"
#include "longarm/model/test/model_text.h"

namespace longarm::model {
namespace {

/// A base and one arm, a box of 0.1 m × 0.2 m × 0.3 m around (0, 0, 0.5) m.
BodyTree one_arm(const Inertial& inertial) {
  BodyTree tree;
  Body arm;
  arm.name = "arm";
  arm.inertial = inertial;
  arm.collisions.push_back({"box", shifted(0, 0, 0.5), Box{Vector3(0.1, 0.2, 0.3)}, {}});
  tree.bodies = {Body{}, arm};
  TreeJoint joint;
  joint.limits = {-1.0, 1.0, 3.0, 100.0};
  tree.joints = {joint};
  return tree;
}

TEST(InertiaEstimate, OfABodyWithoutMassIsASolidBoxOfTheDensityOfWater) {
  BodyTree tree = one_arm({});
  EXPECT_EQ(in_words(estimate_inertials(tree)), "'arm' (6 kg)");
  const Inertial& arm = tree.bodies[1].inertial;
  EXPECT_DOUBLE_EQ(arm.mass_kg, 6.0);  // 1000 · 0.1 · 0.2 · 0.3
  EXPECT_NEAR(arm.X_LC.translation().z(), 0.5, 1e-12);
  EXPECT_NEAR(arm.inertia_kg_m2(0, 0), 6.0 / 12.0 * (0.04 + 0.09), 1e-12);
  EXPECT_NEAR(arm.inertia_kg_m2(2, 2), 6.0 / 12.0 * (0.01 + 0.04), 1e-12);
  EXPECT_EQ(all_text(lint(tree)), "");
}

TEST(InertiaEstimate, KeepsAMassAndItsPlace) {
  Inertial flat{2.0, shifted(0, 0, 0.4), Vector3(0.1, 0.1, 1.0).asDiagonal()};
  BodyTree tree = one_arm(flat);
  EXPECT_EQ(in_words(estimate_inertials(tree)), "'arm' (2 kg, given)");
  EXPECT_EQ(tree.bodies[1].inertial.mass_kg, 2.0);
  EXPECT_EQ(tree.bodies[1].inertial.X_LC.translation().z(), 0.4);
  EXPECT_EQ(all_text(lint(tree)), "");
}

TEST(InertiaEstimate, LeavesGoodBodiesFixedRootsAndOtherFaultsAlone) {
  const Inertial good{2.0, shifted(0, 0, 0.5), 0.01 * Matrix3::Identity()};
  BodyTree tree = one_arm(good);
  EXPECT_TRUE(estimate_inertials(tree).empty());
  EXPECT_EQ(tree.bodies[0].inertial.mass_kg, 0.0);
  const Inertial flat{2.0, shifted(0, 0, 0.5), Vector3(0.001, 0.001, 0.01).asDiagonal()};
  tree = one_arm(flat);
  EXPECT_TRUE(estimate_inertials(tree, {"mass"}).empty());
  EXPECT_EQ(estimate_inertials(tree, {"inertia-triangle"}).size(), 1u);
}

TEST(InertiaEstimate, OfABodyWithoutShapesIsASmallBall) {
  BodyTree tree = one_arm({});
  tree.bodies[1].collisions.clear();
  EXPECT_EQ(in_words(estimate_inertials(tree)), "'arm' (0.1 kg)");
  // 2/5 · 0.1 kg · (5 cm)²
  EXPECT_DOUBLE_EQ(tree.bodies[1].inertial.inertia_kg_m2(1, 1), 1e-4);
}

TEST(InertiaEstimate, CountsWhatOverlapsOnce) {
  BodyTree tree = one_arm({});
  std::vector<Geometry>& shapes = tree.bodies[1].collisions;
  shapes.push_back(shapes.front());
  EXPECT_EQ(in_words(estimate_inertials(tree)), "'arm' (6 kg)");
  // a rod inside a ball adds nothing to its 4/3·π·0.2³ m³
  tree = one_arm({});
  tree.bodies[1].collisions = {{"ball", Pose::Identity(), Sphere{0.2}, {}},
                               {"rod", Pose::Identity(), Capsule{0.05, 0.1}, {}}};
  estimate_inertials(tree);
  EXPECT_NEAR(tree.bodies[1].inertial.mass_kg, 1000.0 * 4.0 / 3.0 * 3.14159 * 0.008, 0.7);
}

TEST(InertiaEstimate, ReadsTheMeshOfAVisualIfThereIsNothingElse) {
  ScratchFolder folder;
  folder.write("arm.obj", obj(box_mesh({0, 0, 0}, {0.2, 0.1, 0.1})));
  BodyTree tree = one_arm({});
  tree.bodies[1].collisions.clear();
  const std::string file = (folder.path() / "arm.obj").string();
  tree.bodies[1].visuals.push_back(
      {"", Pose::Identity(), Mesh{"arm.obj", file, Vector3::Ones(), nullptr}, {}});
  EXPECT_EQ(in_words(estimate_inertials(tree)), "'arm' (2 kg)");  // 1000 · 0.002 m³
  EXPECT_NEAR(tree.bodies[1].inertial.X_LC.translation().x(), 0.1, 1e-6);
}

}  // namespace
}  // namespace longarm::model
