// SPDX-License-Identifier: Apache-2.0
// The joints of one model in the engine, by their names.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"
#include "longarm/protocols/jointcmd/door.h"

namespace longarm::actors {

/// The joints of one placement in the engine, by the names that the model gives them.
class EngineJoints final : public protocols::jointcmd::JointPort {
 public:
  /// Borrows both. `fault` says why nothing moves just now; empty: it does.
  EngineJoints(physics::Engine& engine, const model::Cell& cell, const std::string& placement,
               std::function<std::string()> fault);

  const std::vector<protocols::jointcmd::JointInfo>& joints() const override { return joints_; }
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

}  // namespace longarm::actors
