// SPDX-License-Identifier: Apache-2.0
// A run that others are compared with: usually the same one without the network.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/run.h"
#include "longarm/record/memory_trace.h"
#include "longarm/record/trace_csv.h"

namespace longarm::cell {

/// What is kept of it. Written by one run, then read by any number.
class Reference {
 public:
  /// Of a run that has not begun.
  explicit Reference(const Run& run);
  /// After each step.
  void record(const Run& run, Time stamp);
  /// At its end.
  void finish(nlohmann::ordered_json results) { results_ = std::move(results); }

  /// For RunSetup.
  std::map<std::string, std::unique_ptr<record::TraceSource>> readers() const;

 private:
  friend class Comparison;

  std::map<std::string, std::shared_ptr<record::MemoryTrace>> traces_;  ///< of actors with probes
  std::vector<std::string> tracked_;
  std::vector<model::Vector3> points_;  ///< of all tracked, step by step
  nlohmann::ordered_json results_;
};

/// Runs the scenario to its end. `progress` may be empty.
std::shared_ptr<const Reference> run_reference(
    const PreparedScenario& ideal, const std::function<bool(Time now, Time end)>& progress);

/// How a run differs from its reference: at equal times where something follows a plan, and at
/// their ends. A run that is ideal already differs by exactly nothing.
class Comparison {
 public:
  explicit Comparison(std::shared_ptr<const Reference> reference);

  /// After each step of the run.
  void follow(const Run& run);
  /// When it is over; `metrics` are those to be compared, `results` its own.
  nlohmann::ordered_json results(const std::vector<MetricInfo>& metrics,
                                 const nlohmann::ordered_json& results) const;

 private:
  struct Distance {
    double largest_m = 0.0;
    double squares_m2 = 0.0;
  };

  std::shared_ptr<const Reference> reference_;
  std::vector<Distance> distances_;  ///< of all tracked
  std::size_t steps_ = 0;
};

/// The trace of an earlier run of an arm in short, and of nothing else. Throws InputError if the
/// folder is no good: another cell or task, no trace.
std::unique_ptr<record::TraceSource> open_reference(const std::string& folder,
                                                    const PreparedScenario& prepared);

}  // namespace longarm::cell
