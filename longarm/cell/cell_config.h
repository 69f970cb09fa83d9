// SPDX-License-Identifier: Apache-2.0
// The keys of a cell: its world, its network, its actors, and what fails.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/cell/actor.h"
#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/mechanisms/simplifier.h"
#include "longarm/network/topology/network_config.h"

namespace longarm::cell {

struct ActorEntry {
  std::string name;
  std::string kind;
  std::string host;                   ///< where it thinks; empty: it is a body, or an observer
  std::shared_ptr<ActorModel> model;  ///< shared: copies of a config only read it
};

/// Who runs where, when it is not written at each actor.
struct PlacementConfig {
  std::string rule = "listed";        ///< listed, together, separate or isolate
  std::vector<std::string> isolated;  ///< isolate: these share the second host, the rest the first
};

struct CellConfig {
  std::string world;               ///< an SDF world; empty: nothing but what actors bring
  std::optional<Duration> length;  ///< nothing: as long as the actors need
  std::optional<double> hold_effort;
  mechanisms::SimplifierConfig simplify;
  network::NetworkConfig network;
  PlacementConfig placement;
  std::vector<ActorEntry> actors;
  std::vector<std::string> failures;
  std::vector<std::string> measure;  ///< names of metrics that come first

  const ActorEntry* find(const std::string& actor) const;
  /// All that its actors show; names begin with the actor's.
  Figures figures() const;
};

void list_fields(Fields& fields, CellConfig& config, const ActorRegistry& kinds,
                 const network::LinkModelRegistry& links);

/// The same cell without the network, as overrides: an ideal backend, devices without a link, no
/// failures of links. What hosts take stays.
std::vector<std::string> ideal_overrides(const CellConfig& config);

/// Names of all hosts, in order.
std::vector<std::string> host_names(const network::NetworkConfig& network);

}  // namespace longarm::cell
