// SPDX-License-Identifier: Apache-2.0
// Properties, sleeping and computing of the programs of this folder.
#include "labs/armar/ice/component.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <time.h>

namespace longarm::armar::ice {
namespace {

using std::chrono::nanoseconds;

/// Between two attempts to reach a program that has not started yet.
constexpr auto kPatience = std::chrono::milliseconds(20);

timespec timespec_of(nanoseconds span) {
  timespec time{};
  time.tv_sec = span.count() / 1'000'000'000;
  time.tv_nsec = span.count() % 1'000'000'000;
  return time;
}

nanoseconds used_by_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

struct MeasuredCycle {
  double started_s = 0.0;
  double seconds = 0.0;
  int calls = 0;
};

}  // namespace

void sleep_until(Clock::time_point when) {
  const timespec time = timespec_of(when.time_since_epoch());
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) != 0) {
  }
}

Component::Component(std::string name, std::shared_ptr<Ice::Communicator> communicator)
    : name_(std::move(name)), communicator_(std::move(communicator)) {
  epoch_ = Clock::time_point(nanoseconds(std::stoll(text("Epoch"))));
  end_ = epoch_ + milliseconds("Length", 10'000.0);
  is_burning_ = text("Computing") == "burn";
  is_waiting_ = text("Computing") == "wait";
  variation_ = number("Variation", 0.0);
  std::random_device device;
  generator_.seed((std::uint64_t{device()} << 32) | device());
}

std::string Component::text(const std::string& name) const {
  return communicator_->getProperties()->getProperty("Armar." + name);
}

double Component::number(const std::string& name, double otherwise) const {
  const std::string found = text(name);
  return found.empty() ? otherwise : std::stod(found);
}

nanoseconds Component::milliseconds(const std::string& name, double otherwise) const {
  return nanoseconds(std::llround(number(name, otherwise) * 1e6));
}

std::shared_ptr<Ice::ObjectAdapter> Component::adapter() const {
  return communicator_->createObjectAdapter(name_);
}

std::shared_ptr<Ice::ObjectPrx> Component::answering(const std::string& what) const {
  const std::string property = "Armar.Proxy." + what;
  std::shared_ptr<Ice::ObjectPrx> proxy = communicator_->propertyToProxy(property);
  if (!proxy) {
    throw std::runtime_error("there is no property " + property);
  }
  for (;;) {
    try {
      proxy->ice_ping();
      return proxy;
    } catch (const Ice::LocalException&) {
      if (Clock::now() > epoch_) {
        throw;
      }
      std::this_thread::sleep_for(kPatience);
    }
  }
}

std::shared_ptr<IceStorm::TopicPrx> Component::topic(const std::string& name) const {
  const auto manager = find<IceStorm::TopicManagerPrx>("TopicManager");
  for (;;) {
    try {
      return manager->retrieve(name);
    } catch (const IceStorm::NoSuchTopic&) {
    }
    try {
      return manager->create(name);
    } catch (const IceStorm::TopicExists&) {  // another one was faster
    }
  }
}

void Component::compute(const std::string& method) {
  double us = number("Execution." + method, 0.0);
  if (variation_ > 0.0) {
    const double sigma = std::sqrt(std::log1p(variation_ * variation_));
    const std::lock_guard lock(mutex_);
    us *= std::lognormal_distribution<double>(-0.5 * sigma * sigma, sigma)(generator_);
  }
  const nanoseconds span(std::llround(us * 1e3));
  if (is_burning_) {
    const nanoseconds until = used_by_thread() + span;
    while (used_by_thread() < until) {
    }
  } else if (is_waiting_ && span > nanoseconds{0}) {
    sleep_until(Clock::now() + span);
  }
}

void Component::cycles(bool is_reported, const std::function<int()>& cycle) const {
  const nanoseconds period = milliseconds("Period." + name_, 10.0);
  std::vector<MeasuredCycle> measured;
  for (Clock::time_point due = epoch_ + milliseconds("Phase." + name_, 0.0); due < end_;) {
    sleep_until(due);
    const Clock::time_point started = Clock::now();
    const int calls = cycle();
    const Clock::time_point ended = Clock::now();
    const auto seconds = [](nanoseconds span) {
      return std::chrono::duration<double>(span).count();
    };
    measured.push_back({seconds(started - epoch_), seconds(ended - started), calls});
    do {
      due += period;
    } while (due < ended);
  }
  if (is_reported) {
    std::printf("started_s,seconds,calls\n");
    for (const MeasuredCycle& each : measured) {
      std::printf("%.9f,%.9f,%d\n", each.started_s, each.seconds, each.calls);
    }
  }
}

}  // namespace longarm::armar::ice
