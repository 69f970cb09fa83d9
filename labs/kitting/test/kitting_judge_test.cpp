// SPDX-License-Identifier: Apache-2.0
// The judge sees gears that sit, and only those.
#include "labs/kitting/kitting_judge.h"

#include <chrono>
#include <memory>
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/config/data_files.h"
#include "longarm/config/ready.h"
#include "longarm/core/input_files.h"
#include "longarm/model/world.h"

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;
using model::Pose;
using model::Vector3;

/// The cell without physics: everything stays where it is put.
class KittingJudgeTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    InputFiles files;
    Diagnostics diagnostics;
    const model::World world = model::read_world_file(config::find_model_file("aprs", "aprs"),
                                                      config::model_search(), files, diagnostics);
    cell_ = std::make_unique<model::Cell>();
    cell_->placements = model::make_placements(world, diagnostics);
  }
  static void TearDownTestSuite() { cell_.reset(); }

  KittingJudgeTest()
      : engine_(physics::built_in_engines().make("kinematic", *cell_, physics::EngineOptions{})),
        judge_(*engine_, *cell_, {{"m2l1", 1, {"m2l1_kit_1", "m2l1_kit_2"}, {}}},
               {{"medium_gear_1", "medium"},
                {"medium_gear_2", "medium"},
                {"large_gear_5", "large"},
                {"small_gear_1", "small"}}) {
    put("medium_gear_1", "slot_1_medium");
    put("medium_gear_2", "slot_2_medium");
    put("large_gear_5", "slot_3_large");
  }
  static int placement(const std::string& name) {
    for (std::size_t i = 0; i < cell_->placements.size(); ++i) {
      if (cell_->placements[i].name == name) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }
  /// Into a slot of m2l1_kit_2, displaced and tilted.
  void put(const std::string& gear, const std::string& slot, const Vector3& offset_m = {0, 0, 0},
           double tilt_deg = 0.0) {
    const int tray = placement("m2l1_kit_2");
    const model::BodyTree& tree = cell_->placements[static_cast<std::size_t>(tray)].tree;
    Pose X_WG = engine_->pose(static_cast<physics::BodyId>(cell_->first_body(tray))) *
                tree.frames[static_cast<std::size_t>(*tree.find_frame(slot))].X_BF;
    X_WG.translate(offset_m);
    X_WG.rotate(Eigen::AngleAxisd(tilt_deg * std::numbers::pi / 180.0, Vector3::UnitX()));
    const auto body = static_cast<physics::BodyId>(cell_->first_body(placement(gear)));
    engine_->reset_body(body, X_WG, {});
  }
  void look_from(Duration start, Duration end) {
    for (Duration t = start; t <= end; t += 10ms) {
      judge_.look(Time(t));
    }
  }

  static std::unique_ptr<model::Cell> cell_;
  std::unique_ptr<physics::Engine> engine_;
  KittingJudge judge_;
};
std::unique_ptr<model::Cell> KittingJudgeTest::cell_;

TEST_F(KittingJudgeTest, CountsAKitOnceItsGearsWereStillForASecond) {
  look_from(0s, 990ms);
  EXPECT_EQ(judge_.kits_completed(), 0);
  EXPECT_TRUE(judge_.is_about_to_be_complete());
  look_from(1s, 1s);
  EXPECT_EQ(judge_.kits_completed(), 1);
  EXPECT_EQ(judge_.kits_requested(), 1);
  EXPECT_EQ(judge_.slots_filled(), 3);
  EXPECT_EQ(*judge_.completed_at(), Time(0s));
}

TEST_F(KittingJudgeTest, BeginsAnewWhenAGearIsMovedOutAndBack) {
  look_from(0s, 500ms);
  put("medium_gear_1", "slot_1_medium", {0.002, 0, 0});
  look_from(510ms, 600ms);
  put("medium_gear_1", "slot_1_medium");
  look_from(610ms, 1600ms);
  EXPECT_EQ(judge_.kits_completed(), 0);
  look_from(1610ms, 1610ms);
  EXPECT_EQ(judge_.kits_completed(), 1);
}

TEST_F(KittingJudgeTest, TakesAMillimetreAndADegreeButNoMore) {
  put("medium_gear_1", "slot_1_medium", {0.00099, 0, 0}, 0.99);
  look_from(0s, 1s);
  EXPECT_EQ(judge_.kits_completed(), 1);
  put("medium_gear_1", "slot_1_medium", {0.00101, 0, 0});
  look_from(2s, 4s);
  EXPECT_EQ(judge_.kits_completed(), 0);
  put("medium_gear_1", "slot_1_medium", {0, 0, 0}, 1.01);
  look_from(5s, 7s);
  EXPECT_EQ(judge_.kits_completed(), 0);
  put("medium_gear_1", "slot_1_medium", {0, 0, 0}, 180.0);  // upside down
  look_from(8s, 10s);
  EXPECT_EQ(judge_.kits_completed(), 0);
}

TEST_F(KittingJudgeTest, WantsTheRightGearInEverySlot) {
  put("medium_gear_1", "slot_3_large");
  put("large_gear_5", "slot_1_medium");
  look_from(0s, 2s);
  EXPECT_EQ(judge_.kits_completed(), 0);
  EXPECT_EQ(judge_.slots_filled(), 1);
}

TEST_F(KittingJudgeTest, WantsNoMoreThanWasAskedFor) {
  KittingJudge judge(*engine_, *cell_, {{"m2l1", 1, {"m2l1_kit_2"}, {{"medium", 1}}}},
                     {{"medium_gear_1", "medium"}});
  for (Duration t{}; t <= 1s; t += 10ms) {
    judge.look(Time(t));
  }
  EXPECT_EQ(judge.slots_filled(), 1);  // the other gears are nobody's business
  EXPECT_EQ(judge.kits_completed(), 1);
}

}  // namespace
}  // namespace longarm::kitting
