// SPDX-License-Identifier: Apache-2.0
// An actor is anything that acts in a cell or watches it; its kind says what keys it has and how to
// make it.
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

/// A file of a run's results.
struct ResultFile {
  std::string name;
  std::string content;
};

/// At work. Made when everything that it asked for has been made; schedules itself on the world's
/// kernel and in the stages of its steps.
class Actor {
 public:
  virtual ~Actor() = default;

  /// The present values of its kind's curves, in that order.
  virtual void sample(std::span<double>) const {}
  /// So far; they stand under its name in metrics.json.
  virtual nlohmann::ordered_json results() const { return nullptr; }
  /// What happened so far that one should know of before trusting the results.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// Nothing: it has no opinion. A run ends at its length, or when each actor with an opinion says
  /// yes and there is one.
  virtual std::optional<bool> is_done() const { return std::nullopt; }
  /// What else belongs into the run's folder.
  virtual std::vector<ResultFile> files() const { return {}; }
  /// The point that is compared with that of the same run without the network, at equal times;
  /// nothing: it follows no plan in time.
  virtual std::optional<model::Vector3> tracked_point() const { return std::nullopt; }
  /// One of its kind's failures befalls it, or passes.
  virtual void fail(const Failure&) {}
  virtual void recover(const Failure&) {}
  /// Right before the first step: processes that take part join now. An error ends the run.
  virtual Result<bool> open() { return true; }
  /// The run is over: they end now.
  virtual void close() {}
  /// State that is not in the world's bodies, after each step.
  virtual void add_to(Hash&) const {}
  /// Completes what it writes while it runs. An error if not all could be written.
  virtual Result<bool> close_files() { return true; }
  /// What of it may be recorded in each step; null: nothing.
  virtual const sim::Probes* probes() const { return nullptr; }
  /// Bodies of which it says itself whether they ran away; joints tell where they are.
  virtual std::vector<physics::BodyId> own_bodies() const { return {}; }
  /// After which the run is over: what follows would mean nothing.
  virtual bool has_run_away() const { return false; }
};

class ActorModel;
struct CellConfig;

/// What a kind may look at while it judges its keys.
struct LoadContext {
  std::string name;                ///< of the actor
  const model::World* world_file;  ///< as read, with its plug-ins
  const physics::EngineRegistry& engines;
  std::string engine;
  physics::EngineOptions options;
  std::int64_t seed = 1;
  std::optional<Duration> length;          ///< of the run; nothing: as long as actors need
  const std::vector<std::string>& search;  ///< folders that files of keys are looked for in
  std::string folder;                      ///< of the scenario
  KeptFiles& kept;
  InputFiles& link_files;                 ///< what links of actors read
  const std::vector<std::string>& allow;  ///< names of lint findings to go on with
  std::vector<Failure> failures;          ///< that will befall this actor
  const CellConfig& cell;                 ///< with all actors
  std::string host{};                     ///< of the actor; empty: it has none
  std::uint64_t run_hash = 0;             ///< of all keys; known when plans are made
};

/// What a kind may look at to say what viewers draw of it.
struct ShowContext {
  std::string name;       ///< of the actor
  bool is_short = false;  ///< its topics and frames have no prefix
  const model::Cell& cell;
};

/// A kind of actor with the values of one. In Plugins, like links and engines.
class ActorModel {
 public:
  virtual ~ActorModel() = default;

  /// Reads or writes its keys, which stand beside `kind` and `host`.
  virtual void list_fields(Fields& fields) = 0;
  /// The same at the top of a scenario of which it is the only actor.
  virtual void list_short_fields(Fields& fields, bool /*with_network*/) { list_fields(fields); }
  /// What one of its keys is called there.
  virtual std::string short_key(const std::string& key) const { return key; }
  /// Brings what users write into the form that is listed.
  virtual void normalise(config::ConfigNode&, Diagnostics&) const {}
  /// Before `--set` changes its keys: forgets what the new value contradicts.
  virtual void make_way(config::ConfigNode&, const config::Override&) const {}
  /// Fills in what depends on other keys, as soon as all were read; `host` is its own.
  virtual void complete(std::string& /*host*/, bool /*has_network*/) {}
  /// Where other parts of it think, by the keys that say so; the world knows a part as
  /// ACTOR.KEY.
  virtual std::vector<std::pair<std::string, std::string>> more_hosts() const { return {}; }
  /// What others may ask of it.
  virtual std::vector<Interface> offers() const { return {}; }
  /// What it asks of others.
  virtual std::vector<WishInfo> wishes() const { return {}; }
  /// A wish that named nobody, and was meant for this one.
  virtual void take(const WishInfo&, const std::string& /*actor*/) {}
  /// Whether `placement` may say where it runs.
  virtual bool is_placed_by_rule() const { return false; }
  /// The models of the world whose joints it drives; nobody else may.
  virtual std::vector<std::string> drives() const { return {}; }
  /// What can befall it, as failures say it: "blind", "stops".
  virtual std::vector<FailureVerb> failures() const { return {}; }

  /// Judges the values once, after all keys were read, and reads the files they name. Keys of
  /// remarks are its own.
  virtual std::vector<KeyRemark> load(InputFiles&, const LoadContext&) { return {}; }
  /// The robots that it brings, after load(); they come before what stands in the world.
  virtual std::vector<model::Placement> brings() const { return {}; }
  /// Changes what stands there, now that all robots do; in the order of the file.
  virtual std::vector<KeyRemark> place(model::Cell&, const LoadContext&) { return {}; }
  /// Judges its values against the whole model, and plans ahead.
  virtual std::vector<KeyRemark> plan(const model::Cell&, const LoadContext&) { return {}; }
  /// How long a run should be if the scenario does not say; after plan().
  virtual std::optional<Duration> usual_length() const { return std::nullopt; }
  /// The same without the link that is its own; null: it has none.
  virtual std::shared_ptr<ActorModel> without_link() const { return nullptr; }
  /// Of what was drawn when it planned, if that depends on more than the scenario says.
  virtual std::string plan_hash() const { return {}; }
  /// May have random streams of its own in place of a cable's.
  virtual void name_streams(network::Topology&, const std::string& /*host*/) const {}
  /// The solver to use on an engine when the scenario names none; empty: any is good.
  virtual std::string usual_solver(const std::string&) const { return {}; }
  /// What a viewer draws of it beside its bodies, as objects with a "kind"; after plan().
  virtual std::vector<nlohmann::ordered_json> shows(const ShowContext&) const { return {}; }
  /// Whether runs must have a folder to write into while they go on.
  virtual bool writes_while_running() const { return false; }

  /// Throws InputError for what only shows now.
  virtual std::unique_ptr<Actor> make(World& world, const std::string& name) const = 0;
  /// What tables and figures show of it; names are those in its results().
  virtual Figures figures() const { return {}; }
};

using ActorRegistry = Registry<ActorModel>;

}  // namespace longarm::cell
