// SPDX-License-Identifier: Apache-2.0
// The controllers that come with us.
#include "longarm/control/controller.h"

#include "longarm/control/pid_controller.h"

namespace longarm::control {

ControllerRegistry built_in_controllers() {
  ControllerRegistry registry("controller");
  register_pid_controller(registry);
  return registry;
}

}  // namespace longarm::control
