// SPDX-License-Identifier: Apache-2.0
// The interface of actors, which act in a cell or watch it (robots, belts, cameras, programs), and
// of their kinds: which keys a kind has and how to create an actor of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/failures.h"
#include "longarm/cell/figures.h"
#include "longarm/cell/kept_files.h"
#include "longarm/cell/wish.h"
#include "longarm/config/config_node.h"
#include "longarm/core/fields.h"
#include "longarm/core/hash.h"
#include "longarm/core/input_files.h"
#include "longarm/core/registry.h"
#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/model/cell.h"
#include "longarm/model/world.h"
#include "longarm/network/key_remark.h"
#include "longarm/network/topology.h"
#include "longarm/physics/engine.h"
#include "longarm/sim/probe.h"

namespace longarm::cell {

class World;
using network::KeyRemark;

/// A file to write into the run folder.
struct ResultFile {
  std::string name;
  std::string content;
};

/// One actor of a run. Created by ActorModel::make() after the actors whose interfaces it asks for.
/// Its constructor registers what it does: events on World::kernel(), actions with World::on().
class Actor {
 public:
  virtual ~Actor() = default;

  /// Writes the current values of the curves that ActorModel::figures() lists, in that order.
  virtual void sample(std::span<double>) const {}
  /// Metrics so far, an object; written to metrics.json under the actor's name.
  virtual nlohmann::ordered_json results() const { return nullptr; }
  /// Problems so far that a user should know of before trusting the results.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// Whether this actor's task is done; no value: the run need not wait for it. A run ends at its
  /// length, or as soon as all actors that return a value (at least one) return true.
  virtual std::optional<bool> is_done() const { return std::nullopt; }
  /// Further files for the run folder, asked for at the end.
  virtual std::vector<ResultFile> files() const { return {}; }
  /// Position (m, world frame) that is compared with that of the same run without the network, at
  /// equal times, such as a tool's; no value: there is none to compare.
  virtual std::optional<model::Vector3> tracked_point() const { return std::nullopt; }
  /// Starts and ends an injected failure, one of those in ActorModel::failures().
  virtual void fail(const Failure&) {}
  virtual void recover(const Failure&) {}
  /// Called before the first step, e.g. to wait for external processes. An error ends the run.
  virtual Result<bool> open() { return true; }
  /// Called once when the run is over, e.g. to end external processes.
  virtual void close() {}
  /// Adds state that no body or joint of the engine shows to the run's state hash, after each step.
  virtual void add_to(Hash&) const {}
  /// Completes the files written during the run; returns an error if writing failed.
  virtual Result<bool> close_files() { return true; }
  /// Values that can be recorded at every step; null: none.
  virtual const sim::Probes* probes() const { return nullptr; }
  /// Bodies whose divergence this actor detects itself (has_run_away()); the run does not check
  /// them.
  virtual std::vector<physics::BodyId> own_bodies() const { return {}; }
  /// Whether its motion has diverged, which ends the run.
  virtual bool has_run_away() const { return false; }
};

class ActorModel;
struct CellConfig;

/// What ActorModel's functions can use while a scenario is prepared.
struct LoadContext {
  std::string name;                ///< of the actor
  const model::World* world_file;  ///< the SDF file as read, with its plug-in elements
  const physics::EngineRegistry& engines;
  std::string engine;
  physics::EngineOptions options;
  std::int64_t seed = 1;
  std::optional<Duration> length;          ///< of the run; no value: until all actors are done
  const std::vector<std::string>& search;  ///< folders in which files named by keys are searched
  std::string folder;                      ///< of the scenario
  KeptFiles& kept;
  InputFiles& link_files;                 ///< for the files of actors' own links
  const std::vector<std::string>& allow;  ///< names of lint findings to accept
  std::vector<Failure> failures;          ///< that the scenario injects into this actor
  const CellConfig& cell;                 ///< the whole scenario, with all actors
  std::string host{};                     ///< of the actor; empty: it has none
  std::uint64_t run_hash = 0;             ///< of all keys; 0 until plan() is called
};

/// What ActorModel::shows() can use.
struct ShowContext {
  std::string name;       ///< of the actor
  bool is_short = false;  ///< the only actor: its topics and frames have no prefix
  const model::Cell& cell;
};

/// A kind of actor, and the values of one actor's keys. Register it in Plugins::actors. The
/// functions are called in the order: keys (list_fields … complete), load(), brings(), place(),
/// plan(), make(). Only list_fields() and make() must be defined.
class ActorModel {
 public:
  virtual ~ActorModel() = default;

  /// Lists the keys of this kind, which a user writes beside `kind` and `host`.
  virtual void list_fields(Fields& fields) = 0;
  /// The keys at the top level of a scenario with this actor alone, where they differ.
  virtual void list_short_fields(Fields& fields, bool /*with_network*/) { list_fields(fields); }
  /// The name of one of its keys in that form.
  virtual std::string short_key(const std::string& key) const { return key; }
  /// Changes other accepted spellings into the listed keys, before they are read.
  virtual void normalise(config::ConfigNode&, Diagnostics&) const {}
  /// Removes keys that an override (`--set`) contradicts, before it is applied.
  virtual void make_way(config::ConfigNode&, const config::Override&) const {}
  /// Fills in defaults that depend on other keys, after all were read; `host` is this actor's.
  virtual void complete(std::string& /*host*/, bool /*has_network*/) {}
  /// Hosts of further parts of the actor, such as a controller: pairs of key and host. The world
  /// calls such a part ACTOR.KEY.
  virtual std::vector<std::pair<std::string, std::string>> more_hosts() const { return {}; }
  /// Interfaces that other actors can ask for.
  virtual std::vector<Interface> offers() const { return {}; }
  /// Where it is offered; `own` is the actor's host.
  virtual std::string host_of(const Interface&, const std::string& own) const { return own; }
  /// Interfaces of other actors that this one needs.
  virtual std::vector<WishInfo> wishes() const { return {}; }
  /// Receives the name of the actor chosen for a wish that named none.
  virtual void take(const WishInfo&, const std::string& /*actor*/) {}
  /// Whether `placement` may choose its host.
  virtual bool is_placed_by_rule() const { return false; }
  /// Models of the world whose joints this actor alone drives.
  virtual std::vector<std::string> drives() const { return {}; }
  /// Failures that can be injected, by their verbs: "blind", "stops".
  virtual std::vector<FailureVerb> failures() const { return {}; }

  /// Checks the values and reads the files that they name, once. Returns errors and warnings, each
  /// for one of its own keys.
  virtual std::vector<KeyRemark> load(InputFiles&, const LoadContext&) { return {}; }
  /// Models that this actor adds to the cell, such as robots; they precede those of the world file.
  virtual std::vector<model::Placement> brings() const { return {}; }
  /// May change the cell's models (poses, attachments) after all were added; called in file order.
  virtual std::vector<KeyRemark> place(model::Cell&, const LoadContext&) { return {}; }
  /// Checks its values against the complete model, and makes its plan if it has one.
  virtual std::vector<KeyRemark> plan(const model::Cell&, const LoadContext&) { return {}; }
  /// Default length of a run, if the scenario gives none; called after plan().
  virtual std::optional<Duration> usual_length() const { return std::nullopt; }
  /// A copy without the actor's own link, for reference runs; null: it has no link.
  virtual std::shared_ptr<ActorModel> without_link() const { return nullptr; }
  /// Hash of the plan, if it depends on more than the scenario; otherwise empty.
  virtual std::string plan_hash() const { return {}; }
  /// Can replace the random streams of cables by its own.
  virtual void name_streams(network::Topology&, const std::string& /*host*/) const {}
  /// Solver to use on the given engine if the scenario names none; empty: no preference.
  virtual std::string usual_solver(const std::string&) const { return {}; }
  /// What a viewer draws besides bodies (beams, fields of view, paths): objects with a "kind".
  virtual std::vector<nlohmann::ordered_json> shows(const ShowContext&) const { return {}; }
  /// Whether the actor writes files during the run and therefore needs a run folder.
  virtual bool writes_while_running() const { return false; }

  /// Creates the actor. Throws InputError for mistakes that can only be found now.
  virtual std::unique_ptr<Actor> make(World& world, const std::string& name) const = 0;
  /// Metrics and curves for tables and figures; names are keys of Actor::results().
  virtual Figures figures() const { return {}; }
};

using ActorRegistry = Registry<ActorModel>;

}  // namespace longarm::cell
