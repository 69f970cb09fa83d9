// SPDX-License-Identifier: Apache-2.0
// The keys of the `link` section and what they mean to the user.
#include "longarm/config/link_config.h"

#include "longarm/config/link_keys.h"
#include "longarm/control/config.h"

namespace longarm::config {
namespace {

LinkGroup link_group() {
  return {"link.",
          {{{"states", {"model", "deadline", "survival_time"}},
            {"commands",
             {"model", "deadline", "survival_time", "on_silence", "silence_after", "watchdog"}}}},
          {"compat"}};
}

void list_direction(Fields& fields, LinkDirectionConfig& config,
                    const network::LinkModelRegistry& models) {
  const std::string before = config.model;
  fields.choice("model", config.model, models.names(), "what the link does to each message");
  if (!config.plugin || config.model != before) {
    config.plugin = models.make(config.model);
  }
  config.plugin->list_fields(fields);
  network::list_fields(fields, config.requirements);
}

}  // namespace

void list_fields(Fields& fields, LinkConfig& config, const network::LinkModelRegistry& models) {
  fields.section("states", "from the robot to the controller",
                 [&](Fields& f) { list_direction(f, config.states, models); });
  fields.section("commands", "from the controller to the robot", [&](Fields& f) {
    list_direction(f, config.commands, models);
    f.choice("on_silence", config.on_silence, control::silence_names(),
             "what the robot does when commands stop arriving: repeat the last one, command zero, "
             "or brake and latch");
    f.field("silence_after", config.silence_after,
            "time without a command after which on_silence applies; default: control.period");
    f.choice("watchdog", config.watchdog, control::watchdog_names(),
             "generic: on_silence after silence_after; ur: stop after 20 ms; franka: extrapolate, "
             "stop after 20 missed cycles");
  });
  fields.choice("compat", config.compat, {"", "zero-fill"},
                "zero-fill: both ends see zeros until the first message arrives");
}

void normalise_link(ConfigNode& root, const network::LinkModelRegistry& models,
                    Diagnostics& diagnostics) {
  ConfigNode* link = root.find("link");
  if (link == nullptr || link->kind == ConfigNode::Kind::kNull) {
    return;
  }
  if (link->kind != ConfigNode::Kind::kMap) {
    diagnostics.error(link->where, "'link' must be a group of keys",
                      "for example: link: {delay: 5ms}");
    root.erase("link");
    return;
  }
  normalise_link_keys(*link, link_group(), models, diagnostics);
}

void make_way_for(ConfigNode& root, const Override& change,
                  const network::LinkModelRegistry& models) {
  ConfigNode* link = root.find("link");
  if (link != nullptr && change.keys.size() > 1 && change.keys.front() == "link") {
    make_way_in(*link, link_group(), {change.keys.begin() + 1, change.keys.end()},
                change.value.text, models);
  }
}

}  // namespace longarm::config
