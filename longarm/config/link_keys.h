// SPDX-License-Identifier: Apache-2.0
// Keys of link models in a group that has two directions: what stands for both, and what implies a
// model.
#pragma once

#include <array>
#include <set>
#include <string>
#include <vector>

#include "longarm/config/config_node.h"
#include "longarm/core/diagnostic.h"
#include "longarm/network/link.h"

namespace longarm::config {

/// What a group of keys has beside those of link models.
struct LinkGroup {
  using Keys = std::set<std::string>;
  struct Direction {
    std::string name;
    Keys plain_keys;  ///< that do not depend on the model; `model` is among them
  };
  std::string prefix;  ///< for messages: "link."
  std::array<Direction, 2> directions;
  Keys own_keys;  ///< that are for neither direction
};

/// Brings what users write into the form that is read: keys directly in the group go to both
/// directions, and a key such as `delay` implies its model. Reports keys that the chosen model
/// ignores.
void normalise_link_keys(ConfigNode& link, const LinkGroup& group,
                         const network::LinkModelRegistry& models, Diagnostics& diagnostics);

/// Before `--set` puts `value` at `keys` below the group: forgets what the file said about other
/// link models there, so that the command line wins.
void make_way_in(ConfigNode& link, const LinkGroup& group, const std::vector<std::string>& keys,
                 const std::string& value, const network::LinkModelRegistry& models);

}  // namespace longarm::config
