// SPDX-License-Identifier: Apache-2.0
// Packets of the primary and secondary ports as a client reads them: whole, cut and unknown ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/protocols/test/ur_by_hand.h"
#include "longarm/protocols/ur/framer.h"
#include "longarm/protocols/ur/primary.h"

namespace longarm::protocols::ur {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(UrPrimaryRead, ClientReadsARobotState) {
  const Result<PrimaryPacket> packet = decode_primary(state_packet());
  ASSERT_TRUE(packet.has_value());
  const auto& state = std::get<RobotStatePacket>(*packet);
  EXPECT_EQ(encode_robot_state(state), state_packet());
  EXPECT_EQ(state.joints->joints[3].q_actual, 603.0);
  EXPECT_EQ(state.masterboard->safety_mode, 2);
  EXPECT_EQ(state.cartesian->tcp_offset[5], 1705.0);
}

TEST(UrPrimaryRead, ClientReadsTheMasterboardWithEuromap) {
  RobotStatePacket state;
  state.masterboard.emplace();
  state.masterboard->has_euromap = 1;
  state.masterboard->euromap_outputs = 77;
  state.masterboard->euromap_current_A = 2.5F;
  state.masterboard->three_position_enabling = 9;
  const std::string bytes = encode_robot_state(state);
  EXPECT_EQ(bytes.size(), 5U + 74U + 16U);
  const auto again = std::get<RobotStatePacket>(*decode_primary(bytes));
  EXPECT_EQ(again.masterboard->euromap_outputs, 77U);
  EXPECT_EQ(again.masterboard->euromap_current_A, 2.5F);
  EXPECT_EQ(again.masterboard->three_position_enabling, 9);
  EXPECT_FALSE(again.joints.has_value());
}

TEST(UrPrimaryRead, ClientReadsVersionsAndMessages) {
  const auto version =
      std::get<VersionMessage>(*decode_primary(encode_version({.firmware = {3, 15, 8, 7}})));
  EXPECT_EQ(version.project, "URControl");
  EXPECT_EQ(version.firmware, (Firmware{3, 15, 8, 7}));
  EXPECT_EQ(version.build_date, "01-01-2022, 00:00:00");
  const auto old =
      std::get<VersionMessage>(*decode_primary(encode_version({.firmware = {3, 2, 5, 7}})));
  EXPECT_EQ(old.firmware, (Firmware{3, 2, 5, 0}));
  EXPECT_EQ(old.build_date, "01-01-2022, 00:00:00");
  using Kind = RobotMessage::Kind;
  for (const Kind kind : {Kind::kText, Kind::kProgramLabel, Kind::kSafetyMode, Kind::kErrorCode,
                          Kind::kRuntimeException, Kind::kKey}) {
    const MessagePacket message{kind, 123, -2, "text", 5, 6, ReportLevel::kWarning, "title"};
    const auto again = std::get<MessagePacket>(*decode_primary(encode_message(message)));
    EXPECT_EQ(again.kind, kind);
    EXPECT_EQ(again.timestamp_us, 123U);
    EXPECT_EQ(again.text, kind == Kind::kSafetyMode ? "" : "text");
    EXPECT_EQ(again.code, kind == Kind::kText ? 0 : 5);
    EXPECT_EQ(again.level == ReportLevel::kWarning, kind == Kind::kErrorCode);
    EXPECT_EQ(again.title, kind == Kind::kKey ? "title" : "");
    EXPECT_EQ(again.argument, kind == Kind::kText || kind == Kind::kProgramLabel ? 0 : 6);
  }
}

TEST(UrPrimaryRead, ClientSkipsWhatItDoesNotKnow) {
  using namespace std::string_literals;
  // a robot state of a sub-package 9 of 8 bytes, then Cartesian info with three bytes too many
  RobotStatePacket cartesian;
  cartesian.cartesian = CartesianPackage{count_from<6>(1), count_from<6>(7)};
  std::string known = encode_robot_state(cartesian).substr(5) + "abc";
  known[3] = static_cast<char>(known[3] + 3);
  std::string packet = "\0\0\0\0\x10"s + "\0\0\0\x08\x09xyz"s + known;
  packet[3] = static_cast<char>(packet.size());
  const Result<PrimaryPacket> read = decode_primary(packet);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(std::get<RobotStatePacket>(*read).cartesian->tcp_offset[0], 7.0);

  const auto other = std::get<OtherPacket>(*decode_primary("\0\0\0\x06\x16z"s));
  EXPECT_EQ(other.type, 22);
  const auto request = std::get<OtherPacket>(*decode_primary("\0\0\0\x10\x14TTTTTTTT\xFE\x09z"s));
  EXPECT_EQ(request.message_type, 9);
}

TEST(UrPrimaryRead, PacketThatIsCutShortIsRefusedAtEveryByte) {
  for (const std::string& whole :
       {state_packet(), encode_version({}), encode_message({RobotMessage::Kind::kErrorCode})}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(decode_primary(std::string_view(whole).substr(0, size)).has_value()) << size;
    }
  }
  using namespace std::string_literals;
  EXPECT_EQ(decode_primary("\0\0\0\x0A\x10\0\0\0\x06\x04"s).error().message,
            "a robot state with a sub-package of 6 bytes, which exceeds the packet");
  EXPECT_EQ(decode_primary("\0\0\0\x0A\x10\0\0\0\x04\x04"s).error().message,
            "a robot state with a sub-package of 4 bytes, which exceeds the packet");
  EXPECT_EQ(decode_primary("\0\0\0\x0A\x10\0\0\0\x05\x04"s).error().message,
            "a robot state whose sub-package 4 is cut short after 5 bytes");
  EXPECT_EQ(decode_primary("\0\0\0\x06\x14x"s).error().message,
            "a robot message that is cut short");
}

TEST(UrPrimaryRead, FramerGivesTheSamePacketsHoweverTheyAreCut) {
  const std::string version = encode_version({});
  const std::string state = state_packet();
  const std::string message = encode_message({RobotMessage::Kind::kText, 1, -3, "hi"});
  const std::string stream = version + state + message;
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    PrimaryFramer framer;
    std::vector<std::string> packets;
    for (const std::string_view piece :
         {std::string_view(stream).substr(0, cut), std::string_view(stream).substr(cut)}) {
      framer.feed(piece);
      for (auto packet = framer.next(); packet && packet->has_value(); packet = framer.next()) {
        packets.emplace_back(**packet);
      }
    }
    ASSERT_THAT(packets, ElementsAre(version, state, message)) << "cut at " << cut;
  }
}

TEST(UrPrimaryRead, FramerRefusesSizesBelowFiveBytesAndAbove64KiB) {
  for (const std::string_view nonsense :
       {std::string_view("\0\0\0\x04", 4), std::string_view("\0\x01\0\x01", 4),
        std::string_view("\x80\0\0\0", 4)}) {
    PrimaryFramer framer;
    framer.feed(nonsense);
    ASSERT_FALSE(framer.next().has_value());
    EXPECT_THAT(framer.next().error().message, HasSubstr("is not the size of a primary packet"));
  }
}

}  // namespace
}  // namespace longarm::protocols::ur
