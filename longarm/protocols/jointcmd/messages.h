// SPDX-License-Identifier: Apache-2.0
// The messages of a Gazebo-style joint topic, as bytes: ignition.msgs.JointCmd in,
// ignition.msgs.Model out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/protocols/byte_queue.h"

namespace longarm::protocols::jointcmd {

/// How hard a position is pursued: the gains of an ignition.msgs.PID, each where it is given. SI
/// units: N·m/rad or N/m, and so on.
struct PositionGains {
  std::optional<double> p{};
  std::optional<double> i{};
  std::optional<double> d{};
  std::optional<double> i_min{};  ///< of what the integral may exert
  std::optional<double> i_max{};
  std::optional<double> limit{};  ///< of all three together

  bool operator==(const PositionGains&) const = default;
};

/// What one joint is told. Which of position and velocity is there decides how it is driven; a
/// position goes before a velocity. SI units.
struct JointCommand {
  std::string joint;
  std::optional<double> position;
  std::optional<double> velocity;
  std::optional<double> force;  ///< the most a velocity may take; N or N·m
  bool is_reset = false;        ///< alone: nobody drives the joint any more
  PositionGains gains{};        ///< of the position

  bool operator==(const JointCommand&) const = default;
};

struct JointReading {
  std::string name;
  bool is_prismatic = false;
  double position = 0.0;
  double velocity = 0.0;
  double effort = 0.0;

  bool operator==(const JointReading&) const = default;
};

/// Of a serialised ignition.msgs.JointCmd. An error if it is none, has a number that is not finite,
/// a negative force or gain, an axis other than 0, or a position or velocity without target.
Result<JointCommand> decode_joint_command(std::string_view message);
std::string encode_joint_command(const JointCommand& command);

/// A serialised ignition.msgs.Model whose joints have the position, velocity and force of their
/// first axis.
std::string encode_joint_states(const std::string& model, std::span<const JointReading> joints,
                                Time now);
Result<std::vector<JointReading>> decode_joint_states(std::string_view message);

/// A serialised ignition.msgs.StringMsg.
std::string encode_text(std::string_view text);

// --- many messages in one stream
// ------------------------------------------------------------------

/// A message with its length before it, as a base-128 number.
void append_delimited(std::string& out, std::string_view message);

/// Takes such a stream apart, however it is cut.
class DelimitedMessages {
 public:
  static constexpr std::size_t kMaxBytes = 64 * 1024;

  void feed(std::string_view bytes);
  /// Nothing: none is whole yet. An error is final.
  Result<std::optional<std::string>> next();

 private:
  ByteQueue queue_;
  std::optional<Error> error_;
};

}  // namespace longarm::protocols::jointcmd
