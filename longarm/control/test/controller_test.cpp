// SPDX-License-Identifier: Apache-2.0
// Tests of controllers as plug-ins: the built-in one, and one of our own in the loop.
#include "longarm/control/controller.h"

#include <array>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/control/test/loop_fixture.h"

namespace longarm::control {
namespace {

using namespace std::chrono_literals;
using test::LinkSetting;
using test::LoopRecord;
using test::LoopSetup;
using test::run_loop;
using ::testing::ElementsAre;

TEST(Controllers, AreFoundByName) {
  const ControllerRegistry registry = built_in_controllers();
  EXPECT_THAT(registry.names(), ElementsAre("pid"));
  try {
    (void)registry.make("pdi");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "unknown controller 'pdi'; valid names are: pid");
  }
}

TEST(PidController, IsFeedForwardPlusPid) {
  ControllerContext context;
  context.joints = {"a", "b"};
  context.gains = {{.p = 3.0, .i = 10.0, .d = 0.5, .i_clamp = 100.0}};  // b has none: zeros
  context.feed_forward = 0.25;
  const auto controller = built_in_controllers().make("pid")->make(context);
  const std::array positions{1.0, 1.0};
  const std::array velocities{0.5, 0.5};
  const std::array desired_positions{3.0, 3.0};
  const std::array desired_velocities{4.0, 4.0};
  const ControllerInput input{
      Time{}, 100ms, Time{}, positions, velocities, desired_positions, desired_velocities};
  std::array<double, 2> commands{};
  controller->update(input, commands);
  // 0.25 · 4 + 3 · 2 + 10 · (2 · 0.1) + 0.5 · 3.5; without gains the feed-forward is left
  EXPECT_DOUBLE_EQ(commands[0], 10.75);
  EXPECT_DOUBLE_EQ(commands[1], 1.0);
  controller->update(input, commands);
  EXPECT_DOUBLE_EQ(commands[0], 12.75);
  controller->reset();
  controller->update(input, commands);
  EXPECT_DOUBLE_EQ(commands[0], 10.75);
}

/// Asks for a tenth of what is missing, and notes what it was told.
class Timid final : public Controller {
 public:
  struct Notes {
    ControllerContext context;
    std::vector<Time> ticks;
    std::vector<Duration> ages;
    int resets = 0;
  };
  explicit Timid(Notes& notes) : notes_(notes) {}

 private:
  void do_reset() override { ++notes_.resets; }
  void do_update(const ControllerInput& input, std::span<double> commands) override {
    notes_.ticks.push_back(input.now);
    notes_.ages.push_back(input.now - input.states_stamp);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      commands[i] = 0.1 * (input.desired_positions[i] - input.positions[i]);
    }
  }
  Notes& notes_;
};

class TimidModel final : public ControllerModel {
 public:
  explicit TimidModel(Timid::Notes& notes) : notes_(notes) {}
  void list_fields(Fields&) override {}
  std::unique_ptr<Controller> make(const ControllerContext& context) const override {
    notes_.context = context;
    return std::make_unique<Timid>(notes_);
  }

 private:
  Timid::Notes& notes_;
};

TEST(Controllers, OnesOwnTakesThePlaceOfThePid) {
  Timid::Notes notes;
  LoopSetup setup;
  setup.options.controller = std::make_shared<TimidModel>(notes);
  setup.config.control_period = 2ms;
  setup.config.clock_offset = 100ms;
  setup.config.seed = 42;
  setup.states = LinkSetting(3ms);
  const LoopRecord record = run_loop(setup, 20ms);
  // 0.1 · 1 rad at first, of which 3 ms later 0.1 mrad/ms is gone
  EXPECT_DOUBLE_EQ(record.commands[0], 0.1);
  EXPECT_NEAR(record.commands[4], 0.1 * (1.0 - record.positions[1]), 1e-15);
  EXPECT_THAT(notes.context.joints, ElementsAre("pan"));
  EXPECT_EQ(notes.context.period, Duration(2ms));
  EXPECT_EQ(notes.context.seed, 42U);
  ASSERT_EQ(notes.context.gains.size(), 1U);
  EXPECT_EQ(notes.context.gains[0].p, 10.0);
  // by its own clock, which is 100 ms ahead of the one that stamped the states
  ASSERT_EQ(notes.ticks.size(), 10U);
  EXPECT_EQ(notes.ticks[0], Time(100ms));
  EXPECT_EQ(notes.ticks[9], Time(118ms));
  EXPECT_EQ(notes.ages[9], Duration(103ms));
}

TEST(Controllers, RespectLimitsAndAreResetWhenTheArmIsStopped) {
  Timid::Notes notes;
  LoopSetup setup;
  setup.options.controller = std::make_shared<TimidModel>(notes);
  setup.cell.placements[0].tree.joints[0].limits = {-1.0, 2.0, 0.03, 1e6};
  setup.config.estop_at = 5ms;
  const LoopRecord record = run_loop(setup, 10ms);
  EXPECT_EQ(record.commands[0], 0.03);
  EXPECT_EQ(notes.resets, 1);
}

TEST(Controllers, PidByNameIsWhatRunsWithoutAName) {
  LoopSetup setup;
  setup.config.gains.i = {2.0};
  setup.config.gains.i_clamp = {1.0};
  setup.config.feed_forward = 0.5;
  setup.plan = test::ramp(0.0, 1.0, 100ms);
  setup.states = LinkSetting(3ms);
  const std::string hash = run_loop(setup, 200ms).hash;
  setup.options.controller = built_in_controllers().make("pid");
  EXPECT_EQ(run_loop(setup, 200ms).hash, hash);
}

}  // namespace
}  // namespace longarm::control
