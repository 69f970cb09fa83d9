// SPDX-License-Identifier: Apache-2.0
// Tests of a second clockwork on the kernel: its place in the order of events, and how it fails.
#include "longarm/sim/event_source.h"

#include <deque>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/sim/kernel.h"

namespace longarm::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Hands over at given instants; may be told to fail at one.
class Clockwork final : public EventSource {
 public:
  explicit Clockwork(std::vector<std::string>& said) : said_(said) {}

  Time next_event() const override { return due_.empty() ? Time::max() : due_.front(); }
  Result<std::optional<Time>> advance(Time until) override {
    if (fails_at <= next_event() && fails_at < until) {
      return Error{"the clockwork broke"};
    }
    return next_event() < until ? std::optional<Time>(next_event()) : std::nullopt;
  }
  void hand_over(Time now) override {
    due_.pop_front();
    said_.push_back("handed over at " + std::to_string(now.time_since_epoch() / 1us));
    if (reaction) {
      reaction(now);
    }
  }
  void add(Time when) { due_.push_back(when); }

  std::function<void(Time)> reaction;
  Time fails_at = Time::max();

 private:
  std::vector<std::string>& said_;
  std::deque<Time> due_;
};

class EventSourceTest : public ::testing::Test {
 protected:
  EventSourceTest() { kernel.attach(clockwork); }
  Kernel::Action note(std::string word) {
    return [this, word = std::move(word)](Time) { said.push_back(word); };
  }

  Kernel kernel;
  SourceId source = kernel.add_source("own");
  std::vector<std::string> said;
  Clockwork clockwork{said};
};

TEST_F(EventSourceTest, HandsOverBeforeDeliveriesAndPhasesOfTheSameInstant) {
  clockwork.add(Time(1ms));
  kernel.at(Time(1ms), Phase::kSample, source, note("sample"));
  kernel.deliver(Time(1ms), source, note("delivery"));
  ASSERT_TRUE(kernel.run_until(Time(2ms)));
  EXPECT_THAT(said, ElementsAre("handed over at 1000", "delivery", "sample"));
}

TEST_F(EventSourceTest, WhatAPhaseCausesIsHandedOverBeforeTheNextPhase) {
  kernel.at(Time(1ms), Phase::kSample, source, [this](Time now) {
    said.push_back("sample");
    clockwork.add(now);
  });
  kernel.at(Time(1ms), Phase::kControl, source, note("control"));
  ASSERT_TRUE(kernel.run_until(Time(2ms)));
  EXPECT_THAT(said, ElementsAre("sample", "handed over at 1000", "control"));
}

TEST_F(EventSourceTest, AReactionMayComeBeforeWhatWasNextOnTheKernel) {
  clockwork.add(Time(300us));
  clockwork.reaction = [this](Time now) {
    kernel.at(now + 100us, Phase::kControl, source, note("reaction"));
  };
  kernel.at(Time(1ms), Phase::kSample, source, note("sample"));
  ASSERT_TRUE(kernel.run_until(Time(2ms)));
  EXPECT_THAT(said, ElementsAre("handed over at 300", "reaction", "sample"));
}

TEST_F(EventSourceTest, WhatIsDueAtTheEndWaitsForTheNextRun) {
  clockwork.add(Time(1ms));
  ASSERT_TRUE(kernel.run_until(Time(1ms)));
  EXPECT_THAT(said, ElementsAre());
  ASSERT_TRUE(kernel.run_until(Time(1ms) + 1ns));
  EXPECT_THAT(said, ElementsAre("handed over at 1000"));
}

TEST_F(EventSourceTest, ItsErrorEndsTheRun) {
  clockwork.add(Time(1ms));
  clockwork.add(Time(3ms));
  clockwork.fails_at = Time(2ms);
  const Result<Time> end = kernel.run_until(Time(10ms));
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "the clockwork broke");
  EXPECT_EQ(kernel.now(), Time(1ms));
}

TEST_F(EventSourceTest, AnEndlessExchangeAtOneInstantIsAnError) {
  clockwork.add(Time(1ms));
  clockwork.reaction = [this](Time now) { clockwork.add(now); };
  const Result<Time> end = kernel.run_until(Time(10ms));
  ASSERT_FALSE(end);
  EXPECT_THAT(end.error().message, HasSubstr("endless"));
}

TEST_F(EventSourceTest, FailureOfAnEventEndsTheRunAfterIt) {
  kernel.at(Time(1ms), Phase::kControl, source, [this](Time) {
    kernel.fail(Error{"first"});
    kernel.fail(Error{"second"});
    said.push_back("still here");
  });
  kernel.at(Time(1ms), Phase::kRecord, source, note("too late"));
  const Result<Time> end = kernel.run_until(Time(2ms));
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "first");
  EXPECT_THAT(said, ElementsAre("still here"));
}

}  // namespace
}  // namespace longarm::sim
