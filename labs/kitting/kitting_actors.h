// SPDX-License-Identifier: Apache-2.0
// The kinds `kitting`, who makes kits, and `kitting-judge`, who says whether they are made.
// Internal to the folder.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "labs/kitting/executor.h"
#include "labs/kitting/ontology.h"
#include "labs/kitting/request.h"
#include "labs/kitting/world_model.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/run.h"
#include "longarm/protocols/door.h"

namespace longarm::kitting {

/// Somebody who was asked for kits, to whoever watches.
class KitMaker {
 public:
  static constexpr cell::Interface kInterface{"request for kits", cell::Reach::kBody};

  virtual ~KitMaker() = default;
  virtual const kitting::Ontology& ontology() const = 0;
  virtual const kitting::Request& request() const = 0;
  /// Null: it is a program outside.
  virtual const kitting::Executor* executor() const = 0;
  /// Whether that program is there: somebody looks through the cameras, or talks to a robot.
  virtual bool is_connected() const = 0;
};

std::unique_ptr<cell::ActorModel> make_kitting();
std::unique_ptr<cell::ActorModel> make_kitting_judge();

/// Whether an actor makes kits; if so, what plans are made of, from its keys.
struct KittingQuestion {
  kitting::Ontology ontology;
  pddl::Domain domain;
  kitting::Request request;
  kitting::ExecutorConfig executor;
};
std::optional<KittingQuestion> find_kitting(const cell::ActorModel& model);

/// What a program outside needs to know of the cell that it makes kits in.
struct KittingJob {
  kitting::Ontology ontology;
  pddl::Domain domain;
  kitting::Request request;
  kitting::WorldModelConfig world_model;
  kitting::ExecutorConfig executor;
  /// Where it finds the others, by their names; doors are the run's.
  using DoorOf = std::map<std::string, const protocols::Door*>;
  DoorOf robots;
  DoorOf cameras;
  DoorOf curtains;
  const protocols::Door* plc = nullptr;  ///< null: there is no belt
};
/// Nothing if nobody in the cell waits for a program outside to make kits.
std::optional<KittingJob> find_outside_job(const cell::Run& run);

/// Of a run in which an executor worked: what belongs into its folder.
std::vector<cell::ResultFile> files_of(const kitting::Executor& executor,
                                       const pddl::Domain& domain);
/// What somebody should know before trusting its results.
std::vector<std::string> warnings_of(const kitting::Executor& executor);

}  // namespace longarm::kitting
