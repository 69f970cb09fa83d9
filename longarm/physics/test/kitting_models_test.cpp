// SPDX-License-Identifier: Apache-2.0
// The kitting laboratory's models on real engines: gears find their seats, grippers close, and the
// whole world stands still.
#include <map>

#include "longarm/model/lint.h"
#include "longarm/model/model_file.h"
#include "longarm/model/world.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

std::string file_of(const std::string& name, const std::string& ending) {
  return std::string(LONGARM_SOURCE_DIR) + "/models/" + name + "/" + name + ending;
}

model::BodyTree load_tree(const std::string& name, const std::string& ending) {
  Diagnostics diagnostics;
  model::BodyTree tree = model::make_body_tree(
      model::read_model_file(file_of(name, ending), diagnostics), diagnostics);
  diagnostics.throw_if_errors();
  return tree;
}

model::Placement placed(const model::BodyTree& tree, const model::Pose& X_WR, bool is_fixed) {
  model::Placement placement;
  placement.name = tree.name;
  placement.tree = tree;
  placement.X_WR = X_WR;
  placement.is_fixed = is_fixed;
  return placement;
}

struct Seat {
  model::Pose X_WS;  ///< of the slot's frame
  BodyId gear{};
};

/// A tray on the ground with a gear over each slot, `drop_m` above its seat and 0.5 mm beside it.
model::Cell loaded_tray(const std::string& name, double drop_m, std::vector<Seat>& seats) {
  const model::BodyTree tray = load_tree(name, ".sdf");
  model::Cell cell = cell_of({ground(), placed(tray, model::Pose::Identity(), false)});
  std::map<std::string, model::BodyTree> gears;
  for (const model::Frame& frame : tray.frames) {
    if (!frame.name.starts_with("slot_")) {
      continue;
    }
    const std::string size = frame.name.substr(frame.name.rfind('_') + 1);
    if (!gears.contains(size)) {
      gears.emplace(size, load_tree("sku_part_" + size + "_gear", ".sdf"));
    }
    model::Pose X_WG = frame.X_BF;
    X_WG.translation() += model::Vector3(5e-4, 0.0, drop_m);
    seats.push_back({frame.X_BF, body_id(cell.body_count())});
    cell.placements.push_back(placed(gears.at(size), X_WG, false));
  }
  return cell;
}

class KittingTrays : public testing::TestWithParam<std::tuple<EngineCase, std::string>> {};

TEST_P(KittingTrays, SeatTheirGearsWithinTwoTenthsOfASecond) {
  const auto& [engine_case, tray] = GetParam();
  std::vector<Seat> seats;
  const model::Cell cell = loaded_tray(tray, 1e-3, seats);
  const auto engine =
      built_in_engines().make(engine_case.engine, cell, {.solver = engine_case.solver});
  run(*engine, 200);
  std::vector<model::Vector3> settled;
  for (const Seat& seat : seats) {
    // the frames are at 4.0, 4.4 and 4.5 mm for large, medium and small gears: floor of the slot at
    // 4 mm, and half of what the boss is wider than it
    const model::Pose X_SG = seat.X_WS.inverse() * engine->pose(seat.gear);
    EXPECT_NEAR(X_SG.translation().z(), 0.0, 2e-4);
    EXPECT_LT(X_SG.translation().head<2>().norm(), 6e-4);
    EXPECT_GT(X_SG.linear()(2, 2), 0.9996);  // 1.6°
    EXPECT_LT(engine->twist(seat.gear).linear_W.norm(), 2e-3);
    settled.push_back(engine->pose(seat.gear).translation());
  }
  run(*engine, 100);
  for (std::size_t i = 0; i < seats.size(); ++i) {
    EXPECT_LT((engine->pose(seats[i].gear).translation() - settled[i]).norm(), 5e-6);
  }
}

std::string tray_case_name(
    const testing::TestParamInfo<std::tuple<EngineCase, std::string>>& info) {
  const auto& [engine, tray] = info.param;
  return engine.engine + "_" + engine.solver + "_" + tray;
}

INSTANTIATE_TEST_SUITE_P(
    All, KittingTrays,
    testing::Combine(testing::Values(EngineCase{"mujoco", "newton"}, EngineCase{"ode", "quick"}),
                     testing::Values("sku_small_gear_vessel", "sku_medium_gear_vessel",
                                     "sku_large_gear_vessel", "sku_kit_m2l1_vessel",
                                     "sku_kit_s2l2_vessel")),
    tray_case_name);

TEST(KittingGears, SeatAsHighAsTheirConesMeet) {
  // 4 mm + (15 - 14)/2, (39.8 - 39)/2 and (64 - 64)/2 mm
  const std::map<std::string, double> heights{
      {"small", 0.0045}, {"medium", 0.0044}, {"large", 0.004}};
  for (const auto& [size, height_m] : heights) {
    const model::BodyTree tray = load_tree("sku_" + size + "_gear_vessel", ".sdf");
    const int slot = tray.find_frame("slot_1_" + size).value();
    EXPECT_NEAR(tray.frames[static_cast<std::size_t>(slot)].X_BF.translation().z(), height_m,
                1e-12);
  }
}

class KittingGrippers : public testing::TestWithParam<const char*> {};

/// Where a frame of the tree is, with its root in the world.
model::Vector3 place_of(const Engine& engine, const model::BodyTree& tree, const char* body) {
  return engine.pose(body_id(tree.find_body(body).value())).translation();
}

TEST_P(KittingGrippers, ParallelOnesCloseToTheirGaps) {
  // 20 - 2·7.5 = 5 mm and 41 - 2·20 = 1 mm
  const struct {
    const char* name;
    double stroke_m;
    double open_m;
    int axis;
  } cases[] = {{"fanuc-gripper", 0.0075, 0.020, 1}, {"motoman-gripper", 0.020, 0.041, 0}};
  for (const auto& each : cases) {
    const model::BodyTree tree = load_tree(each.name, ".urdf");
    const auto engine = built_in_engines().make(
        GetParam(), cell_of({placed(tree, model::Pose::Identity(), true)}), {});
    engine->set_effort(joint_id(0), 20.0);
    engine->set_effort(joint_id(1), 20.0);
    run(*engine, 300);
    const double closed = place_of(*engine, tree, "right_finger")[each.axis] -
                          place_of(*engine, tree, "left_finger")[each.axis];
    EXPECT_NEAR(closed, 2.0 * each.stroke_m, 2e-4) << each.name;
    const model::Geometry& finger = tree.bodies[1].collisions.at(0);
    const double inner_m = std::abs(finger.X_LG.translation()[each.axis]) -
                           std::get<model::Box>(finger.shape).size_m[each.axis] / 2.0;
    EXPECT_NEAR(2.0 * inner_m, each.open_m, 1e-9) << each.name;
  }
}

TEST_P(KittingGrippers, PadsOfTheRobotiqMeetAndStayParallel) {
  // opening 85 - 2·(x(0) - x(q)) mm with x(q) = 37.1575 cos q - 43.4217 sin q: 0.2 mm at 0.8 rad
  const model::BodyTree tree = load_tree("robotiq-2f85", ".urdf");
  const auto engine = built_in_engines().make(
      GetParam(), cell_of({placed(tree, model::Pose::Identity(), true)}, {0, 0, 0}), {});
  const int drive = tree.find_joint("left_knuckle_joint").value();
  const BodyId left = body_id(tree.find_body("left_finger_tip").value());
  const BodyId right = body_id(tree.find_body("right_finger_tip").value());
  const auto opening = [&] {
    return (engine->pose(left) * model::Vector3(-0.0252586, 0, 0.03242)).x() -
           (engine->pose(right) * model::Vector3(0.0252586, 0, 0.03242)).x();
  };
  EXPECT_NEAR(opening(), 0.085, 1e-6);
  engine->set_velocity(joint_id(drive), 0.5, 50.0);
  run(*engine, 1580);
  engine->set_position(joint_id(drive), 0.8, 50.0);
  run(*engine, 300);
  EXPECT_NEAR(engine->positions()[static_cast<std::size_t>(drive)], 0.8, 5e-3);
  EXPECT_NEAR(opening(), 0.0002, 6e-4);
  for (const BodyId tip : {left, right}) {
    EXPECT_GT(engine->pose(tip).linear()(2, 2), 0.9999);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, KittingGrippers, testing::Values("mujoco", "ode"));

TEST(Sia20f, ReachesWhereItsGeometrySays) {
  // all 0: 0.41 + 0.49 + 0.42 + 0.18 m straight up; U = B = -90°: (0.42, 0, 0.41 + 0.49 - 0.18)
  const model::BodyTree tree = load_tree("sia20f", ".urdf");
  const auto engine = built_in_engines().make(
      "kinematic", cell_of({placed(tree, model::Pose::Identity(), true)}), {});
  EXPECT_TRUE(place_of(*engine, tree, "link_t").isApprox(model::Vector3(0, 0, 1.5), 1e-12));
  engine->reset_joint(joint_id(3), -M_PI / 2, 0.0);
  engine->reset_joint(joint_id(5), -M_PI / 2, 0.0);
  EXPECT_LT((place_of(*engine, tree, "link_t") - model::Vector3(0.42, 0, 0.72)).norm(), 1e-12);
  EXPECT_NEAR(engine->pose(body_id(7)).linear()(2, 2), -1.0, 1e-12);  // tool z down
  engine->reset_joint(joint_id(0), -M_PI / 2, 0.0);
  EXPECT_LT((place_of(*engine, tree, "link_t") - model::Vector3(0, -0.42, 0.72)).norm(), 1e-12);
}

TEST(Sia20f, IsFreeAtHomeAndWithAnyOneJointAtItsLimits) {
  const model::Placement arm = placed(load_tree("sia20f", ".urdf"), model::Pose::Identity(), true);
  for (const char* name : {"mujoco", "ode"}) {
    const auto engine = built_in_engines().make(name, cell_of({arm}), {});
    EXPECT_TRUE(engine->collisions_at(std::vector<double>(7, 0.0)).empty()) << name;
    for (std::size_t j = 0; j < 7; ++j) {
      for (const double position :
           {arm.tree.joints[j].limits.lower, arm.tree.joints[j].limits.upper}) {
        std::vector<double> q(7, 0.0);
        q[j] = position;
        EXPECT_TRUE(engine->collisions_at(q).empty()) << name << " joint " << j + 1;
      }
    }
  }
}

model::Cell read_world() {
  Diagnostics diagnostics;
  InputFiles files;
  const model::World world =
      model::read_world_file(file_of("aprs", ".sdf"), {}, files, diagnostics);
  model::Cell cell;
  cell.gravity_m_s2 = world.gravity_m_s2;
  cell.placements = model::make_placements(world, diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  return cell;
}

void expect_sound(const model::Cell& cell) {
  for (const model::Placement& placement : cell.placements) {
    for (const model::LintFinding& finding : model::lint(placement.tree, placement.is_fixed)) {
      ADD_FAILURE() << placement.name << ": " << finding.diagnostic.format();
    }
  }
}

void expect_still(const model::Cell& cell) {
  for (const EngineCase& each : {EngineCase{"mujoco", "newton"}, EngineCase{"ode", "quick"}}) {
    const auto engine = built_in_engines().make(each.engine, cell, {.solver = each.solver});
    EXPECT_TRUE(
        engine->collisions_at(std::vector<double>(static_cast<std::size_t>(cell.joint_count())))
            .empty());
    int joint = 0;
    for (const model::Placement& placement : cell.placements) {
      for (const model::TreeJoint& each_joint : placement.tree.joints) {
        engine->set_velocity(joint_id(joint++), 0.0, each_joint.limits.effort);
      }
    }
    run(*engine, 150);
    int body = 0;
    for (const model::Placement& placement : cell.placements) {
      // what floats are trays and gears: nothing falls, slides or leaves its slot
      if (!placement.is_fixed) {
        const model::Vector3 moved =
            engine->pose(body_id(body)).translation() - placement.X_WR.translation();
        EXPECT_LT(moved.norm(), 1e-3) << each.engine << ": " << placement.name;
      }
      body += static_cast<int>(placement.tree.bodies.size());
    }
  }
}

void expect_trays_within_reach_of_both_arms(const model::Cell& cell) {
  // gripping with the tool straight down. LR Mate: its wrist is 0.08 + 0.194 m above the peg and
  // within 0.33 + √(0.335² + 0.035²) m of joint 2, which is 0.05 m out and 0.33 m up. SIA20F: 0.18
  // + 0.3178 m, within 0.49 + 0.42 m of its shoulder, 0.41 m up
  const model::Vector3 fanuc(-0.169, -1.140, 0.934191);
  const model::Vector3 motoman(0.0, 0.0, 0.910);
  int slots = 0;
  for (const model::Placement& placement : cell.placements) {
    for (const model::Frame& frame : placement.tree.frames) {
      if (placement.is_fixed || !frame.name.starts_with("slot_")) {
        continue;
      }
      ++slots;
      const model::Vector3 peg = placement.X_WR * frame.X_BF * model::Vector3(0, 0, 0.0266);
      const double out_f = (peg - fanuc).head<2>().norm() - 0.05;
      const double up_f = peg.z() + 0.194 + 0.08 - fanuc.z() - 0.33;
      EXPECT_LT(std::hypot(out_f, up_f), 0.33 + std::hypot(0.335, 0.035)) << placement.name;
      const double out_m = (peg - motoman).head<2>().norm();
      const double up_m = peg.z() + 0.3178 + 0.18 - motoman.z() - 0.41;
      EXPECT_LT(std::hypot(out_m, up_m), 0.49 + 0.42) << placement.name;
    }
  }
  EXPECT_EQ(slots, 16);  // two large vessels, a small one and two kits
}

// one test, as reading the world takes longer than all of its steps
TEST(KittingWorld, IsSoundAndStillWithTraysThatBothArmsReach) {
  const model::Cell cell = read_world();
  expect_sound(cell);
  expect_trays_within_reach_of_both_arms(cell);
  expect_still(cell);
}

}  // namespace
}  // namespace longarm::physics
