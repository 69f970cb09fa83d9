// SPDX-License-Identifier: Apache-2.0
// What devices say, as others ask for it.
#pragma once

#include "longarm/actors/source.h"
#include "longarm/devices/contact_sensor.h"
#include "longarm/devices/light_curtain.h"
#include "longarm/devices/overhead_camera.h"

namespace longarm::actors {

template <>
inline constexpr cell::Interface kSpokenBy<devices::CameraFrame>{"camera's frames",
                                                                 cell::Reach::kSpoken};
template <>
inline constexpr cell::Interface kSpokenBy<devices::CurtainReport>{"light curtain's reports",
                                                                   cell::Reach::kSpoken};
template <>
inline constexpr cell::Interface kSpokenBy<devices::TouchReport>{"contact sensor's touches",
                                                                 cell::Reach::kSpoken};

}  // namespace longarm::actors
