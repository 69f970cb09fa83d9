// SPDX-License-Identifier: Apache-2.0
// From <plugin> to door, and from joint commands to the engine.
#include "longarm/workcell/joint_topic.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/core/index.h"
#include "longarm/core/suggest.h"

namespace longarm::workcell {
namespace {

using protocols::jointcmd::DoorConfig;
using protocols::jointcmd::JointReading;

// what Gazebo would load there
constexpr const char* kPlugin = "libgzjointcmdplugin.so";

int placement_of_model(const model::Cell& cell, const std::string& name) {
  for (std::size_t p = 0; p < cell.placements.size(); ++p) {
    if (cell.placements[p].name == name) {
      return static_cast<int>(p);
    }
  }
  check(false, "a joint topic of a model that is not there");
  return 0;
}

}  // namespace

EngineJoints::EngineJoints(physics::Engine& engine, const model::Cell& cell,
                           const std::string& placement, std::function<std::string()> fault)
    : engine_(engine), fault_(std::move(fault)) {
  const int number = placement_of_model(cell, placement);
  first_ = cell.first_joint(number);
  for (const model::TreeJoint& joint :
       cell.placements[static_cast<std::size_t>(number)].tree.joints) {
    joints_.push_back(
        {joint.name, joint.type == model::JointType::kPrismatic, joint.limits.effort});
  }
}

physics::JointId EngineJoints::id(std::size_t joint) const {
  return static_cast<physics::JointId>(first_ + static_cast<int>(joint));
}

void EngineJoints::set_position(std::size_t joint, double position, double max_effort) {
  engine_.set_position(id(joint), position, max_effort);
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

std::vector<DoorConfig> joint_topics_of(const model::World& world, const model::Cell& cell,
                                        std::vector<network::KeyRemark>& remarks) {
  std::vector<DoorConfig> topics;
  std::set<std::string> used;
  const auto refuse = [&](const model::Plugin& plugin, std::string message, std::string hint) {
    remarks.push_back({"world",
                       fmt::format("{}:{}: {}", plugin.where.path, plugin.where.line, message),
                       std::move(hint)});
  };
  for (const model::WorldModel& model : world.models) {
    for (const model::Plugin& plugin : model.plugins) {
      if (plugin.filename != kPlugin) {
        continue;
      }
      const std::vector<std::string> named = plugin.texts("topic");
      if (named.size() != 1 || named[0].empty()) {
        refuse(plugin, fmt::format("plugin '{}' needs one <topic>", plugin.name),
               "for example <topic>~/fanuc/joints</topic>");
        continue;
      }
      if (!used.insert(named[0]).second) {
        refuse(plugin, fmt::format("two plugins have the topic '{}'", named[0]),
               "give each a topic of its own");
        continue;
      }
      const std::vector<std::string> joints =
          names_of(cell.placements[index_of(placement_of_model(cell, model.name))].tree.joints);
      const std::vector<std::string> fingers = plugin.texts("finger_joint");
      for (const std::string& finger : fingers) {
        if (std::find(joints.begin(), joints.end(), finger) == joints.end()) {
          refuse(plugin, fmt::format("model '{}' has no joint '{}'", model.name, finger),
                 suggest(finger, joints));
        }
      }
      topics.push_back({named[0], model.name, fingers});
    }
  }
  return topics;
}

}  // namespace longarm::workcell
