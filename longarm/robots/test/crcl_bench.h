// SPDX-License-Identifier: Apache-2.0
// A CRCL door in front of a scripted robot, with one client that has come in.
#pragma once

#include <chrono>
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/robots/crcl/door.h"
#include "longarm/robots/test/crcl_talk.h"
#include "longarm/robots/test/scripted_robot.h"

namespace longarm::robots {

class CrclBench : public ::testing::Test {
 protected:
  void cycle(Duration span = std::chrono::milliseconds(4)) {
    now_ += span;
    door_.update(now_);
  }
  void arrive() {
    robot_.report.state = MotionState::kDone;
    cycle();
  }
  void begin() { client_.say(crcl::InitCanon{}); }
  std::int64_t move(double x = 0.3) {
    return client_.say(crcl::MoveTo{.is_straight = true, .end = at(x, 0.0, 0.4)});
  }
  /// Whether a command that ends at once was done, or what is said against it.
  std::string outcome(crcl::CommandBody body, std::vector<crcl::Guard> guards = {}) {
    client_.say(std::move(body), std::move(guards));
    const crcl::CommandStatus status = client_.status().command;
    return status.state == crcl::CommandState::kDone ? "done" : status.description.value_or("");
  }
  /// The settings section, asked for.
  crcl::SettingsStatus settings(CrclTalk& client) {
    client.say(crcl::ConfigureStatusReport{.with_joints = true,
                                           .with_pose = true,
                                           .with_gripper = true,
                                           .with_settings = true,
                                           .with_sensors = true,
                                           .with_guards = true});
    const crcl::Status status = client.status();
    EXPECT_TRUE(status.settings.has_value()) << client.last_text();
    return status.settings.value_or(crcl::SettingsStatus{});
  }
  /// Of the last motion that the robot was told.
  const MotionGoal& goal() const { return robot_.cartesian->goals.back(); }

  Time now_{};
  ScriptedRobot robot_;
  // the base stands a quarter turn about z, 1 m along the world's x
  Pose X_WB_ = Eigen::Translation3d(1.0, 0.0, 0.0) *
               Pose(Eigen::AngleAxisd(std::numbers::pi / 2.0, Vector3::UnitZ()));
  CrclDoorConfig config_;
  CrclDoor door_{"arm.crcl", robot_, X_WB_, config_};
  CrclTalk client_{door_, 1, now_};
};

}  // namespace longarm::robots
