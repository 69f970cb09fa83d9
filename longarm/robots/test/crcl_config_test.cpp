// SPDX-License-Identifier: Apache-2.0
// A CRCL server's keys, and values that make no sense.
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/test/ignoring_fields.h"
#include "longarm/robots/crcl/config.h"

namespace longarm::robots {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Rejections : public IgnoringFields {
 public:
  void reject(std::string_view key, std::string message, std::string hint) override {
    all.push_back(std::string(key) + " " + message + " (" + hint + ")");
  }
  std::vector<std::string> all;
};

std::vector<std::string> rejected(const std::function<void(CrclDoorConfig&)>& change) {
  CrclDoorConfig config;
  change(config);
  Rejections fields;
  list_fields(fields, config);
  return fields.all;
}

TEST(CrclConfig, IsFineAsItComes) {
  EXPECT_THAT(rejected([](CrclDoorConfig&) {}), IsEmpty());
}

TEST(CrclConfig, SaysWhatIsWrongAndWhatIsMeant) {
  EXPECT_THAT(rejected([](auto& config) { config.port = 65536; }),
              ElementsAre("port is out of range (from 0 to 65535)"));
  EXPECT_THAT(rejected([](auto& config) { config.queue_depth = 0; }),
              ElementsAre("queue_depth is out of range (from 1 to 10000)"));
  EXPECT_THAT(rejected([](auto& config) { config.usual_speed = 1.5; }),
              ElementsAre("usual_speed is not a fraction (above 0, at most 1)"));
  EXPECT_THAT(rejected([](auto& config) { config.usual_acceleration = 0.0; }),
              ElementsAre("usual_acceleration is not a fraction (above 0, at most 1)"));
  EXPECT_THAT(rejected([](auto& config) { config.status_period = std::chrono::milliseconds(0); }),
              ElementsAre("status_period must be greater than zero (e.g. 50ms)"));
  EXPECT_THAT(rejected([](auto& config) { config.motion_slack = std::chrono::seconds(-1); }),
              ElementsAre("motion_slack must be greater than zero (e.g. 5s)"));
}

}  // namespace
}  // namespace longarm::robots
