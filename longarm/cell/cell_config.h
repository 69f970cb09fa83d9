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
#include "longarm/network/config/network_config.h"

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
  /// One arm, called kShortName, whose keys stand at the top of the scenario, and its results at
  /// that of metrics.json.
  bool is_short = false;
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
  /// What stands in front of an actor's own names: of its metrics, files and random streams.
  std::string prefix(const std::string& actor) const { return is_short ? "" : actor + "."; }
  /// The scenario's key for one of an actor's.
  std::string key_of(const ActorEntry& actor, const std::string& key) const;
  /// All that its actors show; names begin with the actor's.
  Figures figures() const;
};

/// The one actor of a scenario in short.
inline constexpr const char* kShortName = "robot";
inline constexpr const char* kShortKind = "arm";

/// `with_network` false leaves out what means nothing where there is no network.
void list_fields(Fields& fields, CellConfig& config, const ActorRegistry& kinds,
                 const network::LinkModelRegistry& links, bool with_network = true);

/// The same cell without the network: an ideal backend, arms and devices without a link, no
/// failures of links. What hosts take stays.
CellConfig without_network(CellConfig config);

/// Names of all hosts, in order.
std::vector<std::string> host_names(const network::NetworkConfig& network);

}  // namespace longarm::cell
