// SPDX-License-Identifier: Apache-2.0
// Lines from clients to drives, and the arm's state in a line.
#include "labs/armar/armar_drives.h"

#include <cmath>
#include <iterator>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace longarm::armar {
namespace {

using protocols::ConnectionId;

const std::map<std::string, DriveMode, std::less<>> kModes = {{"position", DriveMode::kPosition},
                                                              {"velocity", DriveMode::kVelocity},
                                                              {"torque", DriveMode::kTorque}};

}  // namespace

DrivesDoor::DrivesDoor(std::string name, std::uint16_t port, ArmPort& arm)
    : BroadcastDoor(std::move(name), port), arm_(arm) {}

void DrivesDoor::say_state(Time now) {
  state_ = fmt::format("state {:.9f}", to_seconds(now));
  for (const std::span<const double> values :
       {arm_.positions(), arm_.velocities(), arm_.efforts()}) {
    for (const double value : values) {
      fmt::format_to(std::back_inserter(state_), " {:.9g}", value);
    }
  }
  state_ += '\n';
  ++states_;
}

void DrivesDoor::do_open(ConnectionId client, Time /*now*/) {
  std::string line = "joints";
  for (const model::TreeJoint& joint : arm_.tree().joints) {
    line += ' ' + joint.name;
  }
  clients_[client].output = line + '\n';
}

void DrivesDoor::do_receive(ConnectionId id, std::string_view bytes, Time /*now*/) {
  Client& client = clients_[id];
  for (const char c : bytes) {
    if (c != '\n') {
      client.unfinished += c;
      client.is_over = client.is_over || client.unfinished.size() > kLongestLine;
    } else {
      ++(obey(client.unfinished) ? commands_ : refused_);
      client.unfinished.clear();
    }
    if (client.is_over) {
      return;
    }
  }
}

bool DrivesDoor::obey(const std::string& line) {
  std::istringstream words(line);
  std::string what;
  std::string joint;
  std::string value;
  std::string more;
  if (!(words >> what >> joint >> value) || words >> more) {
    return false;
  }
  if (what == "mode") {
    const auto mode = kModes.find(value);
    return mode != kModes.end() && arm_.switch_mode(joint, mode->second);
  }
  const auto mode = kModes.find(what);
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  return mode != kModes.end() && *end == '\0' && std::isfinite(number) &&
         arm_.command(joint, mode->second, number);
}

void DrivesDoor::do_close(ConnectionId client, Time /*now*/) {
  clients_.erase(client);
}

std::string DrivesDoor::do_take_output(ConnectionId client) {
  const auto found = clients_.find(client);
  return found == clients_.end() ? std::string() : std::exchange(found->second.output, {});
}

std::string DrivesDoor::do_take_cyclic(ConnectionId client) {
  const auto found = clients_.find(client);
  if (found == clients_.end() || std::exchange(found->second.said_to, states_) == states_) {
    return {};
  }
  return state_;
}

bool DrivesDoor::do_is_over(ConnectionId client) const {
  const auto found = clients_.find(client);
  return found == clients_.end() || found->second.is_over;
}

}  // namespace longarm::armar
