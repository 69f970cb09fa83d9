// SPDX-License-Identifier: Apache-2.0
// Who gets which packet of a UR controller's streams, and what becomes of scripts.
#include "longarm/protocols/ur/stream_door.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "longarm/protocols/ur/primary.h"
#include "longarm/protocols/ur/realtime.h"

namespace longarm::protocols::ur {
namespace {

constexpr Duration kStatePeriod = std::chrono::milliseconds(100);

/// Lines that are no script but an order to the controller itself.
struct LineOrder {
  std::string_view line;
  Result<bool> (ControllerPort::*give)();
};

constexpr LineOrder kLineOrders[] = {
    {"stop program", &ControllerPort::stop},
    {"pause", &ControllerPort::pause},
    {"play", &ControllerPort::play},
    {"power on", &ControllerPort::power_on},
    {"power off", &ControllerPort::power_off},
    {"set robotmode run", &ControllerPort::release_brakes},
    {"set unlock protective stop", &ControllerPort::unlock_at_once},
};

/// Whether it was one. What stands against it the controller says as a message.
bool obey_line(std::string_view script, ControllerPort& controller) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = std::min(script.find_first_not_of(kBlanks), script.size());
  script.remove_prefix(first);
  script.remove_suffix(script.size() - (script.find_last_not_of(kBlanks) + 1));
  for (const LineOrder& order : kLineOrders) {
    if (script == order.line) {
      (void)(controller.*order.give)();
      return true;
    }
  }
  return false;
}

// How many whole periods had passed when a cycle ended.
std::int64_t periods_at(std::uint64_t cycle, Duration length) {
  return static_cast<std::int64_t>(cycle) * length.count() / kStatePeriod.count();
}

}  // namespace

StreamDoor::StreamDoor(std::string name, std::uint16_t port, StreamKind kind, bool is_read_only,
                       ControllerPort& controller)
    : BroadcastDoor(std::move(name), port),
      kind_(kind),
      is_read_only_(is_read_only),
      controller_(controller) {}

void StreamDoor::do_open(ConnectionId client, Time /*now*/) {
  if (clients_.size() >= kMaxClients) {
    return;  // is_over() tells the carrier
  }
  Client fresh;
  fresh.has_greeting = kind_ != StreamKind::kRealTime;
  fresh.cycle = controller_.cycles();
  const std::span<const RobotMessage> messages = controller_.messages();
  fresh.next_message = messages.empty() ? 0 : messages.back().number + 1;
  clients_.insert_or_assign(client, std::move(fresh));
}

void StreamDoor::do_close(ConnectionId client, Time /*now*/) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) {
    return;
  }
  if (const auto why = found->second.intake.unfinished()) {
    ++figures_.dropped;
    figures_.last_drop = *why;
    controller_.refuse_script(*why);
  }
  clients_.erase(found);
}

bool StreamDoor::do_is_over(ConnectionId client) const {
  return !clients_.contains(client);
}

void StreamDoor::do_receive(ConnectionId client, std::string_view bytes, Time /*now*/) {
  const auto found = clients_.find(client);
  if (is_read_only_ || found == clients_.end()) {
    return;
  }
  ScriptIntake& intake = found->second.intake;
  intake.feed(
      bytes,
      [&](std::string_view script) {
        ++figures_.scripts;
        if (!obey_line(script, controller_)) {
          controller_.run_script(script);
        }
      },
      [&](const std::string& why) {
        ++figures_.dropped;
        figures_.last_drop = why;
        controller_.refuse_script(why);
      });
}

std::string StreamDoor::do_take_output(ConnectionId client) {
  const auto found = clients_.find(client);
  if (found == clients_.end() || kind_ == StreamKind::kRealTime) {
    return {};
  }
  Client& listener = found->second;
  std::string output;
  if (std::exchange(listener.has_greeting, false)) {
    output = encode_version({.firmware = controller_.info().firmware});
    // the first state is one of a later cycle: some clients take all they read first for a version
    listener.cycle = controller_.cycles();
  }
  const std::span<const RobotMessage> messages = controller_.messages();
  if (kind_ != StreamKind::kPrimary || messages.empty()) {
    return output;
  }
  const std::uint64_t end = first_to_wait(listener);
  if (listener.next_message < end) {
    output += messages_between(listener.next_message, end);
    listener.next_message = end;
  }
  return output;
}

std::string StreamDoor::do_take_cyclic(ConnectionId client) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) {
    return {};
  }
  Client& listener = found->second;
  const std::uint64_t cycle = controller_.cycles();
  if (listener.has_greeting || cycle <= listener.cycle) {
    return {};
  }
  const bool is_due = is_due_at(listener, cycle);
  listener.cycle = cycle;
  if (!is_due) {
    return {};
  }
  listener.safety_mode = controller_.state().safety_mode;
  listener.has_state = true;
  return packet();
}

bool StreamDoor::is_due_at(const Client& listener, std::uint64_t cycle) const {
  if (kind_ == StreamKind::kRealTime || !listener.has_state) {
    return true;
  }
  // clients compare it with the messages of the same moment
  if (listener.safety_mode != controller_.state().safety_mode) {
    return true;
  }
  const Duration length = controller_.info().cycle;
  return periods_at(cycle, length) > periods_at(listener.cycle, length);
}

const std::string& StreamDoor::packet() {
  const std::uint64_t cycle = controller_.cycles();
  if (!packet_.empty() && packet_cycle_ == cycle) {
    return packet_;
  }
  packet_cycle_ = cycle;
  packet_ = kind_ == StreamKind::kRealTime
                ? encode_real_time(controller_.state(), controller_.info().firmware)
                : encode_robot_state(describe(controller_.info(), controller_.state()));
  return packet_;
}

// A client that acts on a message looks at the state it knows: that of the same cycle goes first.
std::uint64_t StreamDoor::first_to_wait(const Client& listener) const {
  const Time told{controller_.info().cycle * static_cast<std::int64_t>(listener.cycle)};
  const std::span<const RobotMessage> messages = controller_.messages();
  std::uint64_t end = messages.back().number + 1;
  for (std::size_t i = messages.size(); i > 0 && messages[i - 1].time >= told; --i) {
    end = messages[i - 1].number;
  }
  return end;
}

// Those from `begin` on, without `end`.
const std::string& StreamDoor::messages_between(std::uint64_t begin, std::uint64_t end) {
  const std::span<const RobotMessage> messages = controller_.messages();
  if (messages_begin_ == begin && messages_end_ == end) {
    return messages_;
  }
  // the controller's clock and ours differ by when it was started
  const double cycles_s =
      to_seconds(controller_.info().cycle) * static_cast<double>(controller_.cycles());
  const Duration ahead(std::llround((controller_.state().timestamp_s - cycles_s) * 1e9));
  messages_.clear();
  for (const RobotMessage& message : messages) {
    if (message.number >= begin && message.number < end) {
      messages_ += encode_message(describe(message, ahead));
    }
  }
  messages_begin_ = begin;
  messages_end_ = end;
  return messages_;
}

}  // namespace longarm::protocols::ur
