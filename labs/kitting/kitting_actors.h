// SPDX-License-Identifier: Apache-2.0
// The kinds `kitting`, who makes kits, and `kitting-judge`, who says whether they are made.
// Internal to the folder.
#pragma once

#include <memory>
#include <optional>

#include "labs/kitting/executor.h"
#include "labs/kitting/ontology.h"
#include "labs/kitting/request.h"
#include "longarm/cell/actor.h"

namespace longarm::kitting {

/// Somebody who was asked for kits, to whoever watches.
class KitMaker {
 public:
  static constexpr cell::Interface kInterface{"request for kits", cell::Reach::kBody};

  virtual ~KitMaker() = default;
  virtual const kitting::Ontology& ontology() const = 0;
  virtual const kitting::Request& request() const = 0;
  virtual const kitting::Executor& executor() const = 0;
};

std::unique_ptr<cell::ActorModel> make_kitting();
std::unique_ptr<cell::ActorModel> make_kitting_judge();

/// Whether an actor makes kits; if so, what plans are made of, from its keys.
struct KittingQuestion {
  kitting::Ontology ontology;
  pddl::Domain domain;
  kitting::Request request;
};
std::optional<KittingQuestion> find_kitting(const cell::ActorModel& model);

}  // namespace longarm::kitting
