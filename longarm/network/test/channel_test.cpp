// SPDX-License-Identifier: Apache-2.0
// Tests of the built-in link models, seen through a channel.
#include "longarm/network/channel.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/test/ignoring_fields.h"
#include "longarm/network/delay/delay_link.h"
#include "longarm/network/queue/queue_link.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

/// Sets one field by name: enough to configure a link model in a test.
class OneField final : public IgnoringFields {
 public:
  OneField(std::string key, std::int64_t value) : key_(std::move(key)), value_(value) {}
  void field(std::string_view key, Duration& value, std::string_view) override {
    if (key == key_) {
      value = Duration(value_);
    }
  }
  void field(std::string_view key, std::int64_t& value, std::string_view) override {
    if (key == key_) {
      value = value_;
    }
  }
  using IgnoringFields::field;
  void reject(std::string_view, std::string message, std::string) override {
    rejections.push_back(std::move(message));
  }
  std::vector<std::string> rejections;

 private:
  std::string key_;
  std::int64_t value_;
};

std::unique_ptr<Link> make_link(const std::string& model, const std::string& key = "",
                                std::int64_t value = 0) {
  const std::unique_ptr<LinkModel> made = built_in_link_models().make(model);
  OneField field(key, value);
  made->list_fields(field);
  return made->make({1, "link.test"});
}

struct Received {
  int number;
  Time at;
  bool operator==(const Received&) const = default;
};

/// Sends 0, 1, 2, … every millisecond for `count` ticks and notes what arrives when, within 100 ms.
std::vector<Received> stream(std::unique_ptr<Link> link, int count) {
  sim::Kernel kernel;
  std::vector<Received> received;
  Channel<int> channel(kernel, "channel", std::move(link), [&](const int& number, Time now) {
    received.push_back({number, now});
  });
  const sim::SourceId sender = kernel.add_source("sender");
  for (int i = 0; i < count; ++i) {
    kernel.at(Time(i * 1ms), sim::Phase::kSample, sender, [&, i](Time) { channel.send(i, 100); });
  }
  EXPECT_TRUE(kernel.run_until(Time(100ms)));
  return received;
}

TEST(NoneLink, DeliversAtTheInstantOfSending) {
  EXPECT_THAT(stream(make_link("none"), 2),
              ElementsAre(Received{0, Time(0ms)}, Received{1, Time(1ms)}));
}

TEST(DelayLink, DeliversExactlyThatMuchLaterAlsoBetweenTicks) {
  EXPECT_THAT(stream(make_link("delay", "delay", 2'300'000), 2),
              ElementsAre(Received{0, Time(2300us)}, Received{1, Time(3300us)}));
}

TEST(QueueLink, DelaysByThatManyMessagesAndKeepsTheLastOnes) {
  EXPECT_THAT(stream(make_link("queue", "slots", 2), 4),
              ElementsAre(Received{0, Time(2ms)}, Received{1, Time(3ms)}));
}

TEST(QueueLink, OfNoSlotsPassesThrough) {
  EXPECT_EQ(stream(make_link("queue", "slots", 0), 5), stream(make_link("none"), 5));
}

TEST(QueueLink, OfNSlotsEqualsADelayOfNPeriodsWhileMessagesKeepComing) {
  std::vector<Received> queued = stream(make_link("queue", "slots", 7), 50);
  std::vector<Received> delayed = stream(make_link("delay", "delay", 7'000'000), 50);
  delayed.resize(queued.size());  // the last seven stay in the queue when sending ends
  EXPECT_EQ(queued.size(), 43U);
  EXPECT_EQ(queued, delayed);
}

TEST(LinkModels, RejectImpossibleValues) {
  OneField negative_delay("delay", -1);
  built_in_link_models().make("delay")->list_fields(negative_delay);
  EXPECT_THAT(negative_delay.rejections, ElementsAre("a delay cannot be negative"));
  OneField negative_slots("slots", -1);
  built_in_link_models().make("queue")->list_fields(negative_slots);
  EXPECT_THAT(negative_slots.rejections, ElementsAre("slots must be between 0 and 1000000"));
}

/// Drops every third packet and doubles every fourth.
class RoughLink final : public Link {
  void do_send(Time now, const Packet& packet, LinkOutput& output) override {
    if (packet.index % 3 == 2) {
      output.drop(packet);
      return;
    }
    output.arrive(packet, now + 1ms);
    if (packet.index % 4 == 3) {
      output.arrive(packet, now + 2ms);
    }
  }
};

TEST(Channel, CountsLossesDuplicatesAndDelays) {
  sim::Kernel kernel;
  std::vector<int> numbers;
  Channel<int> channel(kernel, "channel", std::make_unique<RoughLink>(),
                       [&](const int& number, Time) { numbers.push_back(number); });
  for (int i = 0; i < 5; ++i) {
    channel.send(i, 8);
  }
  ASSERT_TRUE(kernel.run_until(Time(1s)));
  EXPECT_THAT(numbers, ElementsAre(0, 1, 3, 4, 3));
  EXPECT_EQ(channel.statistics().sent, 5U);
  EXPECT_EQ(channel.statistics().delivered, 5U);
  EXPECT_EQ(channel.statistics().dropped, 1U);
  EXPECT_EQ(channel.statistics().delay_sum, Duration(6ms));
  EXPECT_EQ(channel.statistics().delay_max, Duration(2ms));
}

}  // namespace
}  // namespace longarm::network
