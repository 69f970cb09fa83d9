// SPDX-License-Identifier: Apache-2.0
// What is written as URDF is read as the same robot.
#include "longarm/model/urdf_writer.h"

#include <gtest/gtest.h>

#include "longarm/model/body_tree.h"
#include "longarm/model/model_file.h"
#include "longarm/model/test/model_text.h"
#include "longarm/model/urdf.h"

namespace longarm::model {
namespace {

BodyTree tree_of(const Model& model, Diagnostics& diagnostics) {
  BodyTree tree = make_body_tree(model, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  return tree;
}

void expect_equal(const BodyTree& a, const BodyTree& b) {
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    const TreeJoint& x = a.joints[i];
    const TreeJoint& y = b.joints[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.type, y.type);
    EXPECT_EQ(x.parent_body, y.parent_body);
    EXPECT_LT((x.X_PJ.matrix() - y.X_PJ.matrix()).norm(), 1e-12) << x.name;
    EXPECT_LT((x.axis - y.axis).norm(), 1e-12) << x.name;
    EXPECT_EQ(x.limits.lower, y.limits.lower) << x.name;
    EXPECT_EQ(x.limits.upper, y.limits.upper) << x.name;
    EXPECT_EQ(x.limits.effort, y.limits.effort) << x.name;
    EXPECT_EQ(x.mimic.has_value(), y.mimic.has_value()) << x.name;
  }
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const Body& x = a.bodies[i];
    const Body& y = b.bodies[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_NEAR(x.inertial.mass_kg, y.inertial.mass_kg, 1e-12) << x.name;
    EXPECT_LT((x.inertial.X_LC.translation() - y.inertial.X_LC.translation()).norm(), 1e-12);
    EXPECT_LT((x.inertial.inertia_kg_m2 - y.inertial.inertia_kg_m2).norm(), 1e-12) << x.name;
    EXPECT_EQ(x.collisions.size(), y.collisions.size()) << x.name;
    ASSERT_EQ(x.visuals.size(), y.visuals.size()) << x.name;
    for (std::size_t k = 0; k < x.visuals.size(); ++k) {
      EXPECT_LT((x.visuals[k].X_LG.matrix() - y.visuals[k].X_LG.matrix()).norm(), 1e-12);
      EXPECT_EQ(x.visuals[k].shape.index(), y.visuals[k].shape.index());
    }
  }
  for (const Frame& frame : a.frames) {
    const std::optional<int> other = b.find_frame(frame.name);
    ASSERT_TRUE(other) << frame.name;
    const Frame& found = b.frames[static_cast<std::size_t>(*other)];
    EXPECT_EQ(found.body, frame.body);
    EXPECT_LT((found.X_BF.matrix() - frame.X_BF.matrix()).norm(), 1e-12) << frame.name;
  }
}

class UrdfWriter : public testing::TestWithParam<const char*> {};

TEST_P(UrdfWriter, WritesTheSameRobot) {
  Diagnostics diagnostics;
  const std::string path = std::string(LONGARM_SOURCE_DIR) + "/models/" + GetParam();
  const BodyTree tree = tree_of(read_model_file(path, diagnostics), diagnostics);
  const std::string text = write_urdf(tree);
  const BodyTree again = tree_of(read_urdf(text, "again.urdf", diagnostics), diagnostics);
  expect_equal(tree, again);
}

INSTANTIATE_TEST_SUITE_P(Models, UrdfWriter,
                         testing::Values("ur5/ur5.urdf", "armar3/armar3.urdf",
                                         "lrmate200id/lrmate200id.urdf"));

TEST(UrdfWriterAngles, SurviveWhereAPitchIsUpright) {
  Diagnostics diagnostics;
  const char* const text = R"(<robot name="r"><link name="a"/><link name="b"/>
    <joint name="j" type="continuous"><origin xyz="0 0 1" rpy="0.3 1.5707963267948966 -0.4"/>
    <parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>)";
  const BodyTree tree = make_body_tree(read_urdf(text, "r.urdf", diagnostics), diagnostics);
  const BodyTree again =
      make_body_tree(read_urdf(write_urdf(tree), "again.urdf", diagnostics), diagnostics);
  ASSERT_EQ(again.joints.size(), 1u);
  EXPECT_LT((tree.joints[0].X_PJ.matrix() - again.joints[0].X_PJ.matrix()).norm(), 1e-12);
  EXPECT_EQ(again.joints[0].limits.upper, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace longarm::model
