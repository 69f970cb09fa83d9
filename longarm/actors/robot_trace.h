// SPDX-License-Identifier: Apache-2.0
// What is recorded of a robot behind a protocol: its joints, and its status whenever that changes.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "longarm/cell/world.h"

namespace longarm::actors {

/// Looks once per `period`. Where nothing is recorded it does nothing.
class RobotTrace {
 public:
  /// The joints are those of `placement`; topics are /NAME/joint_states and /NAME/status, of type
  /// `type` with `properties`. Without a status: joints only.
  RobotTrace(cell::World& world, const std::string& name, const std::string& placement,
             Duration period, const std::string& type, const record::JsonProperties& properties,
             std::function<nlohmann::ordered_json()> status);

 private:
  void look(Time now);
  void note_changes(const nlohmann::ordered_json& status);

  cell::World& world_;
  std::string name_;
  std::size_t first_joint_ = 0;
  std::size_t joints_ = 0;
  record::Ticker ticker_;
  std::function<nlohmann::ordered_json()> status_;
  std::unique_ptr<record::JointTrace> joint_states_;
  std::unique_ptr<record::JsonTrace> statuses_;
  nlohmann::ordered_json last_;
};

}  // namespace longarm::actors
