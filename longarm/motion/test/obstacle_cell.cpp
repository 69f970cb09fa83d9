// SPDX-License-Identifier: Apache-2.0
// Cells by hand, and the one that is shipped.
#include "longarm/motion/test/obstacle_cell.h"

#include <utility>

#include "longarm/model/world.h"
#include "longarm/motion/test/ur5.h"

namespace longarm::motion::test {

model::Pose at(double x, double y) {
  return model::Pose(Eigen::Translation3d(x, y, 0.0));
}

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
  model::Cell cell;
  cell.placements.push_back({"robot", ur5_tree(), model::Pose::Identity(), true, ur5_home()});
  InputFiles files;
  Diagnostics diagnostics;
  const model::World world =
      model::read_world_file(LONGARM_SOURCE_DIR "/scenarios/obstacles.sdf", {}, files, diagnostics);
  for (model::Placement& obstacle : model::make_placements(world, diagnostics)) {
    cell.placements.push_back(std::move(obstacle));
  }
  diagnostics.throw_if_errors();
  return cell;
}

}  // namespace longarm::motion::test
