// SPDX-License-Identifier: Apache-2.0
// The link models that come with us.
#include "longarm/network/link.h"

#include "longarm/network/delay/delay_link.h"
#include "longarm/network/netem/netem_link.h"
#include "longarm/network/none/none_link.h"
#include "longarm/network/preset/preset_link.h"
#include "longarm/network/profile/profile_link.h"
#include "longarm/network/queue/queue_link.h"
#include "longarm/network/trace/trace_link.h"

namespace longarm::network {

LinkModelRegistry built_in_link_models() {
  LinkModelRegistry registry("link model");
  register_none_link(registry);
  register_delay_link(registry);
  register_queue_link(registry);
  register_netem_link(registry);
  register_preset_link(registry);
  register_profile_link(registry);
  register_trace_link(registry);
  return registry;
}

}  // namespace longarm::network
