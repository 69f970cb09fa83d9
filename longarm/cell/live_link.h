// SPDX-License-Identifier: Apache-2.0
// Delay, jitter, loss and all else that tc netem can do to a link, as values that may change while
// the cell runs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "longarm/network/link.h"

namespace longarm::cell {

class World;

/// Offers PREFIX/netem, a line of tc netem, and PREFIX/delay, /jitter and /loss, which are numbers
/// of it. `first` is how the link begins (LinkModel::as_netem). `apply` puts a model into force.
void offer_link_keys(World& world, const std::string& prefix, const std::string& first,
                     std::function<void(std::shared_ptr<const network::LinkModel>)> apply);

}  // namespace longarm::cell
