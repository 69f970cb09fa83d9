// SPDX-License-Identifier: Apache-2.0
// Builds the cells by hand.
#include "longarm/motion/test/obstacle_cell.h"

#include "longarm/motion/test/ur5.h"

namespace longarm::motion::test {

model::Placement obstacle(const std::string& name, const model::Shape& shape,
                          const model::Pose& X_WG) {
  model::Placement placement;
  placement.name = name;
  placement.X_WR = X_WG;
  placement.tree.is_static = true;
  placement.tree.bodies.resize(1);
  placement.tree.bodies[0].name = "link";
  placement.tree.bodies[0].collisions.push_back({name, model::Pose::Identity(), shape, {}});
  return placement;
}

model::Placement sliding_ball() {
  model::BodyTree tree;
  tree.bodies.resize(3);
  tree.bodies[0].name = "rail";
  tree.bodies[1].name = "carriage";
  tree.bodies[2].name = "ball";
  tree.bodies[2].collisions.push_back({"", model::Pose::Identity(), model::Sphere{0.1}, {}});
  for (int i = 0; i < 2; ++i) {
    model::TreeJoint joint;
    joint.name = i == 0 ? "x" : "y";
    joint.type = model::JointType::kPrismatic;
    joint.parent_body = i;
    joint.axis = i == 0 ? model::Vector3::UnitX() : model::Vector3::UnitY();
    joint.limits.lower = -2.0;
    joint.limits.upper = 2.0;
    joint.limits.velocity = 1.0;
    tree.joints.push_back(joint);
  }
  tree.frames.push_back({"ball", 2, model::Pose::Identity()});
  return {"slide", tree, model::Pose::Identity(), true, {}};
}

model::Cell ur5_cell() {
  const auto at = [](double x, double y, double z) {
    return model::Pose(Eigen::Translation3d(x, y, z));
  };
  model::Cell cell;
  cell.placements.push_back({"robot", ur5_tree(), model::Pose::Identity(), true, ur5_home()});
  cell.placements.push_back(obstacle("table", model::Box{{1.6, 1.8, 0.04}}, at(0.2, 0.0, -0.02)));
  cell.placements.push_back(obstacle("wall", model::Box{{0.04, 1.8, 1.2}}, at(-0.5, 0.0, 0.6)));
  cell.placements.push_back(obstacle("post", model::Cylinder{0.04, 0.7}, at(0.5, -0.06, 0.35)));
  // four boards of 2 cm, open towards the robot and away from it
  model::Placement shelf = obstacle("shelf", model::Box{{0.4, 0.5, 0.02}}, at(0.55, -0.45, 0.50));
  auto& boards = shelf.tree.bodies[0].collisions;
  boards[0].name = "top";
  boards.push_back({"left", at(0.0, 0.24, -0.25), model::Box{{0.4, 0.02, 0.48}}, {}});
  boards.push_back({"right", at(0.0, -0.24, -0.25), model::Box{{0.4, 0.02, 0.48}}, {}});
  cell.placements.push_back(shelf);
  return cell;
}

}  // namespace longarm::motion::test
