// SPDX-License-Identifier: Apache-2.0
// Lines of the lock-step protocol: written, read back, and refused.
#include "longarm/components/lockstep/lockstep_message.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace longarm::components {
namespace {

std::string problem_with(const std::string& line) {
  const Result<LockstepMessage> message = parse_lockstep(line);
  return message ? "none" : message.error().message;
}

TEST(LockstepMessage, IsOneJsonObjectWithTheFieldsOfItsTypeOnly) {
  LockstepMessage call;
  call.type = "call";
  call.id = 7;
  call.server = "/Server";
  call.method = "echo";
  call.topic = "not of a call";
  // base64 of the three bytes 1 2 3: 000000 010000 001000 000011 = A Q I D
  call.data = {std::byte{1}, std::byte{2}, std::byte{3}};
  EXPECT_EQ(to_line(call),
            R"({"type":"call","id":7,"server":"/Server","method":"echo","data":"AQID"})");
}

TEST(LockstepMessage, ReadsBackWhatItWrote) {
  LockstepMessage reply;
  reply.type = "reply";
  reply.id = 1;
  reply.turn = 3;
  reply.time_ns = 123'456'789'012;
  reply.error = "no such \"method\"\n";
  const LockstepMessage again = parse_lockstep(to_line(reply)).value();
  EXPECT_EQ(again.type, "reply");
  EXPECT_EQ(again.id, 1);
  EXPECT_EQ(again.turn, 3);
  EXPECT_EQ(again.time_ns, 123'456'789'012);
  EXPECT_EQ(again.error, reply.error);
  EXPECT_EQ(again.data, Bytes{});
}

TEST(LockstepMessage, SaysWhatIsWrongWithALine) {
  EXPECT_EQ(problem_with("hello"), R"(the line "hello" is not a JSON object)");
  EXPECT_EQ(problem_with("[]"), R"(the line "[]" is not a JSON object)");
  EXPECT_EQ(problem_with(R"({"id":1})"), R"(the line "{\"id\":1}" has no type)");
  EXPECT_THAT(problem_with(R"({"type":"dance"})"), testing::HasSubstr("unknown type"));
  EXPECT_THAT(problem_with(R"({"type":"idle"})"), testing::HasSubstr("lacks 'turn'"));
  EXPECT_THAT(problem_with(R"({"type":"idle","turn":"1"})"),
              testing::HasSubstr("has a 'turn' that is not a whole number"));
  EXPECT_THAT(problem_with(R"({"type":"idle","turn":-1})"), testing::HasSubstr("is negative"));
  EXPECT_THAT(problem_with(R"({"type":"idle","turn":18446744073709551615})"),
              testing::HasSubstr("is too large"));
  EXPECT_THAT(problem_with(R"({"type":"serve","method":5})"),
              testing::HasSubstr("is not a string"));
  EXPECT_THAT(problem_with(R"({"type":"publish","topic":"t","data":"AQI"})"),
              testing::HasSubstr("has a 'data' that is not base64"));
}

TEST(LockstepMessage, NeverThrowsForBytesThatAreNoText) {
  std::string line;
  for (int i = 255; i >= 0; --i) {
    line += static_cast<char>(i);
    EXPECT_FALSE(parse_lockstep(line).has_value());
  }
  EXPECT_FALSE(parse_lockstep(std::string(100'000, '[')).has_value());
}

}  // namespace
}  // namespace longarm::components
