// SPDX-License-Identifier: Apache-2.0
// Packets of the primary and secondary ports at every byte, against the published tables.
#include <gtest/gtest.h>

#include "longarm/protocols/test/ur_by_hand.h"
#include "longarm/protocols/ur/primary.h"

namespace longarm::protocols::ur {
namespace {

/// Goes through a packet in the order of the published table; a failure says at which byte.
class Walk {
 public:
  explicit Walk(std::string_view bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

  void bytes(std::initializer_list<unsigned> numbers) {
    for (const unsigned number : numbers) {
      EXPECT_EQ(byte_at(bytes_, at_), number) << "byte " << at_;
      at_ += 1;
    }
  }
  void ints(std::initializer_list<std::int32_t> numbers) {
    for (const std::int32_t number : numbers) {
      EXPECT_EQ(int_at(bytes_, at_), number) << "int at " << at_;
      at_ += 4;
    }
  }
  void floats(std::initializer_list<float> numbers) {
    for (const float number : numbers) {
      EXPECT_EQ(float_at(bytes_, at_), number) << "float at " << at_;
      at_ += 4;
    }
  }
  void doubles(std::initializer_list<double> numbers) {
    for (const double number : numbers) {
      EXPECT_EQ(double_at(bytes_, at_), number) << "double at " << at_;
      at_ += 8;
    }
  }
  /// first, first + 1, …: six of them.
  void six(double first) {
    doubles({first, first + 1, first + 2, first + 3, first + 4, first + 5});
  }
  void long_int(std::uint64_t number) {
    EXPECT_EQ(bits_at(bytes_, at_, 8), number) << "int64 at " << at_;
    at_ += 8;
  }
  void text(std::string_view expected) {
    EXPECT_EQ(bytes_.substr(at_, expected.size()), expected) << "text at " << at_;
    at_ += expected.size();
  }
  std::size_t at() const { return at_; }

 private:
  std::string_view bytes_;
  std::size_t at_;
};

// Sizes with five bytes of head each: mode 5+8+7+1+1+8+8+8+1 = 47, joints 5+6·41 = 251, tool
// 5+2+16+4+1+4+4+1 = 37, masterboard 5+8+2+16+2+16+16+3+4+2+1 = 75, Cartesian 5+96 = 101,
// kinematics 5+24+192+4 = 225, configuration 5+96+96+40+192+16 = 445. With the packet's own five:
// 1186.
constexpr std::size_t kModeAt = 5;
constexpr std::size_t kJointsAt = kModeAt + 47;
constexpr std::size_t kToolAt = kJointsAt + 251;
constexpr std::size_t kMasterboardAt = kToolAt + 37;
constexpr std::size_t kCartesianAt = kMasterboardAt + 75;
constexpr std::size_t kKinematicsAt = kCartesianAt + 101;
constexpr std::size_t kConfigurationAt = kKinematicsAt + 225;
constexpr std::size_t kEnd = kConfigurationAt + 445;

TEST(UrPrimary, RobotStateIsSevenSubPackagesIn1186Bytes) {
  const std::string packet = state_packet();
  ASSERT_EQ(packet.size(), 1186U);
  static_assert(kEnd == 1186);
  Walk walk(packet);
  walk.ints({1186});
  walk.bytes({16});
  const std::vector<std::pair<std::size_t, unsigned>> heads{
      {kModeAt, 0},      {kJointsAt, 1},     {kToolAt, 2},         {kMasterboardAt, 3},
      {kCartesianAt, 4}, {kKinematicsAt, 5}, {kConfigurationAt, 6}};
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::size_t next = i + 1 < heads.size() ? heads[i + 1].first : kEnd;
    EXPECT_EQ(int_at(packet, heads[i].first), static_cast<std::int32_t>(next - heads[i].first));
    EXPECT_EQ(byte_at(packet, heads[i].first + 4), heads[i].second);
  }
}

TEST(UrPrimary, RobotModeIsThePublishedOneAtEveryByte) {
  const std::string packet = state_packet();
  Walk walk(packet, kModeAt + 5);
  walk.long_int(40'500'000);  // 40.5 s in microseconds
  // connected, enabled, power on; not emergency stopped, not protective stopped; not running,
  // paused
  walk.bytes({1, 1, 1, 0, 0, 0, 1});
  walk.bytes({7, 0});  // running; position control
  walk.doubles({0.75, 0.625, 1.0});
  walk.bytes({0});  // reserved
  EXPECT_EQ(walk.at(), kJointsAt);
}

TEST(UrPrimary, JointDataAreThePublishedOnesAtEveryByte) {
  const std::string packet = state_packet();
  Walk walk(packet, kJointsAt + 5);
  constexpr std::array<unsigned, 6> kModes{253, 255, 252, 253, 253, 255};
  for (unsigned i = 0; i < 6; ++i) {
    const auto joint = static_cast<float>(i);
    walk.doubles({600.0 + i, 100.0 + i, 700.0 + i});
    walk.floats({800.0F + joint, 1100.0F + joint, 1000.0F + joint, 0.0F});
    walk.bytes({kModes[i]});
  }
  EXPECT_EQ(walk.at(), kToolAt);
}

TEST(UrPrimary, ToolDataAreThePublishedOnesAtEveryByte) {
  const std::string packet = state_packet();
  Walk walk(packet, kToolAt + 5);
  walk.bytes({0, 1});  // bits 0 and 1 of 0b10
  walk.doubles({18.5, 19.5});
  walk.floats({46.5F});
  walk.bytes({24});
  walk.floats({20.5F, 21.5F});
  walk.bytes({253});
  EXPECT_EQ(walk.at(), kMasterboardAt);
}

TEST(UrPrimary, MasterboardIsThePublishedOneAtEveryByte) {
  const std::string packet = state_packet();
  Walk walk(packet, kMasterboardAt + 5);
  walk.ints({0x0002A5C3, 0x00015A3C});  // the lower half of the bits
  walk.bytes({0, 1});                   // bits 0 and 1 of 0b0110
  walk.doubles({14.5, 15.5});
  walk.bytes({1, 0});  // bits 2 and 3
  walk.doubles({16.5, 17.5});
  walk.floats({24.5F, 46.5F, 22.5F, 23.5F});
  walk.bytes({2, 1, 0});  // reduced mode, so it is reduced; no Euromap
  walk.ints({0});
  walk.bytes({0, 0, 0});  // the last one is reserved
  EXPECT_EQ(walk.at(), kCartesianAt);
}

// size and type of the first and the fourth sub-package
TEST(UrPrimary, SubPackagesHaveTheSizesOfTheirFirmware) {
  ControllerInfo info = distinct_info();
  const auto sizes = [&] {
    const std::string packet = encode_robot_state(describe(info, distinct_state()));
    const auto mode = static_cast<std::size_t>(int_at(packet, kModeAt));
    const std::size_t board = kModeAt + mode + 251 + 37;
    EXPECT_EQ(byte_at(packet, board + 4), 3U);
    return std::pair(int_at(packet, kModeAt), int_at(packet, board));
  };
  const auto of = [&](Firmware firmware) {
    info.packages = package_sizes(firmware);
    return sizes();
  };
  EXPECT_EQ(of({3, 2, 0, 0}), std::pair(46, 74));
  EXPECT_EQ(of({3, 4, 9, 0}), std::pair(46, 74));
  EXPECT_EQ(of({3, 5, 0, 0}), std::pair(47, 74));
  EXPECT_EQ(of({3, 9, 1, 0}), std::pair(47, 74));
  EXPECT_EQ(of({3, 10, 0, 0}), std::pair(47, 75));
  EXPECT_EQ(of({3, 15, 8, 0}), std::pair(47, 75));
  info.packages = {46, 80};
  EXPECT_EQ(sizes(), std::pair(46, 80));
}

TEST(UrPrimary, CartesianInfoIsThePublishedOneAtEveryByte) {
  const std::string packet = state_packet();
  Walk walk(packet, kCartesianAt + 5);
  walk.six(1200);
  walk.six(1700);
  EXPECT_EQ(walk.at(), kKinematicsAt);
}

TEST(UrPrimary, KinematicsAreThePublishedOnesAtEveryByte) {
  const std::string packet = state_packet();
  Walk walk(packet, kKinematicsAt + 5);
  for (int i = 0; i < 6; ++i) {
    walk.text("LONG");  // our checksum
  }
  walk.six(3300);  // theta
  walk.six(3000);  // a
  walk.six(3100);  // d
  walk.six(3200);  // alpha
  walk.ints({0});
  EXPECT_EQ(walk.at(), kConfigurationAt);
}

TEST(UrPrimary, ConfigurationIsThePublishedOneAtEveryByte) {
  const std::string packet = state_packet();
  Walk walk(packet, kConfigurationAt + 5);
  for (int i = 0; i < 6; ++i) {
    walk.doubles({3400.0 + i, 3500.0 + i});
  }
  for (int i = 0; i < 6; ++i) {
    walk.doubles({3600.0 + i, 3700.0 + i});
  }
  walk.doubles({31.5, 32.5, 33.5, 34.5, 0.25});
  walk.six(3000);
  walk.six(3100);
  walk.six(3200);
  walk.six(3300);
  walk.ints({0, 2, 1, 0});  // of ours: the third is the UR5
  EXPECT_EQ(walk.at(), kEnd);
}

TEST(UrPrimary, FlagsOfTheRobotModeFollowTheState) {
  ControllerState state = distinct_state();
  const auto flags = [&] {
    const std::string packet = encode_robot_state(describe(distinct_info(), state));
    return packet.substr(kModeAt + 5 + 8, 7);
  };
  using namespace std::string_literals;
  state.runtime_state = RuntimeState::kPlaying;
  EXPECT_EQ(flags(), "\1\1\1\0\0\1\0"s);
  state.runtime_state = RuntimeState::kStopped;
  state.safety_mode = SafetyMode::kProtectiveStop;
  EXPECT_EQ(flags(), "\1\1\1\0\1\0\0"s);
  state.safety_mode = SafetyMode::kRobotEmergencyStop;
  state.is_power_on = false;
  EXPECT_EQ(flags(), "\1\0\0\1\0\0\0"s);
  state.robot_mode = RobotMode::kDisconnected;
  EXPECT_EQ(flags(), "\0\0\0\1\0\0\0"s);
}

TEST(UrPrimary, VersionMessageIsThePublishedOneAtEveryByte) {
  const std::string packet = encode_version({.firmware = {3, 15, 8, 106339}});
  Walk walk(packet);
  // 5 + 8 + 1 + 1, then 1 + 9 + 1 + 1 + 4 + 4 and twenty of date
  walk.ints({55});
  walk.bytes({20});
  walk.long_int(~std::uint64_t{0});
  walk.bytes({0xFE, 3, 9});
  walk.text("URControl");
  walk.bytes({3, 15});
  walk.ints({8, 106339});
  walk.text("01-01-2022, 00:00:00");
  EXPECT_EQ(walk.at(), packet.size());
}

TEST(UrPrimary, VersionMessageBefore3_3HasNoBuildNumber) {
  const std::string packet = encode_version({.firmware = {3, 2, 19171, 5}});
  Walk walk(packet, 25);
  walk.bytes({3, 2});
  walk.ints({19171});
  walk.text("01-01-2022, 00:00:00");
  EXPECT_EQ(walk.at(), packet.size());
  EXPECT_EQ(packet.size(), 51U);
}

TEST(UrPrimary, VersionMessageStaysBelow512Bytes) {
  VersionMessage version;
  version.project = std::string(1000, 'x');
  version.build_date = std::string(1000, 'y');
  EXPECT_LT(encode_version(version).size(), 512U);
}

TEST(UrPrimary, MessagesHaveTheirFieldsBehindTheCommonHead) {
  RobotMessage message;
  message.time = Time(std::chrono::milliseconds(1500));
  message.text = "hello";
  message.code = 204;
  message.argument = -3;
  const auto encode_as = [&](RobotMessage::Kind kind) {
    message.kind = kind;
    return encode_message(describe(message, std::chrono::seconds(40)));
  };
  const auto head = [](const std::string& packet, unsigned source, unsigned type) {
    Walk walk(packet);
    walk.ints({static_cast<std::int32_t>(packet.size())});
    walk.bytes({20});
    walk.long_int(41'500'000);  // 40 s + 1.5 s, in microseconds
    walk.bytes({source, type});
    return walk;
  };
  std::string packet = encode_as(RobotMessage::Kind::kText);
  Walk text = head(packet, 0xFD, 0);
  text.text("hello");
  EXPECT_EQ(text.at(), packet.size());

  packet = encode_as(RobotMessage::Kind::kProgramLabel);
  Walk label = head(packet, 0xFD, 1);
  label.ints({204});
  label.text("hello");
  EXPECT_EQ(label.at(), packet.size());

  packet = encode_as(RobotMessage::Kind::kErrorCode);
  Walk error = head(packet, 0xFE, 6);
  error.ints({204, -3, 3, 0, 0});  // level 3: violation; no data
  error.text("hello");
  EXPECT_EQ(error.at(), packet.size());

  packet = encode_as(RobotMessage::Kind::kRuntimeException);
  Walk exception = head(packet, 0xFD, 10);
  exception.ints({204, -3});
  exception.text("hello");
  EXPECT_EQ(exception.at(), packet.size());

  message.level = ReportLevel::kWarning;
  EXPECT_EQ(int_at(encode_as(RobotMessage::Kind::kErrorCode), 15 + 8), 2);

  message.title = "TITLE";
  packet = encode_as(RobotMessage::Kind::kKey);
  Walk key = head(packet, 0xFE, 7);
  key.ints({204, -3});
  key.bytes({5});
  key.text("TITLEhello");
  EXPECT_EQ(key.at(), packet.size());

  message.code = 3;
  packet = encode_as(RobotMessage::Kind::kSafetyMode);
  Walk safety = head(packet, 0xFE, 5);
  safety.ints({0, -3});
  safety.bytes({3});
  safety.ints({0, 0});
  EXPECT_EQ(safety.at(), packet.size());
}

}  // namespace
}  // namespace longarm::protocols::ur
