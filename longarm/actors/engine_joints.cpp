// SPDX-License-Identifier: Apache-2.0
// From joint commands to the engine.
#include "longarm/actors/engine_joints.h"

#include <optional>
#include <utility>

#include "longarm/cell/world.h"
#include "longarm/core/check.h"

namespace longarm::actors {
namespace {

using protocols::jointcmd::JointReading;

}  // namespace

EngineJoints::EngineJoints(physics::Engine& engine, const model::Cell& cell,
                           const std::string& placement, std::function<std::string()> fault)
    : engine_(engine), fault_(std::move(fault)) {
  const std::optional<int> found = cell::find_placement(cell, placement);
  check(found.has_value(), "joints of a model that is not there");
  const int number = *found;
  first_ = cell.first_joint(number);
  for (const model::TreeJoint& joint :
       cell.placements[static_cast<std::size_t>(number)].tree.joints) {
    joints_.push_back({joint.name, joint.type == model::JointType::kPrismatic, joint.limits.effort,
                       joint.limits.velocity, joint.limits.lower, joint.limits.upper});
  }
}

physics::JointId EngineJoints::id(std::size_t joint) const {
  return static_cast<physics::JointId>(first_ + static_cast<int>(joint));
}

void EngineJoints::set_velocity(std::size_t joint, double velocity, double max_effort) {
  engine_.set_velocity(id(joint), velocity, max_effort);
}

void EngineJoints::release(std::size_t joint) {
  engine_.set_effort(id(joint), 0.0);
}

JointReading EngineJoints::read(std::size_t joint) const {
  const auto i = static_cast<std::size_t>(id(joint));
  return {joints_[joint].name, joints_[joint].is_prismatic, engine_.positions()[i],
          engine_.velocities()[i], engine_.efforts()[i]};
}

}  // namespace longarm::actors
