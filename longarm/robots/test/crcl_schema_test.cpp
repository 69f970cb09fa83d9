// SPDX-License-Identifier: Apache-2.0
// Statuses of every kind, held against the published schema of 2019 with xmllint.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "longarm/robots/test/crcl_bench.h"

namespace longarm::robots {
namespace {

namespace fs = std::filesystem;

class CrclSchema : public CrclBench {
 protected:
  void SetUp() override {
    if (!fs::exists(schema_)) {
      GTEST_SKIP() << "the schema is not at hand";
    }
    if (std::system("xmllint --version > /dev/null 2>&1") != 0) {
      GTEST_SKIP() << "xmllint is not installed";
    }
    fs::create_directories(folder_);
    begin();
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Keeps the present status for the verdict.
  void keep(CrclTalk& client) {
    client.status();
    const fs::path path = folder_ / (std::to_string(++count_) + ".xml");
    std::ofstream(path) << client.last_text();
  }
  /// All at once: starting a program is slow.
  void expect_valid() {
    ASSERT_GT(count_, 0);
    const std::string command = "xmllint --noout --nonet --schema '" + schema_.string() + "' '" +
                                folder_.string() + "'/*.xml > '" + (folder_ / "verdict").string() +
                                "' 2>&1";
    const int verdict = std::system(command.c_str());
    std::ifstream file(folder_ / "verdict");
    EXPECT_EQ(verdict, 0) << std::string(std::istreambuf_iterator<char>(file), {});
  }

  fs::path schema_ = fs::path(LONGARM_SOURCE_DIR) / "../shared/crcl/xsd_2019/CRCLStatus.xsd";
  fs::path folder_ = fs::temp_directory_path() / ("longarm-crcl-" + std::to_string(getpid()));
  int count_ = 0;
};

TEST_F(CrclSchema, EveryKindOfStatusIsValid) {
  CrclTalk fresh(door_, 2, now_);
  keep(fresh);  // ready
  settings(client_);
  client_.say(crcl::SetLengthUnits{crcl::LengthUnit::kInch});
  client_.say(crcl::SetAngleUnits{crcl::AngleUnit::kDegree});
  client_.say(crcl::SetForceUnits{crcl::ForceUnit::kOunce});
  client_.say(crcl::SetTorqueUnits{crcl::TorqueUnit::kFootPound});
  client_.say(crcl::SetTransSpeed{{true, 0.25}});
  client_.say(crcl::SetEndPoseTolerance{{0.1, {}, 0.1, {}, 1.0}});
  client_.say(crcl::SetDefaultJointPositionsTolerances{{{1, 0.5}, {6, 0.1}}});
  client_.say(crcl::ConfigureJointReports{
      .resets_all = true, .reports = {{1, true, true, true}, {6, false, true, false}}});
  client_.say(crcl::EnableSensor{"force_torque", {{"rate", "high"}}});
  client_.say(crcl::EnableSensor{"gripper", {}});
  client_.say(crcl::EnableGripper{"two_fingers", {{"grip", "soft"}}});
  client_.say(crcl::SetEndEffectorParameters{{{"action", "percentage"}}});
  client_.say(crcl::EnableRobotParameterStatus{"message"});
  client_.say(crcl::EnableRobotParameterStatus{"fault"});
  client_.say(crcl::Message{"<tray> & \"gear\" \xC3\xA4"});
  cycle();
  keep(client_);  // done, everything in it
  crcl::Guard guard;
  guard.sensor = "force_torque";
  guard.field = "Fz";
  guard.limit = crcl::GuardLimit::kOverMax;
  guard.value = 1.0;
  guard.recheck_microseconds = 1000;
  client_.say(crcl::MoveTo{.is_straight = true, .end = at(10.0, 0.0, 10.0)}, {guard});
  cycle();
  keep(client_);  // working
  robot_.readings[2].value = 2.0;
  cycle();
  arrive();
  keep(client_);  // done by a guard
  robot_.gripper_report = {.kind = GripperKind::kVacuum, .name = "1 cup", .is_powered = true};
  keep(client_);
  robot_.gripper_report.kind = GripperKind::kNone;
  keep(client_);
  client_.say(crcl::RunProgram{"x"});
  keep(client_);  // error
  fresh.say_text("<CRCLStatus/>");
  fresh.take_output();
  keep(fresh);  // its own trouble
  expect_valid();
}

TEST_F(CrclSchema, OnlyTheModelsOfTheLabsExtensionAreNot) {
  door_.set_models([] { return std::vector<CrclModelReport>{{"gear", Pose::Identity(), {}}}; });
  client_.say(crcl::SetRobotParameters{{{"reportModels", "true"}}});
  keep(client_);
  EXPECT_NE(client_.last_text().find("<ModelStatus>"), std::string::npos);
  client_.say(crcl::SetRobotParameters{{{"reportModels", "false"}}});
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  keep(client_);
  expect_valid();
}

TEST_F(CrclSchema, NumbersThatAreNoneAreNeverSent) {
  robot_.robot_state.X_BT.translation().x() = std::nan("");
  keep(client_);
  EXPECT_FALSE(client_.status().pose);
  expect_valid();
}

}  // namespace
}  // namespace longarm::robots
