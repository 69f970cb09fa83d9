// SPDX-License-Identifier: Apache-2.0
// Claims: exclusive, by joint, released by their destructor.
#include "longarm/control/joint_interfaces.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/suggest.h"

namespace longarm::control {

Claim::Claim(JointInterfaces& interfaces, std::vector<int> joints, CommandKind kind)
    : interfaces_(&interfaces), joints_(std::move(joints)), kind_(kind) {}

Claim::Claim(Claim&& other) noexcept
    : interfaces_(std::exchange(other.interfaces_, nullptr)),
      joints_(std::move(other.joints_)),
      kind_(other.kind_) {}

Claim& Claim::operator=(Claim&& other) noexcept {
  if (this != &other) {
    release();
    interfaces_ = std::exchange(other.interfaces_, nullptr);
    joints_ = std::move(other.joints_);
    kind_ = other.kind_;
  }
  return *this;
}

Claim::~Claim() {
  release();
}

void Claim::release() {
  if (interfaces_ == nullptr) {
    return;
  }
  for (const int joint : joints_) {
    interfaces_->owners_[static_cast<std::size_t>(joint)].clear();
  }
  interfaces_ = nullptr;
}

JointInterfaces::JointInterfaces(std::vector<std::string> names,
                                 std::vector<model::JointLimits> limits)
    : names_(std::move(names)),
      limits_(std::move(limits)),
      owners_(names_.size()),
      commands_(names_.size(), 0.0),
      command_velocities_(names_.size(), 0.0) {
  states_.positions.resize(names_.size());
  states_.velocities.resize(names_.size());
  states_.efforts.resize(names_.size());
}

Result<Claim> JointInterfaces::claim(const std::string& controller,
                                     const std::vector<std::string>& joints, CommandKind kind) {
  std::vector<int> indices;
  for (const std::string& joint : joints) {
    const auto found = std::find(names_.begin(), names_.end(), joint);
    if (found == names_.end()) {
      return Error{fmt::format("{} claims unknown joint '{}'; {}", controller, joint,
                               suggest(joint, names_))};
    }
    const auto index = static_cast<std::size_t>(found - names_.begin());
    if (!owners_[index].empty()) {
      return Error{
          fmt::format("{} claims joint '{}', which {} holds", controller, joint, owners_[index])};
    }
    if (std::count(joints.begin(), joints.end(), joint) > 1) {
      return Error{fmt::format("{} claims joint '{}' twice", controller, joint)};
    }
    indices.push_back(static_cast<int>(index));
  }
  for (const int index : indices) {
    owners_[static_cast<std::size_t>(index)] = controller;
  }
  return Claim(*this, std::move(indices), kind);
}

}  // namespace longarm::control
