// SPDX-License-Identifier: Apache-2.0
// A <sensor type="contact"> of an SDF link: a wish to know what touches some of its shapes.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"

namespace longarm::model {

struct ContactSensorWish {
  std::string name;
  std::vector<std::string> collisions;  ///< by the names that the file gives them
  SourceLocation where;
};

}  // namespace longarm::model
