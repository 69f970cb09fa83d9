// SPDX-License-Identifier: Apache-2.0
// Closed forms the simulator is held to: each is simulated on the real path and compared with what
// mathematics says.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace longarm::study {

/// What one oracle found out.
struct Comparison {
  double expected = 0.0;   ///< by a closed form
  double simulated = 0.0;  ///< by a scenario, or by the real link or engine
  double tolerance = 0.0;  ///< most that they may differ by
  std::string reason;      ///< why that much: rounding, width of a search, standard errors, …
};

struct Oracle {
  std::string name;
  std::string group;
  std::string what;  ///< one sentence
  std::string unit;
  std::function<Comparison()> run;  ///< pure, so that many may run at once
};

/// One line of the table.
struct OracleRow {
  std::string name;
  std::string group;
  std::string what;
  double expected = 0.0;
  double simulated = 0.0;
  double difference = 0.0;
  double tolerance = 0.0;
  std::string unit;
  std::string reason;
  bool verdict = false;
};

/// Those of `all` with these names, in their order; all if there are none. A name may be a group's,
/// or how several begin. Throws InputError for one that means nothing.
std::vector<Oracle> choose_oracles(std::vector<Oracle> all, const std::vector<std::string>& names);

/// Right if the difference is within the tolerance; not a number never is. An oracle that throws is
/// wrong, and its reason says why.
OracleRow run_oracle(const Oracle& oracle);

/// Told after each oracle, never by two threads at once.
using OracleProgress = std::function<void(std::size_t done, std::size_t count)>;

/// Rows come in the order of `oracles`, whatever the number of threads. `progress` may be empty.
std::vector<OracleRow> run_oracles(const std::vector<Oracle>& oracles, int threads,
                                   const OracleProgress& progress);

bool have_all_passed(const std::vector<OracleRow>& rows);
nlohmann::ordered_json oracles_json(const std::vector<OracleRow>& rows);
std::string format_oracles_table(const std::vector<OracleRow>& rows);

}  // namespace longarm::study
