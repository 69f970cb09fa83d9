// SPDX-License-Identifier: Apache-2.0
// A client knows from the statuses it hears what became of its commands.
#include <limits>

#include <gtest/gtest.h>

#include "longarm/protocols/crcl/client.h"

namespace longarm::protocols::crcl {
namespace {

std::string status_of(std::int64_t id, CommandState state, std::string description = {}) {
  Status status;
  status.command.command_id = id;
  status.command.status_id = 1;
  status.command.state = state;
  if (!description.empty()) {
    status.command.description = description;
  }
  return encode(status).value();
}

TEST(CrclClient, NumbersItsCommandsAndWritesThem) {
  Client client(7);
  EXPECT_EQ(client.send(InitCanon{}).value(), 7);
  EXPECT_EQ(client.send(Dwell{0.5}).value(), 8);
  Framing framing;
  framing.feed(client.take_output());
  EXPECT_EQ(decode_command(**framing.next()).value().command.id, 7);
  EXPECT_EQ(decode_command(**framing.next()).value().command.body, CommandBody(Dwell{0.5}));
  EXPECT_EQ(client.take_output(), "");
}

TEST(CrclClient, FollowsACommandFromSentToDone) {
  Client client;
  const std::int64_t id = client.send(InitCanon{}).value();
  EXPECT_EQ(client.progress(id), Progress::kSent);
  // a status that still speaks of the command before
  client.receive(status_of(0, CommandState::kDone));
  EXPECT_EQ(client.progress(id), Progress::kSent);
  client.receive(status_of(id, CommandState::kWorking));
  EXPECT_EQ(client.progress(id), Progress::kWorking);
  EXPECT_FALSE(client.is_over(id));
  client.receive(status_of(id, CommandState::kDone));
  EXPECT_EQ(client.progress(id), Progress::kDone);
  // and remembers it when later statuses speak of others
  client.receive(status_of(id + 1, CommandState::kWorking));
  EXPECT_EQ(client.progress(id), Progress::kDone);
}

TEST(CrclClient, KeepsTheReasonOfAnError) {
  Client client;
  const std::int64_t id = client.send(MoveTo{}).value();
  client.receive(status_of(id, CommandState::kError, "out of reach"));
  EXPECT_EQ(client.progress(id), Progress::kError);
  EXPECT_EQ(client.description(id), "out of reach");
}

TEST(CrclClient, SaysOvertakenWhenNoStatusToldTheEnd) {
  Client client;
  const std::int64_t first = client.send(Dwell{1.0}).value();
  const std::int64_t second = client.send(StopMotion{}).value();
  client.receive(status_of(first, CommandState::kWorking));
  client.receive(status_of(second, CommandState::kWorking));
  EXPECT_EQ(client.progress(first), Progress::kOvertaken);
  EXPECT_TRUE(client.is_over(first));
}

TEST(CrclClient, CountsWhatItAskedForAndHeardInPieces) {
  Client client;
  client.ask_status();
  client.ask_status();
  EXPECT_EQ(client.open_questions(), 2U);
  const std::string bytes = status_of(0, CommandState::kReady);
  EXPECT_EQ(client.receive(bytes.substr(0, 20)), 0U);
  EXPECT_EQ(client.receive(bytes.substr(20) + bytes), 2U);
  EXPECT_EQ(client.open_questions(), 0U);
}

TEST(CrclClient, DoesNotUseAnIdForACommandThatCannotBeWritten) {
  Client client;
  const Result<std::int64_t> bad = client.send(Dwell{std::numeric_limits<double>::quiet_NaN()});
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().message, "DwellTime: nan is not a finite number");
  EXPECT_EQ(client.take_output(), "");
  EXPECT_EQ(client.send(InitCanon{}).value(), 1);
}

TEST(CrclClient, CountsStatusesItCannotReadAndReadsOn) {
  Client client;
  client.receive("<CRCLStatus></CRCLStatus>" + status_of(3, CommandState::kDone));
  EXPECT_EQ(client.unreadable(), 1U);
  EXPECT_EQ(client.last_failure(), "'CommandStatus' is missing");
  EXPECT_EQ(client.last_status()->command.command_id, 3);
}

}  // namespace
}  // namespace longarm::protocols::crcl
