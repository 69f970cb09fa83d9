// SPDX-License-Identifier: Apache-2.0
// What those who watch are sent, and what they are spared.
#include <chrono>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "longarm/record/ros_trace.h"
#include "longarm/view/foxglove.h"
#include "longarm/view/live_conversation.h"
#include "longarm/view/live_feed.h"

namespace longarm::view {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

class FakeClient final : public WebSocketClient {
 public:
  void send_text(std::string message) override { texts.push_back(Json::parse(message)); }
  void send_bytes(std::string message) override { binaries.push_back(std::move(message)); }
  std::size_t waiting() const override { return waits; }
  void close() override {}

  std::vector<Json> of_type(const std::string& key, const std::string& type) const {
    std::vector<Json> out;
    for (const Json& text : texts) {
      if (text.value(key, "") == type) {
        out.push_back(text);
      }
    }
    return out;
  }

  std::vector<Json> texts;
  std::vector<std::string> binaries;
  std::size_t waits = 0;
};

/// What is thinned depends on the time on the wall, which passes here as a test says.
struct LiveTrace {
  LiveTrace() {
    record::RosTraceConfig config;
    config.moving_frames = {{"world", "link", {}}};
    config.fixed_frames = {{"world", "base", {}}};
    trace = std::move(record::RosTrace::open("", config, &feed)).value();
    joints = trace->add_joints("/joint_states", {"elbow"});
    events = trace->add_json("/events", "Event", {{"text", "string"}});
  }
  void write(Time now, double position) { joints->write(now, std::span(&position, 1), {}, {}); }

  LiveFeed::Wall::time_point wall{1h};
  LiveFeed feed{32U << 20U, [this] { return wall; }};
  std::unique_ptr<record::RosTrace> trace;
  std::unique_ptr<record::JointTrace> joints;
  std::unique_ptr<record::JsonTrace> events;
};

Json empty_live_document() {
  return {{"scenes", {{{"devices", Json::array()}}}},
          {"runs", {{{"tables", Json::array()}, {"network", nullptr}}}}};
}

double number_in(const std::string& message, std::size_t index) {
  std::uint32_t head = 0;
  std::memcpy(&head, message.data(), 4);
  const std::size_t start = (4 + head + 7) / 8 * 8;
  double value = 0.0;
  std::memcpy(&value, message.data() + start + index * 8, 8);
  return value;
}

TEST(LiveFeed, ThinsStreamsByTheWallClockAndKeepsEveryEvent) {
  LiveTrace live;
  // ten times as fast as real time: one state of 160 is kept
  for (int i = 0; i < 1000; ++i) {
    live.wall += 100us;
    live.write(Time(i * 1ms), i);
    live.events->write(Time(i * 1ms), {{"text", std::to_string(i)}});
  }
  std::uint64_t cursor = 0;
  std::size_t events = 0;
  std::size_t states = 0;
  const std::vector<FeedChannel> channels = live.feed.channels();
  for (const FeedMessagePtr& message : live.feed.after(cursor)) {
    events += channels[message->channel].channel.topic == "/events" ? 1 : 0;
    states += channels[message->channel].channel.topic == "/joint_states" ? 1 : 0;
  }
  EXPECT_EQ(events, 1000U);
  EXPECT_EQ(states, 7U);
  EXPECT_EQ(live.feed.clock().now, Time(999ms));
}

TEST(LiveFeed, KeepsFortyFramesOfTheNetworkInASixtiethOfASecond) {
  LiveFeed::Wall::time_point wall{1h};
  LiveFeed feed(32U << 20U, [&] { return wall; });
  feed.channel({0, 0, "/network/frames", "json", {}}, {}, false);
  std::uint64_t cursor = 0;
  const auto kept_of = [&](Duration from, int count) {
    for (int i = 0; i < count; ++i) {
      feed.message(0, Time(from + i * 1us), std::as_bytes(std::span("{}", 2)));
    }
    return feed.after(cursor).size();
  };
  EXPECT_EQ(kept_of(1ms, 30), 30U);
  EXPECT_EQ(kept_of(2ms, 30), 10U);
  wall += 15ms;
  EXPECT_EQ(kept_of(3ms, 30), 0U);
  wall += 1ms;
  EXPECT_EQ(kept_of(4ms, 1000), 40U);
}

TEST(LiveFeed, NeverKeepsMoreThanItMay) {
  LiveFeed feed(1000);
  feed.channel({0, 0, "/x", "json", {}}, {}, false);
  const std::string data(100, 'x');
  for (int i = 0; i < 100; ++i) {
    feed.message(0, Time(i * 1ms), std::as_bytes(std::span(data)));
  }
  std::uint64_t cursor = 0;
  EXPECT_EQ(feed.after(cursor).size(), 10U);
  EXPECT_EQ(cursor, 100U);
  EXPECT_TRUE(feed.after(cursor).empty());
}

TEST(LiveConversation, SendsTheDocumentThenRows) {
  LiveTrace live;
  live.write(Time(1ms), 0.5);
  FakeClient client;
  const Json document = empty_live_document();
  const auto talk = talk_to_viewer(live.feed, document, client);
  const auto documents = client.of_type("type", "document");
  ASSERT_EQ(documents.size(), 1U);
  std::vector<std::string> topics;
  for (const Json& table : documents[0]["document"]["runs"][0]["tables"]) {
    topics.push_back(table["topic"]);
  }
  // events have none so far, and their columns are known all the same
  EXPECT_THAT(topics, testing::IsSupersetOf({"/joint_states", "/events"}));
  ASSERT_FALSE(client.binaries.empty());
  EXPECT_EQ(number_in(client.binaries.front(), 0), 0.001);
  EXPECT_EQ(number_in(client.binaries.front(), 1), 0.5);

  client.binaries.clear();
  live.wall += 20ms;  // beyond what streams are thinned to
  live.write(Time(2ms), 0.75);
  talk->tick();
  ASSERT_EQ(client.binaries.size(), 1U);
  EXPECT_EQ(number_in(client.binaries.front(), 1), 0.75);
  EXPECT_EQ(client.of_type("type", "document").size(), 1U);
  EXPECT_EQ(client.of_type("type", "clock").size(), 1U);
}

TEST(LiveConversation, SendsTheDocumentAgainWhenTheRunBegins) {
  LiveFeed feed;
  FakeClient client;
  const Json document = empty_live_document();
  const auto talk = talk_to_viewer(feed, document, client);
  feed.channel({0, 0, "/events", "json", {}}, {0, "Event", "jsonschema", R"({"type":"object"})"},
               false);
  feed.message(0, Time(1ms), std::as_bytes(std::span("{}", 2)));
  talk->tick();
  const auto documents = client.of_type("type", "document");
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(documents[1]["document"]["runs"][0]["tables"].size(), 1U);
}

TEST(LiveConversation, TellsLateComersWhatHappenedBefore) {
  LiveTrace live;
  for (int i = 0; i < 3; ++i) {
    live.events->write(Time(i * 1ms), {{"who", "arm"}, {"kind", "stop"}, {"text", "it stops"}});
  }
  FakeClient client;
  const Json document = empty_live_document();
  const auto talk = talk_to_viewer(live.feed, document, client);
  const auto marks = client.of_type("type", "marks");
  ASSERT_EQ(marks.size(), 1U);
  ASSERT_EQ(marks[0]["marks"].size(), 3U);
  EXPECT_EQ(marks[0]["marks"][1],
            (Json{{"t_s", 0.001}, {"kind", "stop"}, {"text", "arm: it stops"}}));
  talk->tick();
  EXPECT_EQ(client.of_type("type", "marks").size(), 1U);
}

TEST(LiveConversation, SendsNothingToWhoDoesNotRead) {
  LiveTrace live;
  FakeClient client;
  const Json document = empty_live_document();
  const auto talk = talk_to_viewer(live.feed, document, client);
  client.binaries.clear();
  client.waits = 100U << 20U;
  live.write(Time(1ms), 0.5);
  talk->tick();
  EXPECT_TRUE(client.binaries.empty());
  client.waits = 0;
  talk->tick();
  EXPECT_EQ(client.binaries.size(), 1U);
}

TEST(Foxglove, AdvertisesChannelsAndSendsWhatWasSubscribedTo) {
  LiveTrace live;
  live.write(Time(1ms), 0.5);
  FakeClient client;
  const auto talk = talk_to_foxglove(live.feed, client);
  ASSERT_EQ(client.of_type("op", "serverInfo").size(), 1U);
  const auto advertised = client.of_type("op", "advertise");
  ASSERT_EQ(advertised.size(), 1U);
  const Json& channels = advertised[0]["channels"];
  const auto channel = std::find_if(channels.begin(), channels.end(), [](const Json& each) {
    return each["topic"] == "/joint_states";
  });
  ASSERT_NE(channel, channels.end());
  EXPECT_EQ((*channel)["schemaName"], "sensor_msgs/msg/JointState");
  EXPECT_EQ((*channel)["encoding"], "cdr");

  const Json subscribe{
      {"op", "subscribe"},
      {"subscriptions", {{{"id", 77}, {"channelId", (*channel)["id"].get<unsigned>()}}}}};
  talk->hear(true, subscribe.dump());
  EXPECT_TRUE(client.binaries.empty());  // what was said before is over
  live.write(Time(20ms), 0.5);
  live.wall += 20ms;
  live.write(Time(40ms), 0.75);
  talk->tick();
  ASSERT_EQ(client.binaries.size(), 2U);  // the time, then one message
  const std::string& message = client.binaries.back();
  std::uint32_t subscription = 0;
  std::uint64_t time_ns = 0;
  std::memcpy(&subscription, message.data() + 1, 4);
  std::memcpy(&time_ns, message.data() + 5, 8);
  EXPECT_EQ(message[0], 1);
  EXPECT_EQ(subscription, 77U);
  EXPECT_EQ(time_ns, 40'000'000U);

  talk->hear(true, R"({"op":"unsubscribe","subscriptionIds":[77]})");
  client.binaries.clear();
  live.wall += 20ms;
  live.write(Time(2ms), 0.75);
  talk->tick();
  ASSERT_EQ(client.binaries.size(), 1U);  // the time alone
  EXPECT_EQ(client.binaries.front()[0], 2);
}

TEST(Foxglove, NonsenseIsIgnored) {
  LiveTrace live;
  FakeClient client;
  const auto talk = talk_to_foxglove(live.feed, client);
  for (const char* text : {"", "{", "[]", "3", R"({"op":3})", R"({"op":"subscribe"})",
                           R"({"op":"subscribe","subscriptions":[3,{"id":-1,"channelId":"x"}]})",
                           R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":99999}]})",
                           R"({"op":"unsubscribe","subscriptionIds":["a"]})"}) {
    talk->hear(true, text);
    talk->hear(false, text);
  }
  talk->tick();
  EXPECT_EQ(client.of_type("op", "status").size(), 1U);
}

}  // namespace
}  // namespace longarm::view
