// SPDX-License-Identifier: Apache-2.0
// Link model `delay`: every packet arrives a fixed time after it was sent.
#pragma once

#include "longarm/network/link.h"

namespace longarm::network {

struct DelayConfig {
  Duration delay{0};
};
void list_fields(Fields& fields, DelayConfig& config);

void register_delay_link(LinkModelRegistry& registry);

}  // namespace longarm::network
