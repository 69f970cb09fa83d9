// SPDX-License-Identifier: Apache-2.0
// Tests of the built-in link models, seen through a channel.
#include "longarm/network/channel.h"

#include <array>
#include <string>
#include <tuple>
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
  void reject(std::string_view, std::string message, std::string) override {
    rejections.push_back(std::move(message));
  }
  std::vector<std::string> rejections;

 private:
  void do_field(const Field& field) override {
    if (field.key != key_) {
      return;
    }
    if (Duration* const* duration = std::get_if<Duration*>(&field.value)) {
      **duration = Duration(value_);
    } else {
      *std::get<std::int64_t*>(field.value) = value_;
    }
  }

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
  EXPECT_THAT(negative_delay.rejections, ElementsAre("a delay must not be negative"));
  OneField negative_slots("slots", -1);
  built_in_link_models().make("queue")->list_fields(negative_slots);
  EXPECT_THAT(negative_slots.rejections, ElementsAre("slots must be between 0 and 1000000"));
}

/// Drops every third packet and doubles every fourth.
class RoughLink final : public Link {
  void do_send(Time now, const Packet& packet, LinkOutput& output) override {
    if (packet.index % 3 == 2) {
      output.drop(packet, DropReason::kLoss);
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
  const LinkReport report = channel.report(Time(1s));
  EXPECT_EQ(report.sent, 5U);
  EXPECT_EQ(report.delivered, 4U);
  EXPECT_EQ(report.lost, 1U);
  EXPECT_EQ(report.duplicated, 1U);  // the second copy of 3, after 2 ms: its delay does not count
  EXPECT_EQ(report.delay_max, Duration(1ms));
}

/// Takes 10 ms, loses the second packet, has no room for the third and spoils the fourth.
class UnkindLink final : public Link {
  void do_send(Time now, const Packet& packet, LinkOutput& output) override {
    constexpr std::array kReasons{DropReason::kLoss, DropReason::kQueueFull, DropReason::kCorrupt};
    if (packet.index >= 1 && packet.index <= 3) {
      output.drop(packet, kReasons[packet.index - 1]);
    } else {
      output.arrive(packet, now + 10ms);
    }
  }
};

TEST(Channel, TellsItsObserverWhatBecomesOfEachPacketAndWhen) {
  sim::Kernel kernel;
  std::vector<std::tuple<LinkEventKind, std::uint64_t, std::size_t, Time, Time>> events;
  Channel<int> channel(kernel, "channel", std::make_unique<UnkindLink>(), [](const int&, Time) {});
  channel.observe([&](const LinkEvent& event) {
    events.emplace_back(event.kind, event.index, event.size_bytes, event.sent_at, event.at);
  });
  const sim::SourceId sender = kernel.add_source("sender");
  for (int i = 0; i < 4; ++i) {
    kernel.at(Time(i * 1ms), sim::Phase::kSample, sender,
              [&, i](Time) { channel.send(i, static_cast<std::size_t>(100 + i)); });
  }
  ASSERT_TRUE(kernel.run_until(Time(1s)));
  using Kind = LinkEventKind;
  const auto event = [](Kind kind, std::uint64_t index, Duration sent_at, Duration at) {
    return std::tuple(kind, index, std::size_t(100 + index), Time(sent_at), Time(at));
  };
  EXPECT_THAT(events, ElementsAre(event(Kind::kSent, 0, 0ms, 0ms),       //
                                  event(Kind::kSent, 1, 1ms, 1ms),       //
                                  event(Kind::kLost, 1, 1ms, 1ms),       //
                                  event(Kind::kSent, 2, 2ms, 2ms),       //
                                  event(Kind::kQueueFull, 2, 2ms, 2ms),  //
                                  event(Kind::kSent, 3, 3ms, 3ms),       //
                                  event(Kind::kCorrupt, 3, 3ms, 3ms),    //
                                  event(Kind::kArrived, 0, 0ms, 10ms)));
  const LinkReport report = channel.report(Time(1s));
  EXPECT_EQ(report.lost, 1U);
  EXPECT_EQ(report.queue_full, 1U);
  EXPECT_EQ(report.corrupt, 1U);
  EXPECT_EQ(report.dropped(), 3U);
  EXPECT_EQ(report.delivered, 1U);
}

TEST(Channel, WhatIsStillUnderWayCountsAsMissedOnceItsDeadlineHasPassed) {
  // sent at 0, 1, …, 9 ms, each 5 ms under way; deadline 3 ms. Before 10 ms those of 0 to 4 ms
  // arrive, late. Those of 5 and 6 ms are late already (since 8 and 9 ms), that of 7 ms is due
  // right now and may be in time yet, as those after it.
  sim::Kernel kernel;
  Channel<int> channel(
      kernel, "channel", make_link("delay", "delay", 5'000'000), [](const int&, Time) {},
      LinkMeter(1ms, {.deadline = 3ms}));
  const sim::SourceId sender = kernel.add_source("sender");
  kernel.every(1ms, Time{}, sim::Phase::kSample, sender, [&](Time) { channel.send(0, 8); });
  ASSERT_TRUE(kernel.run_until(Time(10ms)));
  const LinkReport report = channel.report(Time(10ms));
  EXPECT_EQ(report.delivered, 5U);
  EXPECT_EQ(report.in_flight, 5U);
  EXPECT_EQ(report.deadline_missed, 7U);
  EXPECT_EQ(report.deadline_judged, 7U);
}

/// Doubles each packet; the copy of every second one is lost.
class HalfDoublingLink final : public Link {
  void do_send(Time now, const Packet& packet, LinkOutput& output) override {
    output.arrive(packet, now + 1ms);
    if (packet.index % 2 == 0) {
      output.arrive(packet, now + 1ms);
    } else {
      output.drop(packet, DropReason::kQueueFull);
    }
  }
};

TEST(Channel, AMessageOfWhichOneCopyArrivesIsNotLost) {
  sim::Kernel kernel;
  std::vector<int> numbers;
  Channel<int> channel(kernel, "channel", std::make_unique<HalfDoublingLink>(),
                       [&](const int& number, Time) { numbers.push_back(number); });
  for (int i = 0; i < 4; ++i) {
    channel.send(i, 8);
  }
  ASSERT_TRUE(kernel.run_until(Time(1s)));
  EXPECT_THAT(numbers, ElementsAre(0, 0, 1, 2, 2, 3));
  EXPECT_EQ(channel.report(Time(1s)).delivered, 4U);
  EXPECT_EQ(channel.report(Time(1s)).dropped(), 0U);
  EXPECT_EQ(channel.report(Time(1s)).duplicated, 2U);
}

}  // namespace
}  // namespace longarm::network
