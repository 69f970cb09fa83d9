// SPDX-License-Identifier: Apache-2.0
// What goes wrong in a cell, as users write it: "20s fanuc breaks", "30s link edge down for 5s".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/network/key_remark.h"
#include "longarm/network/topology.h"

namespace longarm::cell {

class World;

/// What can befall a subject. A verb may want values behind it, then an end: "for 5s".
struct FailureVerb {
  enum class End { kNever, kMaybe, kAlways };
  enum class Value { kDistance_m, kTime };

  std::string verb;
  std::string meaning;  ///< a sentence for the reference
  End end = End::kNever;
  std::vector<Value> values{};
};

struct Failure {
  enum class Of { kActor, kLink, kPart, kHost };

  Time at{};
  Of of = Of::kActor;
  std::string name;  ///< of the actor, the link, the part or the host
  std::string verb;
  std::vector<double> values;  ///< in metres or seconds, as the verb wants them
  Duration length{};           ///< zero: for good
  std::string text;            ///< as it was written
};

/// A failure that a plug-in brings, of links, loose parts or hosts; what befalls actors is their
/// kinds' affair. See Plugins::add_failure().
struct WorldFailure {
  Failure::Of of = Failure::Of::kPart;
  FailureVerb verb;
  /// When it happens, after all actors have thought and before the step.
  std::function<void(World&, const Failure&)> fail;
  /// When it passes, where the sentence says for how long.
  std::function<void(World&, const Failure&)> recover{};
};

/// Whom failures may speak of: "fanuc", "link edge", "part gear_1", "host edge".
struct FailureSubject {
  Failure::Of of = Failure::Of::kActor;
  std::string name;
  std::vector<FailureVerb> verbs;
};

/// Of links and of loose parts: what the world itself knows.
std::vector<FailureVerb> link_failures();
std::vector<FailureVerb> part_failures();
/// Whether it is one of these.
bool is_built_in(const Failure& failure);
/// "link", "part" or "host"; empty: actors go by their names alone.
const char* subject_word(Failure::Of of);

/// Remarks have the key `failures` and a hint.
std::vector<Failure> read_failures(const std::vector<std::string>& texts,
                                   const std::vector<FailureSubject>& subjects,
                                   std::vector<network::KeyRemark>& remarks);

/// Gives cables the changes that failures of links mean.
void fail_cables(network::Topology& topology, const std::vector<Failure>& failures);

}  // namespace longarm::cell
