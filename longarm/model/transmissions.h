// SPDX-License-Identifier: Apache-2.0
// What the <transmission> elements of a URDF say about its joints.
#pragma once

#include <map>
#include <string>

namespace longarm::model {

/// By the joint's name: "position", "velocity" or "effort", which its hardware takes as a command
/// (hardware_interface/PositionJointInterface and so on). Joints of which several are said, or
/// another one, are left out. Empty for SDF, and for text that is no XML.
std::map<std::string, std::string> read_transmissions(const std::string& text);

}  // namespace longarm::model
