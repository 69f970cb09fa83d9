// SPDX-License-Identifier: Apache-2.0
// The law that turns a plan and what is known of the joints into commands. Controllers are
// plug-ins, chosen by name.
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

/// What a controller knows at its tick; one value per joint, in the order of its context.
struct ControllerInput {
  Time now{};  ///< by the controller's own clock
  Duration period{0};
  Time states_stamp{};  ///< when the joints were like this, by the robot's clock
  std::span<const double> positions;
  std::span<const double> velocities;
  std::span<const double> desired_positions;
  std::span<const double> desired_velocities;
};

/// One controller at work. Its commands are velocities (rad/s or m/s); limits act afterwards.
class Controller {
 public:
  virtual ~Controller() = default;
  /// Forgets what it has summed up: from now on the arm holds its position. A trajectory that
  /// begins is no reason, as in ROS.
  void reset() { do_reset(); }
  /// Neither throws nor allocates.
  void update(const ControllerInput& input, std::span<double> commands) {
    do_update(input, commands);
  }

 private:
  virtual void do_reset() = 0;
  virtual void do_update(const ControllerInput& input, std::span<double> commands) = 0;
};

/// What a controller is made for.
struct ControllerContext {
  std::vector<std::string> joints;
  std::vector<model::JointLimits> limits;
  Duration period{0};
  std::vector<PidGains> gains;  ///< the scenario's `gains`, which a controller may use or not
  double feed_forward = 0.0;    ///< likewise
  std::uint64_t seed = 0;
};

/// A controller's configuration and the way to make it: one plug-in.
class ControllerModel {
 public:
  virtual ~ControllerModel() = default;
  /// Reads or writes the model's keys under `controller.`.
  virtual void list_fields(Fields& fields) = 0;
  virtual std::unique_ptr<Controller> make(const ControllerContext& context) const = 0;
};

using ControllerRegistry = Registry<ControllerModel>;

/// pid.
ControllerRegistry built_in_controllers();

}  // namespace longarm::control
