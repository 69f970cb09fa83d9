// SPDX-License-Identifier: Apache-2.0
// Keeps DDS away from other computers.
#pragma once

#include <string>

namespace longarm::ros2 {

/// From now on, UDP sockets of this process that are to listen at all addresses listen at 127.0.0.1
/// alone: CycloneDDS's do so whatever its settings say.
void listen_at_loopback_only();

/// For CycloneDDS, with those of CYCLONEDDS_URI: to talk to other computers, or to this one only.
std::string dds_settings(bool is_open);

}  // namespace longarm::ros2
