// SPDX-License-Identifier: Apache-2.0
// Components over the built-in network: what calls take on a cable, refusals, lost datagrams.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/components/test/components_fixture.h"

namespace longarm::components::test {
namespace {

/// 1 Gbit/s, 1 µs, two bytes of framing: a byte takes 8 ns.
network::Cable gigabit() {
  network::Cable cable;
  cable.rate_bit_s = 1e9;
  cable.propagation = 1us;
  cable.framing = network::Framing::kPpp;
  return cable;
}

/// Loses each third packet.
class EachThird final : public network::LinkModel, public network::Link {
 public:
  void list_fields(Fields&) override {}
  std::unique_ptr<network::Link> make(const network::LinkContext&) const override {
    return std::make_unique<EachThird>();
  }

 private:
  void do_send(Time now, const network::Packet& packet, network::LinkOutput& output) override {
    packet.index % 3 == 2 ? output.drop(packet, network::DropReason::kLoss)
                          : output.arrive(packet, now);
  }
};

Duration second_call(network::Transport transport) {
  System system(2, {}, gigabit());
  NodeSetup setup;
  setup.calls.transport = transport;
  TestComponent server = system.make_known("server", "pc2", setup);
  TestComponent client = system.make_known("client", "pc1", setup);
  serve_echo(*server.node, 0us);
  std::vector<Result<Bytes>> answers;
  for (int i = 0; i < 2; ++i) {
    client.node->spawn(
        call_once(client.node.get(), "server", "echo", bytes_of("hello"), {}, &answers));
    system.run_for(1s);
  }
  EXPECT_EQ(system.recorder.calls.size(), 2U);
  const CallRecord& call = system.recorder.calls.back();
  return call.has_failed ? Duration(-1) : call.reply_arrived - call.called;
}

TEST(Wire, CarriesACallByDatagramsInTheTimeOfTheirBits) {
  // request 16 B, reply 26 B (call_test.cpp), each with 20 + 8 + 2 B around:
  // (46 + 56) · 8 ns + 2 · 1 µs = 2 816 ns
  EXPECT_EQ(second_call(network::Transport::kUdp), 2816ns);
}

TEST(Wire, CarriesACallByTcpInTheTimeOfItsBits) {
  // the same with 20 + 32 + 2 B around: (70 + 80) · 8 ns + 2 · 1 µs = 3 200 ns
  EXPECT_EQ(second_call(network::Transport::kTcp), 3200ns);
}

TEST(Wire, RefusesAfterAJourneyThereAndBack) {
  System system(2, {}, gigabit());
  TestComponent client = system.make_known("client", "pc1");
  system.name_service->add("ghost", "pc2", 9);
  std::vector<Result<Bytes>> answers;
  client.node->spawn(
      call_once(client.node.get(), "ghost", "echo", bytes_of("hello"), {}, &answers));
  system.run_for(1s);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_THAT(outcome_of(answers[0]), ::testing::HasSubstr("connection refused"));
  const CallRecord& call = system.recorder.calls.back();
  EXPECT_GT(call.reply_arrived - call.called, 2us);
  EXPECT_LT(call.reply_arrived - call.called, 10us);
}

TEST(Wire, TellsOfADeadServer) {
  System system(2, {}, gigabit());
  TestComponent server = system.make("server", "pc2");
  TestComponent client = system.make("client", "pc1");
  Node* self = server.node.get();
  server.node->serve_raw(
      "echo", [self](Bytes request) { return echo_after(self, 1s, std::move(request)); });
  system.run_for(1ms);  // until both have registered
  std::vector<Result<Bytes>> answers;
  client.node->spawn(
      call_once(client.node.get(), "server", "echo", bytes_of("hello"), {}, &answers));
  system.run_for(10ms);
  server.kill();
  system.run_for(10ms);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_THAT(outcome_of(answers[0]), ::testing::HasSubstr("reset by the peer"));
}

TEST(Wire, LosesDatagramsButNothingOfTcp) {
  for (const network::Transport transport : {network::Transport::kUdp, network::Transport::kTcp}) {
    network::Cable cable = gigabit();
    cable.impairment[0] = std::make_shared<EachThird>();  // from pc1 to pc2
    System system(2, {}, cable);
    TestComponent publisher = system.make_known("talker", "pc1");
    TestComponent subscriber = system.make_known("listener", "pc2");
    TopicOptions options;
    options.flow.transport = transport;
    std::vector<int> heard;
    publisher.node->advertise<Text>("numbers");
    subscriber.node->subscribe<Text>(
        "numbers", [&heard](const Text& text) { heard.push_back(std::stoi(text.data)); }, options);
    system.run_for(10s);
    for (int i = 0; i < 300; ++i) {
      publisher.node->publish("numbers", Text{std::to_string(i)});
      system.run_for(1ms);
    }
    system.run_for(100s);
    EXPECT_TRUE(std::is_sorted(heard.begin(), heard.end()));
    EXPECT_EQ(heard.size(), transport == network::Transport::kUdp ? 200U : 300U);
  }
}

}  // namespace
}  // namespace longarm::components::test
