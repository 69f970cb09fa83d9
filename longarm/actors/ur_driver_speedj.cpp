// SPDX-License-Identifier: Apache-2.0
// The driver that closes the position loop itself and sends velocities.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "longarm/actors/ur_driver.h"
#include "longarm/control/joint_interfaces.h"
#include "longarm/control/joint_trajectory_controller.h"
#include "longarm/core/check.h"
#include "longarm/core/suggest.h"

namespace longarm::actors {
namespace {

using protocols::ur::ControllerState;

constexpr double kDigits = 1e6;

std::vector<model::JointLimits> joint_limits(const model::BodyTree& tree) {
  std::vector<model::JointLimits> limits;
  for (const model::TreeJoint& joint : tree.joints) {
    limits.push_back(joint.limits);
  }
  return limits;
}

control::TrajectoryControllerConfig controller_config(const UrDriverKeys& driver, int joints) {
  control::TrajectoryControllerConfig config;
  control::GainsConfig gains = driver.gains;
  if (driver.gain) {
    gains.p = {*driver.gain};
  }
  config.kind = control::CommandKind::kVelocity;
  config.gains = control::pid_gains(gains, joints);
  config.feed_forward = driver.feed_forward;
  return config;
}

/// The very controller of the loops over a bare link, on the states that packets bring.
class SpeedjDriver final : public UrDriver {
 public:
  explicit SpeedjDriver(const UrDriverContext& the_context)
      : UrDriver(the_context),
        interfaces_(names_of(the_context.tree.joints), joint_limits(the_context.tree)) {
    Result<control::Claim> claim = interfaces_.claim("driver", names_of(the_context.tree.joints),
                                                     control::CommandKind::kVelocity);
    check(claim.has_value(), "nobody else claims these joints");
    controller_.emplace(interfaces_, std::move(claim).value(),
                        controller_config(config(), interfaces_.joint_count()));
    sim::Kernel& kernel = context().kernel;
    if (config().tick == "timer") {
      kernel.every(robots::kUrCycle, Time(config().phase), sim::Phase::kControl, source(),
                   [this](Time now) { tick(now); });
    }
    if (config().speedj.watchdog_cycles > 0) {
      kernel.every(robots::kUrCycle, Time(config().phase), sim::Phase::kControl, source(),
                   [this](Time now) { watch(now); });
    }
  }

 private:
  void do_packet(const ControllerState& state, Time now) override {
    states_.stamp = now;  // the robot's own clock says nothing about ours
    states_.positions.assign(state.q_actual.begin(), state.q_actual.end());
    states_.velocities.assign(state.qd_actual.begin(), state.qd_actual.end());
    states_.efforts.assign(state.q_actual.size(), 0.0);
    interfaces_.receive(states_);
    is_silent_ = false;
    if (!figures().begun) {
      controller_->follow(context().plan, begin(now));
    }
    if (config().tick == "packet") {
      tick(now);
    }
  }

  void tick(Time now) {
    if (!has_packets() || is_silent_) {
      return;
    }
    controller_->update(now, robots::kUrCycle);
    send(context().realtime, speedj_line(interfaces_.commands(), config().speedj));
  }

  void watch(Time now) {
    const Duration patience = config().speedj.watchdog_cycles * robots::kUrCycle;
    if (!has_packets() || is_silent_ || now - last_packet() <= patience) {
      return;
    }
    is_silent_ = true;
    ++count().watchdog_trips;
    const std::vector<double> zeros(interfaces_.commands().size(), 0.0);
    send(context().realtime, speedj_line(zeros, config().speedj));
  }

  control::JointInterfaces interfaces_;
  std::optional<control::JointTrajectoryController> controller_;
  control::JointStates states_;
  bool is_silent_ = false;  ///< the watchdog has spoken, and no packet came since
};

}  // namespace

std::string speedj_line(std::span<const double> velocities_rad_s, const SpeedjKeys& config) {
  std::string line = "speedj([";
  for (std::size_t i = 0; i < velocities_rad_s.size(); ++i) {
    // towards zero: what was within a limit stays within
    const double velocity = std::trunc(velocities_rad_s[i] * kDigits) / kDigits;
    line += fmt::format("{}{:.6f}", i == 0 ? "" : ",", velocity);
  }
  line += fmt::format("],{:.4f}", config.acceleration_rad_s2);
  if (config.time > Duration::zero()) {
    line += fmt::format(",{:.6f}", to_seconds(config.time));
  }
  return line + ")\n";
}

std::unique_ptr<UrDriver> make_speedj_driver(const UrDriverContext& context) {
  return std::make_unique<SpeedjDriver>(context);
}

}  // namespace longarm::actors
