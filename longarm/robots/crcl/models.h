// SPDX-License-Identifier: Apache-2.0
// What CRCL clients may be told of the things around the robot, beyond the standard.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "longarm/robots/crcl/dialect.h"

namespace longarm::robots {

/// One part or tray; told to those who ask for it.
struct CrclModelReport {
  std::string name;
  Pose X_WM = Pose::Identity();
  std::vector<std::pair<std::string, std::string>> properties;  ///< e.g. slot, state
};

/// A whole document with the lab's ModelStatus elements put at its end, which the schema does not
/// know. `X_WB` is the robot's base.
std::string with_models(std::string document, std::span<const CrclModelReport> models,
                        const CrclDialect& dialect, const Pose& X_WB);

}  // namespace longarm::robots
