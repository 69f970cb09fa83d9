// SPDX-License-Identifier: Apache-2.0
// A gear in the gripper of an arm that stands still: how far it creeps, and what pulls it out.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "longarm/core/diagnostic.h"
#include "longarm/model/cell.h"
#include "longarm/model/model_file.h"
#include "longarm/model/world.h"
#include "longarm/physics/engine.h"
#include "longarm/robots/arm/robot.h"

namespace longarm::robots {

/// One of the grippers that come with the program.
struct GripCase {
  std::string name;
  std::string file;       ///< under models/
  std::string placement;  ///< in a world; of a model: the name that it gets
  std::vector<double> home;
  double friction = 0.8;  ///< the smaller of pad and peg, or disc
};

inline std::vector<GripCase> grip_cases() {
  return {{"fanuc", "aprs/aprs.sdf", "fanuc", {-0.2573, 0.1033, -0.4108, 0, -1.0568, 0.2573}},
          {"motoman",
           "aprs/aprs.sdf",
           "motoman",
           {-0.8164, 0.2287, 0.3823, -1.5735, 0.0867, -1.3562, 0.4246}},
          {"robotiq",
           "ur5-2f85/ur5-2f85.sdf",
           "ur5",
           {1.67, -1.35, 1.47, -1.69, -1.5707963267948966, -1.47},
           0.3}};
}

/// The arm alone, with gravity, and a medium gear of 20 g: two fingers that slide hold it by its
/// peg, the wide pads of the Robotiq by its disc.
class GripBench {
 public:
  explicit GripBench(const GripCase& each)
      : case_(each),
        cell(make_cell(each)),
        engine(physics::built_in_engines().make("mujoco", cell, {})),
        robot(*engine, cell, config_of(each), kPeriod) {
    robot.set_gripper(1.0);
    run(1.0);
    robot.set_gripper(0.0);
    // somebody holds it there until the fingers do
    const model::Pose X_WG = held_pose();
    for (int i = 0; i < 3000 && !robot.gripper().is_holding; ++i) {
      engine->reset_body(gear(), X_WG, {});
      step();
    }
    run(0.5);
  }

  bool is_holding() const { return robot.gripper().is_holding; }

  void step() {
    robot.before_step();
    engine->step();
    robot.after_step();
  }
  void run(double seconds) {
    for (int i = 0; i < static_cast<int>(std::lround(seconds * 1e3)); ++i) {
      step();
    }
  }

  /// Without it the engine's contacts creep.
  void set_static_friction(bool is_on) {
    for (int body = 0; body + 1 < cell.body_count(); ++body) {
      engine->set_gripping(static_cast<physics::BodyId>(body), is_on);
    }
  }

  physics::BodyId gear() const { return static_cast<physics::BodyId>(cell.body_count() - 1); }
  model::Vector3 gear_at() const { return engine->pose(gear()).translation(); }

  /// m/s over so long, of the gear in the world, where the arm stands still.
  double creep_m_s(double seconds) {
    const model::Vector3 before = gear_at();
    run(seconds);
    return (gear_at() - before).norm() / seconds;
  }

  /// The same along the pads alone. Across them the fingers' own play moves it to and fro by some
  /// micrometres.
  double slide_m_s(double seconds) {
    const model::Vector3 closing = closing_W();
    const model::Vector3 before = gear_at();
    run(seconds);
    const model::Vector3 moved = gear_at() - before;
    return (moved - closing.dot(moved) * closing).norm() / seconds;
  }

  /// A force in the middle of the contacts, where it turns nothing, grows by 10 N/s until the gear
  /// has moved by 1 mm. What friction then held, with the weight, over what it can: μ times what
  /// the fingers press with while it slides. (A linkage presses harder when it is pulled at.)
  double pull_out_ratio(const model::Vector3& direction_W) {
    const model::Vector3 start = gear_at();
    const model::Vector3 p_GC = engine->pose(gear()).inverse() * middle_of_contacts();
    double force_N = 0.0;
    double pressed_sum_N = 0.0;
    int sliding = 0;
    while ((gear_at() - start).norm() < 1e-3 && force_N < 100.0) {
      force_N += 10.0 * to_seconds(kPeriod);
      const model::Vector3 force = force_N * direction_W;
      const model::Pose X = engine->pose(gear());
      const model::Vector3 arm = X.linear() * (p_GC - com());
      engine->apply_wrench(gear(), {force, arm.cross(force)});
      step();
      if ((gear_at() - start).norm() > kSlides_m) {
        pressed_sum_N += pressed_N();
        ++sliding;
      }
    }
    const model::Vector3 weight_N = kMass_kg * cell.gravity_m_s2;
    return (force_N * direction_W + weight_N).norm() / (case_.friction * pressed_sum_N / sliding);
  }

  /// Out of the gripper, and along the pads.
  model::Vector3 outwards_W() const { return tool().col(2); }
  model::Vector3 along_pads_W() const {
    // across the direction in which the fingers are apart
    return outwards_W().cross(closing_W()).normalized();
  }

 private:
  static constexpr Duration kPeriod{1'000'000};
  static constexpr double kMass_kg = 0.02;
  static constexpr double kSlides_m = 20e-6;  ///< fingers give by less
  static constexpr double kGrasp_m = 0.021;   ///< of the gear's height, at the controlled point

  model::Vector3 com() const {
    return cell.placements.back().tree.bodies[0].inertial.X_LC.translation();
  }
  static double normal_N(const physics::Contact& contact) {
    return std::abs(contact.force_on_b_W.dot(contact.normal_W));
  }
  double pressed_N() const {
    double sum_N = 0.0;
    for (const physics::Contact& contact : engine->contacts()) {
      sum_N += contact.a == gear() || contact.b == gear() ? normal_N(contact) : 0.0;
    }
    return sum_N;
  }
  model::Vector3 middle_of_contacts() const {
    model::Vector3 sum = model::Vector3::Zero();
    for (const physics::Contact& contact : engine->contacts()) {
      if (contact.a == gear() || contact.b == gear()) {
        sum += normal_N(contact) * contact.p_W;
      }
    }
    return sum / pressed_N();
  }
  model::Pose X_WT() const { return robot.X_WB() * robot.state().X_BT; }
  model::Matrix3 tool() const { return X_WT().linear(); }
  model::Vector3 closing_W() const {
    for (const physics::Contact& contact : engine->contacts()) {
      if (contact.a == gear() || contact.b == gear()) {
        return contact.normal_W;
      }
    }
    return tool().col(0);
  }
  /// Its peg between the pads, its axis against the tool's.
  model::Pose held_pose() const {
    model::Pose X_WG = X_WT();
    X_WG.rotate(Eigen::AngleAxisd(M_PI, model::Vector3::UnitX()));
    X_WG.translate(model::Vector3(0.0, 0.0, -kGrasp_m));
    return X_WG;
  }

  static RobotConfig config_of(const GripCase& each) {
    RobotConfig config;
    config.placement = each.placement;
    config.home = each.home;
    return config;
  }

  static model::Cell make_cell(const GripCase& each) {
    const std::string models = std::string(LONGARM_SOURCE_DIR) + "/models/";
    Diagnostics diagnostics;
    InputFiles files;
    model::Cell cell;
    if (each.name == "robotiq") {
      const model::Model arm = model::read_model_file(models + each.file, diagnostics);
      model::Placement placement;
      placement.name = each.placement;
      placement.is_fixed = true;
      placement.tree = model::make_body_tree(arm, diagnostics);
      cell.placements.push_back(std::move(placement));
    } else {
      const model::World world = model::read_world_file(models + each.file, {}, files, diagnostics);
      cell.placements = model::make_placements(world, diagnostics);
      std::erase_if(cell.placements, [&](const model::Placement& placement) {
        return placement.name != each.placement;
      });
    }
    model::Placement gear;
    gear.name = "gear";
    gear.tree = model::make_body_tree(
        model::read_model_file(models + "sku_part_medium_gear/sku_part_medium_gear.sdf",
                               diagnostics),
        diagnostics);
    gear.X_WR.translation() = model::Vector3(5.0, 5.0, 1.0);
    gear.is_fixed = false;
    cell.placements.push_back(std::move(gear));
    diagnostics.throw_if_errors();
    return cell;
  }

  GripCase case_;

 public:
  model::Cell cell;
  std::unique_ptr<physics::Engine> engine;
  Robot robot;
};

}  // namespace longarm::robots
