// SPDX-License-Identifier: Apache-2.0
// Link model `none`: every packet arrives the instant it is sent.
#pragma once

#include "longarm/network/link.h"

namespace longarm::network {

void register_none_link(LinkModelRegistry& registry);

}  // namespace longarm::network
