// SPDX-License-Identifier: Apache-2.0
// A client and a door on two hosts with a cable between them: delays, losses, order and ends.
#include "longarm/cell/network_client_link.h"

#include <gtest/gtest.h>

#include "longarm/network/test/builtin_fixture.h"
#include "longarm/network/test/link_fixture.h"

namespace longarm::cell {
namespace {

using namespace std::chrono_literals;
using network::at;
using protocols::ConnectionId;

/// Answers every byte with itself, and ends the conversation after a '.'.
class Echo final : public protocols::Door {
 public:
  Echo() : Door("echo") {}

  std::string received;
  std::vector<Time> opened, closed;
  Time first_heard{};

 private:
  void do_open(ConnectionId, Time now) override { opened.push_back(now); }
  void do_receive(ConnectionId, std::string_view bytes, Time now) override {
    if (received.empty()) {
      first_heard = now;
    }
    received += bytes;
    output_ += bytes;
  }
  void do_close(ConnectionId, Time now) override { closed.push_back(now); }
  std::string do_take_output(ConnectionId) override { return std::exchange(output_, {}); }
  bool do_is_over(ConnectionId) const override { return received.find('.') != std::string::npos; }

  std::string output_;
};

/// Steps of 1 ms; the cable takes 10 ms and no time for sending.
class Talks : public ::testing::Test {
 protected:
  Talks() {
    cable_.propagation = 10ms;
    cable_.framing = network::Framing::kNone;
  }

  void start(network::FlowOptions options = {}) {
    const network::Topology topology = network::chain(cable_);
    std::vector<network::Host> hosts(2);
    network_ = std::make_unique<network::Network>(
        kernel_, network::make_builtin_backend(topology, {}), std::move(hosts), 1);
    const sim::SourceId world = kernel_.add_source("world");
    kernel_.every(1ms, Time{}, sim::Phase::kSample, world, [this](Time now) { link_->flush(now); });
    link_ = std::make_unique<NetworkClientLink>(
        kernel_, *network_, door_,
        ClientRequest{network::NodeId{0}, network::NodeId{1}, options, ConnectionId{7}});
    link_->listen([this](std::string_view bytes, Time now) {
      heard_ += bytes;
      heard_at_.push_back(now);
    });
  }
  void run(Duration until) { ASSERT_TRUE(kernel_.run_until(at(until))); }

  network::Cable cable_;
  sim::Kernel kernel_;
  Echo door_;
  std::unique_ptr<network::Network> network_;
  std::unique_ptr<NetworkClientLink> link_;
  std::string heard_;
  std::vector<Time> heard_at_;
};

TEST_F(Talks, SeeExactlyTheDelayOfTheCable) {
  start();
  link_->send("hello");
  EXPECT_TRUE(link_->is_up());
  EXPECT_FALSE(link_->is_established());
  run(100ms);
  EXPECT_TRUE(link_->is_established());
  // SYN 10 ms, SYN-ACK 10 ms, then the third packet of the handshake and the data: 30 ms
  ASSERT_EQ(door_.opened.size(), 1u);
  EXPECT_EQ(door_.opened[0], at(30ms));
  EXPECT_EQ(door_.first_heard, at(30ms));
  // a step is due at 30 ms, too: the answer leaves at once
  ASSERT_EQ(heard_at_.size(), 1u);
  EXPECT_EQ(heard_at_[0], at(40ms));
  EXPECT_EQ(heard_, "hello");
  // established: one way each; 100.5 ms + 10 ms, next step at 111 ms, + 10 ms
  kernel_.deliver(at(100500us), kernel_.add_source("late"), [this](Time) { link_->send("again"); });
  run(200ms);
  ASSERT_EQ(heard_at_.size(), 2u);
  EXPECT_EQ(heard_at_[1], at(121ms));
}

TEST_F(Talks, StallWhenTheCableIsDownAndLoseNothing) {
  network::CableChange down{at(100ms), {}, {}, {}, false, {}};
  network::CableChange up{at(400ms), {}, {}, {}, true, {}};
  cable_.changes = {down, up};
  start();
  const sim::SourceId client = kernel_.add_source("client");
  for (int i = 0; i < 50; ++i) {
    kernel_.at(at(50ms + i * 10ms), sim::Phase::kControl, client,
               [this, i](Time) { link_->send(std::string(1, static_cast<char>('A' + i))); });
  }
  run(90ms);
  EXPECT_EQ(door_.received, "ABC") << "sent at 50, 60 and 70 ms";
  run(399ms);
  EXPECT_EQ(door_.received, "ABCD") << "the one sent at 80 ms arrived before the cable broke";
  // the time-out of 200 ms and its doubles are over long before
  run(3s);
  std::string all;
  for (int i = 0; i < 50; ++i) {
    all.push_back(static_cast<char>('A' + i));
  }
  EXPECT_EQ(door_.received, all) << "everything, in order";
  EXPECT_EQ(heard_, all);
  EXPECT_TRUE(link_->is_up());
}

TEST_F(Talks, KeepTheirOrderWhenPacketsAreLost) {
  const std::shared_ptr<network::LinkModel> lossy = network::built_in_link_models().make("netem");
  network::KeyFields keys(network::Keys{{"netem", "loss 20%"}});
  lossy->list_fields(keys);
  cable_.impairment[0] = lossy;
  cable_.impairment[1] = lossy;
  start();
  std::string all;
  const sim::SourceId client = kernel_.add_source("client");
  for (int i = 0; i < 200; ++i) {
    all.push_back(static_cast<char>('0' + i % 64));
    kernel_.at(at(100ms + i * 5ms), sim::Phase::kControl, client,
               [this, byte = all.back()](Time) { link_->send(std::string(1, byte)); });
  }
  run(60s);
  EXPECT_EQ(door_.received, all);
  EXPECT_EQ(heard_, all);
  std::uint64_t retransmissions = 0;
  for (const network::FlowFigures& flow : network_->figures().flows) {
    retransmissions += flow.retransmissions;
  }
  EXPECT_GT(retransmissions, 20u) << "a fifth of more than 200 packets each way";
}

TEST_F(Talks, NoticeThatTheDoorHasEndedThem) {
  start();
  link_->send("bye.");
  run(39ms);
  EXPECT_TRUE(link_->is_up());
  run(100ms);
  EXPECT_EQ(heard_, "bye.") << "the last words are heard";
  EXPECT_FALSE(link_->is_up());
  EXPECT_EQ(door_.closed.size(), 1u);
  link_->send("more");
  run(200ms);
  EXPECT_EQ(door_.received, "bye.");
}

TEST_F(Talks, TellTheDoorWhenTheClientLeaves) {
  start();
  run(50ms);
  link_->send("one");
  link_->close();
  EXPECT_FALSE(link_->is_up());
  run(200ms);
  EXPECT_EQ(door_.received, "one") << "what was sent before still arrives";
  ASSERT_EQ(door_.closed.size(), 1u);
  EXPECT_EQ(door_.closed[0], at(60ms));
}

TEST_F(Talks, AreGivenUpAfterTooManyRetries) {
  cable_.changes = {{at(100ms), {}, {}, {}, false}};
  network::FlowOptions options;
  options.tcp.max_retries = 3;
  start(options);
  run(100ms);
  link_->send("lost");
  // time-outs of about 0.22 s, doubled each time: 0.22 · (1 + 2 + 4 + 8) s at most
  run(5s);
  EXPECT_FALSE(link_->is_up());
  EXPECT_EQ(door_.received, "");
}

/// Has a packet of 1000 bytes whenever it is asked, and notes what became of its call.
class Streamer final : public protocols::Door {
 public:
  Streamer() : Door("streamer") {}

  std::vector<Time> opened, closed, failed;
  std::string received;

 private:
  void do_open(ConnectionId, Time now) override { opened.push_back(now); }
  void do_receive(ConnectionId, std::string_view bytes, Time) override { received += bytes; }
  void do_close(ConnectionId, Time now) override { closed.push_back(now); }
  std::string do_take_output(ConnectionId) override { return {}; }
  std::string do_take_cyclic(ConnectionId) override { return std::string(1000, '#'); }
  bool do_is_over(ConnectionId) const override { return false; }
  void do_call_failed(Time now) override { failed.push_back(now); }
};

/// Host 0 has the client, host 1 the door.
class Streams : public ::testing::Test {
 protected:
  Streams() {
    cable_.propagation = 10ms;
    cable_.framing = network::Framing::kNone;
  }

  void start(bool is_call_out, network::FlowOptions options = {}) {
    network_ = std::make_unique<network::Network>(
        kernel_, network::make_builtin_backend(network::chain(cable_), {}),
        std::vector<network::Host>(2), 1);
    link_ =
        std::make_unique<NetworkClientLink>(kernel_, *network_, door_,
                                            ClientRequest{network::NodeId{0}, network::NodeId{1},
                                                          options, ConnectionId{7}, is_call_out});
    link_->listen([this](std::string_view bytes, Time now) {
      heard_bytes_ += bytes.size();
      last_heard_ = now;
    });
    kernel_.every(8ms, Time{}, sim::Phase::kSample, kernel_.add_source("world"),
                  [this](Time now) { link_->flush(now); });
  }
  void run(Duration until) { ASSERT_TRUE(kernel_.run_until(at(until))); }

  network::Cable cable_;
  sim::Kernel kernel_;
  Streamer door_;
  std::unique_ptr<network::Network> network_;
  std::unique_ptr<NetworkClientLink> link_;
  std::size_t heard_bytes_ = 0;
  Time last_heard_{};
};

// open at the door at 30 ms; packets leave at 32, 40 … 984 ms: 120 of them, and take 10 ms each
TEST_F(Streams, BringEveryPacketAfterTheSameTime) {
  start(false);
  run(1s);
  EXPECT_EQ(heard_bytes_, 120'000u);
  EXPECT_EQ(last_heard_, at(994ms));
  EXPECT_EQ(link_->delays_to_client().messages, 120u);
  EXPECT_EQ(link_->delays_to_client().shortest, 10ms);
  EXPECT_EQ(link_->delays_to_client().longest, 10ms);
  EXPECT_EQ(link_->cyclic_dropped(), 0u);
}

// from 100 ms on nothing gets through; of what is asked for every 8 ms only five packets fit
TEST_F(Streams, LeavePacketsOutThatWouldWait) {
  cable_.changes = {{at(100ms), {}, {}, {}, false}};
  network::FlowOptions options;
  options.tcp.send_buffer_bytes = 5'000;
  start(false, options);
  run(1s);
  // 32, 40 … 88 ms arrive by 98 ms; the one of 96 ms and four more wait; by 992 ms
  // 121 were asked for
  EXPECT_EQ(heard_bytes_, 8'000u);
  EXPECT_EQ(link_->cyclic_dropped(), 121u - 8u - 5u);
}

// SYN 10 ms, SYN-ACK 20 ms: the caller may speak, and does so at 24 ms
TEST_F(Streams, GoFromTheDoorToTheClientWhenTheDoorCalls) {
  start(true);
  EXPECT_FALSE(link_->is_established());
  run(29ms);
  ASSERT_EQ(door_.opened.size(), 1u);
  EXPECT_EQ(door_.opened[0], at(20ms));
  EXPECT_FALSE(link_->is_established());
  run(50ms);
  EXPECT_TRUE(link_->is_established());
  EXPECT_EQ(heard_bytes_, 2'000u) << "those of 24 and 32 ms; the next comes at 50 ms";
  link_->send("seven");
  run(61ms);
  EXPECT_EQ(door_.received, "seven");
  EXPECT_EQ(link_->delays_to_door().longest, 10ms);
  link_->close();
  run(100ms);
  EXPECT_EQ(door_.closed.size(), 1u);
  EXPECT_TRUE(door_.failed.empty());
}

// a SYN after 1 s, 3 s, 7 s: at last it gives up
TEST_F(Streams, TellTheDoorThatNobodyAnswers) {
  cable_.changes = {{at(0ms), {}, {}, {}, false}};
  network::FlowOptions options;
  options.tcp.max_retries = 2;
  start(true, options);
  run(60s);
  EXPECT_TRUE(door_.opened.empty());
  EXPECT_EQ(door_.failed.size(), 1u);
  EXPECT_TRUE(door_.closed.empty());
}

}  // namespace
}  // namespace longarm::cell
