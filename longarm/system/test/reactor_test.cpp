// SPDX-License-Identifier: Apache-2.0
// Sockets and instants on one thread: order, forgetting in the middle of things, lateness.
#include "longarm/system/reactor.h"

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace longarm::system {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class ReactorTest : public testing::Test {
 protected:
  ReactorTest() : reactor_(std::move(Reactor::make()).value()) {
    std::array<int, 2> pair{};
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data());
    here_ = Descriptor(pair[0]);
    there_ = Descriptor(pair[1]);
  }

  void say(char what) { EXPECT_EQ(write(there_.number(), &what, 1), 1); }
  void listen() {
    char ignored = 0;
    EXPECT_EQ(read(here_.number(), &ignored, 1), 1);
  }

  std::unique_ptr<Reactor> reactor_;
  Descriptor here_;
  Descriptor there_;
};

TEST_F(ReactorTest, ClockBeginsAtZeroAndOnlyGoesOn) {
  const Time first = reactor_->now();
  EXPECT_GE(first, Time{});
  EXPECT_LT(first, Time(10s));
  EXPECT_GE(reactor_->now(), first);
}

TEST_F(ReactorTest, TimersFireInTurnAndNeverEarly) {
  std::vector<int> order;
  const auto late = reactor_->add_timer([&] { order.push_back(2); });
  const auto early = reactor_->add_timer([&] { order.push_back(1); });
  const Time start = reactor_->now();
  reactor_->set_timer(late, start + 4ms);
  reactor_->set_timer(early, start + 2ms);
  const auto last = reactor_->add_timer([&] {
    EXPECT_GE(reactor_->now(), start + 6ms);
    reactor_->stop();
  });
  reactor_->set_timer(last, start + 6ms);
  reactor_->run();
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST_F(ReactorTest, TimerFiresOnceUntilItIsSetAgain) {
  int fired = 0;
  const auto timer = reactor_->add_timer([&] { ++fired; });
  reactor_->set_timer(timer, reactor_->now());
  reactor_->run(reactor_->now() + 3ms);
  EXPECT_EQ(fired, 1);
  reactor_->set_timer(timer, reactor_->now());
  reactor_->run(reactor_->now() + 3ms);
  EXPECT_EQ(fired, 2);
  reactor_->set_timer(timer, reactor_->now());
  reactor_->set_timer(timer, Time::max());
  reactor_->run(reactor_->now() + 3ms);
  EXPECT_EQ(fired, 2);
}

TEST_F(ReactorTest, SpinningHitsTheInstantToo) {
  auto spinning = std::move(Reactor::make({.spin = 1ms})).value();
  const auto timer = spinning->add_timer([&] { spinning->stop(); });
  const Time due = spinning->now() + 3ms;
  spinning->set_timer(timer, due);
  spinning->run();
  EXPECT_GE(spinning->now(), due);
}

TEST_F(ReactorTest, SocketsOfARoundComeBeforeItsTimers) {
  std::vector<int> order;
  const auto timer = reactor_->add_timer([&] { order.push_back(2); });
  reactor_->watch(here_.number(), EPOLLIN, [&](std::uint32_t happened) {
    EXPECT_NE(happened & EPOLLIN, 0U);
    listen();
    order.push_back(1);
    reactor_->set_timer(timer, reactor_->now());
  });
  say('a');
  reactor_->run_once(reactor_->now() + 1s);
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST_F(ReactorTest, HandlerMayForgetItselfAndAnotherThatIsDue) {
  std::array<int, 2> pair{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  const Descriptor second(pair[0]);
  const Descriptor second_peer(pair[1]);
  std::array<Reactor::WatchId, 2> watches{};
  int called = 0;
  const auto forget_both = [&](std::uint32_t) {
    ++called;
    reactor_->forget(watches[0]);
    reactor_->forget(watches[1]);
    // its place is taken at once by another, who must not hear of what happened to the former
    reactor_->watch(there_.number(), 0, [&](std::uint32_t) { called += 100; });
  };
  watches[0] = reactor_->watch(here_.number(), EPOLLIN, forget_both);
  watches[1] = reactor_->watch(second.number(), EPOLLIN, forget_both);
  say('a');
  ASSERT_EQ(write(second_peer.number(), "b", 1), 1);
  reactor_->run(reactor_->now() + 3ms);
  EXPECT_EQ(called, 1);
}

TEST_F(ReactorTest, TimerMayRemoveItself) {
  auto count = std::make_shared<int>(0);
  Reactor::TimerId timer{};
  timer = reactor_->add_timer([this, count, &timer] {
    reactor_->remove_timer(timer);
    timer = reactor_->add_timer([count] { *count += 10; });  // takes its place
    ++*count;
  });
  reactor_->set_timer(timer, reactor_->now());
  reactor_->run(reactor_->now() + 2ms);
  EXPECT_EQ(*count, 1);
  reactor_->set_timer(timer, reactor_->now());
  reactor_->run(reactor_->now() + 2ms);
  EXPECT_EQ(*count, 11);
}

TEST_F(ReactorTest, InterestChangesWhileItRuns) {
  int heard = 0;
  const auto watch = reactor_->watch(here_.number(), 0, [&](std::uint32_t) {
    ++heard;
    listen();
  });
  say('a');
  reactor_->run(reactor_->now() + 2ms);
  EXPECT_EQ(heard, 0);
  reactor_->change(watch, EPOLLIN);
  reactor_->run_once(reactor_->now() + 1s);
  EXPECT_EQ(heard, 1);
}

TEST_F(ReactorTest, AnotherThreadEndsAWaitWithoutEnd) {
  std::jthread other([&] { reactor_->stop(); });
  reactor_->run();
  // and the next one runs as if nothing had been
  bool has_fired = false;
  const auto timer = reactor_->add_timer([&] { has_fired = true; });
  other.join();
  reactor_->set_timer(timer, reactor_->now());
  reactor_->run(reactor_->now() + 2ms);
  EXPECT_TRUE(has_fired);
}

}  // namespace
}  // namespace longarm::system
