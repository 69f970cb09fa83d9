// SPDX-License-Identifier: Apache-2.0
// Arms, worlds and ports that make sense, and what is said of those that do not.
#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labs/labs.h"
#include "longarm/actors/test/ur_fixture.h"

namespace longarm::actors {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string ur_error(const std::string& text, const std::vector<std::string>& changes = {}) {
  return load_error(text, "arms.yaml", changes);
}

constexpr const char* kAlone = "engine: kinematic\nlength: 1s\nactors: {ur5: {kind: ur}}\n";

std::set<std::string> door_names(cell::Run& run) {
  std::set<std::string> names;
  for (const protocols::Door* door : run.world().doors()) {
    names.insert(door->name());
  }
  return names;
}

TEST(UrArms, HaveTheDoorsOfTheirController) {
  cell::Run run(load_ur(kAlone));
  EXPECT_EQ(door_names(run),
            (std::set<std::string>{"ur5.primary", "ur5.primary_ro", "ur5.secondary",
                                   "ur5.secondary_ro", "ur5.realtime", "ur5.realtime_ro",
                                   "ur5.rtde", "ur5.dashboard", "ur5.sockets"}));
  run.run_until(run.end());
  // 1 s of 8 ms each
  EXPECT_EQ(run.results()["ur5"]["cycles"], 125);
}

TEST(UrArms, AreSeveralInOneCellWithPortsOfTheirOwn) {
  const std::string two = std::string(kAlone);
  const std::vector<std::string> second{"actors.other.kind=ur",
                                        "actors.other.pose_m_deg=[0, 1.5, 0, 0, 0, 0]"};
  EXPECT_EQ(ur_error(two, second), "no error");  // they clash when they are served, see there
  std::vector<std::string> apart = second;
  apart.emplace_back(
      "actors.other.ports={primary: 0, primary_ro: 0, secondary: 0, secondary_ro: "
      "0, realtime: 0, realtime_ro: 0, rtde: 0, dashboard: 0}");
  cell::Run run(load_ur(two, apart));
  EXPECT_TRUE(door_names(run).contains("other.realtime"));
  EXPECT_TRUE(door_names(run).contains("ur5.realtime"));
  run.run_until(run.end());
  EXPECT_EQ(run.results()["other"]["cycles"], 125);
  EXPECT_THAT(ur_error(two, {"actors.other.kind=ur"}), HasSubstr("at the same place as 'ur5'"));
}

/// A folder that goes away.
class OwnFolder {
 public:
  explicit OwnFolder(const std::string& name)
      : path_(fs::path(testing::TempDir()) / ("longarm_ur_keys_" + name)) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~OwnFolder() { fs::remove_all(path_); }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  const fs::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }

 private:
  fs::path path_;
};

constexpr const char* kBall =
    R"(<sdf version="1.7"><world name="w"><model name="ball"><static>1</static>
<link name="l"><collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry>
</collision></link></model></world></sdf>)";

// without its world and its programs where they were
TEST(UrArms, KeepTheFilesThatARunNeedsAgain) {
  const OwnFolder own("kept");
  own.write("ball.sdf", kBall);
  own.write("progs/wave.script", "popup(1)\n");
  const auto load = [](const fs::path& file) {
    return cell::load_scenario(file, {}, labs::built_in_plugins());
  };
  own.write("arms.yaml", std::string(kAlone) + "world: ball.sdf\n");
  cell::PreparedScenario prepared =
      cell::load_scenario(own.path() / "arms.yaml", {.overrides = {"actors.ur5.programs=progs"}},
                          labs::built_in_plugins());
  fs::create_directories(own.path() / "run");
  write_scenario(prepared, own.path() / "run");
  fs::remove(own.path() / "ball.sdf");
  fs::remove_all(own.path() / "progs");
  const cell::PreparedScenario again = load(own.path() / "run" / "scenario.yaml");
  EXPECT_EQ(again.identity, prepared.identity);
  EXPECT_EQ(again.files_hash, prepared.files_hash);
  EXPECT_EQ(cell::Run(again).world().model().placements.size(), 2U);
  own.write("run/inputs/progs/wave.script", "popup(2)\n");
  EXPECT_NE(load(own.path() / "run" / "scenario.yaml").files_hash, prepared.files_hash);
}

TEST(UrArms, NameFilesElsewhereByTheirWholePath) {
  const OwnFolder own("elsewhere");
  own.write("ball.sdf", kBall);
  own.write("here/arms.yaml", std::string(kAlone) + "world: ../ball.sdf\n");
  const cell::PreparedScenario prepared =
      cell::load_scenario(own.path() / "here" / "arms.yaml", {}, labs::built_in_plugins());
  EXPECT_TRUE(prepared.kept.all().empty());
  EXPECT_THAT(to_yaml(prepared.scenario, prepared.plugins),
              HasSubstr("world: \"" + (own.path() / "ball.sdf").string() + "\"\n"));
}

TEST(UrArms, GoOnBehindTheirLengthIfTheyMay) {
  cell::Run alone(load_ur(kAlone, {"length=16ms"}));
  EXPECT_TRUE(alone.lift_length());
  alone.run_until(Time(std::chrono::milliseconds(40)));
  EXPECT_EQ(alone.now(), Time(std::chrono::milliseconds(40)));
  EXPECT_FALSE(alone.is_over());
  // the plan and the network are made for a length
  EXPECT_FALSE(cell::Run(load_ur(kUrDriven)).lift_length());
}

TEST(UrArms, KeepTheDriversCallsInside) {
  cell::Run run(load_ur(kUrDriven, by_method("servoj")));
  EXPECT_FALSE(door_names(run).contains("ur5.sockets"));
  EXPECT_TRUE(door_names(run).contains("ur5.realtime"));
}

TEST(UrKeys, AreRefusedWithAWordAndAHint) {
  EXPECT_THAT(ur_error("experiment: ur\n"), HasSubstr("'experiment: ur' is now written as actors"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.robot="}), HasSubstr("the driver has no robot"));
  EXPECT_THAT(ur_error(kAlone, {"length=0s"}), HasSubstr("the length must be greater than zero"));
  EXPECT_THAT(ur_error(kAlone, {"world=nowhere.sdf"}), HasSubstr("file not found: 'nowhere.sdf'"));
  EXPECT_THAT(ur_error(kAlone, {"actors.ur5.model=ur55"}), HasSubstr("there is no model 'ur55'"));
  EXPECT_THAT(ur_error(kAlone, {"actors.ur5.pose_m_deg=[1, 2]"}), HasSubstr("six numbers"));
  EXPECT_THAT(ur_error(kAlone, {"actors.ur5.firmware=2.0"}), HasSubstr("firmware"));
  EXPECT_THAT(ur_error(kAlone, {"physics.period=3ms"}), HasSubstr("8"));
  EXPECT_THAT(
      ur_error(kAlone, {"actors.driver={kind: ur-driver, robot: ur5}"}),
      HasSubstr(
          "'driver' uses the UR controller of 'ur5' across the network, but 'driver' has no host"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.method=teleport"}), HasSubstr("ros_control"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.method=ros_control"}),
              HasSubstr("hint: actors.ur5.controller: none"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.ur5.controller=none"}),
              HasSubstr("hint: actors.ur5.controller: ur"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.robot=ur6"}), HasSubstr("did you mean 'ur5'?"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.host=drivr"}),
              HasSubstr("did you mean 'driver'?"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.ur5.host=there"}), HasSubstr("no host 'there'"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.phase=8ms"}), HasSubstr("less than 8ms"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.start=-1s"}), HasSubstr("0s to 10min"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.gains.p=[1, 2]"}),
              HasSubstr("2 gains for 6 joints"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.speedj.acceleration_rad_s2=0"}),
              HasSubstr("positive"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.speedj.time=-8ms"}), HasSubstr("0s to 10s"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.servoj.gain=10"}), HasSubstr("100 to 2000"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.servoj.lookahead_s=1"}),
              HasSubstr("0.03 to 0.2"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.servoj.reverse_port=0"}),
              HasSubstr("1 to 65535"));
  EXPECT_THAT(ur_error(kUrDriven, by_method("servoj", {"actors.driver.tick=timer"})),
              HasSubstr("this key applies to method speedj only"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.task.joints_rad=[[1, 2]]"}),
              HasSubstr("has 6 numbers"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.driver.task.joints_rad=[]"}), HasSubstr("no waypoints"));
  EXPECT_THAT(ur_error(kUrDriven, {"actors.ur5.ports.realtime=-1"}),
              HasSubstr("needs a realtime port"));
  EXPECT_EQ(ur_error(kUrDriven), "no error");
}

// the ports of a UR controller have no other transport; a bare loop may
TEST(UrKeys, AUrDriverNeedsTcp) {
  for (const char* method : {"speedj", "servoj"}) {
    for (const auto& [change, where] : {std::pair("network.flows=udp", "--set network.flows=udp"),
                                        std::pair("actors.driver.robot.transport=udp",
                                                  "--set actors.driver.robot.transport=udp")}) {
      EXPECT_EQ(ur_error(kUrDriven, by_method(method, {change})),
                std::string(where) + ": error: method " + method +
                    " uses the ports of a UR controller, which need TCP\n"
                    "  hint: set robot: {of: ur5, transport: tcp}, or network.flows: tcp; only "
                    "method ros_control may use others");
    }
  }
  EXPECT_EQ(ur_error(kUrDriven, by_method("servoj", {"network.flows=udp",
                                                     "actors.driver.robot.transport=tcp"})),
            "no error");
  EXPECT_EQ(ur_error(kUrDriven, by_method("ros_control", {"network.flows=udp"})), "no error");
}

TEST(UrKeys, NameTheStepThatDoesNotDivideTheCycle) {
  EXPECT_EQ(ur_error(kUrDriven, {"physics.period=16ms"}),
            "--set physics.period=16ms: error: a physics step of 16ms does not divide the control "
            "cycle of 8 ms\n"
            "  hint: 1ms is usual; 2ms, 4ms and 8ms also work");
}

TEST(UrKeys, NameTheOtherDoorOfATakenPort) {
  EXPECT_EQ(
      ur_error(kAlone, {"actors.ur5.ports.primary=30002"}),
      "--set actors.ur5.ports.primary=30002: error: port 30002 is already used by 'secondary'\n"
      "  hint: give each its own port; 0: a free port");
}

}  // namespace
}  // namespace longarm::actors
