// SPDX-License-Identifier: Apache-2.0
// Components as real processes: sockets, real time, computing that burns, and the same node code.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/components/real/real_process.h"
#include "longarm/system/forked_process.h"
#include "longarm/system/socket.h"

namespace longarm::components {
namespace {

using namespace std::chrono_literals;

Bytes bytes_of(const std::string& text) {
  Bytes bytes;
  for (const char letter : text) {
    bytes.push_back(static_cast<std::byte>(letter));
  }
  return bytes;
}

struct Heard final : TransportEvents {
  void connected(ConnectionId connection) override { connections.push_back(connection); }
  void received(ConnectionId connection, Bytes message) override {
    from.push_back(connection);
    messages.push_back(std::move(message));
  }
  void closed(ConnectionId, const std::string& why) override { ends.push_back(why); }

  std::vector<ConnectionId> connections;
  std::vector<ConnectionId> from;
  std::vector<Bytes> messages;
  std::vector<std::string> ends;
};

class SocketTransportTest : public testing::Test {
 protected:
  SocketTransportTest() : loop_(kernel_) {
    SocketOptions impatient;
    impatient.retry_for = 50ms;
    server_ = std::move(SocketTransport::make(loop_, impatient)).value();
    client_ = std::move(SocketTransport::make(loop_, impatient)).value();
    server_->start(at_server_);
    client_->start(at_client_);
  }

  void run_until(const std::function<bool()>& is_done) {
    ASSERT_TRUE(loop_.run(loop_.wall_now() + 5s, is_done).has_value());
    ASSERT_TRUE(is_done());
  }

  static network::FlowOptions udp() {
    network::FlowOptions options;
    options.transport = network::Transport::kUdp;
    return options;
  }

  sim::Kernel kernel_;
  RealTimeLoop loop_;
  Heard at_server_;
  Heard at_client_;
  std::unique_ptr<SocketTransport> server_;
  std::unique_ptr<SocketTransport> client_;
};

TEST_F(SocketTransportTest, CarriesMessagesWholeAndInOrderThatDoNotFitTheSystemsBuffers) {
  const ConnectionId connection = client_->connect(server_->address(), {});
  std::vector<Bytes> sent;
  for (std::size_t i = 0; i < 20; ++i) {
    sent.emplace_back(i * 100'000, static_cast<std::byte>(i));
    client_->send(connection, sent.back());
  }
  run_until([&] { return at_server_.messages.size() == sent.size(); });
  EXPECT_EQ(at_server_.messages, sent);
  server_->send(at_server_.from[0], bytes_of("thanks"));
  run_until([&] { return !at_client_.messages.empty(); });
  EXPECT_EQ(at_client_.messages[0], bytes_of("thanks"));
}

TEST_F(SocketTransportTest, TellsThePeerOfAClosedConnectionOnce) {
  const ConnectionId connection = client_->connect(server_->address(), {});
  client_->send(connection, bytes_of("x"));
  run_until([&] { return !at_server_.messages.empty(); });
  client_->close(connection);
  run_until([&] { return !at_server_.ends.empty(); });
  EXPECT_THAT(at_server_.ends, testing::ElementsAre("closed by the peer"));
  EXPECT_THAT(at_client_.ends, testing::IsEmpty());
}

TEST_F(SocketTransportTest, SaysThatNobodyListensAfterHavingTriedForAWhile) {
  const Address nobody = server_->address();
  server_.reset();
  client_->connect(nobody, {});
  run_until([&] { return !at_client_.ends.empty(); });
  EXPECT_THAT(at_client_.ends, testing::ElementsAre("Connection refused"));
}

TEST_F(SocketTransportTest, RefusesALengthThatNoMessageMayHave) {
  const system::Descriptor stranger =
      std::move(system::connect_stream(server_->address(), 5s)).value();
  ASSERT_TRUE(system::send_all(stranger.number(), Bytes(8, std::byte{0xff})).has_value());
  run_until([&] { return !at_server_.ends.empty(); });
  EXPECT_THAT(at_server_.ends[0], testing::HasSubstr("larger than any may be"));
}

TEST_F(SocketTransportTest, AnswersDatagramsToWhereTheyCameFrom) {
  const ConnectionId connection = client_->connect(server_->address(), udp());
  client_->send(connection, bytes_of("one"));
  run_until([&] { return !at_server_.messages.empty(); });
  server_->send(at_server_.from[0], bytes_of("two"));
  run_until([&] { return !at_client_.messages.empty(); });
  EXPECT_EQ(at_server_.messages[0], bytes_of("one"));
  EXPECT_EQ(at_client_.messages[0], bytes_of("two"));
  client_->send(connection, bytes_of("three"));
  run_until([&] { return at_server_.messages.size() == 2; });
  EXPECT_EQ(at_server_.from[1], at_server_.from[0]) << "the same peer is the same connection";
}

TEST(RealTimeLoop, RunsEventsAtTheirTimesAndNotBeforeTheClockHasReachedThem) {
  sim::Kernel kernel;
  RealTimeLoop loop(kernel);
  const sim::SourceId source = kernel.add_source("test");
  Time due{};
  Time wall{};
  kernel.at(Time(20ms), sim::Phase::kControl, source, [&](Time now) {
    due = now;
    wall = loop.wall_now();
  });
  ASSERT_TRUE(loop.run(Time(5s), [&] { return due > Time{}; }).has_value());
  EXPECT_EQ(due, Time(20ms));
  EXPECT_GE(wall, Time(20ms));
}

TEST(BurningProcessor, UsesAsMuchCpuTimeAsItWasAskedFor) {
  sim::Kernel kernel;
  RealTimeLoop loop(kernel);
  BurningProcessor processor(loop);
  const auto used = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
  };
  const Duration before = used();
  bool is_done = false;
  processor.execute(10ms, [&] { is_done = true; });
  EXPECT_FALSE(is_done) << "whoever asked goes on first";
  ASSERT_TRUE(loop.run(Time(5s), [&] { return is_done; }).has_value());
  EXPECT_TRUE(is_done);
  EXPECT_GE(used() - before, 10ms);
}

LoopConfig server_config() {
  LoopConfig config;
  config.name = "Server";
  LoopMethod method;
  method.name = "get";
  method.reply_bytes = 1000;
  method.execution.fixed = 1ms;
  config.serves.push_back(method);
  return config;
}

LoopConfig caller_config() {
  LoopConfig config;
  config.name = "Caller";
  config.period = 5ms;
  config.phase = 20ms;
  config.cycles = 10;
  LoopCall call;
  call.name = "get";
  call.to = "Server";
  call.request_bytes = 100;
  config.calls.push_back(call);
  return config;
}

/// The same component code that simulations run, in two processes with a socket in between.
TEST(RealProcess, RunsTheLoopComponentAsProcessesOfTheirOwn) {
  RealProcessConfig config;
  config.serves_names = true;
  config.name_service = {"127.0.0.1", 0};
  const std::unique_ptr<RealProcess> caller = std::move(RealProcess::make(config)).value();
  const system::ForkedProcess server =
      std::move(system::ForkedProcess::start([&](const auto& say_ready) {
        RealProcessConfig other;
        other.name_service = caller->name_service();
        const auto process = std::move(RealProcess::make(other)).value();
        if (process->add(server_config())) {
          say_ready(other.name_service);
          (void)process->run(20s);
        }
      })).value();
  ASSERT_TRUE(caller->add(caller_config()).has_value());
  ASSERT_TRUE(caller->run(10s).has_value());

  const LoopComponent& loop = *caller->component("Caller");
  ASSERT_EQ(loop.cycles().size(), 10U) << loop.last_failure();
  for (const LoopCycle& cycle : loop.cycles()) {
    EXPECT_FALSE(cycle.has_failed) << loop.last_failure();
    EXPECT_GE(cycle.ended - cycle.started, 1ms) << "the server computes for a millisecond";
  }
  ASSERT_GE(caller->calls().size(), 10U);
  EXPECT_GE(caller->calls().back().executed - caller->calls().back().request_arrived, 1ms);
}

TEST(RealProcess, SaysSoWhenItCannotListen) {
  RealProcessConfig config;
  config.serves_names = true;
  config.listen_host = "192.0.2.1";  // of no machine: RFC 5737
  const auto process = RealProcess::make(config);
  ASSERT_FALSE(process.has_value());
  EXPECT_THAT(process.error().message, testing::HasSubstr("cannot listen at 192.0.2.1"));
}

}  // namespace
}  // namespace longarm::components
