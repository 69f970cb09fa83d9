// SPDX-License-Identifier: Apache-2.0
// A UR5 with its controller in an engine, stepped by hand, and what tests want to know of it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "longarm/core/diagnostic.h"
#include "longarm/model/model_file.h"
#include "longarm/physics/engine.h"
#include "longarm/robots/ur/kinematics.h"
#include "longarm/robots/ur/robot.h"

namespace longarm::robots {

inline model::Cell ur5_cell() {
  Diagnostics diagnostics;
  const model::Model model =
      model::read_model_file(LONGARM_SOURCE_DIR "/models/ur5/ur5.urdf", diagnostics);
  model::Cell cell;
  cell.placements.push_back({.name = "ur5",
                             .tree = model::make_body_tree(model, diagnostics),
                             .X_WR = model::Pose::Identity(),
                             .is_fixed = true,
                             .initial_positions = {}});
  diagnostics.throw_if_errors();
  return cell;
}

/// A box that stands in the way, fixed to the world.
inline void add_box(model::Cell& cell, const model::Vector3& centre, const model::Vector3& size) {
  model::Body body;
  body.name = "box";
  body.inertial = {
      .mass_kg = 1.0, .X_LC = model::Pose::Identity(), .inertia_kg_m2 = model::Matrix3::Identity()};
  model::Geometry geometry;
  geometry.shape = model::Box{size};
  body.collisions.push_back(geometry);
  model::Placement placement;
  placement.name = "box";
  placement.tree.name = "box";
  placement.tree.bodies.push_back(body);
  placement.tree.is_static = true;
  placement.X_WR.translation() = centre;
  cell.placements.push_back(placement);
}

class UrBench {
 public:
  explicit UrBench(const std::string& engine_name = "kinematic", const UrConfig& config = {},
                   model::Cell world = ur5_cell())
      : cell(std::move(world)),
        engine(
            physics::built_in_engines().make(engine_name, cell, {.period = kPeriod, .solver = ""})),
        robot(*engine, cell, config, kPeriod) {}

  void step() {
    robot.before_step(now);
    engine->step();
    now += kPeriod;
    robot.after_step(now);
    for (protocols::Door* door : robot.doors()) {
      if (after_step) {
        after_step(*door);
      }
    }
  }
  void cycles(int count) {
    for (int i = 0; i < 8 * count; ++i) {
      step();
    }
  }
  void run(double seconds) { cycles(static_cast<int>(std::lround(seconds / 0.008))); }
  /// Until no program runs; how long it took, in cycles.
  int finish(int at_most = 2500) {
    int count = 0;
    do {
      cycles(1);
      ++count;
    } while (is_running() && count < at_most);
    EXPECT_LT(count, at_most) << "still running";
    return count;
  }
  bool is_running() {
    using protocols::ur::RuntimeState;
    const RuntimeState now_is = state().runtime_state;
    return now_is != RuntimeState::kStopped && now_is != RuntimeState::kStopping;
  }
  void say(const std::string& script) { controller().run_script(script); }
  UrController& controller() { return robot.controller(); }
  const protocols::ur::ControllerState& state() { return controller().state(); }
  const UrFigures& figures() { return robot.figures(); }
  /// That is more than the end of a program.
  std::string last_message() {
    std::string text;
    for (const auto& each : controller().messages()) {
      text = each.kind == protocols::ur::RobotMessage::Kind::kKey ? text : each.text;
    }
    return text;
  }

  static constexpr Duration kPeriod{1'000'000};
  model::Cell cell;
  std::unique_ptr<physics::Engine> engine;
  UrRobot robot;
  Time now{};
  std::function<void(protocols::Door&)> after_step;
};

inline std::string list_text(const protocols::ur::Joints& q) {
  return fmt::format("[{},{},{},{},{},{}]", q[0], q[1], q[2], q[3], q[4], q[5]);
}

}  // namespace longarm::robots
