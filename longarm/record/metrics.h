// SPDX-License-Identifier: Apache-2.0
// Control-quality figures, accumulated step by step from the probes in constant memory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "longarm/core/time.h"
#include "longarm/record/envelope.h"
#include "longarm/record/trace_source.h"
#include "longarm/sim/probe.h"

namespace longarm::record {

struct MetricsConfig {
  Duration period{0};      ///< between records
  Duration hold_start{0};  ///< from here on the plan stands still
  std::vector<double> goal;
};

/// Reads the probes position, plan, pid_error, velocity_command, limited, reference_at_rest,
/// end_effector and path_deviation. Definitions are those of docs/reference/metrics.md.
class Metrics {
 public:
  /// `probes` must outlive this. `reference` may be null; it is compared row by row at equal time.
  Metrics(const sim::Probes& probes, const MetricsConfig& config,
          std::unique_ptr<TraceSource> reference);

  /// After the step that ends at `stamp`.
  void record(Time stamp);

  /// The run ended early because the arm ran away; the verdict is then unstable.
  void set_diverged(Time when) { diverged_at_ = when; }

  /// Why no verdict can be given whatever the joints did, e.g. because the arm was stopped.
  void set_inconclusive(std::string reason) { inconclusive_ = std::move(reason); }

  /// Of the velocity commands to the reference, summed over the joints, so far.
  double command_difference_rad() const;

  /// The figures so far, as they go into metrics.json.
  nlohmann::ordered_json result() const;

 private:
  /// One joint's sums.
  struct Joint {
    std::string name;
    double pid_error_rad_s = 0.0;
    double difference_rad_s = 0.0;
    double difference_square = 0.0;
    double command_difference_rad = 0.0;
    double overshoot_rad = 0.0;
    double approach = 0.0;  // the direction in which the plan reaches the goal
    std::optional<double> last_plan;
    std::optional<double> start_position;
    bool has_moved = false;
    std::optional<double> inside_since_s;   // the band around the goal
    std::optional<double> start_error;      // when the hold began
    std::optional<double> first_beyond_s;   // when the error first exceeded that
    std::optional<double> first_limited_s;  // on the way or in the hold
    Envelope envelope;
  };
  /// A probe and the place its values are read into.
  struct Input {
    const sim::Probe* probe = nullptr;
    std::vector<double> values;
    void read() { probe->read(values); }
  };

  Input input(const sim::Probes& probes, const std::string& name) const;
  void open_reference();
  void record_joint(std::size_t index, double time_s, bool is_holding);
  void record_reference(double time_s);
  void record_hold(Joint& joint, double to_goal, double time_s);
  Judgement judge(const Joint& joint) const;
  std::optional<double> settling_s(const Joint& joint) const;
  nlohmann::ordered_json joint_result(const Joint& joint) const;
  void add_stability(nlohmann::ordered_json& out) const;

  MetricsConfig config_;
  double period_s_;
  Input position_, plan_, pid_error_, velocity_command_, limited_, reference_at_rest_,
      end_effector_, path_deviation_;
  std::vector<Joint> joints_;
  std::uint64_t records_ = 0;
  double path_deviation_max_m_ = 0.0;
  double path_deviation_max_at_s_ = 0.0;
  double path_deviation_square_ = 0.0;
  double end_s_ = 0.0;
  std::optional<Time> diverged_at_;
  std::string inconclusive_;

  std::unique_ptr<TraceSource> reference_;
  bool has_reference_ = false;
  std::vector<std::size_t> reference_command_columns_;
  std::vector<std::size_t> reference_end_effector_columns_;
  double reference_path_deviation_max_m_ = 0.0;
  double reference_path_deviation_max_at_s_ = 0.0;
  double reference_compared_s_ = 0.0;
};

/// The table printed at the end of a run.
std::string format_metrics_table(const nlohmann::ordered_json& metrics);

}  // namespace longarm::record
