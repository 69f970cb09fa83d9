// SPDX-License-Identifier: Apache-2.0
// Runs oracles in threads, and puts what they found into a table.
#include "longarm/study/oracle.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/core/version.h"

namespace longarm::study {
namespace {

constexpr int kOraclesFormat = 1;

std::ptrdiff_t count_passed(const std::vector<OracleRow>& rows) {
  return std::count_if(rows.begin(), rows.end(), [](const OracleRow& row) { return row.verdict; });
}

/// Without what the user need not see: "1.5", not "1.500000".
std::string number(double value) {
  return fmt::format("{:.9g}", value);
}

}  // namespace

std::vector<Oracle> choose_oracles(std::vector<Oracle> all, const std::vector<std::string>& names) {
  if (names.empty()) {
    return all;
  }
  std::vector<std::string> known;
  for (const Oracle& oracle : all) {
    if (known.empty() || std::find(known.begin(), known.end(), oracle.group) == known.end()) {
      known.push_back(oracle.group);
    }
  }
  for (const Oracle& oracle : all) {
    known.push_back(oracle.name);
  }
  const auto means = [](const std::string& name, const Oracle& oracle) {
    return oracle.group == name || oracle.name.starts_with(name);
  };
  Diagnostics diagnostics;
  for (const std::string& name : names) {
    const bool is_known = std::any_of(all.begin(), all.end(),
                                      [&](const Oracle& oracle) { return means(name, oracle); });
    if (!is_known) {
      const std::string nearest = nearest_name(name, known);
      diagnostics.error({}, "unknown oracle '" + name + "'",
                        nearest.empty() ? "run longarm oracle --list to see them"
                                        : "did you mean '" + nearest + "'?");
    }
  }
  diagnostics.throw_if_errors();
  std::erase_if(all, [&](const Oracle& oracle) {
    return std::none_of(names.begin(), names.end(),
                        [&](const std::string& name) { return means(name, oracle); });
  });
  return all;
}

OracleRow run_oracle(const Oracle& oracle) {
  OracleRow row;
  row.name = oracle.name;
  row.group = oracle.group;
  row.what = oracle.what;
  row.unit = oracle.unit;
  try {
    const Comparison found = oracle.run();
    row.expected = found.expected;
    row.simulated = found.simulated;
    row.difference = found.simulated - found.expected;
    row.tolerance = found.tolerance;
    row.reason = found.reason;
    row.verdict = std::abs(row.difference) <= row.tolerance;  // false for what is not a number
  } catch (const std::exception& problem) {
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    row.expected = row.simulated = row.difference = row.tolerance = nothing;
    row.reason = std::string("could not be run: ") + problem.what();
  }
  return row;
}

std::vector<OracleRow> run_oracles(const std::vector<Oracle>& oracles, int threads,
                                   const OracleProgress& progress) {
  std::vector<OracleRow> rows(oracles.size());
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::mutex turn;
  const auto work = [&] {
    for (std::size_t i = next++; i < oracles.size(); i = next++) {
      rows[i] = run_oracle(oracles[i]);
      const std::lock_guard lock(turn);
      ++done;
      if (progress) {
        progress(done, oracles.size());
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 1; i < threads; ++i) {
      workers.emplace_back(work);
    }
    work();
  }
  return rows;
}

bool have_all_passed(const std::vector<OracleRow>& rows) {
  return count_passed(rows) == static_cast<std::ptrdiff_t>(rows.size());
}

nlohmann::ordered_json oracles_json(const std::vector<OracleRow>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const OracleRow& row : rows) {
    list.push_back({{"name", row.name},
                    {"group", row.group},
                    {"what", row.what},
                    {"expected", row.expected},
                    {"simulated", row.simulated},
                    {"difference", row.difference},
                    {"tolerance", row.tolerance},
                    {"unit", row.unit},
                    {"reason", row.reason},
                    {"verdict", row.verdict}});
  }
  nlohmann::ordered_json out;
  out["format"] = kOraclesFormat;
  out["longarm_version"] = LONGARM_VERSION;
  out["oracles"] = std::move(list);
  out["passed"] = count_passed(rows);
  out["failed"] = static_cast<std::ptrdiff_t>(rows.size()) - count_passed(rows);
  return out;
}

std::string format_oracles_table(const std::vector<OracleRow>& rows) {
  std::size_t widest = 6;
  for (const OracleRow& row : rows) {
    widest = std::max(widest, row.name.size());
  }
  std::string text =
      fmt::format("{:<{}}  {:>14} {:>14}  {:<8} {:>10} {:>10}  {}\n", "oracle", widest, "expected",
                  "simulated", "unit", "difference", "tolerance", "verdict");
  std::string group;
  for (const OracleRow& row : rows) {
    if (row.group != group) {
      group = row.group;
      text += "\n" + group + "\n";
    }
    text += fmt::format("{:<{}}  {:>14} {:>14}  {:<8} {:>10.2g} {:>10.2g}  {}\n", row.name, widest,
                        number(row.expected), number(row.simulated), row.unit, row.difference,
                        row.tolerance, row.verdict ? "pass" : "FAIL");
    if (!row.verdict) {
      text += fmt::format("    {}; {}\n", row.what, row.reason);
    }
  }
  text += fmt::format("\n{} of {} pass\n", count_passed(rows), rows.size());
  return text;
}

}  // namespace longarm::study
