// SPDX-License-Identifier: Apache-2.0
// A light curtain's latch, to whoever resets it.
#pragma once

#include "longarm/cell/wish.h"
#include "longarm/devices/light_curtain.h"

namespace longarm::actors {

struct CurtainLatch {
  static constexpr cell::Interface kInterface{"light curtain's latch", cell::Reach::kSpoken};
  devices::LightCurtain* curtain = nullptr;  ///< null: the engine has no rays
};

}  // namespace longarm::actors
