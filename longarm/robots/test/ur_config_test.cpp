// SPDX-License-Identifier: Apache-2.0
// Tests that settings which make no sense are refused in words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/robots/test/ur_bench.h"
#include "longarm/robots/ur/config.h"

namespace longarm::robots {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Duration kStep{1'000'000};

/// "key: message" of all errors.
std::string errors(const UrConfig& config, Duration period = kStep) {
  std::string all;
  for (const network::KeyRemark& each : judge_ur(config, ur5_cell(), period, "robots.ur5.")) {
    if (each.severity == Severity::kError) {
      all += each.key + ": " + each.message + " (" + each.hint + ")\n";
    }
  }
  return all;
}

TEST(UrConfig, TheUsualOneIsFine) {
  EXPECT_EQ(errors({}), "");
}

TEST(UrConfig, RefusesNumbersThatMakeNoSense) {
  UrConfig config;
  config.servo_gain = 0.0;
  config.deviation_rad = -1.0;
  config.digital_inputs = 1 << 20;
  config.unlock_after = Duration(-1);
  const std::string said = errors(config);
  EXPECT_THAT(said, HasSubstr("robots.ur5.servo_gain: robots.ur5.servo_gain is 0"));
  EXPECT_THAT(said, HasSubstr("robots.ur5.deviation_rad"));
  EXPECT_THAT(said, HasSubstr("there are 18 digital inputs"));
  EXPECT_THAT(said, HasSubstr("robots.ur5.unlock_after"));
}

TEST(UrConfig, TheStepMustDivideTheCycle) {
  EXPECT_EQ(errors({}, Duration(2'000'000)), "");
  EXPECT_THAT(errors({}, Duration(3'000'000)),
              HasSubstr("a physics step of 3ms does not divide the control cycle of 8 ms"));
  // whatever else would follow from such a step
  EXPECT_THAT(errors({}, Duration(16'000'000)), Not(HasSubstr("servo_gain")));
}

TEST(UrConfig, TheServoMustNotOvershootWithinAStep) {
  UrConfig config;
  config.servo_gain = 500.0;
  EXPECT_EQ(errors(config, Duration(2'000'000)), "");
  EXPECT_THAT(errors(config, Duration(4'000'000)), HasSubstr("more than 1 per step of 4ms"));
}

TEST(UrConfig, RefusesAnArmThatIsNotTheControllersOwn) {
  UrConfig config;
  config.base_frame = "base_link";
  EXPECT_THAT(errors(config), HasSubstr("'ur5' is not a UR5 between its frames 'base_link' and"));
  config = {};
  config.flange = "tool1";
  EXPECT_THAT(errors(config), HasSubstr("'ur5' has no frame 'tool1'"));
  config = {};
  config.flange = "wrist_2_link";
  EXPECT_THAT(errors(config), HasSubstr("has 5 joints"));
  config = {};
  config.placement = "ur6";
  EXPECT_THAT(errors(config), HasSubstr("robots.ur5.model"));
  config = {};
  config.home_rad = {0.0, 1.0};
  EXPECT_THAT(errors(config), HasSubstr("home has 2 joint positions"));
  config.home_rad = {9.0, 0, 0, 0, 0, 0};
  EXPECT_THAT(errors(config), HasSubstr("beyond the limits"));
}

TEST(UrConfig, RefusesFirmwarePortsAndFoldersThatAreNotThere) {
  UrConfig config;
  config.firmware = "2.0";
  config.programs = "/no/such/folder";
  config.ports.realtime = config.ports.primary;
  const std::string said = errors(config);
  EXPECT_THAT(said, HasSubstr("robots.ur5.firmware"));
  EXPECT_THAT(said, HasSubstr("there is no folder '/no/such/folder'"));
  EXPECT_THAT(said, HasSubstr("robots.ur5.ports."));
  EXPECT_THROW(UrBench("kinematic", config), InputError);
}

}  // namespace
}  // namespace longarm::robots
