// SPDX-License-Identifier: Apache-2.0
// What others may know of a camera before it is made.
#pragma once

#include "longarm/devices/overhead_camera.h"

namespace longarm::actors {

class CameraDescription {
 public:
  virtual ~CameraDescription() = default;
  virtual const devices::CameraConfig& camera() const = 0;
};

}  // namespace longarm::actors
