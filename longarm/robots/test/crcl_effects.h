// SPDX-License-Identifier: Apache-2.0
// The LR Mate behind a CRCL door, seen from the engine.
#pragma once

#include <numbers>

#include "longarm/robots/test/crcl_cell.h"

namespace longarm::robots {

class CrclEffects : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { shared_ = new model::Cell(load_crcl_cell("crcl_world.sdf")); }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }
  static RobotConfig config() {
    RobotConfig config;
    config.placement = "fanuc";
    config.home = {0.0, 0.0, 0.0, 0.0, -std::numbers::pi / 2.0, 0.0};
    return config;
  }

  void SetUp() override {
    client_.say(crcl::InitCanon{});
    left_ = cell_.body("fanuc", "gripper::left_finger");
    right_ = cell_.body("fanuc", "gripper::right_finger");
  }
  /// Where the engine has the tips of the fingers: their frames are 0.042 m behind them, to both
  /// sides of the tool's axis.
  Pose tip() const {
    const Pose left = cell_.engine().pose(left_);
    const Pose right = cell_.engine().pose(right_);
    Pose X_WT = left;
    X_WT.translation() =
        (left.translation() + right.translation()) / 2.0 + 0.042 * left.linear().col(2);
    return X_WT;
  }
  /// How far the fingers are from being open, by the engine's joints.
  double closed_by() const {
    const Pose left = cell_.engine().pose(left_);
    const Vector3 from_axis = left.translation() - tip().translation();
    return std::abs(left.linear().col(1).dot(from_axis));
  }
  void go(double x, double y, double z) {
    cell_.expect_done(crcl::MoveTo{.is_straight = true, .end = down_at(x, y, z)});
  }

  inline static model::Cell* shared_ = nullptr;

  CrclCell cell_{*shared_, config(), Duration(1'000'000)};
  CrclTalk& client_ = cell_.client();
  physics::BodyId left_{};
  physics::BodyId right_{};
};

}  // namespace longarm::robots
