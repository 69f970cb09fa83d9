// SPDX-License-Identifier: Apache-2.0
// A joint topic: what each joint was last told, and who is told what.
#include "longarm/protocols/jointcmd/door.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace longarm::protocols::jointcmd {
namespace {

// A client that never reads is not told more than this.
constexpr std::size_t kMaxOutputBytes = 1024 * 1024;

}  // namespace

JointCommandDoor::JointCommandDoor(DoorConfig config, JointPort& port)
    : TalkDoor("jointcmd." + config.topic, std::nullopt),
      config_(std::move(config)),
      port_(port),
      targets_(port.joints().size()) {}

std::vector<std::string> JointCommandDoor::unknown_finger_joints() const {
  std::vector<std::string> unknown;
  for (const std::string& joint : config_.finger_joints) {
    if (!find(joint).has_value()) {
      unknown.push_back(joint);
    }
  }
  return unknown;
}

void JointCommandDoor::step(Time now) {
  const Duration since_last = now - last_step_.value_or(now);
  last_step_ = now;
  // in a safety stop the joints belong to whoever stops them
  if (port_.fault().empty()) {
    for (std::size_t joint = 0; joint < targets_.size(); ++joint) {
      drive(joint, since_last);
    }
  }
  if (clients_.empty() || (next_states_.has_value() && now < *next_states_)) {
    return;
  }
  next_states_ = now + config_.state_period;
  std::vector<JointReading> readings;
  readings.reserve(targets_.size());
  for (std::size_t joint = 0; joint < targets_.size(); ++joint) {
    readings.push_back(port_.read(joint));
  }
  say(Said::kStates, encode_joint_states(config_.model, readings, now));
}

void JointCommandDoor::drive(std::size_t joint, Duration since_last) {
  if (!targets_[joint].has_value()) {
    return;
  }
  Target& target = *targets_[joint];
  const MotorCommand command =
      target.position ? target.position->update(port_.read(joint), since_last) : target.velocity;
  port_.set_velocity(joint, command.velocity, command.max_effort);
  // a position is reached over many steps
  if (!config_.forces_update && !target.position) {
    targets_[joint].reset();
  }
}

void JointCommandDoor::do_receive(ConnectionId client, std::string_view bytes, Time /*now*/) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) {
    return;
  }
  DelimitedMessages& input = found->second.input;
  input.feed(bytes);
  while (true) {
    const Result<std::optional<std::string>> message = input.next();
    if (!message) {
      found->second.is_over = true;
      return;
    }
    if (!message->has_value()) {
      return;
    }
    const std::optional<std::string> refusal = apply(**message);
    if (!refusal.has_value()) {
      ++accepted_;
      continue;
    }
    ++refused_;
    last_refusal_ = fmt::format("{}: message rejected: {}", name(), *refusal);
    say(Said::kRefusal, encode_text(last_refusal_));
  }
}

std::optional<std::string> JointCommandDoor::apply(std::string_view message) {
  const Result<JointCommand> read = decode_joint_command(message);
  if (!read) {
    return read.error().message;
  }
  const std::optional<std::size_t> joint = find(read->joint);
  if (!joint.has_value()) {
    return fmt::format("model '{}' has no joint '{}'", config_.model, read->joint);
  }
  if (const std::string fault = port_.fault(); !fault.empty()) {
    return fault;
  }
  const JointInfo& info = port_.joints()[*joint];
  if (read->position.has_value()) {
    const double goal = *read->position;
    if (goal < info.lower || goal > info.upper) {
      return fmt::format("position {:.6g} is beyond the limits of joint '{}', {:.6g} to {:.6g}",
                         goal, info.name, info.lower, info.upper);
    }
    std::optional<Target>& target = targets_[*joint];
    // the same goal again, as programs repeat it, is no reason to begin anew
    if (!target || !target->position || !target->position->is_to(goal, read->gains)) {
      target = Target{PositionLaw(goal, read->gains, info), {}};
    }
  } else if (read->velocity.has_value()) {
    targets_[*joint] = Target{{},
                              {std::clamp(*read->velocity, -info.max_velocity, info.max_velocity),
                               std::min(read->force.value_or(info.max_effort), info.max_effort)}};
  } else if (read->is_reset) {
    targets_[*joint].reset();
    port_.release(*joint);
  } else {
    return fmt::format("the command for joint '{}' has neither a position nor a velocity",
                       read->joint);
  }
  return std::nullopt;
}

// By its whole name, or by what stands behind the last "::" if only one joint has that.
std::optional<std::size_t> JointCommandDoor::find(const std::string& joint) const {
  const std::vector<JointInfo>& joints = port_.joints();
  std::optional<std::size_t> found;
  std::size_t count = 0;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (joints[i].name == joint) {
      return i;
    }
    if (!joint.empty() && joints[i].name.ends_with("::" + joint)) {
      found = i;
      ++count;
    }
  }
  return count == 1 ? found : std::nullopt;
}

void JointCommandDoor::say(Said what, const std::string& message) {
  std::string said(1, static_cast<char>(what));
  said += message;
  for (auto& [id, client] : clients_) {
    if (client.output.size() < kMaxOutputBytes) {
      append_delimited(client.output, said);
    }
  }
}

}  // namespace longarm::protocols::jointcmd
