// SPDX-License-Identifier: Apache-2.0
// What runs leave behind: the same bytes every time, replays that repeat them, traces that were cut
// short, and frames at past times.
#include <filesystem>
#include <map>
#include <thread>
#include <variant>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "longarm/actors/arm_replay.h"
#include "longarm/actors/test/arm_fixture.h"
#include "longarm/cell/run_folder.h"
#include "longarm/config/text_file.h"
#include "longarm/core/random.h"
#include "longarm/motion/kinematics.h"
#include "longarm/record/frame_buffer.h"
#include "longarm/record/mcap_reader.h"
#include "longarm/record/ros_messages.h"

namespace longarm::actors {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// The UR5 task cut down to its first waypoint, over a link that delays, swaps and loses.
const Changes kLossyWaypoint{"task.poses_m_deg=[[0.5, 0.3, 0.3, 180, 0, -90]]",
                             "task.acceleration_limit_rad_s2=5", "task.hold=300ms",
                             "link.netem=delay 3ms 2ms loss 2% duplicate 2%", "record.csv=false"};

RunResult run_into(const std::string& folder, const PreparedScenario& prepared) {
  RunOptions options;
  options.out = folder;
  return run_scenario(prepared, options);
}

// --- bytes ---------------------------------------------------------------------------------------

TEST(Recording, GivesTheSameBytesInEightThreads) {
  const TempFolder folder;
  const PreparedScenario prepared = prepare("ur5-waypoints", kLossyWaypoint);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      SimulationOptions options;
      options.trace = folder.file(fmt::format("{}.mcap", i));
      (void)run_to_end(prepared, std::move(options));
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const std::string first = config::read_text_file(folder.file("0.mcap"));
  EXPECT_GT(first.size(), 100'000U);
  for (int i = 1; i < 8; ++i) {
    EXPECT_TRUE(config::read_text_file(folder.file(fmt::format("{}.mcap", i))) == first) << i;
  }
}

TEST(Recording, ChangesNothingAboutTheRun) {
  const TempFolder folder;
  const PreparedScenario prepared = prepare("ur5-waypoints", kLossyWaypoint);
  SimulationOptions options;
  options.trace = folder.file("trace.mcap");
  options.folder = folder.file("");
  options.writes_csv = true;
  EXPECT_EQ(run_to_end(prepared, std::move(options))["state_hash"],
            run_to_end(prepared)["state_hash"]);
}

// --- replays -------------------------------------------------------------------------------------

TEST(Replay, RepeatsEveryCutOnEveryEngine) {
  for (const char* engine : {"mujoco", "ode"}) {
    for (const char* cut :
         {"none", "trajectory", "position", "velocity", "effort", "stale-servo"}) {
      SCOPED_TRACE(std::string(engine) + " " + cut);
      const TempFolder folder;
      const PreparedScenario prepared = prepare(
          "ur5-waypoints",
          kLossyWaypoint + Changes{std::string("engine=") + engine, std::string("cut=") + cut});
      const RunResult run = run_into(folder.file("run"), prepared);
      const ReplayReport report = replay_run(folder.file("run"), built_in_plugins());
      EXPECT_TRUE(report.is_same);
      EXPECT_EQ(report.largest_difference, 0.0);
      EXPECT_EQ(report.trace_problem, "");
      EXPECT_EQ(report.end, Time(arm_of(prepared).plan().end));
      // states of every step but the start
      EXPECT_EQ(report.states_compared,
                static_cast<std::uint64_t>(arm_of(prepared).plan().end / 1ms) - 1);
      EXPECT_EQ(report.world_hash, run.metrics["world_hash"]);
    }
  }
}

TEST(Replay, SeesThatARunWasAnother) {
  // the recorded commands of one run, the metrics and scenario of another
  const TempFolder folder;
  (void)run_into(folder.file("a"), prepare("ur5-waypoints", kLossyWaypoint));
  (void)run_into(folder.file("b"),
                 prepare("ur5-waypoints", kLossyWaypoint + Changes{"engine=ode"}));
  fs::copy_file(folder.file("a/trace.mcap"), folder.file("b/trace.mcap"),
                fs::copy_options::overwrite_existing);
  EXPECT_THROW((void)replay_run(folder.file("b"), built_in_plugins()), InputError);
}

// --- cut short -----------------------------------------------------------------------------------

/// A run of 1.5 s, whose trace is then cut at will.
class CutShort : public testing::Test {
 protected:
  void SetUp() override {
    (void)run_into(path("."), prepare("one-joint", {"gain=30", "link.netem=delay 3ms 2ms loss 2%",
                                                    "task.hold=1500ms", "record.csv=false"}));
    whole_ = config::read_text_file(path("trace.mcap"));
  }
  std::string path(const std::string& name) const { return folder_.file("run/" + name); }
  void cut_at(std::size_t size) const {
    std::ofstream(path("trace.mcap"), std::ios::binary) << whole_.substr(0, size);
  }
  /// What replay says, or why it refuses.
  std::variant<ReplayReport, std::string> replay() const {
    try {
      return replay_run(folder_.file("run"), built_in_plugins());
    } catch (const InputError& problem) {
      return problem.what();
    }
  }

  TempFolder folder_;
  std::string whole_;
};

TEST_F(CutShort, ATraceReplaysTheSameUpToThere) {
  fs::remove(path("metrics.json"));  // a run that was killed has none
  RandomStream random(1, "cuts");
  std::map<std::size_t, ReplayReport> reports;
  for (int i = 0; i < 50; ++i) {
    const std::size_t size = random.bits() % whole_.size();
    cut_at(size);
    const auto outcome = replay();
    if (const auto* refusal = std::get_if<std::string>(&outcome)) {
      // nothing of the first second is there yet: schemas, or less
      EXPECT_LT(size, whole_.size() / 4) << *refusal;
      EXPECT_THAT(*refusal, testing::AnyOf(testing::HasSubstr("it contains no joint states"),
                                           testing::HasSubstr("not an MCAP file")));
      continue;
    }
    const auto& report = std::get<ReplayReport>(outcome);
    EXPECT_TRUE(report.is_same) << size;
    EXPECT_NE(report.trace_problem, "") << size;
    reports[size] = report;
  }
  ASSERT_GT(reports.size(), 35U);
  // the more bytes, the further
  std::uint64_t compared = 0;
  for (const auto& [size, report] : reports) {
    EXPECT_GE(report.states_compared, compared) << size;
    EXPECT_EQ(report.states_compared,
              static_cast<std::uint64_t>(report.end.time_since_epoch() / 1ms))
        << size;
    compared = report.states_compared;
  }
  EXPECT_GT(compared, 1000U);
}

TEST_F(CutShort, ATraceOfARunThatEndedReplaysTheSameUpToThereToo) {
  // half of it was lost on the way to another machine; the metrics are those of the whole
  cut_at(whole_.size() / 2);
  const auto outcome = replay();
  ASSERT_TRUE(std::holds_alternative<ReplayReport>(outcome)) << std::get<std::string>(outcome);
  const auto& report = std::get<ReplayReport>(outcome);
  EXPECT_NE(report.trace_problem, "");
  EXPECT_GT(report.states_compared, 100U);
  EXPECT_FALSE(report.differs_at.has_value());
  EXPECT_TRUE(report.is_same);
}

// --- frames --------------------------------------------------------------------------------------

TEST(Frames, OfThePastAreThoseOfTheRecordedJointStates) {
  const TempFolder folder;
  const PreparedScenario prepared = prepare("ur5-waypoints", kLossyWaypoint);
  SimulationOptions options;
  options.trace = folder.file("trace.mcap");
  (void)run_to_end(prepared, std::move(options));
  std::map<Time, std::vector<double>> states;
  ASSERT_TRUE(record::read_mcap(folder.file("trace.mcap"), [&](const record::McapMessage& message) {
    if (message.channel.topic == "/joint_states") {
      const auto decoded = record::decode_joint_state(message.data);
      states[decoded->stamp] = decoded->positions;
    }
  }));
  const Result<record::FrameBuffer> frames = record::read_frames(folder.file("trace.mcap"));
  ASSERT_TRUE(frames);
  const motion::Kinematics kinematics(prepared.model.placements.front().tree);
  const auto off_m = [&](const std::string& frame, Time time) {
    const auto looked_up = frames->lookup("base_link", frame, time);
    EXPECT_TRUE(looked_up) << (looked_up ? "" : looked_up.error().message);
    const motion::Pose X = kinematics.pose_of(kinematics.frame(frame), states.at(time));
    const Eigen::Quaterniond turn(X.linear());
    return (looked_up->translation_m - X.translation()).norm() +
           turn.angularDistance(looked_up->rotation);
  };
  double moved = 0.0;
  for (Time time(50ms); time + 5ms < Time(arm_of(prepared).plan().end); time += 50ms) {
    for (const char* frame : {"shoulder_link", "forearm_link", "wrist_3_link", "tool0"}) {
      // /tf has every tenth step: there exactly
      EXPECT_LT(off_m(frame, time), 1e-9) << frame << " at " << to_seconds(time.time_since_epoch());
      // In between on the chord of 10 ms: off by a h²/8. The tool's acceleration is below 6 joints
      // · 5 rad/s² · 1 m and what turning adds, say 60 m/s²: 0.75 mm.
      EXPECT_LT(off_m(frame, time + 5ms), 1e-3) << frame;
    }
    moved = std::max(moved, (frames->lookup("base_link", "tool0", time)->translation_m -
                             frames->lookup("base_link", "tool0", Time(10ms))->translation_m)
                                .norm());
  }
  EXPECT_GT(moved, 0.1);
}

// --- the folder of a run -------------------------------------------------------------------------

/// Whether the scenario in the folder of a run, with the files it keeps, gives the same run.
void expect_self_contained(const std::string& scenario_file) {
  const TempFolder out;
  const PreparedScenario prepared = load_scenario(scenario_file, {}, built_in_plugins());
  const RunResult run = run_into(out.file("run"), prepared);
  try {
    const PreparedScenario again =
        load_scenario(out.file("run/scenario.yaml"), {}, built_in_plugins());
    EXPECT_EQ(run_to_end(again)["state_hash"], run.metrics["state_hash"]);
    EXPECT_TRUE(replay_run(out.file("run"), built_in_plugins()).is_same);
  } catch (const InputError& problem) {
    ADD_FAILURE() << problem.what();
  }
}

const std::string kOneJoint =
    "task: {path: step, joints_rad: [[0.1]], hold: 50ms}\n"
    "gain: 10\n";

TEST(RunFolder, RunsAgainWhateverTheTracesAreCalled) {
  const TempFolder folder;
  const std::string csv = "time_s,delay_ms\n0,5\n0.01,7\n";
  for (const char* name : {"states.csv", "trace.csv", "log.txt", "with..dots.csv"}) {
    SCOPED_TRACE(name);
    folder.write(name, csv);
    folder.write(
        "cell.yaml",
        kOneJoint + "robot: {model: one-joint, end_effector: tip}\nlink: {trace: " + name + "}\n");
    try {
      expect_self_contained(folder.file("cell.yaml"));
    } catch (const InputError& problem) {
      ADD_FAILURE() << problem.what();
    }
  }
}

TEST(RunFolder, RunsAgainWhereTheRobotsFileIsCalledAsTheWorlds) {
  const TempFolder folder;
  fs::create_directories(folder.file("arm"));
  fs::create_directories(folder.file("cell"));
  const fs::path data = LONGARM_SOURCE_DIR;
  fs::copy_file(data / "models/one-joint/one-joint.urdf", folder.file("arm/model.xml"));
  fs::copy_file(data / "scenarios/obstacles.sdf", folder.file("cell/model.xml"));
  folder.write("cell.yaml", kOneJoint +
                                "robot: {model: arm/model.xml, end_effector: tip}\n"
                                "world: cell/model.xml\n");
  expect_self_contained(folder.file("cell.yaml"));
}

}  // namespace
}  // namespace longarm::actors
