// SPDX-License-Identifier: Apache-2.0
// The programs around an arm, as ArmarX divides them: a unit that drives the joints, components
// that know the robot's state, a loop from hand to joint velocities, and a
// statechart that leads the hand from target to target. Internal to the folder.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "labs/armar/armar_arm.h"
#include "longarm/actors/component_own_method.h"
#include "longarm/actors/component_program.h"
#include "longarm/actors/component_statechart.h"
#include "longarm/components/message.h"

namespace longarm::armar {

using actors::ComponentConfig;
using actors::compute;
using actors::CyclicProgram;
using actors::method_of;
using actors::OwnMethod;
using actors::PlainPart;
using actors::Program;
using actors::ProgramContext;
using actors::Statechart;

/// Values of joints by name. `padding` stands for joints that the model has not.
struct JointMap {
  static constexpr std::string_view kTypeName = "longarm/JointMap";
  std::vector<std::string> names;
  std::vector<double> values;
  std::vector<std::uint8_t> padding;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("names", self.names);
    visitor("values", self.values);
    visitor("padding", self.padding);
  }
};

struct HandVelocity {
  static constexpr std::string_view kTypeName = "longarm/HandVelocity";
  std::array<double, 3> linear_m_s{};
  std::vector<std::uint8_t> padding;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("linear_m_s", self.linear_m_s);
    visitor("padding", self.padding);
  }
};

/// Encoded, with padding up to `bytes` if it is shorter.
template <typename Message>
components::Bytes encode_padded(Message message, std::int64_t bytes) {
  const auto size = static_cast<std::int64_t>(components::wire_size(message));
  if (bytes > size) {
    message.padding.resize(static_cast<std::size_t>(bytes - size));
  }
  return components::encode(message);
}

/// Joint velocities that move a frame with `velocity_m_s`, those that least use the joints, and
/// lead them towards the middle of their ranges as far as the frame allows. Damped where the arm is
/// near a singularity.
std::vector<double> joint_velocities(const motion::Kinematics& kinematics,
                                     const model::BodyTree& tree, int frame,
                                     std::span<const double> positions,
                                     const model::Vector3& velocity_m_s);

/// Of the hand, so far from where it is to go: straight on, slower near the end.
model::Vector3 velocity_along(const model::Vector3& way_left_m, double speed_m_s, double gain);

/// How far the hand is from a state's target: what guards may compare.
inline constexpr const char* kDistance = "distance_m";

/// The arm that the component of a program moves.
ArmPort& arm_of(const ProgramContext& context);

/// Publishes JointAngles, JointVelocities and JointTorques; serves setJointVelocities.
std::unique_ptr<Program> make_kinematic_unit(const ProgramContext& context);
/// Knows the joints from the topic JointAngles; every method it serves replies with them.
std::unique_ptr<Program> make_robot_state(const ProgramContext& context);
/// Serves setTCPVelocity. Its cycles ask for the state and, while somebody wants the hand to move,
/// command the joints: switchControlMode and setJointVelocities.
std::unique_ptr<Program> make_hand_control(const ProgramContext& context);
/// A statechart whose states may have a target of the hand: setTCPVelocity commands it to go there.
std::unique_ptr<Program> make_hand_statechart(const ProgramContext& context);

/// All four, by their names.
void add_armar_programs(actors::ProgramKinds& programs);

}  // namespace longarm::armar
