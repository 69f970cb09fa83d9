// SPDX-License-Identifier: Apache-2.0
// What a CRCL client is told: the sections it asked for, in its units and its frame.
#pragma once

#include "longarm/protocols/crcl/status.h"
#include "longarm/robots/crcl/controller.h"

namespace longarm::robots {

/// Everything but the status' number.
protocols::crcl::Status make_status(const CrclController& controller, const CrclClient& client);

}  // namespace longarm::robots
