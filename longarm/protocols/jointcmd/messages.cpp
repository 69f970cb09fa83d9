// SPDX-License-Identifier: Apache-2.0
// Field numbers of ignition.msgs (ign-msgs 8), and what their absence means.
#include "longarm/protocols/jointcmd/messages.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "longarm/protocols/jointcmd/wire.h"

namespace longarm::protocols::jointcmd {
namespace {

const char* const kNotAMessage = "not an ignition.msgs.JointCmd";

// ignition.msgs.Double: a zero is not written at all.
std::optional<double> read_double(std::string_view message) {
  WireReader reader(message);
  double value = 0.0;
  while (const std::optional<WireField> field = reader.next()) {
    if (field->is_double(2)) {
      value = field->as_double();
    }
  }
  return reader.has_failed() ? std::nullopt : std::optional(value);
}

struct GainField {
  std::uint32_t number;
  std::optional<double> PositionGains::*member;
  std::string_view name;
  bool is_signed;
};

constexpr std::array kGainFields{GainField{3, &PositionGains::p, "p_gain", false},
                                 GainField{4, &PositionGains::i, "i_gain", false},
                                 GainField{5, &PositionGains::d, "d_gain", false},
                                 GainField{6, &PositionGains::i_max, "i_max", true},
                                 GainField{7, &PositionGains::i_min, "i_min", true},
                                 GainField{8, &PositionGains::limit, "limit", false}};

struct Pid {
  std::optional<double> target;
  PositionGains gains;
};

// The numbers of an ignition.msgs.PID as they are there; nothing if it is none.
std::optional<Pid> read_pid(std::string_view message) {
  WireReader reader(message);
  Pid pid;
  while (const std::optional<WireField> field = reader.next()) {
    const auto* const gain =
        std::find_if(kGainFields.begin(), kGainFields.end(),
                     [&](const GainField& each) { return field->is_message(each.number); });
    const bool is_gain = gain != kGainFields.end();
    if (!is_gain && !field->is_message(2)) {
      continue;
    }
    const std::optional<double> value = read_double(field->bytes);
    if (!value.has_value()) {
      return std::nullopt;
    }
    (is_gain ? pid.gains.*(gain->member) : pid.target) = value;
  }
  return reader.has_failed() ? std::nullopt : std::optional(pid);
}

std::optional<std::string> what_is_wrong(const PositionGains& gains) {
  for (const GainField& field : kGainFields) {
    const std::optional<double>& value = gains.*(field.member);
    if (value.has_value() && (!std::isfinite(*value) || (!field.is_signed && *value < 0.0))) {
      return fmt::format("{} of the position is not a {}", field.name,
                         field.is_signed ? "finite number" : "number of at least 0");
    }
  }
  if (gains.i_min && gains.i_max && *gains.i_min > *gains.i_max) {
    return "i_min of the position is above its i_max";
  }
  return std::nullopt;
}

// What is wrong with it, if something is.
std::optional<std::string> take_pid(const WireField& field, std::string_view what,
                                    std::optional<double>& target, PositionGains* gains) {
  const std::optional<Pid> pid = read_pid(field.bytes);
  if (!pid.has_value()) {
    return kNotAMessage;
  }
  if (!pid->target.has_value()) {
    return fmt::format("{} without a target", what);
  }
  if (!std::isfinite(*pid->target)) {
    return fmt::format("{} is not a finite number", what);
  }
  target = pid->target;
  if (gains == nullptr) {
    return std::nullopt;
  }
  *gains = pid->gains;
  return what_is_wrong(*gains);
}

// What is wrong with the field, if something is.
std::optional<std::string> take_field(const WireField& field, JointCommand& command) {
  if (field.is_message(2)) {
    command.joint = field.bytes;
  } else if (field.is_number(3) && field.bits != 0) {
    return "only axis 0 can be driven";
  } else if (field.is_message(5)) {
    return take_pid(field, "position", command.position, &command.gains);
  } else if (field.is_message(6)) {
    return take_pid(field, "velocity", command.velocity, nullptr);
  } else if (field.is_number(7)) {
    command.is_reset = field.bits != 0;
  } else if (field.is_message(8)) {
    command.force = read_double(field.bytes);
    if (!command.force.has_value()) {
      return kNotAMessage;
    }
    if (!std::isfinite(*command.force) || *command.force < 0.0) {
      return "force is not a number of at least 0";
    }
  }
  return std::nullopt;
}

std::string double_message(double value) {
  std::string out;
  append_double(out, 2, value);
  return out;
}

std::string pid_message(double target, const PositionGains& gains = {}) {
  std::string out;
  append_bytes(out, 2, double_message(target));
  for (const GainField& field : kGainFields) {
    if (const std::optional<double>& value = gains.*(field.member)) {
      append_bytes(out, field.number, double_message(*value));
    }
  }
  return out;
}

constexpr std::uint64_t kPrismatic = 2;

std::string joint_message(const JointReading& joint) {
  std::string axis;
  append_double(axis, 10, joint.position);
  append_double(axis, 11, joint.velocity);
  append_double(axis, 12, joint.effort);
  std::string out;
  append_bytes(out, 2, joint.name);
  append_number(out, 4, joint.is_prismatic ? kPrismatic : 0);
  append_bytes(out, 10, axis);
  return out;
}

bool read_axis(std::string_view message, JointReading& joint) {
  WireReader reader(message);
  while (const std::optional<WireField> field = reader.next()) {
    if (field->is_double(10)) {
      joint.position = field->as_double();
    } else if (field->is_double(11)) {
      joint.velocity = field->as_double();
    } else if (field->is_double(12)) {
      joint.effort = field->as_double();
    }
  }
  return !reader.has_failed();
}

bool read_joint(std::string_view message, JointReading& joint) {
  WireReader reader(message);
  while (const std::optional<WireField> field = reader.next()) {
    if (field->is_message(2)) {
      joint.name = field->bytes;
    } else if (field->is_number(4)) {
      joint.is_prismatic = field->bits == kPrismatic;
    } else if (field->is_message(10) && !read_axis(field->bytes, joint)) {
      return false;
    }
  }
  return !reader.has_failed();
}

}  // namespace

Result<JointCommand> decode_joint_command(std::string_view message) {
  WireReader reader(message);
  JointCommand command;
  std::optional<std::string> wrong;
  while (const std::optional<WireField> field = reader.next()) {
    const std::optional<std::string> found = take_field(*field, command);
    wrong = wrong.has_value() ? wrong : found;
  }
  if (reader.has_failed()) {
    return Error{kNotAMessage};
  }
  if (wrong.has_value()) {
    return Error{*wrong};
  }
  return command;
}

std::string encode_joint_command(const JointCommand& command) {
  std::string out;
  append_bytes(out, 2, command.joint);
  if (command.position.has_value()) {
    append_bytes(out, 5, pid_message(*command.position, command.gains));
  }
  if (command.velocity.has_value()) {
    append_bytes(out, 6, pid_message(*command.velocity));
  }
  if (command.is_reset) {
    append_number(out, 7, 1);
  }
  if (command.force.has_value()) {
    append_bytes(out, 8, double_message(*command.force));
  }
  return out;
}

std::string encode_joint_states(const std::string& model, std::span<const JointReading> joints,
                                Time now) {
  const auto since_start = static_cast<std::uint64_t>(now.time_since_epoch().count());
  std::string stamp;
  append_number(stamp, 1, since_start / 1'000'000'000U);
  append_number(stamp, 2, since_start % 1'000'000'000U);
  std::string header;
  append_bytes(header, 1, stamp);
  std::string out;
  append_bytes(out, 1, header);
  append_bytes(out, 2, model);
  for (const JointReading& joint : joints) {
    append_bytes(out, 6, joint_message(joint));
  }
  return out;
}

Result<std::vector<JointReading>> decode_joint_states(std::string_view message) {
  WireReader reader(message);
  std::vector<JointReading> joints;
  while (const std::optional<WireField> field = reader.next()) {
    if (field->is_message(6) && !read_joint(field->bytes, joints.emplace_back())) {
      return Error{"not an ignition.msgs.Model"};
    }
  }
  if (reader.has_failed()) {
    return Error{"not an ignition.msgs.Model"};
  }
  return joints;
}

std::string encode_text(std::string_view text) {
  std::string out;
  append_bytes(out, 2, text);
  return out;
}

// --- many messages in one stream
// ------------------------------------------------------------------

void append_delimited(std::string& out, std::string_view message) {
  append_varint(out, message.size());
  out += message;
}

void DelimitedMessages::feed(std::string_view bytes) {
  if (!error_) {
    queue_.add(bytes);
  }
}

Result<std::optional<std::string>> DelimitedMessages::next() {
  if (error_) {
    return *error_;
  }
  std::string_view rest = queue_.rest();
  const std::size_t before = rest.size();
  const std::optional<std::uint64_t> size = take_varint(rest);
  // ten bytes that are no number never will be one
  const bool is_no_number = !size.has_value() && before >= 10;
  if (is_no_number || size.value_or(0) > kMaxBytes) {
    error_ = Error{fmt::format("a message is longer than {} bytes", kMaxBytes)};
    queue_ = {};
    return *error_;
  }
  if (!size.has_value() || rest.size() < *size) {
    return std::optional<std::string>();
  }
  std::string message(rest.substr(0, *size));
  queue_.drop(before - rest.size() + *size);
  return std::optional(std::move(message));
}

}  // namespace longarm::protocols::jointcmd
