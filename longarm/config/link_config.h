// SPDX-License-Identifier: Apache-2.0
// The `link` section: one link model per direction, common keys for both, and what happens in
// silence.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "longarm/config/config_node.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/fields.h"
#include "longarm/network/link.h"
#include "longarm/network/link_meter.h"

namespace longarm::config {

struct LinkDirectionConfig {
  std::string model = "none";
  std::shared_ptr<network::LinkModel> plugin;  ///< shared: copies of a scenario only read it
  network::LinkRequirements requirements;
};

struct LinkConfig {
  LinkDirectionConfig states;
  LinkDirectionConfig commands;
  std::string on_silence = "hold";
  std::optional<Duration> silence_after;
  std::string watchdog = "generic";
  std::string compat;
};

void list_fields(Fields& fields, LinkConfig& config, const network::LinkModelRegistry& models);

/// Brings what users write into the form that list_fields reads: keys directly under `link` go to
/// both directions, and a key such as `delay` implies its model. Reports keys that the chosen model
/// ignores.
void normalise_link(ConfigNode& root, const network::LinkModelRegistry& models,
                    Diagnostics& diagnostics);

/// Before `--set link.….key=value` is applied: forgets what the file said about other link models
/// there, so that the command line wins.
void make_way_for(ConfigNode& root, const Override& change,
                  const network::LinkModelRegistry& models);

}  // namespace longarm::config
