// SPDX-License-Identifier: Apache-2.0
// Link model `profile`: rate, delay and loss that change at known instants, with a queue that fills
// and drains accordingly.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longarm/network/link.h"
#include "longarm/network/profile/schedule.h"

namespace longarm::network {

struct ProfileConfig {
  std::string profile;              ///< the name of a ready one; or …
  std::vector<std::string> phases;  ///< … phases of one's own
  bool repeat = true;
  bool overtaking = false;    ///< whether a packet may arrive before one that left earlier
  std::string defaults_from;  ///< whose defaults were taken already
};
/// `phases` receives what the keys mean; it is empty if they are wrong.
void list_fields(Fields& fields, ProfileConfig& config, std::vector<Phase>& phases);

struct ReadyProfile {
  std::string name;
  std::vector<std::string> phases;
  bool overtaking = false;
  std::string source;
};
std::vector<ReadyProfile> ready_profiles();

std::unique_ptr<Link> make_profile_link(Schedule schedule, bool overtaking,
                                        const LinkContext& context);

void register_profile_link(LinkModelRegistry& registry);

}  // namespace longarm::network
