// SPDX-License-Identifier: Apache-2.0
// What controllers see of an arm: joint states to read, joint commands to claim and write.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "longarm/control/messages.h"
#include "longarm/core/result.h"
#include "longarm/model/model.h"

namespace longarm::control {

class JointInterfaces;

/// The right to command some joints in one way; given back when it is destroyed.
class Claim {
 public:
  Claim(Claim&& other) noexcept;
  Claim& operator=(Claim&& other) noexcept;
  ~Claim();

  CommandKind kind() const { return kind_; }
  const std::vector<int>& joints() const { return joints_; }

 private:
  friend class JointInterfaces;
  Claim(JointInterfaces& interfaces, std::vector<int> joints, CommandKind kind);
  void release();

  JointInterfaces* interfaces_;
  std::vector<int> joints_;
  CommandKind kind_;
};

/// One arm's joints as a controller host knows them. States are what has been received, not what
/// is. Outlives its claims and never moves.
class JointInterfaces {
 public:
  JointInterfaces(std::vector<std::string> names, std::vector<model::JointLimits> limits);
  JointInterfaces(const JointInterfaces&) = delete;
  JointInterfaces& operator=(const JointInterfaces&) = delete;

  int joint_count() const { return static_cast<int>(names_.size()); }
  const std::string& name(int joint) const { return names_[static_cast<std::size_t>(joint)]; }
  const model::JointLimits& limits(int joint) const {
    return limits_[static_cast<std::size_t>(joint)];
  }

  /// The newest states received; controllers only read.
  const JointStates& states() const { return states_; }
  void receive(const JointStates& states) { states_ = states; }

  /// Claims joints by name for one kind of command. Fails if a joint is unknown or claimed already;
  /// the message names it and its owner.
  Result<Claim> claim(const std::string& controller, const std::vector<std::string>& joints,
                      CommandKind kind);
  /// Empty if nobody has claimed the joint.
  const std::string& owner(int joint) const { return owners_[static_cast<std::size_t>(joint)]; }

  /// Writes through a claim. `joint` counts within the claim.
  void write(const Claim& claim, std::size_t joint, double value, double velocity = 0.0) {
    const auto index = static_cast<std::size_t>(claim.joints_[joint]);
    commands_[index] = value;
    command_velocities_[index] = velocity;
  }
  /// What the controllers have written, per joint; zero where nobody ever wrote.
  const std::vector<double>& commands() const { return commands_; }
  const std::vector<double>& command_velocities() const { return command_velocities_; }

 private:
  friend class Claim;

  std::vector<std::string> names_;
  std::vector<model::JointLimits> limits_;
  std::vector<std::string> owners_;
  JointStates states_;
  std::vector<double> commands_;
  std::vector<double> command_velocities_;
};

}  // namespace longarm::control
