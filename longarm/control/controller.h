// SPDX-License-Identifier: Apache-2.0
// A joint controller: computes velocity commands from a plan and the newest known joint states.
// Controllers are plug-ins, chosen by name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "longarm/control/pid.h"
#include "longarm/core/fields.h"
#include "longarm/core/registry.h"
#include "longarm/core/time.h"
#include "longarm/model/body_tree.h"

namespace longarm::control {

/// Input of one tick: one value per joint (rad or m, rad/s or m/s), in the order of the context.
struct ControllerInput {
  Time now{};  ///< by the controller's own clock
  Duration period{0};
  Time states_stamp{};  ///< when the joint states were sampled, by the robot's clock
  std::span<const double> positions;
  std::span<const double> velocities;
  std::span<const double> desired_positions;
  std::span<const double> desired_velocities;
};

/// One controller of a run. Its commands are velocities (rad/s or m/s); joint limits apply to them
/// afterwards.
class Controller {
 public:
  virtual ~Controller() = default;
  /// Clears integrators and other memory; called when the arm starts to hold its position, not at
  /// the start of a trajectory (as in ROS).
  void reset() { do_reset(); }
  /// Computes one command per joint. Must not throw or allocate.
  void update(const ControllerInput& input, std::span<double> commands) {
    do_update(input, commands);
  }
  /// Takes other gains from now on, one per joint; false: it does without the scenario's gains.
  bool set_gains(std::span<const PidGains> gains, double feed_forward) {
    return do_set_gains(gains, feed_forward);
  }

 private:
  virtual void do_reset() = 0;
  virtual void do_update(const ControllerInput& input, std::span<double> commands) = 0;
  virtual bool do_set_gains(std::span<const PidGains>, double) { return false; }
};

/// What a controller is created with: its joints, period, and the scenario's gains.
struct ControllerContext {
  std::vector<std::string> joints;
  std::vector<model::JointLimits> limits;
  Duration period{0};
  std::vector<PidGains> gains;  ///< the scenario's `gains`; optional to use
  double feed_forward = 0.0;    ///< the scenario's `feed_forward`; optional to use
  std::uint64_t seed = 0;
};

/// A kind of controller: its keys, and a factory. Register it in Plugins::controllers.
class ControllerModel {
 public:
  virtual ~ControllerModel() = default;
  /// Lists the model's keys, which stand under `controller.`.
  virtual void list_fields(Fields& fields) = 0;
  virtual std::unique_ptr<Controller> make(const ControllerContext& context) const = 0;
};

using ControllerRegistry = Registry<ControllerModel>;

/// The controller pid.
ControllerRegistry built_in_controllers();

}  // namespace longarm::control
