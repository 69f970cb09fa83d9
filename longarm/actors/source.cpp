// SPDX-License-Identifier: Apache-2.0
// What all devices have in common.
#include "longarm/actors/source.h"

namespace longarm::actors {

nlohmann::ordered_json link_json(const network::LinkReport& report) {
  return {{"sent", report.sent},
          {"delivered", report.delivered},
          {"dropped", report.dropped()},
          {"delay_mean_s", report.delay_mean_s},
          {"delay_max_s", to_seconds(report.delay_max)},
          {"age_mean_s", report.age_mean_s},
          {"age_max_s", to_seconds(report.age_max)}};
}

void list_link(Fields& fields, devices::DeviceLinkConfig& config) {
  fields.section("link", "link to listeners outside the network", [&](Fields& f) {
    devices::list_fields(f, config, network::built_in_link_models());
  });
}

std::vector<network::KeyRemark> load_link(devices::DeviceLinkConfig& config, InputFiles& files,
                                          const std::string& host) {
  std::vector<network::KeyRemark> remarks = devices::load(config, files);
  for (network::KeyRemark& remark : remarks) {
    remark.key = "link." + remark.key;
  }
  if (!host.empty() && config.model != "none") {
    remarks.push_back({"link", "its link has no effect where there is a network",
                       "remove the link, or the host of the device"});
  }
  return remarks;
}

}  // namespace longarm::actors
