// SPDX-License-Identifier: Apache-2.0
// Files that include others, and entries that are like others: both are told what differs.
#pragma once

#include <string>

#include "longarm/config/config_node.h"
#include "longarm/core/diagnostic.h"

namespace longarm::config {

/// Groups are merged key by key; of everything else `over` takes the place of what was there.
void merge(ConfigNode& node, const ConfigNode& over);

/// Puts what the files under `include` say below what `root`, read from `path`, says itself; of
/// several files later ones win.
void include_files(ConfigNode& root, const std::string& path, Diagnostics& diagnostics);

/// Entries of `group` that say `like: NAME` get the keys of that entry, unless they have their own.
/// `what` is what users call such an entry.
void complete_alike(ConfigNode& group, const std::string& what, Diagnostics& diagnostics);

}  // namespace longarm::config
