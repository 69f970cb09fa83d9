// SPDX-License-Identifier: Apache-2.0
// The keys are those of the link model that is chosen.
#include "longarm/devices/device_link.h"

namespace longarm::devices {

void list_fields(Fields& fields, DeviceLinkConfig& config,
                 const network::LinkModelRegistry& models) {
  const std::string before = config.model;
  fields.choice("model", config.model, models.names(), "what the link does to each message");
  if (!config.plugin || config.model != before) {
    config.plugin = models.make(config.model);
  }
  if (config.model == "none") {
    std::optional<Duration> delay;
    fields.field("delay", delay, "with `model: delay`: delay of each message");
    if (delay) {
      fields.reject("delay", "a link of model 'none' has no delay",
                    "also set 'model: delay': --set ….link.model=delay");
    }
  }
  config.plugin->list_fields(fields);
  network::list_fields(fields, config.requirements);
}

std::vector<network::KeyRemark> load(DeviceLinkConfig& config, InputFiles& files) {
  return config.plugin ? config.plugin->load(files) : std::vector<network::KeyRemark>{};
}

std::unique_ptr<network::Link> make_link(const DeviceLinkConfig& config,
                                         const network::LinkContext& context) {
  return config.plugin ? config.plugin->make(context)
                       : network::built_in_link_models().make(config.model)->make(context);
}

}  // namespace longarm::devices
