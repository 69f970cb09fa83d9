// SPDX-License-Identifier: Apache-2.0
// Models of actors that may make two runs with the same seed differ, which all others never do.
#pragma once

#include <string>
#include <vector>

#include "longarm/cell/load_scenario.h"

namespace longarm::cell {

/// What an ActorModel is besides.
class Unrepeatable {
 public:
  virtual ~Unrepeatable() = default;
  /// "cpu_factor counts real processor time"; empty: not as it is configured.
  virtual std::string why_unrepeatable() const = 0;
};

/// A sentence for each such actor of a scenario.
std::vector<std::string> unrepeatable_parts(const PreparedScenario& prepared);

/// For those who compare runs: an InputError if there are any.
void refuse_unrepeatable(const PreparedScenario& prepared);

}  // namespace longarm::cell
