// SPDX-License-Identifier: Apache-2.0
// An experiment: a cell, what acts in it, and what is measured. Kinds of experiments are chosen by
// name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/actor.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/fields.h"
#include "longarm/core/input_files.h"
#include "longarm/core/registry.h"
#include "longarm/core/time.h"
#include "longarm/experiments/experiment_figures.h"
#include "longarm/model/cell.h"
#include "longarm/network/link.h"
#include "longarm/physics/engine.h"
#include "longarm/protocols/door.h"

namespace longarm::experiments {

/// What the kinds have in common.
struct ExperimentContext {
  const physics::EngineRegistry& engines;
  const network::LinkModelRegistry& links;
  std::string engine;
  physics::EngineOptions options;
  std::int64_t seed = 1;
  std::string folder{};               ///< where a run may write while it goes on; empty: nowhere
  std::vector<std::string> search{};  ///< folders that files and folders of keys are looked for in
};

using cell::ResultFile;

/// One run. Owns everything it needs; several may run at once in threads of their own.
class Experiment {
 public:
  virtual ~Experiment() = default;

  /// How long it takes, in simulated time.
  Duration length() const { return do_length(); }
  /// Whether it may be stepped for longer than that.
  bool can_outlast_length() const { return do_can_outlast_length(); }
  /// Advances everything by one period of the engine.
  void step() { do_step(); }
  /// The present values of the kind's curves, in that order.
  void sample(std::span<double> out) const { do_sample(out); }
  /// Metrics so far, by the names the kind lists, and whatever else is worth keeping.
  nlohmann::ordered_json results() const { return do_results(); }
  /// What happened so far that one should know of before trusting the results.
  std::vector<std::string> warnings() const { return do_warnings(); }

  /// Why it cannot go on: who, and when. Steps after that do nothing; results are those so far.
  std::optional<std::string> failure() const { return do_failure(); }
  /// What else belongs into the run's folder.
  std::vector<ResultFile> files() const { return do_files(); }

  /// What clients outside of the simulation may talk to, between two steps; they live as long as
  /// the run.
  std::vector<protocols::Door*> doors() { return do_doors(); }

  const physics::Engine& engine() const { return do_engine(); }
  const model::Cell& cell() const { return do_cell(); }

 private:
  virtual Duration do_length() const = 0;
  virtual bool do_can_outlast_length() const { return false; }
  virtual void do_step() = 0;
  virtual void do_sample(std::span<double> out) const = 0;
  virtual nlohmann::ordered_json do_results() const = 0;
  virtual std::vector<std::string> do_warnings() const { return {}; }
  virtual std::optional<std::string> do_failure() const { return std::nullopt; }
  virtual std::vector<ResultFile> do_files() const { return {}; }
  virtual std::vector<protocols::Door*> do_doors() { return {}; }
  virtual const physics::Engine& do_engine() const = 0;
  virtual const model::Cell& do_cell() const = 0;
};

/// What is wrong with the value of a key (an error), or worth knowing about it (a warning).
using network::KeyRemark;

/// One kind of experiment: its keys and how to make a run of it.
class ExperimentModel {
 public:
  virtual ~ExperimentModel() = default;
  /// Reads or writes the kind's keys, which stand beside engine, seed and physics.period.
  virtual void list_fields(Fields& fields) = 0;
  /// The solver to use on an engine when the scenario names none; empty: the engine's own default.
  virtual std::string usual_solver(const std::string&) const { return {}; }
  /// Judges the values once, after the keys were read and before make(); reads the files they name.
  virtual std::vector<KeyRemark> load(InputFiles&, const ExperimentContext&) { return {}; }
  /// The files that runs keep copies of, so that the same keys find them again; after load().
  virtual std::vector<InputFile> inputs() const { return {}; }
  /// Whether its runs write into their folder while they go on.
  virtual bool writes_while_running() const { return false; }
  /// Throws InputError for what only shows now.
  virtual std::unique_ptr<Experiment> make(const ExperimentContext& context) const = 0;
  virtual ExperimentFigures figures() const = 0;
};

using ExperimentRegistry = Registry<ExperimentModel>;

/// belt-bench, contact-bench, gear-in-slot, grasp-bench, grasp-table and vacuum-bench.
ExperimentRegistry built_in_experiments();

}  // namespace longarm::experiments
