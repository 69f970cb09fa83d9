// SPDX-License-Identifier: Apache-2.0
// Tests that a recording of what crossed the link is enough to make the arm do the same again.
#include <algorithm>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/control/arm_loop.h"
#include "longarm/control/test/loop_fixture.h"

namespace longarm::control {
namespace {

using namespace std::chrono_literals;
using test::LinkSetting;
using test::LoopRecord;
using test::LoopSetup;
using test::run_loop;

/// Keeps all that arrives.
class Recorder final : public LoopObserver {
 public:
  void states_received(const JointStates& states, Time now) override {
    recording->states.push_back({now, states});
  }
  void command_received(const JointCommand& command, Time now) override {
    recording->commands.push_back({now, command});
  }
  std::shared_ptr<LoopRecording> recording = std::make_shared<LoopRecording>();
};

/// 0, 1.7 or 3.4 ms, so that some overtake others; each fifth is lost, and a few at once near 60
/// ms.
LinkSetting rough_link() {
  return LinkSetting([](std::uint64_t index) -> std::optional<Duration> {
    if (index % 5 == 3 || (index >= 60 && index < 64)) {
      return std::nullopt;
    }
    return Duration(1700us) * static_cast<std::int64_t>(index % 3);
  });
}

LoopSetup rough_setup(Cut cut, const std::string& engine) {
  LoopSetup setup;
  model::BodyTree tree = test::one_joint_tree();
  test::add_joint(tree, "elbow", model::Vector3::UnitY(), {0.5, 0.3, 0.1}, 0.4);
  setup.cell = test::cell_of(tree, {0.3, -0.2});
  setup.engine = engine;
  setup.config.cut = cut;
  setup.config.servo.model = "";  // as the cut has it
  setup.config.servo.gains.p = {4.0};
  setup.config.gains.i = {2.0};
  setup.config.gains.i_clamp = {0.5};
  setup.config.feed_forward = 0.5;
  setup.plan = test::plan_of({{0ms, {0.3, -0.2}, {0.0, 0.0}, {}},
                              {60ms, {0.4, -0.5}, {0.1, 0.2}, {}},
                              {120ms, {0.2, 0.1}, {0.0, 0.0}, {}}});
  setup.states = rough_link();
  setup.commands = rough_link();
  return setup;
}

struct Both {
  LoopRecord original;
  LoopRecord replayed;
};

Both record_and_replay(LoopSetup setup) {
  Recorder recorder;
  setup.options.observer = &recorder;
  LoopRecord original = run_loop(setup, 150ms);
  Recorder again;
  setup.options.observer = &again;
  setup.options.recording = recorder.recording;
  setup.states = setup.commands = LinkSetting();
  LoopRecord replayed = run_loop(setup, 150ms);
  // a replay can itself be recorded
  EXPECT_EQ(again.recording->states.size(), recorder.recording->states.size());
  EXPECT_EQ(again.recording->commands.size(), recorder.recording->commands.size());
  return {std::move(original), std::move(replayed)};
}

void expect_same_motion(const LoopSetup& setup, const std::string& what) {
  const Both both = record_and_replay(setup);
  ASSERT_EQ(both.original.world.size(), 150U);
  for (std::size_t k = 0; k < 150; ++k) {
    ASSERT_EQ(both.original.world[k], both.replayed.world[k]) << what << ", step " << k;
  }
  EXPECT_EQ(both.original.world_hash, both.replayed.world_hash) << what;
  EXPECT_NE(both.original.world[0], both.original.world[49]) << what;  // something did move
  // and nobody controlled
  EXPECT_EQ(std::count_if(both.replayed.calls.begin(), both.replayed.calls.end(),
                          [](const std::string& call) {
                            return call.find("controllers updated") != std::string::npos;
                          }),
            0);
}

class EachCut : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Replay, EachCut, ::testing::ValuesIn(cut_names()),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(EachCut, MovesTheSameWayBitForBit) {
  for (const char* engine : {"kinematic", "mujoco", "ode"}) {
    expect_same_motion(rough_setup(cut_of(GetParam()), engine), engine);
  }
}

TEST_P(EachCut, StopsTheSameWayToo) {
  for (const Silence on_silence : {Silence::kZero, Silence::kStop}) {
    LoopSetup setup = rough_setup(cut_of(GetParam()), "mujoco");
    setup.config.on_silence = on_silence;
    setup.config.silence_after = 4ms;
    setup.config.estop_at = 80ms;
    setup.config.estop_release = 100ms;
    expect_same_motion(setup, silence_names()[static_cast<std::size_t>(on_silence)]);
  }
}

TEST_P(EachCut, RepeatsWatchdogsClocksAndJitter) {
  LoopSetup setup = rough_setup(cut_of(GetParam()), "mujoco");
  setup.config.watchdog = Watchdog::kFranka;
  setup.config.control_period = 2ms;
  setup.config.control_phase = 300us;
  setup.config.control_jitter = 1500us;
  setup.config.clock_offset = 12345us;
  setup.config.clock_drift_ppm = 500.0;
  setup.config.zero_fill = true;
  setup.config.seed = 9;
  expect_same_motion(setup, "all at once");
}

TEST(Replay, MissesASingleCommand) {
  LoopSetup setup = rough_setup(Cut::kVelocity, "kinematic");
  Recorder recorder;
  setup.options.observer = &recorder;
  const LoopRecord original = run_loop(setup, 150ms);
  recorder.recording->commands.erase(recorder.recording->commands.begin() + 40);
  setup.options.observer = nullptr;
  setup.options.recording = recorder.recording;
  EXPECT_NE(run_loop(setup, 150ms).world_hash, original.world_hash);
}

TEST(Replay, HasNoLinkToReportOn) {
  const Both both = record_and_replay(rough_setup(Cut::kVelocity, "kinematic"));
  EXPECT_EQ(both.original.commands_report.sent, 150U);
  EXPECT_EQ(both.replayed.commands_report.sent, 0U);
}

}  // namespace
}  // namespace longarm::control
