// SPDX-License-Identifier: Apache-2.0
// All that is kept of one run of a study.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace longarm::study {

/// A run is known by its identity: resolved scenario, contents of its files, result format.
struct RunRow {
  std::string identity;
  std::string reference;           ///< identity of the run it was compared with; empty: none
  std::string scenario;            ///< resolved, as YAML
  nlohmann::ordered_json metrics;  ///< as in metrics.json, without the machine's part
  std::string curves;              ///< packed; empty: not kept
  double wall_s = 0.0;             ///< outside every comparison of results
};

}  // namespace longarm::study
