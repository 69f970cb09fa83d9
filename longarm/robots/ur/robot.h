// SPDX-License-Identifier: Apache-2.0
// A UR5 with all its doors, ready to be put behind sockets, a recording or a simulated network.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longarm/protocols/door.h"
#include "longarm/robots/ur/controller.h"

namespace longarm::robots {

/// Each step of the world: before_step(), the engine's step, after_step(), then the doors' output.
class UrRobot {
 public:
  /// Borrows the engine; see UrController.
  UrRobot(physics::Engine& engine, const model::Cell& cell, const UrConfig& config,
          Duration period);
  ~UrRobot();
  UrRobot(const UrRobot&) = delete;
  UrRobot& operator=(const UrRobot&) = delete;

  /// `now` is the beginning of the step.
  void before_step(Time now) { controller_.before_step(now); }
  /// `now` is the end of the step.
  void after_step(Time now) { controller_.after_step(now); }

  UrController& controller() { return controller_; }
  const UrController& controller() const { return controller_; }
  const UrFigures& figures() const { return controller_.figures(); }

  /// "<name>.primary" … as its ports say, and always "<name>.sockets", the last one.
  const std::vector<protocols::Door*>& doors() const { return doors_; }

 private:
  UrController controller_;
  std::vector<std::unique_ptr<protocols::Door>> own_;
  std::vector<protocols::Door*> doors_;
};

}  // namespace longarm::robots
