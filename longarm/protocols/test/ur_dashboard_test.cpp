// SPDX-License-Identifier: Apache-2.0
// The dashboard server: lines in, lines out.
#include <gmock/gmock.h>

#include "longarm/protocols/test/ur_rtde_port.h"
#include "longarm/protocols/ur/dashboard_door.h"

namespace longarm::protocols::ur {
namespace {

using testing::ElementsAre;

constexpr ConnectionId kClient{1};

class Dashboard : public testing::Test {
 protected:
  Dashboard() { door.open(kClient, Time{}); }

  std::string ask(std::string_view bytes) {
    door.take_output(kClient);
    door.receive(kClient, bytes, Time{});
    return door.take_output(kClient);
  }

  ScriptedController controller;
  DashboardDoor door{"ur5.dashboard", 29999, controller};
};

TEST_F(Dashboard, GreetsWhoeverConnects) {
  EXPECT_EQ(door.take_output(kClient), "Connected: Universal Robots Dashboard Server\n");
  EXPECT_EQ(door.name(), "ur5.dashboard");
  EXPECT_EQ(door.port(), 29999);
}

TEST_F(Dashboard, CarriesOutOrdersAndSaysSo) {
  EXPECT_EQ(ask("power on\n"), "Powering on\n");
  EXPECT_EQ(ask("brake release\n"), "Brake releasing\n");
  EXPECT_EQ(ask("load pick.urp\n"), "Loading program: pick.urp\n");
  EXPECT_EQ(ask("play\n"), "Starting program\n");
  EXPECT_EQ(ask("pause\n"), "Pausing program\n");
  EXPECT_EQ(ask("stop\n"), "Stopped\n");
  EXPECT_EQ(ask("unlock protective stop\n"), "Protective stop releasing\n");
  EXPECT_EQ(ask("power off\n"), "Powering off\n");
  EXPECT_THAT(controller.asked, ElementsAre("power_on", "release_brakes", "load pick.urp", "play",
                                            "pause", "stop", "unlock", "power_off"));
}

TEST_F(Dashboard, RepeatsTheControllersRefusal) {
  controller.refusal = "Failed to execute: play";
  EXPECT_EQ(ask("play\n"), "Failed to execute: play\n");
  controller.refusal = "two\nlines";
  EXPECT_EQ(ask("stop\n"), "two lines\n") << "an answer is one line";
}

TEST_F(Dashboard, TellsModesByTheirNames) {
  const std::pair<RobotMode, std::string> robot_modes[] = {
      {RobotMode::kNoController, "NO_CONTROLLER"},
      {RobotMode::kDisconnected, "DISCONNECTED"},
      {RobotMode::kConfirmSafety, "CONFIRM_SAFETY"},
      {RobotMode::kBooting, "BOOTING"},
      {RobotMode::kPowerOff, "POWER_OFF"},
      {RobotMode::kPowerOn, "POWER_ON"},
      {RobotMode::kIdle, "IDLE"},
      {RobotMode::kBackdrive, "BACKDRIVE"},
      {RobotMode::kRunning, "RUNNING"},
      {RobotMode::kUpdating, "UPDATING"}};
  for (const auto& [mode, name] : robot_modes) {
    controller.controller_state.robot_mode = mode;
    EXPECT_EQ(ask("robotmode\n"), "Robotmode: " + name + "\n");
  }
  const std::pair<SafetyMode, std::string> safety_modes[] = {
      {SafetyMode::kNormal, "NORMAL"},
      {SafetyMode::kReduced, "REDUCED"},
      {SafetyMode::kProtectiveStop, "PROTECTIVE_STOP"},
      {SafetyMode::kRecovery, "RECOVERY"},
      {SafetyMode::kSafeguardStop, "SAFEGUARD_STOP"},
      {SafetyMode::kSystemEmergencyStop, "SYSTEM_EMERGENCY_STOP"},
      {SafetyMode::kRobotEmergencyStop, "ROBOT_EMERGENCY_STOP"},
      {SafetyMode::kViolation, "VIOLATION"},
      {SafetyMode::kFault, "FAULT"}};
  for (const auto& [mode, name] : safety_modes) {
    controller.controller_state.safety_mode = mode;
    EXPECT_EQ(ask("safetymode\n"), "Safetymode: " + name + "\n");
    EXPECT_EQ(ask("safetystatus\n"), "Safetystatus: " + name + "\n");
  }
}

TEST_F(Dashboard, TellsWhatBecomesOfTheProgram) {
  EXPECT_EQ(ask("programState\n"), "STOPPED <unnamed>\n");
  EXPECT_EQ(ask("running\n"), "Program running: false\n");
  EXPECT_EQ(ask("get loaded program\n"), "No program loaded\n");
  EXPECT_EQ(ask("isProgramSaved\n"), "false <unnamed>\n");
  controller.program = "pick.urp";
  controller.controller_state.runtime_state = RuntimeState::kPlaying;
  EXPECT_EQ(ask("programState\n"), "PLAYING pick.urp\n");
  EXPECT_EQ(ask("running\n"), "Program running: true\n");
  EXPECT_EQ(ask("get loaded program\n"), "Loaded program: pick.urp\n");
  EXPECT_EQ(ask("is program saved\n"), "true pick.urp\n");
  controller.program = "/programs/sub/pick.urp";
  EXPECT_EQ(ask("programState\n"), "PLAYING pick.urp\n");
  controller.controller_state.runtime_state = RuntimeState::kPaused;
  EXPECT_EQ(ask("programState\n"), "PAUSED pick.urp\n");
  EXPECT_EQ(ask("running\n"), "Program running: false\n");
}

TEST_F(Dashboard, TellsWhatItIs) {
  controller.controller_info.firmware = {3, 15, 8, 106339};
  EXPECT_EQ(ask("PolyscopeVersion\n"), "URSoftware 3.15.8.106339 (Longarm)\n");
  EXPECT_EQ(ask("version\n"), "3.15.8.106339\n");
  EXPECT_EQ(ask("get robot model\n"), "UR5\n");
  EXPECT_EQ(ask("get serial number\n"), "20153500001\n");
}

TEST_F(Dashboard, KnowsWhatClientLibrariesAskFor) {
  EXPECT_EQ(ask("saveLog\n"), "Log saved to disk\n");
  EXPECT_EQ(ask("load installation default.installation\n"),
            "Loading installation: default.installation\n");
  EXPECT_EQ(ask("load installation other.installation\n"), "File not found: other.installation\n");
  EXPECT_EQ(ask("restart safety\n"), "Restarting safety\n");
  EXPECT_EQ(ask("generate flight report \n"), "Flight Report generated with id: 1\n");
  EXPECT_EQ(ask("generate support file .\n"), "Completed successfully: ./support_2.zip\n");
  EXPECT_THAT(controller.asked, ElementsAre("restart_safety"));
}

TEST_F(Dashboard, KeepsTheUserRole) {
  EXPECT_EQ(ask("getUserRole\n"), "NONE\n");
  for (const std::string role : {"PROGRAMMER", "OPERATOR", "LOCKED", "RESTRICTED", "NONE"}) {
    EXPECT_EQ(ask("setUserRole " + role + "\n"), "Setting user role: " + role + "\n");
    EXPECT_EQ(ask("getUserRole\n"), role + "\n");
  }
  EXPECT_EQ(ask("setUserRole operator\n"), "Setting user role: operator\n");
  EXPECT_EQ(ask("setUserRole king\n"), "Failed setting user role: king\n");
  EXPECT_EQ(ask("getUserRole\n"), "OPERATOR\n");
}

TEST_F(Dashboard, ShowsPopups) {
  EXPECT_EQ(ask("popup Mind the arm\n"), "showing popup\n");
  EXPECT_EQ(ask("close popup\n"), "closing popup\n");
  EXPECT_EQ(ask("close safety popup\n"), "closing safety popup\n");
  EXPECT_EQ(ask("addToLog hello\n"), "Added log message\n");
  EXPECT_THAT(controller.asked, ElementsAre("popup Mind the arm", "popup ", "log hello"));
}

TEST_F(Dashboard, TakesNoNoticeOfCaseBlanksAndCarriageReturns) {
  EXPECT_EQ(ask("  ROBOTMODE \r\n"), "Robotmode: RUNNING\n");
  EXPECT_EQ(ask("Load  My Program.urp \r\n"), "Loading program: My Program.urp\n");
  EXPECT_EQ(ask("\r\n\n  \n"), "") << "an empty line asks for nothing";
}

TEST_F(Dashboard, SaysWhatItDoesNotUnderstand) {
  EXPECT_EQ(ask("dance\n"), "could not understand: 'dance'\n");
  EXPECT_EQ(ask("power on now\n"), "could not understand: 'power on now'\n");
  EXPECT_EQ(ask("loads\n"), "could not understand: 'loads'\n");
  EXPECT_TRUE(controller.asked.empty());
}

TEST_F(Dashboard, RefusesToShutDown) {
  EXPECT_EQ(ask("shutdown\n"), "Failed to execute: shutdown\n");
  EXPECT_FALSE(door.is_over(kClient));
}

TEST_F(Dashboard, EndsWithQuitAndHearsNothingAfterIt) {
  EXPECT_EQ(ask("quit\npower on\n"), "Disconnected\n");
  EXPECT_TRUE(door.is_over(kClient));
  EXPECT_TRUE(controller.asked.empty());
}

TEST_F(Dashboard, AnswersTheSameHoweverLinesAreCut) {
  const std::string bytes = "robotmode\r\nload a.urp\nwhat\nrunning\n";
  const std::string whole = ask(bytes);
  EXPECT_EQ(whole,
            "Robotmode: RUNNING\nLoading program: a.urp\ncould not understand: 'what'\n"
            "Program running: false\n");
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    std::string answer = ask(bytes.substr(0, cut));
    answer += ask(bytes.substr(cut));
    EXPECT_EQ(answer, whole) << "cut at " << cut;
  }
}

TEST_F(Dashboard, ForgetsLongLines) {
  // the longest line that is read: 5 for "load " and a name that fills the rest
  const std::string longest(kMaxDashboardLineBytes - 5, 'x');
  EXPECT_EQ(ask("load " + longest + "\n"), "Loading program: " + longest + "\n");
  EXPECT_EQ(ask("load " + longest + "y\n").substr(0, 28), "could not understand: 'load ");
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(ask(std::string(10'000, 'x')), "");
  }
  EXPECT_EQ(ask("\nrunning\n"),
            "could not understand: '" + std::string(64, 'x') + "...'\nProgram running: false\n");
}

TEST_F(Dashboard, SendsAwayWhoAsksWithoutListening) {
  std::string questions;
  for (int i = 0; i < 100'000; ++i) {
    questions += "running\n";
  }
  const std::string answers = ask(questions);
  EXPECT_TRUE(door.is_over(kClient));
  // the limit and one more line of 23 bytes at most
  EXPECT_LE(answers.size(), 256U * 1024 + 24);
}

TEST_F(Dashboard, KeepsClientsApart) {
  const ConnectionId other{2};
  door.open(other, Time{});
  door.receive(kClient, "robot", Time{});
  door.receive(other, "running\n", Time{});
  door.receive(kClient, "mode\n", Time{});
  EXPECT_EQ(door.take_output(other),
            "Connected: Universal Robots Dashboard Server\nProgram running: false\n");
  EXPECT_EQ(door.take_output(kClient),
            "Connected: Universal Robots Dashboard Server\nRobotmode: RUNNING\n");
  door.close(other, Time{});
  EXPECT_EQ(door.clients(), 1U);
  door.receive(other, "running\n", Time{});
  EXPECT_EQ(door.take_output(other), "");
}

}  // namespace
}  // namespace longarm::protocols::ur
