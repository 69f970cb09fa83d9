// SPDX-License-Identifier: Apache-2.0
// Modbus bytes against the examples of the application protocol's clauses, written out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/random.h"
#include "longarm/protocols/modbus/client.h"
#include "longarm/protocols/modbus/codec.h"

namespace longarm::protocols::modbus {
namespace {

using testing::ElementsAre;

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) {
    out += static_cast<char>(value);
  }
  return out;
}

Request request_of(const std::string& pdu) {
  const auto parsed = decode_request(pdu);
  EXPECT_TRUE(std::holds_alternative<Request>(parsed));
  return std::holds_alternative<Request>(parsed) ? std::get<Request>(parsed) : Request{};
}

int refusal_of(const std::string& pdu) {
  const auto parsed = decode_request(pdu);
  return std::holds_alternative<Exception>(parsed) ? static_cast<int>(std::get<Exception>(parsed))
                                                   : 0;
}

std::vector<Frame> frames_of(FrameReader& reader, std::string_view stream) {
  std::vector<Frame> frames;
  reader.add(stream, [&](const Frame& frame) { frames.push_back(frame); });
  return frames;
}

// clause 6.3: registers 108 to 110 are read, they hold 555, 0 and 100
TEST(ModbusCodec, ReadsHoldingRegistersAsInTheStandard) {
  const std::string asked = bytes({0x03, 0x00, 0x6B, 0x00, 0x03});
  const Request request = request_of(asked);
  EXPECT_EQ(request.function, Function::kReadHoldingRegisters);
  EXPECT_EQ(request.address, 0x6B);
  EXPECT_EQ(request.count, 3);
  EXPECT_EQ(encode_request(request), asked);
  const std::vector<std::uint16_t> values{0x022B, 0x0000, 0x0064};
  const std::string answer = bytes({0x03, 0x06, 0x02, 0x2B, 0x00, 0x00, 0x00, 0x64});
  EXPECT_EQ(encode_answer(request, values), answer);
  EXPECT_EQ(decode_answer(request, answer)->values, values);
}

// clause 6.1: coils 20 to 38 are CD 6B 05, the first one lowest: 1100 1101 reads 1,0,1,1,0,0,1,1
TEST(ModbusCodec, PacksCoilsLowestFirst) {
  const Request request = request_of(bytes({0x01, 0x00, 0x13, 0x00, 0x13}));
  EXPECT_EQ(request.count, 19);
  const auto answer = decode_answer(request, bytes({0x01, 0x03, 0xCD, 0x6B, 0x05}));
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->values, ElementsAre(1, 0, 1, 1, 0, 0, 1, 1,  // CD
                                          1, 1, 0, 1, 0, 1, 1, 0,  // 6B
                                          1, 0, 1));               // 05
  EXPECT_EQ(encode_answer(request, answer->values), bytes({0x01, 0x03, 0xCD, 0x6B, 0x05}));
}

// clauses 6.5, 6.6, 6.11, 6.12, 6.16, 6.17
TEST(ModbusCodec, WritesAsInTheStandard) {
  EXPECT_THAT(request_of(bytes({0x05, 0x00, 0xAC, 0xFF, 0x00})).values, ElementsAre(1));
  EXPECT_THAT(request_of(bytes({0x05, 0x00, 0xAC, 0x00, 0x00})).values, ElementsAre(0));
  EXPECT_THAT(request_of(bytes({0x06, 0x00, 0x01, 0x00, 0x03})).values, ElementsAre(3));
  EXPECT_THAT(request_of(bytes({0x0F, 0x00, 0x13, 0x00, 0x0A, 0x02, 0xCD, 0x01})).values,
              ElementsAre(1, 0, 1, 1, 0, 0, 1, 1, 1, 0));
  const Request both =
      request_of(bytes({0x10, 0x00, 0x01, 0x00, 0x02, 0x04, 0x00, 0x0A, 0x01, 0x02}));
  EXPECT_THAT(both.values, ElementsAre(0x000A, 0x0102));
  EXPECT_EQ(encode_answer(both, {}), bytes({0x10, 0x00, 0x01, 0x00, 0x02}));
  const Request mask = request_of(bytes({0x16, 0x00, 0x04, 0x00, 0xF2, 0x00, 0x25}));
  EXPECT_EQ(mask.and_mask, 0xF2);
  EXPECT_EQ(mask.or_mask, 0x25);
  const Request exchange = request_of(bytes({0x17, 0x00, 0x03, 0x00, 0x06, 0x00, 0x0E, 0x00, 0x03,
                                             0x06, 0x00, 0xFF, 0x00, 0xFF, 0x00, 0xFF}));
  EXPECT_EQ(exchange.address, 3);
  EXPECT_EQ(exchange.count, 6);
  EXPECT_EQ(exchange.write_address, 14);
  EXPECT_THAT(exchange.values, ElementsAre(0xFF, 0xFF, 0xFF));
}

TEST(ModbusCodec, RefusesWithTheExceptionTheStandardNames) {
  EXPECT_EQ(refusal_of(bytes({0x07})), 1);                                // a function we lack
  EXPECT_EQ(refusal_of(bytes({0x2B, 0x0E, 0x01, 0x00})), 1);              // device identification
  EXPECT_EQ(refusal_of(bytes({0x03, 0x00, 0x00, 0x00})), 3);              // cut short
  EXPECT_EQ(refusal_of(bytes({0x03, 0x00, 0x00, 0x00, 0x00})), 3);        // no register
  EXPECT_EQ(refusal_of(bytes({0x03, 0x00, 0x00, 0x00, 0x7E})), 3);        // 126 of them
  EXPECT_EQ(refusal_of(bytes({0x03, 0x00, 0x00, 0x00, 0x7D})), 0);        // 125 are allowed
  EXPECT_EQ(refusal_of(bytes({0x03, 0x00, 0x00, 0x00, 0x01, 0x00})), 3);  // too long
  EXPECT_EQ(refusal_of(bytes({0x01, 0x00, 0x00, 0x07, 0xD1})), 3);        // 2001 coils
  EXPECT_EQ(refusal_of(bytes({0x05, 0x00, 0x00, 0x00, 0x01})), 3);        // neither on nor off
  EXPECT_EQ(refusal_of(bytes({0x10, 0x00, 0x00, 0x00, 0x01, 0x04, 0, 0, 0, 0})), 3);
  EXPECT_EQ(refusal_of(bytes({0x10, 0x00, 0x00, 0x00, 0x02, 0x04, 0, 0})), 3);
  EXPECT_EQ(refusal_of(bytes({0x17, 0, 0, 0, 1, 0, 0, 0, 0, 0})), 3);  // writes nothing
  EXPECT_EQ(refusal_of(bytes({0x16, 0, 0, 0, 1})), 3);
  EXPECT_EQ(refusal_of(""), 1);
}

TEST(ModbusFrames, AreCutOutOfAnyPieces) {
  const Frame first{0x1501, 7, bytes({0x06, 0x80, 0x02, 0x40, 0x00})};
  const std::string wire =
      bytes({0x15, 0x01, 0x00, 0x00, 0x00, 0x06, 0x07, 0x06, 0x80, 0x02, 0x40, 0x00});
  EXPECT_EQ(encode(first), wire);
  const std::string stream = wire + encode({2, 1, "\x07"}) + wire;
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    FrameReader reader;
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      for (const Frame& frame : frames_of(reader, std::string_view(stream).substr(at, piece))) {
        frames.push_back(frame);
      }
    }
    ASSERT_EQ(frames.size(), 3U) << "in pieces of " << piece;
    EXPECT_EQ(frames[0].pdu, first.pdu);
    EXPECT_EQ(frames[0].transaction, 0x1501);
    EXPECT_EQ(frames[0].unit, 7);
    EXPECT_EQ(frames[1].transaction, 2);
    EXPECT_EQ(frames[2].pdu, first.pdu);
  }
}

TEST(ModbusFrames, OfOtherProtocolsAreSkipped) {
  FrameReader reader;
  const std::string other = bytes({0, 1, 0, 9, 0, 3, 1, 0x06, 0x00});
  const auto frames = frames_of(reader, other + encode({5, 1, "\x07"}));
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].transaction, 5);
  EXPECT_EQ(reader.skipped(), 1U);
}

TEST(ModbusFrames, WithAnImpossibleLengthLoseTheStream) {
  for (const int length : {0, 1, 255, 0xFFFF}) {
    FrameReader reader;
    const auto frames = frames_of(
        reader, bytes({0, 1, 0, 0, length >> 8, length & 0xFF, 1, 3}) + encode({5, 1, "\x07"}));
    EXPECT_TRUE(frames.empty()) << length;
    EXPECT_TRUE(reader.is_lost()) << length;
  }
  FrameReader reader;
  frames_of(reader, encode({1, 1, std::string(kMaxPduBytes, '\x03')}));
  EXPECT_FALSE(reader.is_lost());
}

// what goes out comes back the same, whatever it is
TEST(ModbusCodec, RandomBytesNeverBreakItAndRequestsComeBackTheSame) {
  RandomStream random(1, "modbus");
  int understood = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string pdu;
    const std::uint64_t size = random.bits() % 16;
    for (std::uint64_t i = 0; i < size; ++i) {
      // small numbers, so that counts are sometimes right
      const std::uint64_t draw = random.bits();
      pdu += static_cast<char>(draw % 3 == 0 ? (draw >> 8) % 256 : (draw >> 8) % 24);
    }
    const auto parsed = decode_request(pdu);
    if (const auto* request = std::get_if<Request>(&parsed)) {
      ++understood;
      EXPECT_EQ(std::get<Request>(decode_request(encode_request(*request))), *request);
    }
  }
  EXPECT_GT(understood, 100);
}

TEST(ModbusClient, MatchesAnswersToRequests) {
  Client client(3);
  const Client::Sent write = client.write_register(0x8002, 0x4000);
  const Client::Sent read = client.read_input_registers(0, 2);
  EXPECT_EQ(write.bytes,
            bytes({0, 1, 0, 0, 0, 6, 3, 0x06, 0x80, 0x02, 0x40, 0x00}));  // number 1, unit 3
  EXPECT_EQ(client.pending(), 2U);
  // the second one is answered first
  const auto heard = client.hear(encode({read.number, 3, bytes({0x04, 0x04, 0, 1, 0, 2})}) +
                                 encode({write.number, 3, bytes({0x86, 0x03})}));
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(heard[0].number, read.number);
  EXPECT_THAT(heard[0].answer.values, ElementsAre(1, 2));
  EXPECT_EQ(heard[1].number, write.number);
  EXPECT_EQ(heard[1].answer.exception, Exception::kIllegalValue);
  EXPECT_EQ(client.pending(), 0U);
  EXPECT_FALSE(client.is_lost());
}

TEST(ModbusClient, KnowsAnAnswerThatIsNone) {
  Client client;
  const auto sent = client.write_register(0x8000, 1);
  EXPECT_TRUE(client.hear(encode({sent.number, 1, bytes({0x06, 0x80, 0x00, 0, 2})})).empty());
  EXPECT_TRUE(client.is_lost());
}

}  // namespace
}  // namespace longarm::protocols::modbus
