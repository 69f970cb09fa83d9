// SPDX-License-Identifier: Apache-2.0
// What an arm's loop lets others record.
#include <cmath>

#include "longarm/control/arm_loop.h"

namespace longarm::control {
namespace {

/// An ideal motor's effort counts as limited when it reaches this part of its limit.
constexpr double kAtLimit = 1.0 - 1e-9;

}  // namespace

void ArmLoop::offer_probes(sim::Probes& probes) {
  std::vector<std::string> names;
  std::vector<std::size_t> joints;
  for (std::size_t i = 0; i < tree_.joints.size(); ++i) {
    if (config_.is_driven.empty() || config_.is_driven[i] != 0) {
      names.push_back(tree_.joints[i].name);
      joints.push_back(i);
    }
  }
  const auto offset = static_cast<std::size_t>(first_joint_);
  const auto copy = [joints](std::span<const double> from, std::span<double> to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = from[joints[i]];
    }
  };

  probes.add({"position", names, [=, this](std::span<double> out) { copy(positions(), out); }});
  probes.add({"velocity", names, [=, this](std::span<double> out) { copy(velocities(), out); }});
  probes.add({"effort", names, [=, this](std::span<double> out) {
                copy(engine_.efforts().subspan(offset, tree_.joints.size()), out);
              }});
  probes.add({"plan", names,
              [=, this, all = std::vector<double>(tree_.joints.size()),
               cursor = motion::Trajectory::Cursor{}](std::span<double> out) mutable {
                // what is recorded in a step is stamped with its end
                plan_.sample(kernel_.now().time_since_epoch() + config_.physics_period, all, {}, {},
                             cursor);
                copy(all, out);
              }});
  probes.add({"velocity_command", names,
              [=, this](std::span<double> out) { copy(loop_velocity_commands(), out); }});
  probes.add({"pid_error", names, [=, this](std::span<double> out) { copy(loop_errors(), out); }});
  probes.add(
      {"applied", names, [=, this](std::span<double> out) { copy(actuators_->applied(), out); }});
  probes.add({"limited", names, [=, this](std::span<double> out) {
                for (std::size_t i = 0; i < out.size(); ++i) {
                  const std::size_t joint = joints[i];
                  const double limit = tree_.joints[joint].limits.effort;
                  const bool is_at_limit =
                      std::abs(engine_.efforts()[offset + joint]) >= limit * kAtLimit;
                  out[i] = actuators_->was_limited(joint) || is_at_limit ? 1.0 : 0.0;
                }
              }});
  probes.add({"reference_at_rest", {"arm"}, [this](std::span<double> out) {
                out[0] = is_reference_at_rest() ? 1.0 : 0.0;
              }});
}

}  // namespace longarm::control
