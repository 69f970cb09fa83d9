// SPDX-License-Identifier: Apache-2.0
// The `network` section of any scenario: what users write, brought into the form that is read.
#pragma once

#include "longarm/config/config_node.h"
#include "longarm/core/diagnostic.h"
#include "longarm/network/link.h"

namespace longarm::config {

/// Link models' keys directly in a link or star go to both directions, and imply their model.
/// Reports keys that the chosen model ignores.
void normalise_network(ConfigNode& root, const network::LinkModelRegistry& models,
                       Diagnostics& diagnostics);

/// Before `--set network.links.NAME.key=value` is applied: forgets what the file said about other
/// link models there.
void make_way_in_network(ConfigNode& root, const Override& change,
                         const network::LinkModelRegistry& models);

}  // namespace longarm::config
