// SPDX-License-Identifier: Apache-2.0
// The kind `arm`: a robot that follows a plan, its controller, and the link that cuts their loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/actors/arm_config.h"
#include "longarm/actors/goal_input.h"
#include "longarm/actors/plan_follower.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/diagnosis.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/cell/run.h"
#include "longarm/control/arm_loop.h"
#include "longarm/motion/kinematics.h"
#include "longarm/motion/nearest_distance.h"
#include "longarm/network/changeable_link.h"
#include "longarm/record/metrics.h"
#include "longarm/record/plan_geometry.h"
#include "longarm/record/trace_csv.h"
#include "longarm/tasks/task.h"

namespace longarm::actors {

/// An arm before it runs: its keys, its robot, and its plan.
class ArmModel final : public cell::ActorModel, public PlanFollower, public GoalTaker {
 public:
  explicit ArmModel(ArmParts parts) : parts_(std::make_shared<ArmParts>(std::move(parts))) {}

  /// As the user has it: lists have one number per driven joint.
  const ArmConfig& config() const { return config_; }
  /// The same with lists for all joints of the tree.
  const ArmConfig& whole_config() const { return whole_; }
  /// Joints of the tree that the controller drives. Others follow these, or swing freely.
  const std::vector<int>& driven() const { return driven_; }
  /// As it stands in the cell, with the rotors that its servo has.
  const model::BodyTree& tree() const { return placement_.tree; }
  int end_effector_frame() const { return end_effector_frame_; }
  const tasks::Plan& plan() const { return plan_; }
  /// Of the end effector as planned, in the axes of the robot's base.
  const motion::PlannedCurve& curve() const { return *curve_; }
  Duration physics_period() const { return physics_period_; }
  /// As its base sees it.
  const model::Vector3& gravity_R_m_s2() const { return gravity_R_m_s2_; }
  /// What is between controller and joints, in words for people: "link delay 20ms each way".
  std::string link_text() const;

  Duration hold() const override { return config_.task.hold; }
  Duration hold_start() const override { return plan_.hold_start; }
  Duration control_period() const override { return config_.control.period; }
  bool has_stopped(const nlohmann::ordered_json& results) const override;

  std::string why_no_goals() const override;
  const std::vector<int>& goal_joints() const override { return driven_; }
  std::vector<cell::Interface> offers() const override { return {GoalInput::kInterface}; }
  std::string host_of(const cell::Interface& interface, const std::string& own) const override;

  void list_fields(Fields& fields) override;
  void list_short_fields(Fields& fields, bool with_network) override;
  std::string short_key(const std::string& key) const override { return actors::short_key(key); }
  void normalise(config::ConfigNode& node, Diagnostics& diagnostics) const override;
  void make_way(config::ConfigNode& node, const config::Override& change) const override;
  void complete(std::string& host, bool has_network) override;
  std::vector<std::pair<std::string, std::string>> more_hosts() const override;
  std::vector<cell::KeyRemark> load(InputFiles& files, const cell::LoadContext& context) override;
  std::vector<model::Placement> brings() const override { return {placement_}; }
  std::vector<cell::KeyRemark> place(model::Cell& cell, const cell::LoadContext& context) override;
  std::vector<cell::KeyRemark> plan(const model::Cell& cell,
                                    const cell::LoadContext& context) override;
  std::optional<Duration> usual_length() const override { return plan_.end; }
  std::shared_ptr<cell::ActorModel> without_link() const override;
  std::string plan_hash() const override;
  void name_streams(network::Topology& topology, const std::string& host) const override;
  std::unique_ptr<cell::Actor> make(cell::World& world, const std::string& name) const override;
  cell::Figures figures() const override;
  std::vector<nlohmann::ordered_json> shows(const cell::ShowContext& context) const override;

 private:
  std::shared_ptr<const ArmParts> parts_;
  ArmConfig config_;
  ArmConfig whole_;
  std::vector<int> driven_;
  std::string short_host_;  ///< of its joints, where that is a key of the robot's group
  bool is_short_ = false;
  Duration physics_period_{};
  model::Placement placement_;
  std::map<std::string, std::string> transmissions_;  ///< of its file
  model::Vector3 gravity_R_m_s2_ = model::Vector3::Zero();
  int end_effector_frame_ = 0;
  tasks::Plan plan_;
  /// Shared by copies of the model: it never changes, and that of a long plan takes long to make.
  std::shared_ptr<const motion::PlannedCurve> curve_;
  std::uint64_t run_hash_ = 0;
};

/// What the arm touched that it should not have.
struct ContactRecord {
  std::uint64_t steps = 0;
  std::optional<Time> first_at;
  std::string first_pair;
};

/// An arm at work.
class ArmActor final : public cell::Actor, public GoalInput {
 public:
  ArmActor(const ArmModel& model, cell::World& world, std::string name);
  ~ArmActor() override;

  const sim::Probes* probes() const override { return &probes_; }
  const record::Metrics& metrics() const { return *metrics_; }
  const control::ArmLoop& loop() const { return *loop_; }

  void follow(const motion::Trajectory& trajectory, Time start,
              const control::ToleranceConfig& tolerances) override {
    loop_->follow(trajectory, start, tolerances);
  }
  void drive(std::span<const double> velocities) override { loop_->drive(velocities); }
  void hold(std::span<const double> positions) override { loop_->hold(positions); }
  const control::JointTrajectoryController& controller() const override {
    return loop_->controller();
  }
  const control::JointStates& seen() const override { return loop_->seen(); }
  const control::ToleranceConfig& tolerances() const override { return tolerances_; }

  void sample(std::span<double> out) const override;
  nlohmann::ordered_json results() const override;
  std::vector<std::string> warnings() const override { return warnings_; }
  std::vector<cell::ResultFile> files() const override;
  std::optional<model::Vector3> tracked_point() const override;
  void add_to(Hash& hash) const override { loop_->add_to(hash); }
  Result<bool> close_files() override { return trace_ ? trace_->close() : Result<bool>(true); }
  std::vector<physics::BodyId> own_bodies() const override { return bodies_; }
  bool has_run_away() const override { return has_run_away_; }

 private:
  class Recorder;

  control::LoopLinks make_links();
  void make_loop();
  void offer_live_keys();
  void offer_gain(const char* key, std::vector<double> control::GainsConfig::*list,
                  const char* unit);
  void diagnose(Time now, std::vector<cell::Diagnosis>& out) const;
  void offer_end_effector_probes();
  void record(Time stamp);
  void note_contacts(Time stamp);
  bool is_beyond_sense() const;
  double path_deviation(motion::PlannedCurve::Cursor& cursor) const;
  std::string why_inconclusive() const;
  std::string csv_name() const { return world_.prefix(name_) + "trace.csv"; }

  const ArmModel& model_;
  const ArmConfig& config_;
  cell::World& world_;
  std::string name_;
  int placement_;
  std::vector<physics::BodyId> bodies_;
  motion::Kinematics kinematics_;
  motion::PlannedCurve::Cursor curve_cursor_;
  std::unique_ptr<Recorder> recorder_;
  std::vector<network::ChangeableLink*> own_links_;  ///< of the loop; none across a network
  control::GainsConfig gains_;                       ///< as they are now, for all joints; likewise
  double feed_forward_ = 0.0;
  control::ToleranceConfig tolerances_;
  std::unique_ptr<control::ArmLoop> loop_;
  sim::Probes probes_;
  mutable std::optional<record::Metrics> metrics_;
  std::unique_ptr<record::CsvTraceWriter> trace_;
  ContactRecord contacts_;
  std::vector<std::string> warnings_;
  bool has_run_away_ = false;
};

/// Of the scenario's actor of that name, which is an arm; by default that of a scenario in short.
const ArmModel& arm_of(const cell::PreparedScenario& prepared,
                       const std::string& name = cell::kShortName);
const ArmActor& arm_of(const cell::Run& run, const std::string& name = cell::kShortName);

/// Where its end effector should be.
record::PlanGeometry plan_geometry(const ArmModel& arm);

/// path.svg, drawn from an arm's trace.csv and, if `reference` is not empty, that of another run.
/// Throws InputError if a trace cannot be read.
std::string draw_path(const ArmModel& arm, const std::string& title, const std::string& trace,
                      const std::string& reference);

}  // namespace longarm::actors
