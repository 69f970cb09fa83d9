// SPDX-License-Identifier: Apache-2.0
// The kind `ros` in the kitting cell: grippers, CRCL, sensors, diagnostics, and values that change
// while the cell runs.
#include <cmath>

#include <gmock/gmock.h>

#include "longarm/actors/test/ros_fixture.h"
#include "longarm/protocols/crcl/codec.h"

namespace longarm::actors {
namespace {

namespace crcl = protocols::crcl;
using testing::Contains;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

/// As anybody adds it to a cell.
constexpr const char* kRos = "actors.ros={kind: ros, port: 0}";

class RosCell : public RosTest {
 protected:
  void begin(const std::vector<std::string>& failures = {},
             const std::vector<std::string>& changes = {kRos}) {
    start(prepare_aprs(failures, changes));
  }

  static std::vector<std::string> names(const RosLine& list) {
    std::vector<std::string> out;
    for (const RosLine& each : list) {
      out.push_back(each.is_string() ? each : each["name"]);
    }
    return out;
  }
  static RosLine find(const RosLine& list, const std::string& name) {
    for (const RosLine& each : list) {
      if (each["name"] == name) {
        return each;
      }
    }
    return {};
  }
  /// What it says last of that part of the cell.
  static RosLine diagnosis(const RosProgram& program, const std::string& name) {
    const std::vector<RosLine> all = program.with("diagnostics");
    return all.empty() ? RosLine() : find(all.back()["diagnostics"], name);
  }
  static std::string crcl_text(const crcl::CommandBody& body, std::int64_t id) {
    crcl::CommandInstance instance;
    instance.command.id = id;
    instance.command.body = body;
    const Result<std::string> text = crcl::encode(instance);
    EXPECT_TRUE(text.has_value());
    return RosLine{
        {"do", "crcl"}, {"id", id}, {"robot", "fanuc"}, {"text", text ? *text : std::string()}}
        .dump();
  }
  static std::vector<crcl::Status> statuses(const RosProgram& program, const std::string& robot) {
    std::vector<crcl::Status> out;
    for (const RosLine& line : program.with("crcl")) {
      const Result<crcl::Status> status = crcl::decode_status(line["status"].get<std::string>());
      EXPECT_TRUE(status.has_value());
      if (status && line["crcl"] == robot) {
        out.push_back(*status);
      }
    }
    return out;
  }
  bool go_to_end_of_command(RosProgram& program, std::int64_t id) {
    return go_until([&] {
      const std::vector<crcl::Status> all = statuses(program, "fanuc");
      program.heard.clear();
      return std::any_of(all.begin(), all.end(), [&](const crcl::Status& status) {
        return status.command.command_id == id && status.command.state == crcl::CommandState::kDone;
      });
    });
  }
};

TEST_F(RosCell, HelloNamesAllThatTheCellHas) {
  begin();
  const RosLine hello = join().hello;
  EXPECT_THAT(names(hello["robots"]), testing::AllOf(Contains("fanuc"), Contains("motoman")));
  EXPECT_EQ(find(hello["robots"], "fanuc")["accepts"].size(), 0u);
  EXPECT_EQ(find(hello["robots"], "fanuc")["prefix"], "fanuc/");
  EXPECT_THAT(names(hello["grippers"]), UnorderedElementsAre("fanuc", "motoman"));
  const RosLine gripper = find(hello["grippers"], "fanuc");
  EXPECT_EQ(gripper["kind"], "parallel");
  EXPECT_LT(gripper["closed"].get<double>(), gripper["open"].get<double>());
  EXPECT_EQ(gripper["max_effort"], robot(*run_, "fanuc").gripper().usual_force_N);
  EXPECT_THAT(names(hello["crcl"]), UnorderedElementsAre("fanuc", "motoman"));
  EXPECT_THAT(names(hello["cameras"]), UnorderedElementsAre("camera_1", "camera_2"));
  EXPECT_THAT(names(hello["curtains"]), UnorderedElementsAre("curtain"));
  EXPECT_EQ(find(hello["parameters"], "belt/speed")["least"], -0.2);
  EXPECT_EQ(find(hello["parameters"], "belt/speed")["most"], 0.2);
  EXPECT_EQ(find(hello["parameters"], "camera_1/link/loss")["value"], 0.0);
}

TEST_F(RosCell, GripperGoesWhereItIsTold) {
  begin();
  RosProgram& program = join();
  const RosLine gripper = find(program.hello["grippers"], "fanuc");
  const double middle_m = 0.5 * (gripper["closed"].get<double>() + gripper["open"].get<double>());
  say(program, fmt::format(R"({{"do":"grip","id":1,"gripper":"fanuc","goal":"half",)"
                           R"("position":{},"max_effort":10}})",
                           middle_m));
  ASSERT_TRUE(go_to_end_of(program, "half"));
  const RosLine end = program.end_of("half");
  EXPECT_EQ(program.states_of("half"), "accepted succeeded");
  EXPECT_EQ(end["gripper"], "fanuc");
  EXPECT_EQ(end["reached_goal"], true);
  EXPECT_EQ(end["stalled"], false);
  EXPECT_NEAR(end["position"].get<double>(), middle_m, 1.6e-3);
  EXPECT_NEAR(robot(*run_, "fanuc").gripper().separation_m, middle_m, 1.6e-3);
  const RosLine streamed = program.with("grippers").at(1)["grippers"];
  EXPECT_EQ(streamed["fanuc"]["goal"], "half");
  EXPECT_EQ(streamed["motoman"]["goal"], "");
  // one that is replaced, and one that is cancelled on its way
  say(program, R"({"do":"grip","gripper":"fanuc","goal":"open","position":1})");
  go(2ms);
  say(program, R"({"do":"grip","gripper":"fanuc","goal":"shut","position":-1})");
  go(20ms);
  say(program, R"({"do":"cancel_grip","gripper":"fanuc","goal":"another"})");
  say(program, R"({"do":"cancel_grip","gripper":"fanuc"})");
  go(1ms);
  EXPECT_EQ(program.states_of("open"), "accepted cancelled");
  EXPECT_EQ(program.states_of("shut"), "accepted cancelled");
  const double stopped_m = robot(*run_, "fanuc").gripper().separation_m;
  go(200ms);
  EXPECT_NEAR(robot(*run_, "fanuc").gripper().separation_m, stopped_m, 2e-3);
  say(program, R"({"do":"grip","id":2,"gripper":"belt","goal":"x","position":0})");
  go(1ms);
  EXPECT_EQ(program.with("error").at(0)["error"],
            "no robot called 'belt' has a gripper; those that do: fanuc, motoman");
  EXPECT_EQ(results()["grips"], 3);
  EXPECT_EQ(results()["grips_cancelled"], 2);
}

TEST_F(RosCell, GripperThatHoldsAPartHasSucceeded) {
  begin();
  RosProgram& program = join();
  robots::Robot& fanuc = robot(*run_, "fanuc");
  go(150ms);
  const model::Vector3 gear = place_of(*run_, "medium_gear_1");
  fanuc.set_gripper(1.0);
  for (const double up_m : {0.08, 0.021}) {
    model::Pose X_WT = model::Pose::Identity();
    X_WT.linear() = Eigen::AngleAxisd(M_PI, model::Vector3::UnitX()).toRotationMatrix();
    X_WT.translation() = gear + up_m * model::Vector3::UnitZ();
    robots::CartesianMotion motion;
    motion.goals.push_back(
        {fanuc.X_WB().inverse() * X_WT, {up_m > 0.05 ? 0.5 : 0.1, 3.0, 2.0, 10.0}, {}, true});
    ASSERT_TRUE(fanuc.move(motion).has_value());
    ASSERT_TRUE(go_until([&] { return fanuc.motion().state == robots::MotionState::kDone; }));
  }
  program.heard.clear();
  say(program, R"({"do":"grip","gripper":"fanuc","goal":"take","position":0,"max_effort":15})");
  ASSERT_TRUE(go_to_end_of(program, "take"));
  const RosLine end = program.end_of("take");
  EXPECT_EQ(end["state"], "succeeded") << end;
  EXPECT_EQ(end["stalled"], true);
  EXPECT_EQ(end["reached_goal"], false);
  go(20ms);
  EXPECT_EQ(program.with("grippers").back()["grippers"]["fanuc"]["holding"], true);
  // the motor's limit is what a finger presses with
  EXPECT_NEAR(end["effort"].get<double>(), 15.0, 0.5);
}

TEST_F(RosCell, CrclIsPassedToTheRobotAndItsStatusesBack) {
  begin();
  RosProgram& program = join();
  go(350ms);
  // asked at 1, 101, 201 and 301 ms
  EXPECT_EQ(statuses(program, "fanuc").size(), 4u);
  EXPECT_EQ(statuses(program, "motoman").size(), 4u);
  say(program, crcl_text(crcl::InitCanon{}, 1));
  ASSERT_TRUE(go_to_end_of_command(program, 1));
  say(program, crcl_text(crcl::SetEndEffector{0.5}, 2));
  ASSERT_TRUE(go_to_end_of_command(program, 2));
  EXPECT_NEAR(robot(*run_, "fanuc").gripper().opening, 0.5, 0.05);
  EXPECT_EQ(run_->results()["fanuc"]["commands"], 2);
  EXPECT_EQ(results()["crcl_documents"], 2);
  const auto error_of = [&](const std::string& robot, const std::string& text) {
    program.heard.clear();
    say(program, RosLine{{"do", "crcl"}, {"id", 9}, {"robot", robot}, {"text", text}}.dump());
    program.listen();
    return program.with("answer").at(0).value("error", "");
  };
  EXPECT_EQ(error_of("belt", "<a/>"),
            "no robot called 'belt' executes CRCL; those that do: fanuc, motoman");
  EXPECT_EQ(error_of("fanuc", "<CRCLCommandInstance>"), "'text' is not a whole XML document");
  EXPECT_EQ(error_of("fanuc", "<CRCLStatus/>"),
            "'text' must be a CRCLCommandInstance or a CRCLProgram");
  EXPECT_EQ(error_of("fanuc", "<CRCLProgram/><CRCLProgram/>"),
            "'text' goes on after the end of its document");
}

TEST_F(RosCell, CrclCrossesTheNetworkWhereThereIsOne) {
  begin({},
        {"actors.ros={kind: ros, port: 0, host: edge, crcl_period: 0s}", "actors.fanuc.host=robot",
         "network={hosts: {edge: {}, robot: {}}, links: {cable: {between: [edge, robot], "
         "propagation: 20ms}}}"});
  RosProgram& program = join();
  say(program, crcl_text(crcl::InitCanon{}, 1));
  // a handshake of 40 ms, then the command, which nobody answers as nobody asks
  ASSERT_TRUE(go_until([&] { return run_->results()["fanuc"]["commands"] == 1; }, 1s));
  EXPECT_GE(run_->now(), Time(60ms));
  EXPECT_LE(run_->now(), Time(65ms));
  say(program, crcl_text(crcl::GetStatus{}, 2));
  const Time asked = run_->now();
  ASSERT_TRUE(go_until([&] { return !statuses(program, "fanuc").empty(); }, 1s));
  EXPECT_GE(run_->now() - asked, 40ms);
  EXPECT_LE(run_->now() - asked, 45ms);
}

TEST_F(RosCell, CamerasAndCurtainsReport) {
  begin();
  RosProgram& program = join();
  say(program, R"({"do":"set","parameter":"camera_1/link/delay","value":0.05})");
  go(250ms);
  std::vector<RosLine> frames[2];
  for (const RosLine& line : program.with("camera")) {
    frames[line["camera"] == "camera_1" ? 0 : 1].push_back(line);
  }
  ASSERT_GE(frames[0].size(), 2u);
  ASSERT_GE(frames[1].size(), 2u);
  EXPECT_GT(frames[0].back()["frame"]["detections"].size(), 0u);
  const auto late_s = [](const RosLine& line) {
    return 1e-9 * line["t_ns"].get<double>() - line["frame"]["stamp_s"].get<double>();
  };
  EXPECT_NEAR(late_s(frames[0].back()), 0.05, 1e-9);
  EXPECT_NEAR(late_s(frames[1].back()), 0.0, 1e-9);
  ASSERT_FALSE(program.with("curtain").empty());
  EXPECT_EQ(program.with("curtain").back()["report"]["is_broken"], false);
}

TEST_F(RosCell, DiagnosticsSayWhatIsWrong) {
  begin({"300ms fanuc breaks", "300ms camera_1 silent for 10s", "300ms belt stops"});
  RosProgram& program = join();
  say(program, crcl_text(crcl::GetStatus{}, 1));
  go(1s);
  const RosLine fanuc = diagnosis(program, "fanuc");
  EXPECT_EQ(fanuc["level"], 2) << fanuc;
  EXPECT_FALSE(fanuc["message"].get<std::string>().empty());
  EXPECT_EQ(diagnosis(program, "motoman")["level"], 0);
  EXPECT_EQ(diagnosis(program, "motoman")["values"]["motion"], "idle");
  EXPECT_EQ(diagnosis(program, "camera_1")["level"], 3);
  EXPECT_EQ(diagnosis(program, "camera_2")["level"], 0);
  EXPECT_EQ(diagnosis(program, "belt")["level"], 2);
  EXPECT_EQ(diagnosis(program, "belt")["message"], "its drive is off");
  EXPECT_EQ(diagnosis(program, "curtain")["level"], 0);
  EXPECT_EQ(diagnosis(program, "safety")["values"]["stopped"], false);
}

TEST_F(RosCell, BeltGoesAsFastAsItIsTold) {
  begin();
  RosProgram& program = join();
  say(program, R"({"do":"set","parameter":"belt/speed","value":0.1})");
  say(program, R"({"do":"set","id":1,"parameter":"belt/speed","value":0.5})");
  say(program, R"({"do":"set","id":2,"parameter":"belt/speed","value":"fast"})");
  go(500ms);
  // 0.2 s of ramp at 0.5 m/s²
  EXPECT_NEAR(belt(*run_).velocity_m_s(), 0.1, 1e-3);
  EXPECT_EQ(program.with("error").at(0)["error"],
            "belt/speed = 0.5: give a number from -0.2 to 0.2");
  EXPECT_EQ(program.with("error").at(1)["error"], "belt/speed = \"fast\": give a number");
}

TEST_F(RosCell, RefusesArmsThatTakeNoGoals) {
  EXPECT_THAT(told("actors:\n  a: {kind: arm, model: ur5, end_effector: tool0, task: {path: joint, "
                   "joints_rad: [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]]}, gain: 10}\n"
                   "  ros: {kind: ros, arms: [a]}\n",
                   {}),
              HasSubstr("'a' takes no goals: it follows a plan of its own"));
}

}  // namespace
}  // namespace longarm::actors
