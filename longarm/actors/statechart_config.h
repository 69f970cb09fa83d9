// SPDX-License-Identifier: Apache-2.0
// A statechart as data: states inside of each other, what is called in each, and what leads from
// one to the next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/components/loop_component.h"
#include "longarm/core/fields.h"
#include "longarm/core/result.h"
#include "longarm/network/key_remark.h"

namespace longarm::actors {

/// Taken when everything that is given holds; one of the three must be.
struct TransitionConfig {
  std::string name;               ///< made up by the user
  std::string to;                 ///< a state; of one with others inside, its first
  std::string on;                 ///< event: a topic that was heard, or a method that was called
  std::string when;               ///< guard: "distance_m < 0.002 and cycles >= 3"
  std::optional<Duration> after;  ///< since its state was entered
};

struct StateConfig {
  std::string name;
  std::string inside;                       ///< another state; empty: it stands by itself
  std::vector<components::LoopCall> enter;  ///< once, in the first cycle after it was entered
  std::vector<components::LoopCall> calls;  ///< in each cycle, those of outer states first
  std::vector<double> target;               ///< what its calls are about, if its program knows such
  std::vector<TransitionConfig> transitions;
};

/// "VALUE < NUMBER".
struct GuardTerm {
  std::string value;
  std::string sign;
  double number = 0.0;

  bool holds(double found) const;
};

/// Comparisons that all have to hold, joined by "and".
Result<std::vector<GuardTerm>> parse_guard(const std::string& text);

void list_fields(Fields& fields, std::vector<StateConfig>& states);

/// What a program knows that has states.
struct StatechartVocabulary {
  std::vector<std::string> values{};  ///< that guards may compare
  std::size_t target_size = 0;        ///< numbers of a state's `target`; 0: there is none
  std::vector<std::string> events{};  ///< topics and methods of the component
};

/// Remarks name keys below the component.
std::vector<network::KeyRemark> judge(const std::vector<StateConfig>& states,
                                      const StatechartVocabulary& vocabulary);

}  // namespace longarm::actors
