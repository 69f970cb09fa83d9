// SPDX-License-Identifier: Apache-2.0
// A prepared scenario come to life: the world, its actors, the failures that befall them, and what
// came out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/cell_frames.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/cell/touch_trace.h"
#include "longarm/cell/world.h"
#include "longarm/record/ros_trace.h"

namespace longarm::cell {

/// Where a run lost its numbers, and the last state that made sense.
struct Divergence {
  Time at{};
  std::string body;
  Time last_good{};
  model::Pose X_WB = model::Pose::Identity();  ///< of that body, then
};

/// One run. Owns everything it needs; several may run at once in threads of their own.
class Run {
 public:
  /// Throws ActorError or InputError for what only shows now.
  explicit Run(const PreparedScenario& prepared, RunSetup setup = {});
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Time now() const { return now_; }
  Time end() const;
  /// The same where it is certain; Time::max() where actors end the run when they are done.
  Time foreseen_end() const { return has_opinions_ && !is_done_ ? Time::max() : end(); }
  bool is_over() const { return is_diverged() || failure_ || now_ >= end(); }
  bool is_diverged() const { return divergence_ || has_run_away_; }
  /// Runs on to `until` or the end, whichever is first. On an endless zero-delay loop, and if the
  /// network or a process fails, there is a failure(): the run is over then, and its results are
  /// those so far.
  void run_until(Time until);
  /// From now on it has no end but failure, where nothing was scheduled for the run's length;
  /// otherwise false.
  bool lift_length();

  /// Who ended the run before its time, and when.
  const std::optional<std::string>& failure() const { return failure_; }
  const std::optional<Divergence>& divergence() const { return divergence_; }

  const PreparedScenario& prepared() const { return prepared_; }
  World& world() { return *world_; }
  const World& world() const { return *world_; }
  /// By name; null if there is none.
  Actor* find(const std::string& actor) const;
  /// Called after each step, with the time of its end.
  void set_observer(std::function<void(Time stamp)> observer) { observer_ = std::move(observer); }

  /// Of all actors that have one, in the order of the file; what belongs to whom is in names.
  std::vector<model::Vector3> tracked_points() const;
  std::vector<std::string> tracked_names() const;
  /// The present values of the cell's curves.
  void sample(std::span<double> out) const;
  /// Of joints and bodies, every step, without what was said on the network.
  std::string world_hash() const { return world_hash_.text(); }
  /// What happened so far that one should know of before trusting the results; what was known
  /// before the run is in prepared.warnings.
  std::vector<std::string> warnings() const;
  /// All results so far except the machine's.
  nlohmann::ordered_json results() const;
  /// What else belongs into the run's folder.
  std::vector<ResultFile> files() const;
  /// Completes what is written while it runs. An error if not all could be written.
  Result<bool> close_files();

 private:
  void open_trace();
  void make_actors();
  void schedule_failures();
  bool open_actors();
  bool advance(Time until);
  void after_step(Time stamp);
  void after_step_trace(Time stamp);
  void trace_curves_of(std::size_t actor);
  void note_state();
  void look_for_divergence(Time now);
  void look_whether_done();
  void close_actors();

  PreparedScenario prepared_;
  std::unique_ptr<World> world_;
  std::optional<CellFrames> frames_;
  std::unique_ptr<record::RosTrace> trace_;
  std::vector<std::unique_ptr<Actor>> actors_;  ///< in the order of the file
  std::vector<std::size_t> curves_;             ///< how many each has
  /// What of their curves is in the trace.
  struct CurveTrace {
    std::size_t actor = 0;
    std::vector<std::string> names;
    std::unique_ptr<record::JsonTrace> trace;
  };
  std::vector<CurveTrace> curve_traces_;
  std::optional<TouchTrace> touches_;
  record::Ticker curve_ticker_{Duration(10'000'000)};
  std::vector<std::string> happened_;  ///< failures, as they were written
  Time now_{};
  bool is_open_ = false;
  bool is_endless_ = false;
  bool has_opinions_ = false;  ///< of actors, on whether all is done
  bool is_done_ = false;
  bool has_run_away_ = false;
  Hash world_hash_;
  Hash actors_hash_;                     ///< of what they add to it, after each step
  std::vector<physics::BodyId> moving_;  ///< bodies that can move, but for actors' own
  std::vector<model::Pose> last_good_;   ///< of those
  Time last_good_at_{};
  std::optional<Divergence> divergence_;
  std::optional<std::string> failure_;
  std::function<void(Time)> observer_;
};

}  // namespace longarm::cell
