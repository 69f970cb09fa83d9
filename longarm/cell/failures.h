// SPDX-License-Identifier: Apache-2.0
// Injected failures, as users write them: "20s fanuc breaks", "30s link edge down for 5s".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/network/key_remark.h"
#include "longarm/network/topology.h"

namespace longarm::cell {

class World;

/// A kind of failure. Behind its verb stand its values, then an end: "for 5s".
struct FailureVerb {
  enum class End { kNever, kMaybe, kAlways };
  enum class Value { kDistance_m, kTime };

  std::string verb;
  std::string meaning;  ///< a sentence for the reference
  End end = End::kNever;
  std::vector<Value> values{};
};

/// One failure of a scenario.
struct Failure {
  enum class Of { kActor, kLink, kPart, kHost };

  Time at{};
  Of of = Of::kActor;
  std::string name;  ///< of the actor, the link, the part or the host
  std::string verb;
  std::vector<double> values;  ///< in metres or seconds, as FailureVerb::values says
  Duration length{};           ///< zero: permanent
  std::string text;            ///< as it was written
};

/// A failure of links, loose parts or hosts that a plug-in adds with Plugins::add_failure().
/// Failures of actors belong to their kinds (ActorModel::failures()).
struct WorldFailure {
  Failure::Of of = Failure::Of::kPart;
  FailureVerb verb;
  /// Called when it happens: after the controllers' tick, before the physics step.
  std::function<void(World&, const Failure&)> fail;
  /// Called when it ends, if the sentence has a duration.
  std::function<void(World&, const Failure&)> recover{};
};

/// A subject of failures: "fanuc", "link edge", "part gear_1", "host edge".
struct FailureSubject {
  Failure::Of of = Failure::Of::kActor;
  std::string name;
  std::vector<FailureVerb> verbs;
};

/// The built-in failures of links and of loose parts.
std::vector<FailureVerb> link_failures();
std::vector<FailureVerb> part_failures();
/// Whether a failure is one of these.
bool is_built_in(const Failure& failure);
/// "link", "part" or "host"; empty: actors go by their names alone.
const char* subject_word(Failure::Of of);

/// Parses sentences. Errors become remarks with the key `failures` and a hint.
std::vector<Failure> read_failures(const std::vector<std::string>& texts,
                                   const std::vector<FailureSubject>& subjects,
                                   std::vector<network::KeyRemark>& remarks);

/// Adds the changes of cables that failures of links cause.
void fail_cables(network::Topology& topology, const std::vector<Failure>& failures);

}  // namespace longarm::cell
