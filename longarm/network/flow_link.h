// SPDX-License-Identifier: Apache-2.0
// A link whose packets cross a network of hosts: what lets a channel run over a topology.
#pragma once

#include <memory>

#include "longarm/core/result.h"
#include "longarm/network/link.h"
#include "longarm/network/network.h"

namespace longarm::network {

/// The two directions of one flow between two programs.
struct FlowLinks {
  FlowId flow{};
  std::unique_ptr<Link> from_opener;
  std::unique_ptr<Link> from_peer;
};

/// Opens a flow and makes a link of each of its directions. Each packet given to a link is a
/// message of the flow; it arrives when the program at the other end could read it. What a reset
/// flow still had under way, and all that is sent afterwards, is lost. The network must outlive the
/// links.
Result<FlowLinks> open_flow_links(Network& network, const sim::Kernel& kernel,
                                  const FlowRequest& request);

}  // namespace longarm::network
