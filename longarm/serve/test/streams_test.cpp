// SPDX-License-Identifier: Apache-2.0
// Doors that stream and doors that call out, on real sockets: nobody gets old news in a burst.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "longarm/serve/test/stream_world.h"

namespace longarm::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Conversations, TakeStreamsAfterStepsOnlyAndBehindAnswers) {
  StreamWorld world;
  std::string heard;
  Conversations talks({&world.stream}, [&](const Said& said) {
    heard += "[" + said.bytes + "|" + said.cyclic.substr(0, 11) + "]";
  });
  talks.apply({DoorEventKind::kOpen, 0, kOne, {}}, Time{});
  world.stream.publish(1);
  talks.apply({DoorEventKind::kData, 0, kOne, "x"}, Time{});
  talks.after_step();
  talks.after_step();
  EXPECT_EQ(heard, "[welcome\n|][|0000000001-]");
  EXPECT_EQ(talks.figures(0).bytes_out, 8U + kPacketBytes);
}

TEST(Conversations, HashStreamsAndCalls) {
  const auto hash_of = [](char letter, std::uint16_t port) {
    StreamWorld world;
    world.stream.letter = letter;
    world.calls.whom.push_back({"127.0.0.1", port});
    std::string called;
    Conversations talks({&world.stream, &world.calls}, {},
                        [&](std::size_t door, const protocols::Call& whom) {
                          called = std::to_string(door) + whom.host + std::to_string(whom.port);
                        });
    talks.apply({DoorEventKind::kOpen, 0, kOne, {}}, Time{});
    world.stream.publish(1);
    talks.after_step();
    EXPECT_EQ(called, "1127.0.0.1" + std::to_string(port));
    return talks.hash();
  };
  EXPECT_EQ(hash_of('a', 1), hash_of('a', 1));
  EXPECT_NE(hash_of('a', 1), hash_of('b', 1));
  EXPECT_NE(hash_of('a', 1), hash_of('a', 2));
}

TEST(Conversations, TellADoorThatNobodyAnswers) {
  StreamWorld world;
  Conversations talks({&world.calls});
  talks.apply({DoorEventKind::kCallFailed, 0, {}, "why"}, Time{});
  EXPECT_EQ(world.calls.heard, "!");
  EXPECT_EQ(talks.figures(0).failed_calls, 1U);
  EXPECT_EQ(talks.figures(0).calls, 0U);
}

/// A server with a streaming door whose packets the test sends itself.
class StreamServer : public testing::Test {
 protected:
  void SetUp() override {
    server_ = std::move(DoorServer::make(world_.doors(), {}, inbox_)).value();
  }

  /// The next thing that happens; waits for it.
  DoorEvent next_event() {
    for (int i = 0; i < 500; ++i) {
      if (auto event = inbox_.pop()) {
        return *event;
      }
      inbox_.wait(10ms);
    }
    ADD_FAILURE() << "nothing happens";
    return {};
  }
  ConnectionId next_client() {
    const DoorEvent event = next_event();
    EXPECT_EQ(event.kind, DoorEventKind::kOpen);
    return event.client;
  }
  std::uint16_t port() const { return server_->addresses().at(0).port; }
  /// Until so many packets were sent or skipped.
  void wait_for_packets(std::uint64_t count) const {
    const auto start = std::chrono::steady_clock::now();
    while (server_->figures().cyclic_sent + server_->figures().cyclic_skipped < count &&
           std::chrono::steady_clock::now() - start < 5s) {
      std::this_thread::sleep_for(100us);
    }
  }

  StreamWorld world_;
  Inbox inbox_;
  std::unique_ptr<DoorServer> server_;
};

// 16 s of a stream of 125 Hz, 2.2 MB, while one client does not read
TEST_F(StreamServer, DoesWithoutAClientThatStalls) {
  TestClient good(port());
  const ConnectionId good_id = next_client();
  TestClient lazy(port());
  const ConnectionId lazy_id = next_client();
  constexpr std::uint64_t kPackets = 2000;
  for (std::uint64_t i = 1; i <= kPackets; ++i) {
    server_->send_cyclic(lazy_id, packet(i));
    server_->send_cyclic(good_id, packet(i));
    // every single one, in order
    ASSERT_EQ(good.hear(kPacketBytes), packet(i));
  }
  wait_for_packets(2 * kPackets);
  const ServerFigures figures = server_->figures();
  EXPECT_EQ(figures.cyclic_sent + figures.cyclic_skipped, 2 * kPackets);
  EXPECT_LT(figures.most_output, 2 * kPacketBytes + 1);
  EXPECT_EQ(figures.dropped, 0U);

  // what the system has kept for it comes first, in order, then the newest: nothing in between
  const std::uint64_t kept = figures.cyclic_sent - kPackets;
  const std::vector<std::uint64_t> old = numbers_of(lazy.hear(kept * kPacketBytes));
  ASSERT_EQ(old.size(), kept);
  EXPECT_LT(kept, kPackets / 2);
  EXPECT_TRUE(std::is_sorted(old.begin(), old.end(), std::less_equal<>()));
  server_->send_cyclic(lazy_id, packet(kPackets + 1));
  EXPECT_THAT(numbers_of(lazy.hear(kPacketBytes)), ElementsAre(kPackets + 1));
  RecordProperty("packets_kept_by_the_system", std::to_string(kept));
}

TEST_F(StreamServer, SendsTheNewestOfThoseThatWaited) {
  TestClient client(port());
  const ConnectionId id = next_client();
  constexpr std::uint64_t kPackets =
      20;  // as many as the system keeps for one who does not read yet
  for (std::uint64_t i = 1; i <= kPackets; ++i) {
    server_->send_cyclic(id, packet(i));
  }
  wait_for_packets(kPackets);
  const ServerFigures figures = server_->figures();
  EXPECT_EQ(figures.cyclic_sent + figures.cyclic_skipped, kPackets);
  const auto numbers = numbers_of(client.hear(figures.cyclic_sent * kPacketBytes));
  ASSERT_EQ(numbers.size(), figures.cyclic_sent);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(numbers.back(), kPackets);
}

TEST_F(StreamServer, KeepsAnswersBeforeAndBetweenPackets) {
  TestClient client(port());
  const ConnectionId id = next_client();
  server_->send(id, "welcome\n");
  server_->send_cyclic(id, packet(1));
  EXPECT_EQ(client.hear(8 + kPacketBytes), "welcome\n" + packet(1));
  server_->send(id, "answer\n");
  server_->end(id);
  EXPECT_EQ(client.hear(7), "answer\n");
  EXPECT_TRUE(client.hear_end());
}

TEST_F(StreamServer, ForgetsWhoResetsInTheMiddle) {
  auto client = std::make_unique<TestClient>(port());
  const ConnectionId id = next_client();
  server_->send_cyclic(id, packet(1));
  wait_for_packets(1);
  client->reset();
  EXPECT_EQ(next_event().kind, DoorEventKind::kClose);
  server_->send_cyclic(id, packet(2));
  TestClient other(port());
  server_->send_cyclic(next_client(), packet(3));
  EXPECT_EQ(other.hear(kPacketBytes), packet(3));
  EXPECT_EQ(server_->figures().cyclic_sent, 2U);
  EXPECT_EQ(server_->figures().broken, 1U);
}

// as `nc -N` does; what it hears are packets that were made after its last word
TEST_F(StreamServer, GoesOnForWhoHasStoppedTalking) {
  TestClient client(port());
  const ConnectionId id = next_client();
  client.say("a");
  client.stop_talking();
  EXPECT_EQ(next_event(), (DoorEvent{DoorEventKind::kData, 0, id, "a"}));
  EXPECT_FALSE(inbox_.wait(50ms));
  for (std::uint64_t i = 1; i <= 20; ++i) {
    server_->send_cyclic(id, packet(i));
    ASSERT_EQ(client.hear(kPacketBytes), packet(i));
  }
  EXPECT_TRUE(inbox_.is_empty());
  server_->end(id);  // the door can end it, as ever
  EXPECT_TRUE(client.hear_end());
}

// the first packet is answered with a reset
TEST_F(StreamServer, MissesWhoIsGoneWithinAPacketOrTwo) {
  TestClient client(port());
  const ConnectionId id = next_client();
  server_->send_cyclic(id, packet(1));
  ASSERT_EQ(client.hear(kPacketBytes), packet(1));
  client.close();
  std::optional<DoorEvent> event;
  std::uint64_t packets = 0;
  while (!event && packets < 100) {
    server_->send_cyclic(id, packet(2 + packets++));
    inbox_.wait(20ms);
    event = inbox_.pop();
  }
  EXPECT_EQ(event, (DoorEvent{DoorEventKind::kClose, 0, id, {}}));
  EXPECT_LE(packets, 5U);
  EXPECT_EQ(server_->figures().broken, 0U);  // it had said goodbye
}

TEST_F(StreamServer, SaysWhyACallFails) {
  const auto why = [&](const std::string& host, std::uint16_t to) {
    EXPECT_TRUE(server_->call(1, {host, to}));
    const DoorEvent event = next_event();
    EXPECT_EQ(event.kind, DoorEventKind::kCallFailed);
    EXPECT_EQ(event.door, 1U);
    return event.bytes;
  };
  std::uint16_t nobody = 0;
  {
    const Listener gone = std::move(listen_at(false, 0)).value();
    nobody = gone.port;
  }
  EXPECT_EQ(why("127.0.0.1", nobody),
            "127.0.0.1:" + std::to_string(nobody) + ": Connection refused");
  EXPECT_EQ(
      why("192.0.2.1", 50001),
      "192.0.2.1:50001: not on this computer; use --open to allow connections to other machines");
  EXPECT_EQ(why("example\x1b[0m.org", 1),
            "example?[0m.org:1: not an IPv4 address; host names are not resolved");
  EXPECT_EQ(why("", 0), ":0: not an IPv4 address; host names are not resolved");
}

// its queue is full, so that nothing comes back; the next caller waits in vain
TEST_F(StreamServer, GivesUpACallThatNobodyAnswers) {
  const system::Descriptor deaf(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(deaf.number(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(deaf.number(), 0), 0);
  getsockname(deaf.number(), reinterpret_cast<sockaddr*>(&address), &size);
  const std::uint16_t to = ntohs(address.sin_port);
  const TestClient first(to);
  const auto start = std::chrono::steady_clock::now();
  server_->call(1, {"localhost", to});
  const DoorEvent event = next_event();
  if (event.kind == DoorEventKind::kOpen) {
    GTEST_SKIP() << "this system has longer queues";
  }
  EXPECT_EQ(event.bytes, "localhost:" + std::to_string(to) + ": no answer within 2 s");
  EXPECT_GE(std::chrono::steady_clock::now() - start, 2s);
}

TEST_F(StreamServer, CarriesWhatTheCalledOneSays) {
  const Listener driver = std::move(listen_at(false, 0)).value();
  server_->call(1, {"127.0.0.1", driver.port});
  const DoorEvent event = next_event();
  ASSERT_EQ(event.kind, DoorEventKind::kOpen);
  EXPECT_EQ(event.door, 1U);
  bool is_exhausted = false;
  const system::Descriptor other = accept_client(driver, is_exhausted);
  ASSERT_TRUE(other.is_open());
  server_->send(event.client, "hello\n");
  pollfd one{other.number(), POLLIN, 0};
  ASSERT_EQ(poll(&one, 1, 5000), 1);
  char heard[16] = {};
  ASSERT_EQ(recv(other.number(), heard, sizeof heard, 0), 6);
  EXPECT_STREQ(heard, "hello\n");
  ASSERT_EQ(::send(other.number(), "yes", 3, MSG_NOSIGNAL), 3);
  EXPECT_EQ(next_event(), (DoorEvent{DoorEventKind::kData, 1, event.client, "yes"}));
  EXPECT_EQ(server_->figures().called, 1U);
}

using ServedStream = Served<StreamWorld>;

/// Packets of a client that reads for so long.
std::vector<std::uint64_t> listen_for(TestClient& client, Duration length) {
  EXPECT_EQ(client.hear(8).substr(0, 8), "welcome\n");
  std::string bytes;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < length) {
    bytes += client.hear(kPacketBytes);
  }
  return numbers_of(bytes);
}

// one does not read for a second; on a machine that keeps up the other one misses nothing, and what
// it misses otherwise is counted
TEST(StreamRun, GoesOnForOthersWhenOneStalls) {
  ServedStream served("stalled");
  TestClient lazy(served.port(0));
  TestClient good(served.port(0));
  const std::vector<std::uint64_t> numbers = listen_for(good, 1s);
  served.stop();
  ASSERT_GT(numbers.size(), 2U);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end(), std::less_equal<>()));
  const std::uint64_t missed = numbers.back() - numbers.front() + 1 - numbers.size();
  EXPECT_LE(missed, served.figures().cyclic_skipped + served.run().cyclic_left_out());
  EXPECT_EQ(served.figures().dropped, 0U);
  const ReplayReport report = replay_file<StreamWorld>(served.recording());
  EXPECT_TRUE(report.is_same) << report.difference;
  EXPECT_EQ(report.said_hash, served.run().conversations().hash());
}

TEST(StreamRun, OfAListenerRepeatsItself) {
  ServedStream served("listener");
  TestClient client(served.port(0));
  client.say("a");
  client.stop_talking();
  EXPECT_GT(listen_for(client, 200ms).size(), 2U);
  client.close();
  TestClient other(served.port(0));
  EXPECT_GT(listen_for(other, 200ms).size(), 2U);
  served.stop();
  EXPECT_EQ(served.run().conversations().figures(0).open, 1U);
  const ReplayReport report = replay_file<StreamWorld>(served.recording());
  EXPECT_TRUE(report.is_same) << report.difference;
  EXPECT_EQ(report.said_hash, served.run().conversations().hash());
}

/// Somebody who waits to be called, says `words` and hears to the end.
std::string answer_a_call(const Listener& listener, std::string_view words) {
  pollfd one{listener.socket.number(), POLLIN, 0};
  EXPECT_EQ(poll(&one, 1, 5000), 1);
  bool is_exhausted = false;
  const system::Descriptor caller = accept_client(listener, is_exhausted);
  EXPECT_EQ(::send(caller.number(), words.data(), words.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(words.size()));
  std::string heard;
  char piece[64];
  one = {caller.number(), POLLIN, 0};
  while (poll(&one, 1, 5000) == 1) {
    const ssize_t size = recv(caller.number(), piece, sizeof piece, 0);
    if (size <= 0) {
      break;
    }
    heard.append(piece, static_cast<std::size_t>(size));
  }
  return heard;
}

TEST(StreamRun, RepeatsCallsOutOfItsRecording) {
  ServedStream served("calls");
  const Listener driver = std::move(listen_at(false, 0)).value();
  std::uint16_t nobody = 0;
  {
    const Listener gone = std::move(listen_at(false, 0)).value();
    nobody = gone.port;
  }
  TestClient client(served.port(0));
  client.say(std::to_string(nobody) + ";" + std::to_string(driver.port) + ";");
  EXPECT_EQ(answer_a_call(driver, "move\nbye\n"), "hello\n");
  // one packet more, so that a step follows
  client.hear(8 + 2 * kPacketBytes);
  served.stop();
  EXPECT_THAT(served.world.calls.heard, testing::StrEq("!+move\nbye\n"));
  EXPECT_EQ(served.run().conversations().figures(1).calls, 2U);
  EXPECT_EQ(served.run().conversations().figures(1).failed_calls, 1U);
  const ReplayReport report = replay_file<StreamWorld>(served.recording());
  EXPECT_TRUE(report.is_same) << report.difference;
  EXPECT_EQ(report.world_hash, served.world.hash());
  EXPECT_EQ(report.said_hash, served.run().conversations().hash());
}

TEST(StreamRun, TellsADoorAtOnceThatNobodyCarriesItsCalls) {
  StreamWorld world;
  Inbox inbox;
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "longarm_no_carrier.jsonl";
  RecordingWriter recording =
      std::move(RecordingWriter::make(file, {1ms, {"stream", "calls"}})).value();
  std::string logged;
  LiveConfig config{.speed = 0.0};
  config.log = Log([&](LogLevel, const std::string& line) { logged += line; });
  LiveRun run(world, config, inbox, {nullptr, nullptr}, recording);
  world.calls.whom = {{"127.0.0.1", 1}};
  run.step();
  run.step();
  EXPECT_EQ(world.calls.heard, "!");
  EXPECT_EQ(logged,
            "warning     0.001000 s  calls: call failed: outgoing connections are not "
            "possible here");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace longarm::serve
