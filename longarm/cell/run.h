// SPDX-License-Identifier: Apache-2.0
// One run of a prepared scenario: steps it, and collects hashes, failures and results.
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

/// Where and when a simulation diverged (infinite or absurd numbers), and the last good state.
struct Divergence {
  Time at{};
  std::string body;
  Time last_good{};
  model::Pose X_WB =
      model::Pose::Identity();  ///< pose of that body at `last_good`, in the world frame
};

/// One run of a scenario. Owns its world and actors; several can run at once, one per thread.
///
///   Run run(load_scenario("ur5-waypoints", {}, labs::built_in_plugins()));
///   run.run_until(run.end());
///   std::cout << run.results();
class Run {
 public:
  /// Creates world and actors. Throws ActorError or InputError for mistakes found only now.
  explicit Run(const PreparedScenario& prepared, RunSetup setup = {});
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Time now() const { return now_; }
  /// When the run ends at the latest, as far as known now.
  Time end() const;
  /// end() where it is certain; Time::max() while actors have yet to say that they are done.
  Time foreseen_end() const { return has_opinions_ && !is_done_ ? Time::max() : end(); }
  bool is_over() const { return is_diverged() || failure_ || now_ >= end(); }
  bool is_diverged() const { return divergence_ || has_run_away_; }
  /// Simulates up to `until` or the end, whichever is first. An endless zero-delay loop, or a
  /// network or process that fails, ends the run with a failure(); the results so far remain.
  void run_until(Time until);
  /// Lets the run continue beyond its length, without end. Returns false if that is impossible
  /// because something was scheduled for the run's length.
  bool lift_length();

  /// Why and when the run ended early; no value: it did not.
  const std::optional<std::string>& failure() const { return failure_; }
  const std::optional<Divergence>& divergence() const { return divergence_; }

  const PreparedScenario& prepared() const { return prepared_; }
  World& world() { return *world_; }
  const World& world() const { return *world_; }
  /// The actor of this name; null if there is none.
  Actor* find(const std::string& actor) const;
  /// `observer` is called after each step with the time of its end.
  void set_observer(std::function<void(Time stamp)> observer) { observer_ = std::move(observer); }

  /// Actor::tracked_point() of all actors that have one, in file order; and their names.
  std::vector<model::Vector3> tracked_points() const;
  std::vector<std::string> tracked_names() const;
  /// Writes the current values of all actors' curves.
  void sample(std::span<double> out) const;
  /// Hash of joints and bodies over all steps so far, without network traffic.
  std::string world_hash() const { return world_hash_.text(); }
  /// Problems so far that a user should know of before trusting the results. Those known before the
  /// run are in prepared().warnings.
  std::vector<std::string> warnings() const;
  /// All results so far, as in metrics.json, without `machine`.
  nlohmann::ordered_json results() const;
  /// Further files for the run folder.
  std::vector<ResultFile> files() const;
  /// Completes the files written during the run; returns an error if writing failed.
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
