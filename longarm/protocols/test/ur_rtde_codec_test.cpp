// SPDX-License-Identifier: Apache-2.0
// RTDE packets byte by byte, both ways, in both versions of the protocol.
#include <limits>

#include <gmock/gmock.h>

#include "longarm/core/random.h"
#include "longarm/protocols/ur/rtde_codec.h"

namespace longarm::protocols::ur {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<RtdePacket> packets_in(std::string_view bytes, std::size_t piece) {
  RtdePacketReader reader;
  std::vector<RtdePacket> packets;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    reader.add(part, [&](const RtdePacket& packet) { packets.push_back(packet); });
  }
  return packets;
}

// The bytes below are written out by hand: uint16 size with the header, uint8 type, payload.

TEST(RtdeCodec, AsksForAVersionWithTwoBytes) {
  EXPECT_EQ(encode_version_request(2), "\x00\x05V\x00\x02"s);
  EXPECT_EQ(*decode_version_request("\x01\x02"s), 0x0102);
  EXPECT_FALSE(decode_version_request("\x02"s));
  EXPECT_EQ(decode_version_request("\x00\x00\x02"s).error().message,
            "a request of a protocol version of 3 bytes, 2 expected");
}

TEST(RtdeCodec, AcceptsWithAByte) {
  EXPECT_EQ(encode_accepted(RtdePacketType::kProtocolVersion, true), "\x00\x04V\x01"s);
  EXPECT_EQ(encode_accepted(RtdePacketType::kStart, true), "\x00\x04S\x01"s);
  EXPECT_EQ(encode_accepted(RtdePacketType::kPause, false), "\x00\x04P\x00"s);
  EXPECT_TRUE(*decode_accepted("\x01"s));
  EXPECT_FALSE(*decode_accepted("\x00"s));
  EXPECT_FALSE(decode_accepted("").has_value());
}

TEST(RtdeCodec, TellsTheControllersVersionWithFourWords) {
  // 106339 = 0x19F63
  const std::string bytes =
      "\x00\x13v\x00\x00\x00\x03\x00\x00\x00\x0f\x00\x00\x00\x08\x00\x01\x9f\x63"s;
  EXPECT_EQ(encode_controller_version({3, 15, 8, 106339}), bytes);
  EXPECT_THAT(*decode_controller_version(bytes.substr(3)), ElementsAre(3, 15, 8, 106339));
  EXPECT_FALSE(decode_controller_version(bytes.substr(4)));
}

TEST(RtdeCodec, WritesTextsAsEachVersionDoes) {
  const RtdeText text{"hot", "arm", RtdeLevel::kWarning};
  EXPECT_EQ(encode_text(text, RtdeVersion::k2), "\x00\x0cM\x03hot\x03"s + "arm\x02"s);
  EXPECT_EQ(encode_text(text, RtdeVersion::k1), "\x00\x07M\x02hot"s);
  EXPECT_EQ(*decode_text("\x03hot\x03"s + "arm\x02"s, RtdeVersion::k2), text);
  EXPECT_EQ(*decode_text("\x02hot"s, RtdeVersion::k1), (RtdeText{"hot", "", RtdeLevel::kWarning}));
}

TEST(RtdeCodec, RefusesTextsThatAreCutOffOrTooLong) {
  const std::string whole = "\x03hot\x03"s + "arm\x02"s;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_text(whole.substr(0, size), RtdeVersion::k2)) << size;
  }
  EXPECT_FALSE(decode_text(whole + "x", RtdeVersion::k2));
  EXPECT_FALSE(decode_text("", RtdeVersion::k1));
  EXPECT_FALSE(decode_text("\x04hot"s, RtdeVersion::k1)) << "there is no level 4";
}

TEST(RtdeCodec, CutsTextsToWhatAByteCanCount) {
  const RtdeText text{std::string(300, 'm'), std::string(256, 's'), RtdeLevel::kInfo};
  const std::string bytes = encode_text(text, RtdeVersion::k2);
  // 3 + (1 + 255) + (1 + 255) + 1 = 516 = 0x0204
  EXPECT_EQ(bytes.size(), 516U);
  EXPECT_EQ(bytes.substr(0, 4), "\x02\x04M\xff"s);
  EXPECT_EQ(decode_text(bytes.substr(3), RtdeVersion::k2)->message, std::string(255, 'm'));
}

TEST(RtdeCodec, SetsUpOutputsWithAFrequencyInVersion2Only) {
  const RtdeOutputSetup setup{125.0, {"timestamp", "actual_q"}};
  // 125 = 1.953125 * 2^6: exponent 1023 + 6 = 0x405, mantissa 0.953125 = 0xF4 / 256
  const std::string payload = "\x40\x5f\x40\x00\x00\x00\x00\x00timestamp,actual_q"s;
  EXPECT_EQ(encode_output_setup(setup, RtdeVersion::k2), "\x00\x1dO"s + payload);
  EXPECT_EQ(*decode_output_setup(payload, RtdeVersion::k2), setup);
  EXPECT_EQ(encode_output_setup(setup, RtdeVersion::k1), "\x00\x15Otimestamp,actual_q"s);
  EXPECT_EQ(*decode_output_setup("timestamp,actual_q", RtdeVersion::k1),
            (RtdeOutputSetup{0.0, setup.names}));
  EXPECT_FALSE(decode_output_setup("\x40\x5f\x40\x00\x00\x00\x00"s, RtdeVersion::k2));
}

TEST(RtdeCodec, AnswersSetupsWithARecipeAndTypes) {
  const RtdeSetupAnswer answer{1, {"DOUBLE", "VECTOR6D"}};
  EXPECT_EQ(encode_setup_answer(RtdePacketType::kSetupOutputs, answer, true),
            "\x00\x13O\x01"s + "DOUBLE,VECTOR6D");
  EXPECT_EQ(encode_setup_answer(RtdePacketType::kSetupOutputs, answer, false),
            "\x00\x12ODOUBLE,VECTOR6D"s);
  EXPECT_EQ(encode_setup_answer(RtdePacketType::kSetupInputs, {0, {"IN_USE"}}, true),
            "\x00\x0aI\x00IN_USE"s);
  EXPECT_EQ(*decode_setup_answer("\x01"s + "DOUBLE,VECTOR6D", true), answer);
  EXPECT_FALSE(decode_setup_answer("", true));
}

TEST(RtdeCodec, PassesOverACommaAfterTheLastName) {
  // as one client library writes them
  EXPECT_THAT(split_names("a,b,"), ElementsAre("a", "b"));
  EXPECT_THAT(split_names("a,,b"), ElementsAre("a", "", "b"));
  EXPECT_THAT(split_names(""), IsEmpty());
  EXPECT_THAT(split_names(","), ElementsAre(""));
}

TEST(RtdeCodec, WritesEveryTypeBigEndian) {
  // 1.5 = 0x3FF8…, -2 = 0xC000…
  const std::string half = "\x3f\xf8\x00\x00\x00\x00\x00\x00"s;
  const std::string two = "\xc0\x00\x00\x00\x00\x00\x00\x00"s;
  const std::pair<RtdeValue, std::string> rows[] = {
      {true, "\x01"s},
      {std::uint8_t{0xA5}, "\xa5"s},
      {std::uint32_t{0x01020304}, "\x01\x02\x03\x04"s},
      {std::uint64_t{0x0102030405060708}, "\x01\x02\x03\x04\x05\x06\x07\x08"s},
      {std::int32_t{-2}, "\xff\xff\xff\xfe"s},
      {1.5, half},
      {Vector3{1.5, -2.0, 0.0}, half + two + std::string(8, '\0')},
      {Vector6{1.5, -2.0, 1.5, -2.0, 1.5, -2.0}, half + two + half + two + half + two},
      {std::array<std::int32_t, 6>{-2, 0, 0, 0, 0, 253},
       "\xff\xff\xff\xfe"s + std::string(16, '\0') + "\x00\x00\x00\xfd"s},
      {std::array<std::uint32_t, 6>{0xFFFFFFFE, 0, 0, 0, 0, 253},
       "\xff\xff\xff\xfe"s + std::string(16, '\0') + "\x00\x00\x00\xfd"s}};
  for (const auto& [value, bytes] : rows) {
    const RtdeType type = type_of(value);
    EXPECT_EQ(rtde_size_bytes(type), bytes.size()) << rtde_type_name(type);
    const std::string packet = encode_data(std::uint8_t{7}, {value});
    EXPECT_EQ(packet.substr(2), "U\x07" + bytes) << rtde_type_name(type);
    EXPECT_EQ(packet.size(), 4 + bytes.size());
    EXPECT_EQ(packet[1], static_cast<char>(packet.size()));
    EXPECT_EQ(encode_data(std::nullopt, {value}).substr(2), "U" + bytes);
    EXPECT_THAT(*decode_values(bytes, {type}), ElementsAre(value));
    EXPECT_EQ(rtde_type_named(rtde_type_name(type)), type);
  }
  EXPECT_FALSE(rtde_type_named("NOT_FOUND"));
  EXPECT_FALSE(rtde_type_named("double"));
}

TEST(RtdeCodec, WantsExactlyTheBytesOfARecipe) {
  const std::vector<RtdeType> types{RtdeType::kDouble, RtdeType::kInt32};
  EXPECT_TRUE(decode_values(std::string(12, '\0'), types));
  EXPECT_EQ(decode_values(std::string(11, '\0'), types).error().message,
            "values of 11 bytes, 12 expected");
  EXPECT_EQ(decode_values(std::string(13, '\0'), types).error().message,
            "values of 13 bytes, 12 expected");
}

TEST(RtdeCodec, KnowsWhatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(is_finite(nan));
  EXPECT_FALSE(is_finite(Vector3{0.0, 0.0, std::numeric_limits<double>::infinity()}));
  EXPECT_FALSE(is_finite(Vector6{0.0, 0.0, 0.0, 0.0, 0.0, nan}));
  EXPECT_TRUE(is_finite(1e308));
  EXPECT_TRUE(is_finite(std::numeric_limits<std::uint64_t>::max()));
}

TEST(RtdeCodec, FindsPacketsHoweverTheyAreCut) {
  const std::string bytes = "\x00\x05V\x00\x02\x00\x03v\x00\x03S\x00\x06U\x01\x00\x09"s;
  const std::vector<RtdePacket> whole{
      {'V', "\x00\x02"s}, {'v', ""}, {'S', ""}, {'U', "\x01\x00\x09"s}};
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    EXPECT_EQ(packets_in(bytes, piece), whole) << "pieces of " << piece;
  }
}

TEST(RtdeCodec, TakesTheLargestPacketAndKeepsNoMore) {
  const std::string bytes = encode_rtde(RtdePacketType::kData, std::string(65'532, 'x'));
  EXPECT_EQ(bytes.substr(0, 3), "\xff\xffU"s);
  RtdePacketReader reader;
  std::size_t count = 0;
  const auto take = [&](const RtdePacket& packet) { count += packet.payload.size() == 65'532; };
  reader.add(bytes.substr(0, bytes.size() - 1), take);
  EXPECT_EQ(reader.pending_bytes(), 65'534U);
  reader.add(bytes.substr(bytes.size() - 1) + bytes, take);
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(reader.pending_bytes(), 0U);
}

TEST(RtdeCodec, IsLostAfterASizeThatCannotBe) {
  for (const char size : {'\0', '\1', '\2'}) {
    RtdePacketReader reader;
    std::size_t count = 0;
    const auto take = [&](const RtdePacket&) { ++count; };
    reader.add("\x00\x03v\x00"s + size + "v" + "\x00\x03v"s, take);
    EXPECT_EQ(count, 1U);
    EXPECT_TRUE(reader.is_lost());
    reader.add("\x00\x03v"s, take);
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(reader.pending_bytes(), 0U);
  }
}

TEST(RtdeCodec, ReadsBackWhatItWroteWhateverItWas) {
  RandomStream random(8, "rtde");
  const auto next = [&] { return random.bits(); };
  for (int round = 0; round < 500; ++round) {
    std::vector<RtdeType> types;
    std::string bytes;
    for (std::uint64_t i = next() % 20; i > 0; --i) {
      types.push_back(static_cast<RtdeType>(next() % 10));
      for (std::size_t byte = rtde_size_bytes(types.back()); byte > 0; --byte) {
        // any bits but those of a bool, which has two values
        bytes.push_back(static_cast<char>(types.back() == RtdeType::kBool ? next() % 2 : next()));
      }
    }
    const auto values = decode_values(bytes, types);
    ASSERT_TRUE(values);
    ASSERT_EQ(encode_data(std::nullopt, *values).substr(3), bytes);
  }
}

}  // namespace
}  // namespace longarm::protocols::ur
