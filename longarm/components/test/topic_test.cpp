// SPDX-License-Identifier: Apache-2.0
// Topics: the seven steps in either order, late comers, several publishers, UDP, the broker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/components/test/components_fixture.h"

namespace longarm::components::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Topic : public ::testing::Test {
 protected:
  void subscribe(TestComponent& component, TopicOptions options = {}) {
    component.node->subscribe<Text>(
        "chatter", [this](const Text& text) { heard.push_back(text.data); }, options);
  }
  std::vector<std::string> heard;
};

TopicOptions over_udp() {
  TopicOptions options;
  options.flow.transport = network::Transport::kUdp;
  return options;
}

TEST_F(Topic, ConnectsInSevenSteps) {
  System system(3);
  TestComponent publisher = system.make_known("talker", "pc2");
  TestComponent subscriber = system.make_known("listener", "pc3");
  publisher.node->advertise<Text>("chatter");
  system.run_for(1ms);
  subscribe(subscriber);
  system.run_for(1ms);
  publisher.node->publish("chatter", Text{"hello"});
  system.run_for(1ms);
  EXPECT_THAT(system.wire,
              ElementsAre("talker one-way names/publish",      // 1 registers as publisher
                          "listener one-way names/subscribe",  // 2 registers as subscriber
                          "names one-way longarm/publishers",  // 3 is told of the publisher
                          "listener request longarm/topic",    // 4 asks it for the topic
                          "talker reply",                      // 5 protocol and address
                          "listener subscribe /chatter",       // 6 connects there
                          "talker datum"));                    // 7 data
  EXPECT_THAT(heard, ElementsAre("hello"));
}

TEST_F(Topic, ConnectsInTheOtherOrderOfRegistrationToo) {
  System system(3);
  TestComponent publisher = system.make_known("talker", "pc2");
  TestComponent subscriber = system.make_known("listener", "pc3");
  subscribe(subscriber);
  system.run_for(1ms);
  publisher.node->advertise<Text>("chatter");
  system.run_for(1ms);
  publisher.node->publish("chatter", Text{"hello"});
  system.run_for(1ms);
  EXPECT_THAT(system.wire,
              ElementsAre("listener one-way names/subscribe", "talker one-way names/publish",
                          "names one-way longarm/publishers", "listener request longarm/topic",
                          "talker reply", "listener subscribe /chatter", "talker datum"));
  EXPECT_THAT(heard, ElementsAre("hello"));
}

TEST_F(Topic, ServesSeveralPublishersAndLateComers) {
  System system(3);
  TestComponent one = system.make("one", "pc1");
  TestComponent early = system.make("early", "pc2");
  subscribe(early);
  one.node->advertise<Text>("chatter");
  system.run_for(1ms);
  one.node->publish("chatter", Text{"a"});
  system.run_for(1ms);
  TestComponent two = system.make("two", "pc3");
  TestComponent late = system.make("late", "pc3");
  two.node->advertise<Text>("chatter");
  subscribe(late);
  system.run_for(1ms);
  one.node->publish("chatter", Text{"b"});
  two.node->publish("chatter", Text{"c"});
  system.run_for(1ms);
  EXPECT_THAT(heard, ::testing::UnorderedElementsAre("a", "b", "b", "c", "c"));
  EXPECT_EQ(system.recorder.data.size(), 5U);
}

TEST_F(Topic, TakesTheTimeOfItsHosts) {
  network::Host host;
  host.serialise.fixed = 20us;
  host.stack_send.fixed = 10us;
  host.stack_receive.fixed = 5us;
  host.deserialise.fixed = 30us;
  System system(2, host);
  TestComponent publisher = system.make("talker", "pc1");
  TestComponent subscriber = system.make("listener", "pc2");
  publisher.node->advertise<Text>("chatter");
  subscribe(subscriber);
  system.run_for(10ms);
  publisher.node->publish("chatter", Text{"hello"});
  system.run_for(1ms);
  ASSERT_EQ(system.recorder.data.size(), 1U);
  const Recorder::Published& datum = system.recorder.data[0];
  EXPECT_EQ(datum.arrived - datum.sent, 65us);
  EXPECT_EQ(datum.publisher, "/talker");
  EXPECT_EQ(datum.topic, "/chatter");
  EXPECT_EQ(datum.subscriber, "/listener");
}

TEST_F(Topic, StopsWhenTheSubscriberDiesAndForgetsADeadPublisher) {
  System system(3);
  TestComponent publisher = system.make("talker", "pc2");
  TestComponent subscriber = system.make("listener", "pc3");
  TestComponent other = system.make("other", "pc3");
  publisher.node->advertise<Text>("chatter");
  subscribe(subscriber);
  subscribe(other);
  system.run_for(1ms);
  subscriber.kill();
  system.run_for(1ms);
  publisher.node->publish("chatter", Text{"hello"});
  system.run_for(1ms);
  EXPECT_THAT(heard, ElementsAre("hello"));
  EXPECT_EQ(std::count(system.wire.begin(), system.wire.end(), "talker datum"), 1);

  publisher.kill();
  TestComponent successor = system.make("talker", "pc1");
  successor.node->advertise<Text>("chatter");
  system.run_for(3s);
  successor.node->publish("chatter", Text{"again"});
  system.run_for(1ms);
  EXPECT_THAT(heard, ElementsAre("hello", "again"));
}

TEST_F(Topic, RefusesAnotherType) {
  System system(2);
  TestComponent publisher = system.make("talker", "pc1");
  TestComponent subscriber = system.make("listener", "pc2");
  publisher.node->advertise<Header>("chatter");
  subscribe(subscriber);
  system.run_for(1ms);
  ASSERT_FALSE(subscriber.node->complaints().empty());
  EXPECT_EQ(subscriber.node->complaints()[0],
            "topic '/chatter' of '/talker': '/talker' publishes '/chatter' as std_msgs/Header, "
            "not test/Text");
}

TEST_F(Topic, GoesOverUdp) {
  System system(2);
  TestComponent publisher = system.make_known("talker", "pc1");
  TestComponent subscriber = system.make_known("listener", "pc2");
  publisher.node->advertise<Text>("chatter");
  subscribe(subscriber, over_udp());
  system.run_for(10ms);
  publisher.node->publish("chatter", Text{"hello"});
  system.run_for(5s);
  EXPECT_THAT(heard, ElementsAre("hello"));
  // heard of the publisher before a second was over: said once
  EXPECT_EQ(std::count(system.wire.begin(), system.wire.end(), "listener subscribe /chatter"), 1);
}

TEST_F(Topic, SaysItsDatagramAgainUntilSomethingIsHeard) {
  System system(2);
  TestComponent publisher = system.make_known("talker", "pc1");
  TestComponent subscriber = system.make_known("listener", "pc2");
  publisher.node->advertise<Text>("chatter");
  subscribe(subscriber, over_udp());
  system.run_for(3500ms);  // at 0, 1, 2 and 3 s
  EXPECT_EQ(std::count(system.wire.begin(), system.wire.end(), "listener subscribe /chatter"), 4);
  publisher.node->publish("chatter", Text{"hello"});
  system.run_for(3s);
  EXPECT_THAT(heard, ElementsAre("hello"));  // and still only once
  EXPECT_EQ(std::count(system.wire.begin(), system.wire.end(), "listener subscribe /chatter"), 4);
}

TEST_F(Topic, GoesThroughTheBroker) {
  System system(3);
  TestComponent publisher = system.make_known("talker", "pc2");
  TestComponent subscriber = system.make_known("listener", "pc3");
  TopicOptions brokered;
  brokered.through_broker = true;
  publisher.node->advertise<Text>("chatter", brokered);
  subscribe(subscriber, brokered);
  system.run_for(1ms);
  publisher.node->publish("chatter", Text{"hello"});
  system.run_for(1ms);
  EXPECT_THAT(system.wire,
              ElementsAre("talker one-way names/publish", "listener one-way names/subscribe",
                          "talker brokered /chatter", "names brokered /chatter"));
  EXPECT_THAT(heard, ElementsAre("hello"));
  EXPECT_EQ(system.recorder.data.at(0).publisher, "/talker");
}

TEST_F(Topic, IsRemappedAndPrivate) {
  System system(2);
  TestComponent publisher = system.make("left/talker", "pc1", {.remap = {{"out", "/chatter"}}});
  TestComponent subscriber = system.make("listener", "pc2");
  publisher.node->advertise<Text>("out");
  publisher.node->advertise<Text>("~own");
  subscribe(subscriber);
  subscriber.node->subscribe<Text>(
      "/left/talker/own", [this](const Text& text) { heard.push_back("own " + text.data); });
  system.run_for(1ms);
  publisher.node->publish("out", Text{"a"});
  publisher.node->publish("~own", Text{"b"});
  publisher.node->publish("nothing", Text{"c"});
  system.run_for(1ms);
  EXPECT_THAT(heard, ::testing::UnorderedElementsAre("a", "own b"));
  EXPECT_THAT(publisher.node->complaints(),
              ElementsAre("published to '/left/nothing' without advertising it"));
}

TEST_F(Topic, IsRegisteredAgainWhenTheNameServiceComesLater) {
  System system(2);
  const Address later{"pc2", 4000};
  NodeSetup setup;
  TestComponent publisher, subscriber;
  for (TestComponent* each : {&publisher, &subscriber}) {
    const std::string name = each == &publisher ? "talker" : "listener";
    each->transport = system.simulated->make_transport(name, "pc1");
    each->processor = system.simulated->make_processor(name, "pc1");
    setup.name = name;
    setup.name_service = later;
    each->node = std::make_unique<Node>(system.kernel, *each->transport, *each->processor, setup);
  }
  publisher.node->advertise<Text>("chatter");
  subscribe(subscriber);
  system.run_for(2500ms);
  EXPECT_THAT(publisher.node->complaints().at(0),
              HasSubstr("the name service at pc2:4000: connection refused"));

  auto transport = system.simulated->make_transport("names", "pc2", 4000);
  auto processor = system.simulated->make_processor("names", "pc2");
  Node node(system.kernel, *transport, *processor, {.name = "names"});
  NameService names(node);
  system.run_for(2s);
  publisher.node->publish("chatter", Text{"hello"});
  system.run_for(1ms);
  EXPECT_THAT(heard, ElementsAre("hello"));
}

}  // namespace
}  // namespace longarm::components::test
