// SPDX-License-Identifier: Apache-2.0
// Conversations end when the robot says so, and survive what a network does to them.
#include "labs/kitting/crcl_conversation.h"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

#include "labs/kitting/arm.h"
#include "labs/kitting/test/scripted_robot.h"

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;
namespace crcl = protocols::crcl;

class CrclConversationTest : public ::testing::Test {
 protected:
  Dial dial() {
    return [this](protocols::ClientLink*) -> protocols::ClientLink& {
      robot_.is_connected = true;
      return robot_;
    };
  }
  void run(CrclConversation& talk, crcl::CommandBody body, Duration until) {
    const sim::TaskContext context = tasks_.context("test");
    tasks_.spawn(context, say(talk, std::move(body)));
    ASSERT_TRUE(kernel_.run_until(Time(until)).has_value());
  }
  sim::Task<void> say(CrclConversation& talk, crcl::CommandBody body) {
    end_ = co_await talk.run(std::move(body));
    ended_ = kernel_.now();
  }
  void at(Duration when, std::function<void()> action) {
    kernel_.at(Time(when), sim::Phase::kApply, world_, [action](Time) { action(); });
  }

  sim::Kernel kernel_;
  sim::SourceId world_ = kernel_.add_source("world");
  ScriptedRobot robot_{kernel_};
  std::optional<CommandEnd> end_;
  Time ended_{};
  sim::Tasks tasks_{kernel_};
};

TEST_F(CrclConversationTest, KnowsTheEndAtTheFirstPollAfterIt) {
  robot_.delay = 10ms;
  robot_.work = 100ms;
  CrclConversation talk(tasks_.context("talk"), "fanuc", dial(), {});
  run(talk, crcl::Dwell{0.1}, 1s);
  ASSERT_TRUE(end_.has_value());
  EXPECT_TRUE(end_->is_done());
  // the command is there at 10 ms and over at 110 ms; questions sent at 0, 50 and 100 ms are there
  // 10 ms later, the third one at 110 ms; its answer is back at 120 ms
  EXPECT_EQ(ended_, Time(120ms));
  EXPECT_EQ(robot_.status_requests, 3);
  EXPECT_EQ(talk.round_trips().count, 3u);
  EXPECT_EQ(talk.round_trips().longest, 20ms);
}

TEST_F(CrclConversationTest, PassesOnWhatTheRobotSaysOfAnError) {
  robot_.refusal = [](const crcl::CommandBody&) { return "out of reach"; };
  CrclConversation talk(tasks_.context("talk"), "fanuc", dial(), {});
  run(talk, crcl::Dwell{0.1}, 1s);
  ASSERT_TRUE(end_.has_value());
  EXPECT_EQ(end_->ending, Ending::kError);
  EXPECT_EQ(end_->words, "out of reach");
}

TEST_F(CrclConversationTest, GivesASilentRobotUpAfterTheTimeItWasGiven) {
  robot_.is_silent = true;
  CrclConversation talk(tasks_.context("talk"), "fanuc", dial(),
                        {.poll = 50ms, .silent_after = 2s, .give_up_after = 10s});
  run(talk, crcl::Dwell{0.1}, 5s);
  EXPECT_FALSE(end_.has_value());
  EXPECT_TRUE(talk.is_silent());
  ASSERT_TRUE(kernel_.run_until(Time(20s)).has_value());
  ASSERT_TRUE(end_.has_value());
  EXPECT_EQ(end_->ending, Ending::kSilent);
  EXPECT_EQ(end_->words, "fanuc has not answered for 10 s");
  EXPECT_EQ(ended_, Time(10s));
  EXPECT_EQ(talk.silences(), 1u);
}

TEST_F(CrclConversationTest, DialsAgainAndRepeatsTheCommandUnderItsNumber) {
  robot_.work = 3s;
  CrclConversation talk(tasks_.context("talk"), "fanuc", dial(), {});
  // the connection breaks while the robot works, and once more before anything was said
  at(1s, [this] { robot_.is_connected = false; });
  run(talk, crcl::Dwell{0.1}, 10s);
  ASSERT_TRUE(end_.has_value());
  EXPECT_TRUE(end_->is_done());
  EXPECT_EQ(talk.line().dials(), 2u);
  // it was known already: executed once, over at 3 s, heard of within a poll
  EXPECT_EQ(robot_.ids, (std::vector<std::int64_t>{1}));
  EXPECT_GE(ended_, Time(3s));
  EXPECT_LE(ended_, Time(3050ms));
  EXPECT_TRUE(talk.take_is_new());
  EXPECT_FALSE(talk.take_is_new());
}

// --- an arm on such a robot
// -----------------------------------------------------------------------

class ArmTest : public CrclConversationTest {
 protected:
  RobotAbility ability_{.name = "fanuc", .base_m = {1.0, 2.0, 0.5}, .base_yaw_deg = 90.0};
  ArmConfig config_{.name = "fanuc", .yaw_deg = 90.0, .clear_m = {}};
  HandlingConfig handling_{.grasp_offset_m = 0.0};
  std::optional<Deed> deed_;
  int motions_ = 0;

  sim::Task<void> do_pick(Arm& arm) {
    std::vector<Vector3> others;
    deed_ = co_await arm.pick(Vector3(1.0, 2.4, 0.6), Grasp{{0.0, 0.0, 0.03}, false},
                              std::move(others));
  }
  void pick() {
    Arm arm(tasks_.context("arm"), ability_, config_, handling_, dial(), {});
    tasks_.spawn(tasks_.context("test"), do_pick(arm));
    ASSERT_TRUE(kernel_.run_until(Time(20s)).has_value());
  }
  std::vector<std::string> types() const {
    std::vector<std::string> names;
    for (const crcl::CommandBody& body : robot_.heard) {
      names.emplace_back(crcl::type_name(body));
    }
    return names;
  }
};

TEST_F(ArmTest, PicksByGoingOverDownClosingAndUp) {
  robot_.is_holding = true;
  pick();
  ASSERT_TRUE(deed_.has_value());
  EXPECT_TRUE(deed_->is_done());
  const std::vector<std::string> expected{
      "InitCanonType",      "SetLengthUnitsType", "SetAngleUnitsType", "ConfigureStatusReportType",
      "SetEndEffectorType", "MoveToType",         "MoveToType",        "SetEndEffectorType",
      "DwellType",          "MoveToType"};
  EXPECT_EQ(types(), expected);
  // 0.4 m ahead along the world's y, seen from a base that is turned by 90°: along its x. The
  // grasp is 0.6 + 0.03 - 0.5 m up, and the tool's x axis along the world's y: along its x, too.
  const auto& grasp = std::get<crcl::MoveTo>(robot_.heard[6]).end.pose;
  EXPECT_NEAR(grasp.point.x, 0.4, 1e-12);
  EXPECT_NEAR(grasp.point.y, 0.0, 1e-12);
  EXPECT_NEAR(grasp.point.z, 0.13, 1e-12);
  EXPECT_NEAR(grasp.x_axis.i, 1.0, 1e-12);
  EXPECT_NEAR(grasp.z_axis.k, -1.0, 1e-12);
  EXPECT_TRUE(std::get<crcl::MoveTo>(robot_.heard[6]).is_straight);
  const auto& over = std::get<crcl::MoveTo>(robot_.heard[5]).end.pose;
  EXPECT_NEAR(over.point.z, 0.13 + handling_.approach_m, 1e-12);
}

TEST_F(ArmTest, OpensAgainAndSaysSoWhenTheFingersCloseOnNothing) {
  robot_.is_holding = false;
  pick();
  ASSERT_TRUE(deed_.has_value());
  EXPECT_EQ(deed_->end, DeedEnd::kNothingHeld);
  EXPECT_EQ(deed_->words, "the gripper of fanuc closed without a part");
  const auto& last = std::get<crcl::SetEndEffector>(robot_.heard[robot_.heard.size() - 2]);
  EXPECT_EQ(last.setting, 1.0);
}

TEST_F(ArmTest, SaysThatAPartIsLostWhenItIsNotThereAfterLifting) {
  robot_.is_holding = true;
  robot_.refusal = [this](const crcl::CommandBody& body) {
    // the way up is the third motion
    const bool moves = std::holds_alternative<crcl::MoveTo>(body);
    motions_ += moves ? 1 : 0;
    robot_.is_holding = motions_ < 3;
    return std::string();
  };
  pick();
  ASSERT_TRUE(deed_.has_value());
  EXPECT_EQ(deed_->end, DeedEnd::kDropped);
}

}  // namespace
}  // namespace longarm::kitting
