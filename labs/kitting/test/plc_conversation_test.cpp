// SPDX-License-Identifier: Apache-2.0
// The belt's controller is driven by its own protocol, and is missed when it falls silent.
#include "labs/kitting/plc_conversation.h"

#include <chrono>

#include <gtest/gtest.h>

#include "longarm/protocols/modbus/plc_door.h"

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;
namespace modbus = protocols::modbus;

/// A real controller behind a wire that takes 5 ms each way, asked every millisecond.
class PlcConversationTest : public ::testing::Test, public protocols::ClientLink {
 protected:
  PlcConversationTest() {
    modbus::BeltPort belt{[this](double velocity) { velocity_m_s_ = velocity; },
                          [this] { return velocity_m_s_; },
                          [] { return -0.25; },
                          [] { return false; },
                          [] { return false; },
                          [] { return true; }};
    plc_ = std::make_unique<modbus::PlcDoor>("plc", modbus::PlcConfig{}, std::move(belt));
    plc_->open(protocols::ConnectionId{1}, Time{});
    kernel_.every(1ms, Time{}, sim::Phase::kStep, world_, [this](Time now) {
      plc_->before_step(now);
      const std::string out = plc_->take_output(protocols::ConnectionId{1});
      if (!out.empty()) {
        kernel_.deliver(now + 5ms, world_, [this, out](Time when) { hear(out, when); });
      }
    });
  }
  void do_send(std::string_view bytes) override {
    kernel_.deliver(kernel_.now() + 5ms, world_, [this, text = std::string(bytes)](Time now) {
      if (!is_silent_) {
        plc_->receive(protocols::ConnectionId{1}, text, now);
      }
    });
  }
  bool do_is_up() const override { return true; }

  sim::Task<void> drive_and_look(double fraction) {
    refusal_ = co_await talk_.drive(fraction);
    co_await sim::sleep_for(tasks_context_, 50ms);  // some scans
    state_ = co_await talk_.look();
    ended_ = kernel_.now();
  }
  void run(double fraction, Duration until) {
    tasks_.spawn(tasks_.context("test"), drive_and_look(fraction));
    ASSERT_TRUE(kernel_.run_until(Time(until)).has_value());
  }

  sim::Kernel kernel_;
  sim::SourceId world_ = kernel_.add_source("world");
  double velocity_m_s_ = 0.0;
  bool is_silent_ = false;
  std::unique_ptr<modbus::PlcDoor> plc_;
  sim::Tasks tasks_{kernel_};
  PlcConversation talk_{tasks_.context("talk"),
                        [this](protocols::ClientLink*) -> protocols::ClientLink& { return *this; },
                        {.poll = 50ms, .silent_after = 1s, .give_up_after = 3s}};
  sim::TaskContext tasks_context_ = tasks_.context("pause");
  std::optional<std::string> refusal_;
  std::optional<BeltState> state_;
  Time ended_{};
};

TEST_F(PlcConversationTest, DrivesTheBeltBackwardsAtHalfSpeedAndReadsWhatItDoes) {
  run(-0.5, 1s);
  EXPECT_EQ(refusal_, "");
  // half of 0.2 m/s, backwards
  EXPECT_DOUBLE_EQ(velocity_m_s_, -0.1);
  ASSERT_TRUE(state_.has_value());
  // latched at a scan after the drive was told, to 0.1 mm/s and 0.01 mm
  EXPECT_NEAR(state_->speed_m_s, -0.1, 1e-4);
  EXPECT_NEAR(state_->encoder_m, -0.25, 1e-5);
  EXPECT_TRUE(state_->is_safety_stopped);
  EXPECT_FALSE(state_->is_jammed);
  // 5 ms there, 5 ms back, twice; answers leave at the step at which they are made
  EXPECT_EQ(talk_.round_trips().count, 2u);
  EXPECT_EQ(talk_.round_trips().longest, 10ms);
}

TEST_F(PlcConversationTest, SaysSoWhenNobodyAnswers) {
  is_silent_ = true;
  run(0.5, 10s);
  EXPECT_EQ(refusal_, "the belt's controller does not answer");
  EXPECT_FALSE(state_.has_value());
  EXPECT_EQ(ended_, Time(6050ms));  // two requests, 3 s each, and the pause
}

TEST_F(PlcConversationTest, AsksAgainAfterAPause) {
  is_silent_ = true;
  kernel_.at(Time(1500ms), sim::Phase::kApply, world_, [this](Time) { is_silent_ = false; });
  run(1.0, 10s);
  EXPECT_EQ(refusal_, "");
  // asked at 0 and 1 s in vain, then at 2 s
  EXPECT_DOUBLE_EQ(velocity_m_s_, 0.2);
  EXPECT_GE(ended_, Time(2s));
  EXPECT_LT(ended_, Time(2150ms));
}

}  // namespace
}  // namespace longarm::kitting
