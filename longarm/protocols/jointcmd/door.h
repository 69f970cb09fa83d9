// SPDX-License-Identifier: Apache-2.0
// A joint topic as a door: commands for the joints of one model in, their states out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longarm/protocols/jointcmd/joint_port.h"
#include "longarm/protocols/jointcmd/position_law.h"
#include "longarm/protocols/talk_door.h"

namespace longarm::protocols::jointcmd {

struct DoorConfig {
  std::string topic;  ///< as the world file has it, e.g. "~/fanuc/joints"
  std::string model;  ///< its name, for the states
  /// Those the world file names; must be joints of the model.
  std::vector<std::string> finger_joints{};
  Duration state_period{20'000'000};
  /// Every step repeats the last command; otherwise a velocity acts once, and whoever speaks next
  /// counts.
  bool forces_update = true;
};

/// What goes out is a stream of delimited messages, each of a byte that says what it is, and the
/// message.
enum class Said : char { kStates = 'S', kRefusal = 'R' };

struct JointCommandConversation : Conversation {
  DelimitedMessages input;
};

/// Named "jointcmd." and the topic. Clients send delimited JointCmd messages; what is refused
/// changes nothing, is counted, and every client is told the reason. Call `step` once per step of
/// the world, after everyone else who commands joints.
class JointCommandDoor final : public TalkDoor<JointCommandConversation> {
 public:
  /// The port must outlive the door.
  JointCommandDoor(DoorConfig config, JointPort& port);

  /// What is wrong with the config: finger joints that the model does not have. Empty: nothing.
  std::vector<std::string> unknown_finger_joints() const;

  void step(Time now);

  std::uint64_t accepted() const { return accepted_; }
  std::uint64_t refused() const { return refused_; }
  const std::string& last_refusal() const { return last_refusal_; }
  const DoorConfig& config() const { return config_; }

 private:
  /// One of the two.
  struct Target {
    std::optional<PositionLaw> position;
    MotorCommand velocity;
  };

  void do_receive(ConnectionId client, std::string_view bytes, Time now) override;

  /// The reason if it is refused.
  std::optional<std::string> apply(std::string_view message);
  void drive(std::size_t joint, Duration since_last);
  std::optional<std::size_t> find(const std::string& joint) const;
  void say(Said what, const std::string& message);

  DoorConfig config_;
  JointPort& port_;
  std::vector<std::optional<Target>> targets_;  ///< of each joint; none: not ours
  std::optional<Time> last_step_;
  std::optional<Time> next_states_;
  std::uint64_t accepted_ = 0;
  std::uint64_t refused_ = 0;
  std::string last_refusal_;
};

}  // namespace longarm::protocols::jointcmd
