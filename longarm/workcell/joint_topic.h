// SPDX-License-Identifier: Apache-2.0
// A joint topic that the world file asks for, on the joints of its model.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "longarm/model/cell.h"
#include "longarm/model/world.h"
#include "longarm/network/link.h"
#include "longarm/physics/engine.h"
#include "longarm/protocols/jointcmd/door.h"

namespace longarm::workcell {

/// The joints of one placement in the engine, by the names that the model gives them.
class EngineJoints final : public protocols::jointcmd::JointPort {
 public:
  /// Borrows both. `fault` says why nothing moves just now; empty: it does.
  EngineJoints(physics::Engine& engine, const model::Cell& cell, const std::string& placement,
               std::function<std::string()> fault);

  const std::vector<protocols::jointcmd::JointInfo>& joints() const override { return joints_; }
  void set_position(std::size_t joint, double position, double max_effort) override;
  void set_velocity(std::size_t joint, double velocity, double max_effort) override;
  void release(std::size_t joint) override;
  protocols::jointcmd::JointReading read(std::size_t joint) const override;
  std::string fault() const override { return fault_(); }

 private:
  physics::JointId id(std::size_t joint) const;

  physics::Engine& engine_;
  int first_ = 0;
  std::vector<protocols::jointcmd::JointInfo> joints_;
  std::function<std::string()> fault_;
};

/// A door with what is behind it.
struct JointTopic {
  std::unique_ptr<EngineJoints> joints;
  std::unique_ptr<protocols::jointcmd::JointCommandDoor> door;
};

/// Of every <plugin filename="libgzjointcmdplugin.so"> of a model with joints; others are none of
/// ours. Remarks on the key `world` say what is wrong with them.
std::vector<protocols::jointcmd::DoorConfig> joint_topics_of(
    const model::World& world, const model::Cell& cell, std::vector<network::KeyRemark>& remarks);

}  // namespace longarm::workcell
