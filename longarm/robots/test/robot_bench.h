// SPDX-License-Identifier: Apache-2.0
// A robot in a world of models, stepped by hand, and what tests want to know of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/model/world.h"
#include "longarm/physics/engine.h"
#include "longarm/robots/arm/robot.h"

namespace longarm::robots {

inline std::string model_file(const std::string& name, const std::string& ending = ".sdf") {
  return std::string(LONGARM_SOURCE_DIR) + "/models/" + name + "/" + name + ending;
}

inline model::Cell read_cell(const std::string& path) {
  Diagnostics diagnostics;
  InputFiles files;
  const model::World world = model::read_world_file(path, {}, files, diagnostics);
  model::Cell cell;
  cell.gravity_m_s2 = world.gravity_m_s2;
  cell.placements = model::make_placements(world, diagnostics);
  for (const Diagnostic& each : diagnostics.all()) {
    ADD_FAILURE() << each.format();
  }
  return cell;
}

/// The tool points down, turned about the vertical.
inline Pose tool_down(double x, double y, double z, double yaw = 0.0) {
  Pose X = Pose::Identity();
  X.translation() = Vector3(x, y, z);
  X.linear() =
      (Eigen::AngleAxisd(yaw, Vector3::UnitZ()) * Eigen::AngleAxisd(M_PI, Vector3::UnitX()))
          .toRotationMatrix();
  return X;
}

/// An LR Mate with its gripper, tool down 0.38 m in front of its base and 0.25 m up.
inline RobotConfig fanuc_config(const std::string& placement) {
  RobotConfig config;
  config.placement = placement;
  config.home = {-0.2573, 0.1033, -0.4108, 0.0, -1.0568, 0.2573};
  return config;
}

inline CartesianMotion motion_to(const std::vector<Pose>& poses, const SpeedLimits& limits,
                                 bool is_straight = true) {
  CartesianMotion motion;
  motion.is_straight = is_straight;
  for (const Pose& X : poses) {
    motion.goals.push_back({.X_BT = X, .limits = limits, .tolerance = {}});
  }
  return motion;
}

/// One robot in a cell.
class RobotBench {
 public:
  RobotBench(model::Cell world, const RobotConfig& config,
             const std::string& engine_name = "mujoco")
      : cell(std::move(world)),
        engine(
            physics::built_in_engines().make(engine_name, cell, {.period = kPeriod, .solver = ""})),
        robot(*engine, cell, config, kPeriod) {}

  void step() {
    robot.before_step();
    engine->step();
    robot.after_step();
    now_s += to_seconds(kPeriod);
  }
  void run(double seconds) {
    for (int i = 0; i < static_cast<int>(std::lround(seconds / to_seconds(kPeriod))); ++i) {
      step();
    }
  }
  /// Until the motion is over; `look` is called after each step. How long it took.
  double finish(const std::function<void()>& look = {}, double at_most_s = 20.0) {
    const double start_s = now_s;
    while (robot.motion().state == MotionState::kMoving && now_s < start_s + at_most_s) {
      step();
      if (look) {
        look();
      }
    }
    return now_s - start_s;
  }
  /// The controlled point in the robot's base.
  Pose X_BT() const { return robot.state().X_BT; }
  Vector3 p() const { return X_BT().translation(); }

  static constexpr Duration kPeriod{1'000'000};
  model::Cell cell;
  std::unique_ptr<physics::Engine> engine;
  Robot robot;
  double now_s = 0.0;
};

}  // namespace longarm::robots
