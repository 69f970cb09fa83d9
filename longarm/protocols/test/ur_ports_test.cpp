// SPDX-License-Identifier: Apache-2.0
// The ports of a UR controller: profiles, keys and what is wrong with them.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/test/ignoring_fields.h"
#include "longarm/protocols/ur/ports.h"

namespace longarm::protocols::ur {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Sets what the test says and keeps what was rejected, as "key: message (hint)".
class Keys final : public IgnoringFields {
 public:
  explicit Keys(std::string profile, std::map<std::string, std::int64_t, std::less<>> ports = {})
      : profile_(std::move(profile)), ports_(std::move(ports)) {}

  void reject(std::string_view key, std::string message, std::string hint) override {
    rejected.push_back(std::string(key) + ": " + message + " (" + hint + ")");
  }

  std::vector<std::string> rejected;

 private:
  void do_field(const Field& field) override {
    EXPECT_FALSE(field.doc.empty());
    if (field.choices != nullptr) {
      *std::get<std::string*>(field.value) = profile_;
    } else if (const auto found = ports_.find(field.key); found != ports_.end()) {
      *std::get<std::int64_t*>(field.value) = found->second;
    }
  }

  std::string profile_;
  std::map<std::string, std::int64_t, std::less<>> ports_;
};

std::vector<std::string> open_doors(const PortsConfig& config) {
  std::vector<std::string> doors;
  for (const OpenPort& open : open_ports(config)) {
    doors.push_back(std::string(open.door) + " " + std::to_string(open.port));
  }
  return doors;
}

TEST(UrPorts, RealProfileHasTheNumbersOfEveryUrController) {
  EXPECT_THAT(open_doors(PortsConfig{}),
              ElementsAre("primary 30001", "primary_ro 30011", "secondary 30002",
                          "secondary_ro 30012", "realtime 30003", "realtime_ro 30013", "rtde 30004",
                          "dashboard 29999", "gripper 63352"));
  EXPECT_THAT(judge(PortsConfig{}), IsEmpty());
}

TEST(UrPorts, SeedProfileHasTwoPortsOnly) {
  EXPECT_THAT(open_doors(ports_of("two-ports")), ElementsAre("primary 50001", "realtime 50003"));
}

TEST(UrPorts, SeedProfileWarnsOfDriversThatListenAtTheSamePort) {
  const std::vector<PortRemark> remarks = judge(ports_of("two-ports"));
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].severity, Severity::kWarning);
  EXPECT_EQ(remarks[0].key, "primary");
  EXPECT_EQ(remarks[0].message, "UR drivers listen at 50001 for the robot's program");
  EXPECT_EQ(remarks[0].hint, "run such a driver on another host, or give it another reverse port");
}

TEST(UrPorts, KeysStandBesideTheProfile) {
  PortsConfig config;
  Keys keys("two-ports", {{"rtde", 0}, {"primary", -1}});
  list_fields(keys, config);
  EXPECT_THAT(keys.rejected, IsEmpty());
  EXPECT_THAT(open_doors(config), ElementsAre("realtime 50003", "rtde 0"));
  // who visits the list again, to write it down, changes nothing, even with the other's numbers
  config.primary = 30001;
  Keys again("two-ports");
  list_fields(again, config);
  EXPECT_THAT(open_doors(config), ElementsAre("primary 30001", "realtime 50003", "rtde 0"));
}

TEST(UrPorts, TwoDoorsCannotShareAPort) {
  PortsConfig config;
  Keys keys("real", {{"realtime", 30001}, {"rtde", 30001}});
  list_fields(keys, config);
  EXPECT_THAT(keys.rejected, ElementsAre("realtime: port 30001 is already used by 'primary' (give "
                                         "each its own port; 0: a free port)",
                                         "rtde: port 30001 is already used by 'primary' (give each "
                                         "its own port; 0: a free port)"));
}

// the one that was given is to blame, not the one that stayed where it always is
TEST(UrPorts, BlamesTheDoorThatMoved) {
  PortsConfig config;
  Keys keys("real", {{"primary", 30002}});
  list_fields(keys, config);
  EXPECT_THAT(keys.rejected, ElementsAre("primary: port 30002 is already used by 'secondary' (give "
                                         "each its own port; 0: a free port)"));
}

TEST(UrPorts, AnyNumberOfDoorsMayTakeAFreePortOrStayShut) {
  PortsConfig config;
  Keys keys("real",
            {{"primary", 0}, {"secondary", 0}, {"rtde", -1}, {"dashboard", -1}, {"gripper", -1}});
  list_fields(keys, config);
  EXPECT_THAT(keys.rejected, IsEmpty());
  EXPECT_THAT(open_doors(config),
              ElementsAre("primary 0", "primary_ro 30011", "secondary 0", "secondary_ro 30012",
                          "realtime 30003", "realtime_ro 30013"));
}

TEST(UrPorts, NumberThatIsNoPortIsRejected) {
  PortsConfig config;
  Keys keys("real", {{"primary", 65536}, {"dashboard", -2}});
  list_fields(keys, config);
  EXPECT_THAT(keys.rejected,
              ElementsAre("primary: 65536 is not a TCP port (use 1 to 65535; 0: a free port; -1: "
                          "disabled)",
                          "dashboard: -2 is not a TCP port (use 1 to 65535; 0: a free port; -1: "
                          "disabled)"));
  EXPECT_EQ(open_ports(config).size(), 7U);
}

TEST(UrPorts, RobotThatNobodyCanReachIsWorthAWarning) {
  PortsConfig config = ports_of("two-ports");
  config.primary = PortsConfig::kClosed;
  config.realtime = PortsConfig::kClosed;
  const std::vector<PortRemark> remarks = judge(config);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].severity, Severity::kWarning);
  EXPECT_EQ(remarks[0].message, "every port is -1: no client can reach this robot");
}

}  // namespace
}  // namespace longarm::protocols::ur
