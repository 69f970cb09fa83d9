// SPDX-License-Identifier: Apache-2.0
// Joints as the engine has them, at the end of steps.
#include "longarm/actors/robot_trace.h"

#include <utility>

#include "longarm/core/suggest.h"

namespace longarm::actors {

RobotTrace::RobotTrace(cell::World& world, const std::string& name, const std::string& placement,
                       Duration period, const std::string& type,
                       const record::JsonProperties& properties,
                       std::function<nlohmann::ordered_json()> status)
    : world_(world), name_(name), ticker_(period), status_(std::move(status)) {
  const std::optional<int> place = cell::find_placement(world.model(), placement);
  if (world.trace() == nullptr || !place) {
    return;
  }
  const auto& joints = world.model().placements[static_cast<std::size_t>(*place)].tree.joints;
  first_joint_ = static_cast<std::size_t>(world.model().first_joint(*place));
  joints_ = joints.size();
  joint_states_ = world.trace()->add_joints("/" + name + "/joint_states", names_of(joints));
  if (status_) {
    statuses_ = world.trace()->add_json("/" + name + "/status", type, properties);
  }
  world.on(cell::Stage::kMeasure, [this](Time now) { look(now + world_.period()); });
}

void RobotTrace::look(Time now) {
  if (!ticker_.tick(now)) {
    return;
  }
  const physics::Engine& engine = world_.engine();
  joint_states_->write(now, engine.positions().subspan(first_joint_, joints_),
                       engine.velocities().subspan(first_joint_, joints_),
                       engine.efforts().subspan(first_joint_, joints_));
  if (!statuses_) {
    return;
  }
  if (nlohmann::ordered_json status = status_(); status != last_) {
    statuses_->write(now, status);
    note_changes(status);
    last_ = std::move(status);
  }
}

/// What people look for in a recording, by the names that statuses share.
void RobotTrace::note_changes(const nlohmann::ordered_json& status) {
  const auto has_changed = [&](const char* key) {
    return status.contains(key) && last_.is_object() &&
           status[key] != last_.value(key, status[key]);
  };
  if (has_changed("gripper_is_holding")) {
    const bool is_holding = status["gripper_is_holding"].get<bool>();
    world_.note(name_, is_holding ? "grasp" : "release",
                is_holding ? "the gripper holds an object" : "the gripper is empty");
  }
  for (const auto& [key, kind] : {std::pair{"fault", "fault"}, {"protective_stop", "stop"}}) {
    if (has_changed(key) && status[key] != "") {
      world_.note(name_, kind, status[key].get<std::string>());
    }
  }
}

}  // namespace longarm::actors
