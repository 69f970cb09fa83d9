// SPDX-License-Identifier: Apache-2.0
// A prepared scenario come to life: kernel, engine, loop, metrics, and optionally a trace.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "longarm/control/arm_loop.h"
#include "longarm/core/hash.h"
#include "longarm/core/log.h"
#include "longarm/core/result.h"
#include "longarm/motion/kinematics.h"
#include "longarm/motion/nearest_distance.h"
#include "longarm/record/metrics.h"
#include "longarm/record/trace_csv.h"
#include "longarm/scenario/load.h"
#include "longarm/sim/kernel.h"
#include "longarm/sim/probe.h"

namespace longarm::scenario {

struct SimulationOptions {
  std::string trace_path;                             ///< empty: no trace is written
  std::unique_ptr<record::CsvTraceReader> reference;  ///< may be null
  control::CallTrace call_trace;                      ///< may be empty
  Log log = Log();
};

/// One run. Owns everything it needs; several may run at once in threads of their own.
class Simulation {
 public:
  /// Throws InputError if the engine refuses the model or the trace cannot be written.
  Simulation(const PreparedScenario& prepared, const Plugins& plugins, SimulationOptions options);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  Time end() const { return Time(prepared_.plan.end); }
  Time now() const { return kernel_.now(); }
  bool is_over() const { return is_diverged_ || kernel_.now() >= end(); }

  /// Runs on to `until` or the end, whichever is first. Fails on an endless zero-delay loop.
  Result<Time> run_until(Time until);

  /// All results so far except the machine's: metrics, link statistics, state hash.
  nlohmann::ordered_json results();
  /// Completes the trace file.
  Result<bool> close_trace();

  const sim::Probes& probes() const { return probes_; }
  const control::ArmLoop& loop() const { return *loop_; }
  /// Called after each step, for tests and tools that follow a run.
  void set_observer(std::function<void(Time stamp)> observer) { observer_ = std::move(observer); }

 private:
  void warn();
  std::string why_inconclusive() const;
  void make_loop(const Plugins& plugins, control::CallTrace call_trace);
  void offer_end_effector_probes();
  void schedule();
  void record(Time now);
  bool has_run_away() const;

  PreparedScenario prepared_;
  Log log_;
  sim::Kernel kernel_;
  std::unique_ptr<physics::Engine> engine_;
  motion::Kinematics kinematics_;
  motion::PlannedCurve curve_;
  motion::PlannedCurve::Cursor curve_cursor_;
  std::unique_ptr<control::ArmLoop> loop_;
  control::CallTrace call_trace_;
  sim::Probes probes_;
  std::optional<record::Metrics> metrics_;
  std::unique_ptr<record::CsvTraceWriter> trace_;
  Hash state_hash_;
  std::vector<std::string> warnings_;
  bool is_diverged_ = false;
  std::function<void(Time)> observer_;
};

}  // namespace longarm::scenario
