// SPDX-License-Identifier: Apache-2.0
// A small world with one robot behind a CRCL door, and one client.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/input_files.h"
#include "longarm/model/world.h"
#include "longarm/physics/engine.h"
#include "longarm/robots/arm/robot.h"
#include "longarm/robots/crcl/door.h"
#include "longarm/robots/test/crcl_talk.h"

namespace longarm::robots {

/// A world of this folder.
inline model::Cell load_crcl_cell(const std::string& name) {
  InputFiles files;
  Diagnostics diagnostics;
  const model::World world = model::read_world_file(
      LONGARM_SOURCE_DIR "/longarm/robots/test/" + name, {}, files, diagnostics);
  model::Cell cell;
  cell.gravity_m_s2 = world.gravity_m_s2;
  cell.placements = model::make_placements(world, diagnostics);
  diagnostics.throw_if_errors();
  return cell;
}

class CrclCell {
 public:
  CrclCell(const model::Cell& cell, const RobotConfig& config, Duration period)
      : cell_(cell),
        period_(period),
        engine_(physics::built_in_engines().make("mujoco", cell, {.period = period, .solver = {}})),
        robot_(*engine_, cell, config, period),
        door_("robot.crcl", robot_, robot_.X_WB(), CrclDoorConfig{}),
        client_(door_, 1, now_) {}

  void step() {
    robot_.before_step();
    engine_->step();
    robot_.after_step();
    now_ += period_;
    door_.update(now_);
  }
  /// Until no command is being executed; `each` is called after every step. How long it took.
  double run(double at_most_s = 20.0, const std::function<void()>& each = {}) {
    const Time begin = now_;
    do {
      step();
      if (each) {
        each();
      }
      if (to_seconds(now_ - begin) > at_most_s) {
        ADD_FAILURE() << "still at it after " << at_most_s << " s: " << client_.description();
        break;
      }
    } while (client_.state() == crcl::CommandState::kWorking);
    return to_seconds(now_ - begin);
  }
  void wait(double span_s, const std::function<void()>& each = {}) {
    const Time end = now_ + Duration(static_cast<Duration::rep>(span_s * 1e9));
    while (now_ < end) {
      step();
      if (each) {
        each();
      }
    }
  }
  /// Says a command, runs it to its end and expects it done. How long it took.
  double expect_done(crcl::CommandBody body, const std::function<void()>& each = {}) {
    const std::int64_t id = client_.say(std::move(body));
    const double span_s = run(30.0, each);
    const crcl::CommandStatus status = client_.status().command;
    EXPECT_EQ(status.command_id, id);
    EXPECT_EQ(status.state, crcl::CommandState::kDone) << status.description.value_or("");
    return span_s;
  }

  /// A body's number in the engine, by the names of its placement and its own.
  physics::BodyId body(const std::string& placement, const std::string& name) const {
    for (std::size_t p = 0; p < cell_.placements.size(); ++p) {
      const auto& bodies = cell_.placements[p].tree.bodies;
      for (std::size_t b = 0; cell_.placements[p].name == placement && b < bodies.size(); ++b) {
        if (bodies[b].name == name) {
          return physics::BodyId{cell_.first_body(static_cast<int>(p)) + static_cast<int>(b)};
        }
      }
    }
    ADD_FAILURE() << "no body " << placement << " " << name;
    return {};
  }
  const physics::Engine& engine() const { return *engine_; }
  Robot& robot() { return robot_; }
  CrclDoor& door() { return door_; }
  CrclTalk& client() { return client_; }
  const Time& now() const { return now_; }

 private:
  const model::Cell& cell_;
  Duration period_;
  Time now_{};
  std::unique_ptr<physics::Engine> engine_;
  Robot robot_;
  CrclDoor door_;
  CrclTalk client_;
};

/// The tool pointing down, its x axis along the base's.
inline crcl::Waypoint down_at(double x, double y, double z) {
  crcl::Waypoint waypoint = at(x, y, z);
  waypoint.pose.z_axis = {0.0, 0.0, -1.0};
  return waypoint;
}

}  // namespace longarm::robots
