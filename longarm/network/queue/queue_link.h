// SPDX-License-Identifier: Apache-2.0
// Link model `queue`: a queue of n slots that moves on by one at each message, as in the Gazebo
// latency plug-in.
#pragma once

#include <cstdint>

#include "longarm/network/link.h"

namespace longarm::network {

struct QueueConfig {
  std::int64_t slots = 0;
};
void list_fields(Fields& fields, QueueConfig& config);

void register_queue_link(LinkModelRegistry& registry);

}  // namespace longarm::network
