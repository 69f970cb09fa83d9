// SPDX-License-Identifier: Apache-2.0
// The forest of merged bodies, its masses and what holds its members.
#include "longarm/physics/merged_bodies.h"

#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Matrix3;
using model::Pose;
using model::Vector3;

Pose at(double x, double y, double z) {
  return Pose(Eigen::Translation3d(x, y, z));
}

/// The ground (0) and three cubes of 1, 2 and 3 kg and 0.6 m edges: I = m·0.06.
struct Cubes {
  FlatCell cell{cell_of({ground(), free_body(make_mass(1.0, {0.6, 0.6, 0.6}), {0, 0, 0}),
                         free_body(make_mass(2.0, {0.6, 0.6, 0.6}), {0, 0, 0}),
                         free_body(make_mass(3.0, {0.6, 0.6, 0.6}), {0, 0, 0})})};
  MergedBodies merged{cell};
};

TEST(MergedBodies, AddUpMassCentreAndInertia) {
  Cubes cubes;
  cubes.merged.merge(body_id(1), body_id(3), at(4, 0, 0));
  const MassProperties both = cubes.merged.lump(body_id(1));
  EXPECT_DOUBLE_EQ(both.mass_kg, 4.0);
  EXPECT_TRUE(both.p_BC.isApprox(Vector3(3, 0, 0)));
  // 4·0.06 each, and about y and z also 1·3² + 3·1²
  const Matrix3 expected = Vector3(0.24, 12.24, 12.24).asDiagonal();
  EXPECT_TRUE(both.inertia_kg_m2.isApprox(expected, 1e-12));
  // the same seen from the other one, a quarter turn about z away
  Cubes turned;
  Pose X = at(0, 4, 0);
  X.linear() = Eigen::AngleAxisd(M_PI / 2, Vector3::UnitZ()).toRotationMatrix();
  turned.merged.merge(body_id(1), body_id(3), X);
  const MassProperties other = turned.merged.lump(body_id(1));
  EXPECT_TRUE(other.p_BC.isApprox(Vector3(0, 3, 0)));
  EXPECT_TRUE(
      other.inertia_kg_m2.isApprox(Matrix3(Vector3(12.24, 0.24, 12.24).asDiagonal()), 1e-12));
}

TEST(MergedBodies, ReRootWhatABodyCarries) {
  Cubes cubes;
  MergedBodies& merged = cubes.merged;
  merged.merge(body_id(1), body_id(2), at(1, 0, 0));
  merged.merge(body_id(0), body_id(1), at(0, 0, 5));
  EXPECT_EQ(merged.root(body_id(2)), body_id(0));
  EXPECT_TRUE(merged.X_RB(body_id(2)).isApprox(at(1, 0, 5)));
  merged.merge(body_id(2), body_id(3), at(0, 1, 0));
  EXPECT_TRUE(merged.X_RB(body_id(3)).isApprox(at(1, 1, 5)));
  EXPECT_TRUE(merged.is_part_of(body_id(3), body_id(1)));
  merged.split(body_id(1));
  EXPECT_EQ(merged.root(body_id(3)), body_id(1));
  EXPECT_TRUE(merged.X_RB(body_id(3)).isApprox(at(1, 1, 0)));
  EXPECT_FALSE(merged.are_one(body_id(3), body_id(0)));
  EXPECT_DOUBLE_EQ(merged.lump(body_id(1)).mass_kg, 6.0);
  EXPECT_DOUBLE_EQ(merged.lump(body_id(2)).mass_kg, 5.0);
}

TEST(MergedBodies, TellAttachmentsFromConstraints) {
  Cubes cubes;
  cubes.merged.merge(body_id(1), body_id(2), at(1, 0, 0));
  const AttachmentId attachment = MergedBodies::attachment(body_id(2));
  EXPECT_TRUE(MergedBodies::is_merge(attachment));
  EXPECT_FALSE(MergedBodies::is_merge(static_cast<AttachmentId>(1000)));
  EXPECT_EQ(cubes.merged.body(attachment), body_id(2));
}

TEST(MergedBodies, BalanceForcesAlongAChain) {
  // 3 kg on 2 kg on the ground, 1 m aside; a contact lifts the upper one by 5 N at its centre
  Cubes cubes;
  MergedBodies& merged = cubes.merged;
  merged.merge(body_id(0), body_id(2), at(0, 0, 1));
  merged.merge(body_id(2), body_id(3), at(1, 0, 1));
  Contact contact{.a = body_id(1), .b = body_id(3), .p_W = Vector3(1, 0, 2)};
  contact.force_on_b_W = Vector3(0, 0, 5);
  const std::vector<BodyMotion> motions(4);
  merged.find_reactions(motions, {&contact, 1});
  EXPECT_TRUE(merged.reaction(body_id(3)).force_W.isApprox(Vector3(0, 0, 3 * kGravity - 5)));
  EXPECT_NEAR(merged.reaction(body_id(3)).torque_W.norm(), 0.0, 1e-12);
  EXPECT_TRUE(merged.reaction(body_id(2)).force_W.isApprox(Vector3(0, 0, 5 * kGravity - 5)));
  // r × F = (1, 0, 1) × (0, 0, F) = (0, -F, 0)
  EXPECT_TRUE(merged.reaction(body_id(2)).torque_W.isApprox(Vector3(0, 5 - 3 * kGravity, 0)));
}

TEST(MergedBodies, NeedTorqueToSpinAboutAnAxisThatIsNotTheirOwn) {
  // diag(1, 2, 3)·m-like rod spinning steadily at ω = (1, 1, 0): M = ω × Iω
  model::Body rod = make_mass(1.0, {0.6, 0.6, 0.6});
  rod.inertial.inertia_kg_m2 = Vector3(1, 2, 3).asDiagonal();
  const FlatCell cell(
      cell_of({free_body(make_mass(1.0, {1, 1, 1}), {0, 0, 0}), free_body(rod, {0, 0, 0})},
              Vector3::Zero()));
  MergedBodies merged(cell);
  merged.merge(body_id(0), body_id(1), Pose::Identity());
  std::vector<BodyMotion> motions(2);
  motions[0].twist.angular_W = Vector3(1, 1, 0);
  merged.find_reactions(motions, {});
  // (1, 1, 0) × (1, 2, 0) = (0, 0, 1)
  EXPECT_TRUE(merged.reaction(body_id(1)).torque_W.isApprox(Vector3(0, 0, 1)));
  EXPECT_NEAR(merged.reaction(body_id(1)).force_W.norm(), 0.0, 1e-12);
}

}  // namespace
}  // namespace longarm::physics
