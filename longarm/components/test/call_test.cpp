// SPDX-License-Identifier: Apache-2.0
// Remote procedure calls: three phases with closed-form times, errors, time-outs, threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/components/test/components_fixture.h"

namespace longarm::components::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

network::Host busy_host() {
  network::Host host;
  host.stack_send.fixed = 10us;
  host.stack_receive.fixed = 5us;
  host.loopback.fixed = 3us;
  host.serialise.fixed = 20us;
  host.deserialise.fixed = 30us;
  return host;
}

class Call : public ::testing::Test {
 protected:
  void call(Node& node, std::string server, CallOptions options = {}, std::string method = "echo") {
    node.spawn(call_once(&node, std::move(server), std::move(method), bytes_of("hello"), options,
                         &answers));
  }
  std::vector<Result<Bytes>> answers;
};

TEST_F(Call, TakesItsThreePhases) {
  System system(2, busy_host());
  TestComponent server = system.make_known("server", "pc2");
  TestComponent client = system.make_known("client", "pc1");
  serve_echo(*server.node, 100us);
  call(*client.node, "server");
  system.run_for(10ms);  // the first has to look up and connect
  call(*client.node, "server");
  system.run_for(10ms);

  ASSERT_EQ(system.recorder.calls.size(), 2U);
  const CallRecord& record = system.recorder.calls[1];
  EXPECT_EQ(record.caller, "/client");
  EXPECT_EQ(record.server, "/server");
  EXPECT_EQ(record.method, "echo");
  EXPECT_TRUE(record.is_remote);
  EXPECT_FALSE(record.has_failed);
  // serialise 20, stack 10 + 5, deserialise 30; execute 100; and the same way back
  EXPECT_EQ(record.request_arrived - record.called, 65us);
  EXPECT_EQ(record.executed - record.request_arrived, 100us);
  EXPECT_EQ(record.reply_arrived - record.executed, 65us);
  // request: kind 1, id 4, length 2, "echo" 4, payload 5; reply: kind 1, id 4, two times, payload
  EXPECT_EQ(record.request_bytes, 16U);
  EXPECT_EQ(record.reply_bytes, 26U);
  EXPECT_EQ(outcome_of(answers[1]), "ok hello");
}

TEST_F(Call, TakesTheLoopbackOnOneHost) {
  System system(1, busy_host());
  TestComponent server = system.make_known("server", "pc1");
  TestComponent client = system.make_known("client", "pc1");
  serve_echo(*server.node, 0us);
  call(*client.node, "server");
  system.run_for(10ms);
  call(*client.node, "server");
  system.run_for(10ms);
  // serialise 20, loopback 3, deserialise 30; twice
  EXPECT_EQ(system.recorder.calls[1].reply_arrived - system.recorder.calls[1].called, 106us);
  EXPECT_FALSE(system.recorder.calls[1].is_remote);
}

TEST_F(Call, LooksUpAndConnectsOnlyOnce) {
  System system(2, busy_host());
  TestComponent server = system.make_known("server", "pc2");
  TestComponent client = system.make_known("client", "pc1");
  serve_echo(*server.node, 1us);
  call(*client.node, "server");
  call(*client.node, "/server");  // while the first is being looked up, and by another spelling
  system.run_for(10ms);
  call(*client.node, "server");
  system.run_for(10ms);
  EXPECT_THAT(system.wire, ElementsAre("client request names/find", "names reply",
                                       "client request echo", "client request echo", "server reply",
                                       "server reply", "client request echo", "server reply"));
}

TEST_F(Call, SharesTheCoresOfAHost) {
  network::Host host;
  host.cores = 1;
  System system(2, host);
  TestComponent server = system.make_known("server", "pc2");
  TestComponent client = system.make_known("client", "pc1");
  serve_echo(*server.node, 100us);
  call(*client.node, "server");
  call(*client.node, "server");
  system.run_for(10ms);
  // both execute at once on one core: 200 µs each
  for (const CallRecord& record : system.recorder.calls) {
    EXPECT_EQ(record.executed - record.request_arrived, 200us);
  }
  EXPECT_DOUBLE_EQ(system.simulated->busy_s("pc2"), 200e-6);
}

TEST_F(Call, WaitsForAThreadOfTheServer) {
  System system(2);
  TestComponent server = system.make_known("server", "pc2", {.threads = 2});
  TestComponent client = system.make_known("client", "pc1");
  serve_echo(*server.node, 100us);
  for (int i = 0; i < 5; ++i) {
    call(*client.node, "server");
  }
  system.run_for(10ms);
  // two threads on cores without number: 100, 100, 200, 200, 300 µs
  std::vector<Duration> spans;
  for (const CallRecord& record : system.recorder.calls) {
    spans.push_back(record.executed - record.request_arrived);
  }
  EXPECT_THAT(spans, ElementsAre(100us, 100us, 200us, 200us, 300us));
}

TEST_F(Call, ServesManyThatTakeNoTimeWithOneThread) {
  System system(2);
  TestComponent server = system.make_known("server", "pc2", {.threads = 1});
  TestComponent client = system.make_known("client", "pc1");
  serve_echo(*server.node, 0us);
  for (int i = 0; i < 2000; ++i) {
    call(*client.node, "server");
  }
  system.run_for(10ms);
  EXPECT_EQ(answers.size(), 2000U);
}

TEST_F(Call, SaysWhatWentWrong) {
  System system(2);
  TestComponent server = system.make_known("server", "pc2");
  TestComponent client = system.make_known("client", "pc1");
  serve_echo(*server.node, 1us);
  system.name_service->add("ghost", "pc2", 9);
  system.name_service->add("lost", "pc9", 9);
  call(*client.node, "sever");
  call(*client.node, "ghost");
  call(*client.node, "lost");
  call(*client.node, "server", {}, "eco");
  system.run_for(10ms);
  std::vector<std::string> outcomes;
  for (const Result<Bytes>& answer : answers) {
    outcomes.push_back(outcome_of(answer));
  }
  EXPECT_THAT(outcomes, ::testing::UnorderedElementsAre(
                            "no component '/sever' is registered; did you mean '/server'?",
                            "'/ghost' at pc2:9: connection refused: no server at pc2:9",
                            "'/lost' at pc9:9: no host 'pc9'",
                            "'/server' has no method 'eco'; did you mean 'echo'?"));
  EXPECT_TRUE(system.recorder.calls.back().has_failed);
}

TEST_F(Call, EndsAtItsTimeout) {
  System system(2);
  TestComponent server = system.make_known("server", "pc2");
  TestComponent client = system.make_known("client", "pc1");
  serve_echo(*server.node, 5ms);
  call(*client.node, "server", {.timeout = 2ms});
  call(*client.node, "server", {.timeout = 5ms});  // a reply of that very instant counts
  system.run_for(10ms);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(outcome_of(answers[0]).substr(0, 26), "no answer from '/server' a");
  EXPECT_THAT(outcome_of(answers[0]), HasSubstr("within 2ms"));
  EXPECT_EQ(outcome_of(answers[1]), "ok hello");
  EXPECT_EQ(system.recorder.calls[0].reply_arrived - system.recorder.calls[0].called, 2ms);
}

TEST_F(Call, FailsWhenTheServerDiesAndFindsItsSuccessor) {
  System system(2);
  TestComponent server = system.make("server", "pc2");
  TestComponent client = system.make_known("client", "pc1");
  serve_echo(*server.node, 5ms);
  call(*client.node, "server");
  system.run_for(1ms);
  server.kill();
  system.run_for(1ms);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_THAT(outcome_of(answers[0]), HasSubstr("reset by the peer"));
  // the name service has noticed, too
  call(*client.node, "server");
  system.run_for(1ms);
  EXPECT_THAT(outcome_of(answers[1]), HasSubstr("no component '/server' is registered"));

  TestComponent successor = system.make("server", "pc1");
  serve_echo(*successor.node, 1us);
  system.run_for(1ms);
  call(*client.node, "server");
  system.run_for(1ms);
  EXPECT_EQ(outcome_of(answers[2]), "ok hello");
}

sim::Task<Bytes> ask_the_other(Node* node, std::string other, Bytes request) {
  Result<Bytes> answer = co_await node->call_raw(other, "echo", std::move(request));
  co_await node->compute(10us);
  co_return answer ? *answer : bytes_of(answer.error().message);
}

TEST_F(Call, NestsInAHandler) {
  System system(3, busy_host());
  TestComponent back = system.make_known("back", "pc3");
  TestComponent middle = system.make_known("middle", "pc2");
  TestComponent client = system.make_known("client", "pc1");
  serve_echo(*back.node, 100us);
  Node* self = middle.node.get();
  middle.node->serve_raw(
      "ask", [self](Bytes request) { return ask_the_other(self, "back", std::move(request)); });
  call(*client.node, "middle", {}, "ask");
  system.run_for(10ms);
  call(*client.node, "middle", {}, "ask");
  system.run_for(10ms);
  // four ways of 65, 100 and 10 of executing
  EXPECT_EQ(outcome_of(answers[1]), "ok hello");
  const CallRecord& outer = system.recorder.calls.back();
  EXPECT_EQ(outer.reply_arrived - outer.called, 370us);
}

sim::Task<Text> greet(Text request) {
  co_return Text{"hello " + request.data};
}
sim::Task<void> call_typed(Node* node, std::vector<std::string>* said) {
  const Text request{"you"};
  Result<Text> reply = co_await node->call<Text>("server", "greet", request);
  said->push_back(reply ? reply->data : reply.error().message);
  Result<Header> wrong = co_await node->call<Header>("server", "greet", request);
  said->push_back(wrong ? "?" : wrong.error().message);
}

TEST_F(Call, CarriesTypedMessagesAndRefusesOthers) {
  System system(2);
  TestComponent server = system.make_known("server", "pc2");
  TestComponent client = system.make_known("client", "pc1");
  server.node->serve<Text, Text>("greet", greet);
  std::vector<std::string> said;
  client.node->spawn(call_typed(client.node.get(), &said));
  call(*client.node, "server", {}, "greet");  // "hello" is no Text: its length is too large
  system.run_for(10ms);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0], "hello you");
  EXPECT_THAT(said[1], HasSubstr("std_msgs/Header"));
  EXPECT_THAT(outcome_of(answers[0]), HasSubstr("test/Text: 'data': claims"));
}

TEST_F(Call, MayDieWithItsNodeAtAnyPoint) {
  for (Duration life = 0us; life < 400us; life += 7us) {
    System system(2, busy_host());
    TestComponent server = system.make("server", "pc2");
    TestComponent client = system.make("client", "pc1");
    serve_echo(*server.node, 50us);
    call(*client.node, "server", {.timeout = 1ms});
    system.run_for(life + 1ns);
    client.kill();
    system.run_for(1ms);
  }
  EXPECT_TRUE(answers.empty() || answers.size() < 60U);
}

TEST_F(Call, GivesTheSameBitsAgain) {
  std::vector<Time> first;
  for (int round = 0; round < 2; ++round) {
    network::Host host = busy_host();
    host.serialise.sorted_s =
        std::make_shared<std::vector<double>>(std::vector<double>{10e-6, 20e-6, 35e-6, 80e-6});
    host.cores = 2;
    System system(3, host);
    TestComponent server = system.make("server", "pc2");
    TestComponent one = system.make("one", "pc1");
    TestComponent two = system.make("two", "pc3");
    serve_echo(*server.node, 50us);
    for (int i = 0; i < 50; ++i) {
      call(*one.node, "server");
      call(*two.node, "server");
      system.run_for(100us);
    }
    system.run_for(100ms);
    std::vector<Time> times;
    for (const CallRecord& record : system.recorder.calls) {
      times.push_back(record.reply_arrived);
    }
    if (round == 0) {
      first = times;
    }
    EXPECT_EQ(times, first);
  }
  EXPECT_EQ(first.size(), 100U);
}

}  // namespace
}  // namespace longarm::components::test
