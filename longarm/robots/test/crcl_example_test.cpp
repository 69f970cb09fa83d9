// SPDX-License-Identifier: Apache-2.0
// The standard's example program, executed to its end by a robot that is large enough.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "longarm/robots/test/crcl_cell.h"

namespace longarm::robots {
namespace {

class CrclGantry : public ::testing::Test {
 protected:
  static RobotConfig config() {
    RobotConfig config;
    config.placement = "gantry";
    config.flange = "flange";
    config.tool_frame = "flange";
    config.home = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    config.fastest.speed_m_s = 2.0;
    config.tool_changer.tools = {"long_tool", "short_tool"};
    config.tool_changer.mounted = "long_tool";
    return config;
  }

  model::Cell world_ = load_crcl_cell("crcl_gantry.sdf");
  CrclCell cell_{world_, config(), Duration(2'000'000)};
  CrclTalk& client_ = cell_.client();
};

TEST_F(CrclGantry, PutsAToolDownAndTakesTheOther) {
  client_.say(crcl::InitCanon{});
  const physics::BodyId long_tool = cell_.body("long_tool", "plate");
  cell_.expect_done(crcl::MoveTo{.is_straight = true, .end = down_at(8.25, 1.0, 1.0)});
  cell_.expect_done(crcl::MoveTo{.is_straight = true, .end = down_at(8.25, 1.0, 0.4)});
  cell_.expect_done(crcl::OpenToolChanger{});
  EXPECT_FALSE(client_.status().gripper);
  // the controlled point is the flange now, 0.1 m above the tip that was told to go to 0.4
  EXPECT_NEAR(client_.status().pose->pose.point.z, 0.5, 2e-3);
  cell_.expect_done(crcl::MoveTo{.is_straight = true, .end = down_at(8.25, 1.0, 1.0)});
  EXPECT_NEAR(cell_.engine().pose(long_tool).translation().z(), 0.5, 2e-3);  // stays on its stand
  cell_.expect_done(crcl::MoveTo{.is_straight = true, .end = down_at(8.75, 1.0, 0.5)});
  cell_.expect_done(crcl::CloseToolChanger{});
  EXPECT_EQ(client_.status().gripper->name, "short_tool");
  cell_.expect_done(crcl::MoveTo{.is_straight = true, .end = down_at(8.75, 1.0, 1.0)});
  EXPECT_NEAR(cell_.engine().pose(cell_.body("short_tool", "plate")).translation().z(), 1.025,
              2e-3);
  cell_.expect_done(crcl::SetEndEffector{1.0});
  EXPECT_TRUE(std::get<crcl::VacuumGripper>(client_.status().gripper->kind).is_powered);
}

TEST_F(CrclGantry, ExecutesTheStandardsExampleProgramToItsEnd) {
  const std::filesystem::path path =
      std::filesystem::path(LONGARM_SOURCE_DIR) / "../shared/crcl/examples/programExample.xml";
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP() << "the standard's examples are not at hand";
  }
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const Result<crcl::Program> program = crcl::decode_program(text);
  ASSERT_TRUE(program) << program.error().message;
  client_.say_text(text);
  const std::int64_t last = program->commands.back().id;
  crcl::CommandStatus status;
  for (int i = 0; i < 100'000; ++i) {
    cell_.step();
    if (i % 50 == 0) {
      status = client_.status().command;
      if (status.command_id == last || status.state == crcl::CommandState::kError) {
        break;
      }
    }
  }
  EXPECT_EQ(status.command_id, last);
  EXPECT_EQ(status.state, crcl::CommandState::kDone) << status.description.value_or("");
  // its last waypoint
  const crcl::Point end = client_.status().pose->pose.point;
  EXPECT_NEAR(end.x, 0.5, 0.002);
  EXPECT_NEAR(end.y, 0.0, 0.002);
  EXPECT_NEAR(end.z, 2.0, 0.002);
  EXPECT_EQ(client_.status().gripper->name, "long_tool");
  RecordProperty("simulated_s", std::to_string(to_seconds(cell_.now().time_since_epoch())));
}

}  // namespace
}  // namespace longarm::robots
