// SPDX-License-Identifier: Apache-2.0
// The arms in models/ touch neither themselves nor the floor where their makers let them go.
#include "longarm/model/model_file.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

model::Placement load_arm(const std::string& path) {
  Diagnostics diagnostics;
  model::Placement arm;
  arm.name = path;
  arm.tree = model::make_body_tree(
      model::read_model_file(std::string(LONGARM_SOURCE_DIR) + "/models/" + path, diagnostics),
      diagnostics);
  diagnostics.throw_if_errors();
  return arm;
}

TEST(ShippedModels, LrMateIsFreeAtHomeAndWithAnyOneJointAtItsLimits) {
  const model::Placement arm = load_arm("lrmate200id/lrmate200id.urdf");
  for (const char* name : {"mujoco", "ode"}) {
    const auto engine = built_in_engines().make(name, cell_of({arm}), {});
    EXPECT_TRUE(engine->collisions_at(std::vector<double>(6, 0.0)).empty()) << name;
    for (std::size_t j = 0; j < 6; ++j) {
      const model::JointLimits& limits = arm.tree.joints[j].limits;
      for (const double position : {limits.lower, limits.upper}) {
        std::vector<double> q(6, 0.0);
        q[j] = position;
        EXPECT_TRUE(engine->collisions_at(q).empty())
            << name << " joint " << j + 1 << " at " << position;
      }
    }
  }
}

TEST(ShippedModels, LrMateHoldsItselfOnBothEngines) {
  const model::Cell cell = cell_of({ground(), load_arm("lrmate200id/lrmate200id.urdf")});
  for (const char* name : {"mujoco", "ode"}) {
    const auto engine = built_in_engines().make(name, cell, {});
    const double velocities[] = {0.5, 0.3, -0.2, 0.8, -1.0, 2.0};
    for (int j = 0; j < 6; ++j) {
      const auto& limits = cell.placements[1].tree.joints[static_cast<std::size_t>(j)].limits;
      engine->set_velocity(joint_id(j), velocities[j], limits.effort);
    }
    run(*engine, 1000);
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(engine->positions()[j], velocities[j], 5e-3) << name << " joint " << j + 1;
    }
  }
}

}  // namespace
}  // namespace longarm::physics
