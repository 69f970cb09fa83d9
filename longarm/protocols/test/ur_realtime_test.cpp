// SPDX-License-Identifier: Apache-2.0
// Real-time packets at every byte, against the published table of their layout.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/protocols/test/ur_by_hand.h"
#include "longarm/protocols/ur/framer.h"
#include "longarm/protocols/ur/realtime.h"

namespace longarm::protocols::ur {
namespace {

using testing::HasSubstr;

constexpr Firmware k3_2{3, 2, 19171, 0};
constexpr Firmware k3_9{3, 9, 0, 0};
constexpr Firmware k3_15{3, 15, 8, 0};

/// Doubles one after the other, as the table in the controller's documentation has them.
struct Published {
  std::size_t offset;
  std::vector<double> numbers;
};

// The numbers are those of distinct_state(); offsets from the published table, not from the codec.
// Robot mode 7 is running, safety mode 2 reduced, joint modes 253 running, 255 idle, 252 fault,
// program state 4 paused.
const std::vector<Published>& published() {
  static const std::vector<Published> table{
      {4, {40.5}},
      {12, {100, 101, 102, 103, 104, 105}},
      {60, {200, 201, 202, 203, 204, 205}},
      {108, {300, 301, 302, 303, 304, 305}},
      {156, {400, 401, 402, 403, 404, 405}},
      {204, {500, 501, 502, 503, 504, 505}},
      {252, {600, 601, 602, 603, 604, 605}},
      {300, {700, 701, 702, 703, 704, 705}},
      {348, {800, 801, 802, 803, 804, 805}},
      {396, {900, 901, 902, 903, 904, 905}},
      {444, {1200, 1201, 1202, 1203, 1204, 1205}},
      {492, {1300, 1301, 1302, 1303, 1304, 1305}},
      {540, {1400, 1401, 1402, 1403, 1404, 1405}},
      {588, {1500, 1501, 1502, 1503, 1504, 1505}},
      {636, {1600, 1601, 1602, 1603, 1604, 1605}},
      {692, {1000, 1001, 1002, 1003, 1004, 1005}},
      {740, {13.5}},
      {748, {0}},
      {756, {7}},
      {764, {253, 255, 252, 253, 253, 255}},
      {812, {2}},
      {820, {0, 0, 0, 0, 0, 0}},
      {868, {1800, 1801, 1802}},
      {892, {0, 0, 0, 0, 0, 0}},
      {940, {0.625}},
      {948, {11.5}},
      {956, {0}},
      {964, {0}},
      {972, {47.5}},
      {980, {46.5}},
      {988, {22.5}},
      {996, {1100, 1101, 1102, 1103, 1104, 1105}},
      {1052, {4}},
      {1060, {1900, 1901, 1902}},
      {1084, {2000, 2001, 2002}},
      {1108, {2}},
  };
  return table;
}

// Returns how many bytes of the packet it has looked at.
std::size_t compare_with_published(const std::string& packet) {
  EXPECT_EQ(int_at(packet, 0), static_cast<std::int32_t>(packet.size()));
  std::size_t seen = 4;
  for (const Published& row : published()) {
    for (std::size_t i = 0; i < row.numbers.size() && row.offset < packet.size(); ++i) {
      EXPECT_EQ(double_at(packet, row.offset + 8 * i), row.numbers[i])
          << "at " << row.offset << ", number " << i;
      seen += 8;
    }
  }
  EXPECT_EQ(bits_at(packet, 684, 8), 0x0000'0001'0002'A5C3U);
  seen += 8;
  if (packet.size() > 1044) {
    EXPECT_EQ(bits_at(packet, 1044, 8), 0x0000'0002'0001'5A3CU);
    seen += 8;
  }
  return seen;
}

TEST(UrRealTime, PacketOf1116BytesIsThePublishedOneAtEveryByte) {
  const std::string packet = encode_real_time(distinct_state(), k3_15);
  ASSERT_EQ(packet.size(), 1116U);
  EXPECT_EQ(compare_with_published(packet), 1116U);
}

TEST(UrRealTime, PacketOf1108BytesIsThePublishedOneAtEveryByte) {
  const std::string packet = encode_real_time(distinct_state(), k3_9);
  ASSERT_EQ(packet.size(), 1108U);
  EXPECT_EQ(compare_with_published(packet), 1108U);
}

TEST(UrRealTime, PacketOf1060BytesIsThePublishedOneAtEveryByte) {
  const std::string packet = encode_real_time(distinct_state(), k3_2);
  ASSERT_EQ(packet.size(), 1060U);
  EXPECT_EQ(compare_with_published(packet), 1060U);
}

TEST(UrRealTime, SizeFollowsTheFirmware) {
  const auto size = [](unsigned minor) {
    return *real_time_size({3, static_cast<std::uint8_t>(minor), 0, 0});
  };
  EXPECT_EQ(size(2), 1060U);
  EXPECT_EQ(size(4), 1060U);
  EXPECT_EQ(size(5), 1108U);
  EXPECT_EQ(size(9), 1108U);
  EXPECT_EQ(size(10), 1116U);
  EXPECT_EQ(size(15), 1116U);
}

TEST(UrRealTime, FirmwareIsReadAsPeopleWriteIt) {
  EXPECT_EQ(*read_firmware("3.15"), (Firmware{3, 15, 0, 0}));
  EXPECT_EQ(*read_firmware("3.4.5"), (Firmware{3, 4, 5, 0}));
  EXPECT_EQ(*read_firmware("3.15.8.106339"), (Firmware{3, 15, 8, 106339}));
}

TEST(UrRealTime, FirmwareThatWeDoNotSpeakIsRefusedInWords) {
  EXPECT_EQ(
      read_firmware("5.11").error().message,
      "unsupported firmware 5.11: CB3 controllers have 3.x (supported: 3.2–3.15, usual: 3.15)");
  EXPECT_EQ(read_firmware("3.1").error().message,
            "unsupported firmware 3.1 (supported: 3.2–3.15, usual: 3.15); drivers that read "
            "packets of at most 1060 bytes need 3.2, 3.3 or 3.4");
  for (const char* text : {"", "3", "3.", ".3", "3.15.", "3,15", "3.15 ", "v3.15", "3.-2",
                           "3.15.8.1.2", "3.271", "259.2", "3.15.99999999999", "+3.15"}) {
    const Result<Firmware> firmware = read_firmware(text);
    ASSERT_FALSE(firmware.has_value()) << text;
    EXPECT_EQ(firmware.error().message,
              "'" + std::string(text) + "' is not a firmware version; for example 3.15");
  }
}

TEST(UrRealTime, ClientReadsWhatTheControllerShows) {
  const Result<RealTimeReading> reading =
      decode_real_time(encode_real_time(distinct_state(), k3_15));
  ASSERT_TRUE(reading.has_value());
  // written again it is the same packet, byte for byte, so nothing of it was lost
  EXPECT_EQ(encode_real_time(reading->state, k3_15), encode_real_time(distinct_state(), k3_15));
  EXPECT_EQ(reading->state.q_actual[5], 605.0);
  EXPECT_EQ(reading->state.digital_outputs, 0x0000'0002'0001'5A3CU);
  EXPECT_EQ(reading->state.joint_modes[2], JointMode::kFault);
  EXPECT_EQ(reading->safety_status, 2);
  EXPECT_TRUE(reading->has_elbow());
  EXPECT_FALSE(reading->has_payload());
}

TEST(UrRealTime, ShorterLayoutLacksWhatCameLater) {
  const Result<RealTimeReading> reading =
      decode_real_time(encode_real_time(distinct_state(), k3_2));
  ASSERT_TRUE(reading.has_value());
  EXPECT_TRUE(reading->has_digital_outputs());
  EXPECT_EQ(reading->state.runtime_state, RuntimeState::kPaused);
  EXPECT_FALSE(reading->has_elbow());
  EXPECT_EQ(reading->state.elbow_position_m, Vector3{});
  EXPECT_FALSE(reading->safety_status.has_value());
}

TEST(UrRealTime, LayoutBeforeVersion3HasTheToolWhereNewOnesHaveControlCurrents) {
  // 1.8: tool accelerometer at 396, TCP force 540, pose 588, speed 636; modes at 756 and 764
  std::string packet = packet_of(812);
  put_double(packet, 252, 1.5);
  put_double(packet, 412, 9.75);
  put_double(packet, 540, 2.5);
  put_double(packet, 588, 3.5);
  put_double(packet, 636, 4.5);
  put_double(packet, 692, 5.5);
  put_double(packet, 756, 7.0);
  for (std::size_t joint = 0; joint < 6; ++joint) {
    put_double(packet, 764 + 8 * joint, 253.0);
  }
  const Result<RealTimeReading> reading = decode_real_time(packet);
  ASSERT_TRUE(reading.has_value());
  EXPECT_EQ(reading->state.q_actual[0], 1.5);
  EXPECT_EQ(reading->state.tool_acceleration_m_s2[2], 9.75);
  EXPECT_EQ(reading->state.tcp_force[0], 2.5);
  EXPECT_EQ(reading->state.tcp_pose_actual[0], 3.5);
  EXPECT_EQ(reading->state.tcp_speed_actual[0], 4.5);
  EXPECT_EQ(reading->state.motor_temperature_C[0], 5.5);
  EXPECT_EQ(reading->state.control_current_A, Joints{});
  EXPECT_TRUE(reading->has_joint_modes());
  EXPECT_FALSE(reading->has_safety_mode());
}

TEST(UrRealTime, NewestLayoutHasThePayloadBehindAReservedBlock) {
  // 1116 … 1139 reserved, 1140 mass, 1148 centre of gravity, 1172 … 1219 inertia
  std::string packet = packet_of(1220);
  put_double(packet, 1116, 8.0);
  put_double(packet, 1140, 2.25);
  put_double(packet, 1164, 0.125);
  put_double(packet, 1108, 11.0);  // a safety status that CB3 controllers do not know
  const Result<RealTimeReading> reading = decode_real_time(packet);
  ASSERT_TRUE(reading.has_value());
  EXPECT_EQ(reading->state.payload_kg, 2.25);
  EXPECT_EQ(reading->state.payload_cog_m, (Vector3{0.0, 0.0, 0.125}));
  EXPECT_EQ(reading->safety_status, 11);
}

TEST(UrRealTime, EveryKnownSizeIsRead) {
  for (const std::size_t size : kRealTimeSizes) {
    const Result<RealTimeReading> reading = decode_real_time(packet_of(size));
    ASSERT_TRUE(reading.has_value()) << size;
    EXPECT_EQ(reading->bytes, size);
  }
}

TEST(UrRealTime, NonsenseIsRefused) {
  EXPECT_EQ(decode_real_time("").error().message,
            "0 bytes that claim to be 0 are not a valid real-time packet");
  EXPECT_EQ(decode_real_time(packet_of(1100)).error().message,
            "1100 bytes that claim to be 1100 are not a valid real-time packet");
  std::string packet = packet_of(1116);
  packet[3] = 0x24;  // 0x0424 = 1060
  EXPECT_EQ(decode_real_time(packet).error().message,
            "1116 bytes that claim to be 1060 are not a valid real-time packet");
  packet = packet_of(1116);
  for (const double mode : {300.0, -200.0, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(), 1e300}) {
    put_double(packet, 756, mode);
    EXPECT_EQ(decode_real_time(packet).error().message,
              "a real-time packet with an impossible robot mode at byte 756");
  }
}

TEST(UrRealTime, FramerGivesTheSamePacketsHoweverTheyAreCut) {
  ControllerState other = distinct_state();
  other.timestamp_s = 41.0;
  const std::string first = encode_real_time(distinct_state(), k3_15);
  const std::string second = encode_real_time(other, k3_15);
  const std::string stream = first + second;
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    RealTimeFramer framer;
    std::vector<std::string> packets;
    for (const std::string_view piece :
         {std::string_view(stream).substr(0, cut), std::string_view(stream).substr(cut)}) {
      framer.feed(piece);
      for (auto packet = framer.next(); packet && packet->has_value(); packet = framer.next()) {
        packets.emplace_back(**packet);
      }
    }
    ASSERT_THAT(packets, testing::ElementsAre(first, second)) << "cut at " << cut;
    EXPECT_EQ(framer.buffered_bytes(), 0U);
  }
}

TEST(UrRealTime, FramerTakesSingleBytesAndKeepsNoMoreThanAPacket) {
  const std::string packet = encode_real_time(distinct_state(), k3_2);
  RealTimeFramer framer;
  int packets = 0;
  for (int round = 0; round < 20; ++round) {
    for (const char byte : packet) {
      framer.feed(std::string_view(&byte, 1));
      const auto next = framer.next();
      ASSERT_TRUE(next.has_value());
      packets += next->has_value() ? 1 : 0;
      ASSERT_LE(framer.buffered_bytes(), packet.size());
    }
  }
  EXPECT_EQ(packets, 20);
}

TEST(UrRealTime, FramerIsDoneWithAStreamWhoseSizesMakeNoSense) {
  for (const std::string_view nonsense :
       {std::string_view("\x00\x00\x04\x5D", 4), std::string_view("\xFF\xFF\xFF\xFF", 4),
        std::string_view("\x7F\xFF\xFF\xFF", 4), std::string_view("\0\0\0\0", 4)}) {
    RealTimeFramer framer;
    framer.feed(nonsense);
    ASSERT_FALSE(framer.next().has_value());
    EXPECT_THAT(framer.next().error().message, HasSubstr("is not the size of a real-time packet"));
    framer.feed(encode_real_time(distinct_state(), k3_15));
    EXPECT_FALSE(framer.next().has_value());
    EXPECT_EQ(framer.buffered_bytes(), 0U);
  }
}

}  // namespace
}  // namespace longarm::protocols::ur
