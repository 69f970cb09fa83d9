// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Writes what passes a device into a pcap file like those of Longarm's own network.
#pragma once

#include <string>

#include "ns3/point-to-point-module.h"

namespace longarm_ns3 {

/// Frames of Ethernet, or bare IP packets. Throws std::runtime_error if it cannot be written.
void capture_device(const std::string& path, ns3::Ptr<ns3::PointToPointNetDevice> device,
                    bool is_ethernet);

}  // namespace longarm_ns3
