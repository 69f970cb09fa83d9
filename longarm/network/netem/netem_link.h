// SPDX-License-Identifier: Apache-2.0
// Link model `netem`: what Linux' netem would do to each packet, from the same line.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longarm/network/link.h"
#include "longarm/network/netem/netem_config.h"

namespace longarm::network {

/// One direction that follows `config`.
std::unique_ptr<Link> make_netem_link(const NetemConfig& config, const LinkContext& context);
/// The model of such links, for what has been read already.
std::shared_ptr<const LinkModel> make_netem_model(const NetemConfig& config);

/// Rates and slots depend on what else is under way.
FateRule fate_rule(const NetemConfig& config);

/// What a user should know about a line that is correct but does not do what it seems to.
std::vector<KeyRemark> remarks_on_netem(const std::string& key, const NetemConfig& config);

/// Several warnings about one key as one, since a place in a user's file is spoken of once.
KeyRemark as_one(const std::vector<KeyRemark>& remarks);

void register_netem_link(LinkModelRegistry& registry);

}  // namespace longarm::network
