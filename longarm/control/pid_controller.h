// SPDX-License-Identifier: Apache-2.0
// Controller `pid`: feed_forward · desired velocity + PID of the position error.
#pragma once

#include "longarm/control/controller.h"

namespace longarm::control {

/// Its gains and feed-forward are the context's; joints without gains have zeros.
std::unique_ptr<Controller> make_pid_controller(const ControllerContext& context);

void register_pid_controller(ControllerRegistry& registry);

}  // namespace longarm::control
