// SPDX-License-Identifier: Apache-2.0
// A prepared scenario come to life: kernel, engine, loop, metrics, and optionally a trace.
#pragma once

#include <cstdint>
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
#include "longarm/network/network.h"
#include "longarm/record/metrics.h"
#include "longarm/record/trace_csv.h"
#include "longarm/record/trace_source.h"
#include "longarm/scenario/load.h"
#include "longarm/scenario/run_recorder.h"
#include "longarm/sim/kernel.h"
#include "longarm/sim/probe.h"

namespace longarm::scenario {

struct SimulationOptions {
  std::string trace_path;                          ///< of trace.csv; empty: none is written
  std::string messages_path;                       ///< of trace.mcap; empty: none is written
  std::string capture_folder;                      ///< of the network's packets, if it is to
  std::unique_ptr<record::TraceSource> reference;  ///< may be null
  control::CallTrace call_trace;                   ///< may be empty
  /// If set, no controller runs: what arrived in a recorded run arrives again.
  std::shared_ptr<const control::LoopRecording> recording;
  Log log = Log();
};

/// What the arm touched that it should not have.
struct ContactRecord {
  std::uint64_t steps = 0;
  std::optional<Time> first_at;
  std::string first_pair;
};

/// One run. Owns everything it needs; several may run at once in threads of their own.
class Simulation {
 public:
  /// Throws InputError if the engine refuses the model or the trace cannot be written.
  Simulation(const PreparedScenario& prepared, SimulationOptions options);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  Time end() const { return Time(prepared_.plan.end); }
  Time now() const { return kernel_.now(); }
  bool is_over() const { return is_diverged_ || failure_ || kernel_.now() >= end(); }
  /// Why it could not go on.
  const std::optional<Error>& failure() const { return failure_; }

  /// Runs on to `until` or the end, whichever is first. Fails on an endless zero-delay loop, and if
  /// the network's backend does; the run is over then, and its results are those so far.
  Result<Time> run_until(Time until);

  /// All results so far except the machine's: metrics, link statistics, state hash.
  nlohmann::ordered_json results();
  /// Of joints and what the actuators applied, every step: what a replay repeats.
  std::string world_hash() const { return world_hash_.text(); }
  /// Completes the trace files.
  Result<bool> close_trace();

  const sim::Probes& probes() const { return probes_; }
  const record::Metrics& metrics() const { return *metrics_; }
  const control::ArmLoop& loop() const { return *loop_; }
  /// Called after each step, for tests and tools that follow a run.
  void set_observer(std::function<void(Time stamp)> observer) { observer_ = std::move(observer); }

 private:
  void warn();
  std::string why_inconclusive() const;
  void make_loop(const SimulationOptions& options);
  void open_traces(const SimulationOptions& options);
  void note_contacts(Time stamp);
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
  std::unique_ptr<RunRecorder> messages_;
  std::unique_ptr<network::Network> network_;  // null where there is only a link
  std::unique_ptr<control::ArmLoop> loop_;
  control::CallTrace call_trace_;
  sim::Probes probes_;
  std::optional<record::Metrics> metrics_;
  std::unique_ptr<record::CsvTraceWriter> trace_;
  Hash state_hash_;
  Hash world_hash_;
  ContactRecord contacts_;
  std::vector<std::string> warnings_;
  bool is_diverged_ = false;
  std::optional<Error> failure_;
  std::function<void(Time)> observer_;
};

}  // namespace longarm::scenario
