// SPDX-License-Identifier: Apache-2.0
// What an arm's loop lets others record.
#include <algorithm>
#include <cmath>

#include "longarm/control/arm_loop.h"

namespace longarm::control {
namespace {

/// An ideal motor's effort counts as limited when it reaches this part of its limit.
constexpr double kAtLimit = 1.0 - 1e-9;

void copy(std::span<const double> from, std::span<double> to) {
  std::copy(from.begin(), from.end(), to.begin());
}

}  // namespace

void ArmLoop::offer_probes(sim::Probes& probes) {
  std::vector<std::string> names;
  for (const model::TreeJoint& joint : tree_.joints) {
    names.push_back(joint.name);
  }
  const std::size_t count = names.size();
  const auto offset = static_cast<std::size_t>(first_joint_);

  probes.add({"position", names, [this](std::span<double> out) { copy(positions(), out); }});
  probes.add({"velocity", names, [this](std::span<double> out) { copy(velocities(), out); }});
  probes.add({"effort", names, [this, offset, count](std::span<double> out) {
                copy(engine_.efforts().subspan(offset, count), out);
              }});
  probes.add(
      {"plan", names, [this, cursor = motion::Trajectory::Cursor{}](std::span<double> out) mutable {
         // what is recorded in a step is stamped with its end
         plan_.sample(kernel_.now().time_since_epoch() + config_.physics_period, out, {}, {},
                      cursor);
       }});
  probes.add({"velocity_command", names,
              [this](std::span<double> out) { copy(loop_velocity_commands(), out); }});
  probes.add({"pid_error", names, [this](std::span<double> out) { copy(loop_errors(), out); }});
  probes.add(
      {"applied", names, [this](std::span<double> out) { copy(actuators_->applied(), out); }});
  probes.add({"limited", names, [this, offset](std::span<double> out) {
                for (std::size_t i = 0; i < out.size(); ++i) {
                  const double limit = tree_.joints[i].limits.effort;
                  const bool is_at_limit =
                      std::abs(engine_.efforts()[offset + i]) >= limit * kAtLimit;
                  out[i] = actuators_->was_limited(i) || is_at_limit ? 1.0 : 0.0;
                }
              }});
  probes.add({"reference_at_rest", {"arm"}, [this](std::span<double> out) {
                out[0] = is_reference_at_rest() ? 1.0 : 0.0;
              }});
}

}  // namespace longarm::control
