// SPDX-License-Identifier: Apache-2.0
// Deliver, step, answer, wait.
#include "longarm/serve/live_run.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace longarm::serve {
namespace {

using namespace std::chrono_literals;
using Clock = Pacer::Clock;

// the share of a step's time that clients may take when a step is due
constexpr int kShareOfAStep = 5;
constexpr Duration kLeastDelivery = 100us;
// how soon a wish to stop is heard in a long wait
constexpr Duration kLongestWait = 100ms;
// so soon before a step is due, what clients say waits for it: waking up costs more than an answer
constexpr Duration kShortWait = 1ms;
// of each door, in the log
constexpr std::uint64_t kFailedCallsToTell = 10;

}  // namespace

LiveRun::LiveRun(World& world, const LiveConfig& config, Inbox& inbox,
                 std::vector<Carrier*> carrier_of, RecordingWriter& recording)
    : world_(world),
      config_(config),
      inbox_(inbox),
      carrier_of_(std::move(carrier_of)),
      recording_(recording),
      pacer_(world.period(), config.speed, config.most_behind),
      gate_(config.speed),
      conversations_(
          world.doors(), [this](Said said) { pass_on(std::move(said)); },
          [this](std::size_t door, const protocols::Call& whom) { call(door, whom); }) {
  for (Carrier* carrier : carrier_of_) {
    if (carrier != nullptr &&
        std::find(carriers_.begin(), carriers_.end(), carrier) == carriers_.end()) {
      carriers_.push_back(carrier);
    }
  }
  next_checkpoint_ = world_.now() + config_.checkpoint_every;
}

void LiveRun::pass_on(Said said) {
  Carrier* const carrier = carrier_of_[said.door];
  if (carrier == nullptr) {
    return;
  }
  if (!said.bytes.empty()) {
    carrier->send(said.client, std::move(said.bytes));
  }
  // who steps by hand gets every packet of the steps that were asked for
  if (!said.cyclic.empty() &&
      (!is_by_the_clock_ || gate_.lets_pass(said.client, world_.now(), Clock::now()))) {
    carrier->send_cyclic(said.client, std::move(said.cyclic));
  }
  if (said.is_last) {
    gate_.forget(said.client);
    carrier->end(said.client);
  }
}

void LiveRun::call(std::size_t door, const protocols::Call& whom) {
  if (carrier_of_[door] == nullptr || !carrier_of_[door]->call(door, whom)) {
    inbox_.push(
        {DoorEventKind::kCallFailed, door, {}, "outgoing connections are not possible here"});
  }
}

/// The first ones of a door: a program may try again and again.
void LiveRun::note_failed_call(const DoorEvent& event) {
  if (conversations_.figures(event.door).failed_calls <= kFailedCallsToTell) {
    config_.log.warning(world_.now(), conversations_.doors()[event.door]->name(),
                        "call failed: " + event.bytes);
  }
}

/// At least one event, if there is one; then as many as there is time for. Bytes that a door has no
/// room for stay in the inbox, and their client is not read from once that is full. Whether there
/// was any.
bool LiveRun::deliver(Clock::time_point until) {
  if (inbox_.is_empty()) {
    return false;
  }
  const auto is_ready = [&](const DoorEvent& event) {
    return event.kind != DoorEventKind::kData ||
           conversations_.doors()[event.door]->has_room(event.client);
  };
  bool has_delivered = false;
  do {
    const std::optional<DoorEvent> event = inbox_.pop(is_ready);
    if (!event) {
      break;
    }
    has_delivered = true;
    recording_.add(steps_, *event);
    conversations_.apply(*event, world_.now());
    if (event->kind == DoorEventKind::kCallFailed) {
      note_failed_call(*event);
    }
  } while (Clock::now() < until);
  for (Carrier* carrier : carriers_) {
    carrier->resume();
  }
  return has_delivered;
}

void LiveRun::wait_until_due(const Asked& is_asked_to_stop) {
  while (!is_asked_to_stop()) {
    const Clock::time_point now = Clock::now();
    const Clock::time_point due = pacer_.due();
    if (now >= due) {
      return;
    }
    if (deliver(due)) {
      continue;
    }
    // what is in the inbox all the same can be delivered after the next step at the earliest
    if (due - now <= kShortWait || !inbox_.is_empty()) {
      recording_.flush_if_old();
      std::this_thread::sleep_until(std::min(due, now + kLongestWait));
      continue;
    }
    recording_.flush();
    inbox_.wait(std::min<Duration>(due - now, kLongestWait));
  }
}

void LiveRun::step() {
  // due already: clients that talk without end must not keep the world from going on
  deliver(Clock::now() + std::max(pacer_.wall_period() / kShareOfAStep, kLeastDelivery));
  recording_.flush_if_old();
  if (is_by_the_clock_ && (world_.is_paused() || world_.is_reset_asked())) {
    return;  // just now: the step that was due is not made
  }
  world_.step();
  ++steps_;
  conversations_.after_step();
  if (world_.now() >= next_checkpoint_) {
    next_checkpoint_ += config_.checkpoint_every;
    add_checkpoint({});
  }
}

void LiveRun::run_until(Time until, const Asked& is_asked_to_stop) {
  pacer_.start(Clock::now());
  is_by_the_clock_ = true;
  while (world_.now() < until && !world_.is_over() && !world_.is_reset_asked()) {
    if (!world_.is_paused()) {
      wait_until_due(is_asked_to_stop);
    }
    if (is_asked_to_stop()) {
      break;
    }
    if (world_.is_reset_asked()) {
      continue;
    }
    if (world_.is_paused()) {
      stand_still();
      continue;
    }
    pacer_.begin_step(Clock::now());
    step();
  }
  is_by_the_clock_ = false;
}

/// Paused by a client: answers, or makes a step that was asked for.
void LiveRun::stand_still() {
  is_by_the_clock_ = false;
  if (world_.take_step()) {
    step();
  } else {
    idle(-1, kLongestWait);
  }
  is_by_the_clock_ = true;
  pacer_.start(Clock::now());
}

bool LiveRun::idle(int descriptor, Duration patience) {
  deliver(Clock::now() + kLongestWait);
  recording_.flush();
  return inbox_.wait(patience, descriptor);
}

void LiveRun::add_checkpoint(const std::string& end) {
  recording_.add(Checkpoint{steps_, world_.hash(), conversations_.hash(), end});
}

void LiveRun::finish(const std::string& why) {
  add_checkpoint(why);
}

}  // namespace longarm::serve
