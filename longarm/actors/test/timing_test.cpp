// SPDX-License-Identifier: Apache-2.0
// The controller's host through whole scenarios: when it ticks, what its clock says, and what the
// arm makes of both.
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "longarm/actors/arm_replay.h"
#include "longarm/actors/test/arm_fixture.h"
#include "longarm/cell/run_folder.h"
#include "longarm/record/mcap_reader.h"
#include "longarm/record/ros_messages.h"

namespace longarm::actors {
namespace {

using namespace std::chrono_literals;

/// From 0.1 to 10.1 rad, most of it at constant speed. The planned velocity is fed forward, so that
/// a gain of 10/s only corrects.
const Changes kCruise{"task.path=joint",
                      "task.joints_rad=[[10.1]]",
                      "task.velocity_limit_rad_s=0.5",
                      "task.acceleration_limit_rad_s2=1",
                      "task.hold=100ms",
                      "feed_forward=1",
                      "gain=10"};
constexpr double kSpeed = 0.5;  // at most

/// Where the plan is at `t_s`.
double planned(const PreparedScenario& prepared, double t_s) {
  double position = 0.0;
  arm_of(prepared).plan().trajectory.sample(Duration(std::llround(t_s * 1e9)), {&position, 1});
  return position;
}

// --- clocks --------------------------------------------------------------------------------------

TEST(ClockOffset, OfAClockThatIsBehindStartsThePlanLater) {
  const std::vector<double> right = one_joint_positions(kCruise);
  const std::vector<double> behind =
      one_joint_positions(kCruise + Changes{"control.clock_offset=-7ms"});
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(behind[i], 0.1) << i;
  }
  for (std::size_t i = 7; i < behind.size(); ++i) {
    ASSERT_DOUBLE_EQ(behind[i], right[i - 7]) << i;
  }
}

TEST(ClockOffset, OfAClockThatIsAheadRunsThePlanAhead) {
  // It starts behind by what the plan does in 200 ms, and catches up by 1 - 0.01 per tick, so
  // faster than exp(-10 t).
  const std::vector<double> right = one_joint_positions(kCruise);
  const std::vector<double> ahead =
      one_joint_positions(kCruise + Changes{"control.clock_offset=200ms"});
  const double missed = planned(prepare("one-joint", kCruise), 0.2) - 0.1;
  EXPECT_GT(missed, 0.01);  // 0.2²/2 at most
  EXPECT_NEAR(right[200] - ahead[0], missed, kSpeed * 1e-3 + 0.02 * missed);
  for (std::size_t i = 0; i + 200 < right.size(); ++i) {
    const double t = 1e-3 * static_cast<double>(i);
    const double off = std::abs(ahead[i] - right[i + 200]);
    ASSERT_LE(off, 1.05 * missed * std::exp(-10.0 * t) + 1e-9) << i;
  }
}

TEST(ClockOffset, ThatIsNoWholeTickMovesTheTicks) {
  // The clock reads whole milliseconds 0.4 ms after the robot's does, and commands act from the
  // next step on. In the cruise the arm is off by what it does in that time, to a step's motion.
  const PreparedScenario prepared = prepare("one-joint", kCruise);
  const std::vector<double> right = one_joint_positions(kCruise);
  for (const double offset_ms : {-7.4, 7.6, -50.4, 49.6}) {
    const std::vector<double> off = one_joint_positions(
        kCruise + Changes{fmt::format("control.clock_offset={}us", offset_ms * 1e3)});
    const double ahead = planned(prepared, 10.0 + offset_ms * 1e-3) - planned(prepared, 10.0);
    EXPECT_NEAR(off[9'999] - right[9'999], ahead, kSpeed * 1e-3) << offset_ms;
  }
}

TEST(ClockDrift, RunsThePlanAtItsOwnSpeedAndTicksThatMuchMoreOften) {
  // 10 000 ppm: at T the clock reads 1.01 T, so the arm is where the plan is then, give or take a
  // step's motion; by the end that is a tenth of a radian
  const PreparedScenario prepared = prepare("one-joint", kCruise);
  const std::vector<double> right = one_joint_positions(kCruise);
  const Changes drifting = kCruise + Changes{"control.clock_drift_ppm=10000"};
  const std::vector<double> fast = one_joint_positions(drifting);
  for (const double t : {2.0, 5.0, 10.0, 19.0}) {
    const auto i = static_cast<std::size_t>(std::llround(t * 1e3)) - 1;
    const double ahead = planned(prepared, 1.01 * t) - planned(prepared, t);
    EXPECT_NEAR(fast[i] - right[i], ahead, kSpeed * 1e-3) << t;
    EXPECT_GT(ahead, 0.9 * kSpeed * 0.01 * t);
  }
  // ticks from 0 to before the end, of 1 ms and of 1 ms / 1.01
  const auto steps = arm_of(prepared).plan().end / 1ms;
  EXPECT_EQ(run_to_end(prepared)["link"]["commands"]["sent"], steps);
  EXPECT_EQ(run_to_end(prepare("one-joint", drifting))["link"]["commands"]["sent"],
            std::llround(std::ceil(1.01 * static_cast<double>(steps))));
}

TEST(Clocks, OfAControllerAtTheRobotAreTheRobots) {
  for (const char* cut : {"none", "trajectory"}) {
    const Changes common{std::string("cut=") + cut, "task.hold=100ms"};
    EXPECT_EQ(state_hash("one-joint", common),
              state_hash("one-joint", common + Changes{"control.clock_offset=5ms",
                                                       "control.clock_drift_ppm=500"}))
        << cut;
  }
}

// --- ticks ---------------------------------------------------------------------------------------

struct Tick {
  Time at{};
  Time stamp{};
};

std::vector<Tick> ticks(const Changes& changes) {
  const TempFolder folder;
  SimulationOptions options;
  options.trace = folder.file("trace.mcap");
  (void)run_to_end(prepare("one-joint", changes), std::move(options));
  std::vector<Tick> all;
  EXPECT_TRUE(record::read_mcap(folder.file("trace.mcap"), [&](const record::McapMessage& message) {
    if (message.channel.topic == "/controller/joint_commands") {
      all.push_back({message.log_time, record::decode_joint_state(message.data)->stamp});
    }
  }));
  return all;
}

TEST(Ticks, AreStampedByTheControllersClock) {
  // it reads t + 3 ms + 200 ppm of t, each reading to a nanosecond
  const std::vector<Tick> all = ticks({"control.period=2ms", "control.clock_offset=3ms",
                                       "control.clock_drift_ppm=200", "task.hold=2s"});
  ASSERT_GE(all.size(), 1000U);
  for (const Tick& tick : all) {
    const double t_ns = static_cast<double>(tick.at.time_since_epoch().count());
    const double off_ns = static_cast<double>((tick.stamp - tick.at).count());
    ASSERT_NEAR(off_ns, 3e6 + 200e-6 * t_ns, 1.0);
  }
}

TEST(Ticks, AreLateByAUniformPartOfTheJitter) {
  // uniform on [0, 1.5 ms): mean 0.75 ms, standard deviation 1.5 ms / √12 = 0.433 ms; 5000 of them
  const std::vector<Tick> all =
      ticks({"control.period=2ms", "control.jitter=1500us", "task.hold=10s"});
  ASSERT_EQ(all.size(), 5000U);
  double sum_ms = 0.0;
  double squares_ms2 = 0.0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Duration late = all[k].at - Time(static_cast<std::int64_t>(k) * 2ms);
    ASSERT_GE(late, 0ms);
    ASSERT_LT(late, 1500us);
    sum_ms += 1e3 * to_seconds(late);
    squares_ms2 += 1e6 * to_seconds(late) * to_seconds(late);
  }
  const double mean = sum_ms / 5000.0;
  EXPECT_NEAR(mean, 0.75, 3.0 * 0.433 / std::sqrt(5000.0));
  // of the variance 0.1875 ms²: standard error √((1/80 - 1/144) 1.5⁴ / 5000) = 0.00237
  EXPECT_NEAR(squares_ms2 / 5000.0 - mean * mean, 0.1875, 3.0 * 0.00237);
}

TEST(Ticks, OfAPhaseInBetweenActFromTheNextStepOn) {
  const Changes common{"control.period=4ms", "states.period=4ms", "gain=100", "task.hold=500ms"};
  EXPECT_EQ(state_hash("one-joint", common + Changes{"control.phase=1500us"}),
            state_hash("one-joint", common + Changes{"control.phase=2ms"}));
  EXPECT_NE(state_hash("one-joint", common + Changes{"control.phase=1ms"}),
            state_hash("one-joint", common + Changes{"control.phase=2ms"}));
}

// --- phase and delay add up ----------------------------------------------------------------------

/// States come every control period, a tick a phase later, and its command a delay later: the loop
/// is delayed by both together.
struct PhaseCase {
  const char* name;
  int phase_ms;
  int states_ms;
  int commands_ms;
  double gain_limit;
};

void PrintTo(const PhaseCase& test, std::ostream* out) {
  *out << test.name;
}

class Phases : public testing::TestWithParam<PhaseCase> {};

TEST_P(Phases, LoseStabilityWhereTheClosedFormSays) {
  const PhaseCase& test = GetParam();
  const Changes common{"control.period=4ms",
                       "states.period=4ms",
                       "task.hold=20s",
                       fmt::format("control.phase={}ms", test.phase_ms),
                       fmt::format("link.states.delay={}ms", test.states_ms),
                       fmt::format("link.commands.delay={}ms", test.commands_ms)};
  for (const double part : {0.99, 1.01}) {
    const Json result =
        run_to_end(prepare("one-joint", common + Changes{set("gain", part * test.gain_limit)}));
    EXPECT_EQ(result["stable"], part < 1.0) << part << result.dump(2);
  }
}

// h = 4 ms. Below one tick the roots of z² - z + Kh((1 - f) z + f) stay inside for Kh f < 1 and
// Kh (1 - 2 f) < 2. Five milliseconds: 236.068, ten: 133.975, and 4 ms are one tick: 250.
INSTANTIATE_TEST_SUITE_P(
    OneJoint, Phases,
    testing::Values(PhaseCase{"None", 0, 0, 0, 500.0},                  // Kh < 2
                    PhaseCase{"Quarter", 1, 0, 0, 1000.0},              // f = 1/4: Kh < 4, twice
                    PhaseCase{"Half", 2, 0, 0, 500.0},                  // f = 1/2: Kh < 2
                    PhaseCase{"ThreeQuarters", 3, 0, 0, 1000.0 / 3.0},  // f = 3/4: Kh < 4/3
                    PhaseCase{"FiveOfPhase1", 1, 0, 4, 236.068},
                    PhaseCase{"FiveOfPhase3", 3, 0, 2, 236.068},
                    PhaseCase{"TenOfPhase2", 2, 0, 8, 133.975},
                    // states that take no longer than the phase cost nothing more
                    PhaseCase{"StatesWithinThePhase", 2, 2, 0, 500.0},
                    // 3 ms miss the tick at 2 ms and wait for that at 6: 6 + 4 = 10 ms
                    PhaseCase{"StatesPastThePhase", 2, 3, 4, 133.975}),
    [](const auto& test) { return std::string(test.param.name); });

// --- what stays the same -------------------------------------------------------------------------

TEST(Timing, OfDefaultsGivesTheBitsOfNoKeysAtAll) {
  for (const char* engine : {"mujoco", "ode"}) {
    const Changes common{std::string("engine=") + engine, "link.delay=2ms", "task.hold=300ms"};
    const std::string plain = state_hash("one-joint", common);
    EXPECT_EQ(plain,
              state_hash("one-joint",
                         common + Changes{"control.phase=0s", "control.jitter=0s",
                                          "control.clock_offset=0s", "control.clock_drift_ppm=0"}));
    for (const char* key : {"control.phase=500us", "control.jitter=500us",
                            "control.clock_offset=-100us", "control.clock_drift_ppm=50"}) {
      EXPECT_NE(plain, state_hash("one-joint", common + Changes{key})) << key;
    }
  }
}

TEST(Timing, OfJitterIsThatOfTheSeed) {
  const auto hash = [](int seed) {
    return state_hash("one-joint", {"control.jitter=900us", "link.commands.delay=300us", "gain=100",
                                    "task.hold=300ms", fmt::format("seed={}", seed)});
  };
  EXPECT_EQ(hash(1), hash(1));
  EXPECT_NE(hash(1), hash(2));
}

TEST(Timing, OfEveryKindIsRepeatedByAReplay) {
  for (const char* key :
       {"control.phase=500us", "control.jitter=900us", "control.clock_offset=-7400us",
        "control.clock_offset=3ms", "control.clock_drift_ppm=900", "states.period=2ms"}) {
    for (const char* cut : {"velocity", "position", "trajectory"}) {
      SCOPED_TRACE(std::string(key) + " " + cut);
      const TempFolder folder;
      RunOptions options;
      options.out = folder.file("run");
      const PreparedScenario prepared =
          prepare("one-joint", {key, std::string("cut=") + cut, "link.netem=delay 2ms 1ms",
                                "task.hold=200ms", "record.csv=false"});
      const RunResult run = run_scenario(prepared, options);
      const ReplayReport report = replay_run(options.out, built_in_plugins());
      EXPECT_TRUE(report.is_same);
      EXPECT_GE(report.states_compared, 99U);
      EXPECT_EQ(report.world_hash, run.metrics["world_hash"]);
    }
  }
}

}  // namespace
}  // namespace longarm::actors
