// SPDX-License-Identifier: Apache-2.0
// UR arms in operation: one kernel for the world, their controllers, and a driver behind a network.
// Internal to the folder.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/control/arm_loop.h"
#include "longarm/core/log.h"
#include "longarm/experiments/experiment.h"
#include "longarm/experiments/ur_driver.h"
#include "longarm/experiments/ur_path.h"
#include "longarm/experiments/ur_scene.h"
#include "longarm/network/network.h"
#include "longarm/robots/ur_robot.h"
#include "longarm/sim/kernel.h"
#include "longarm/workcell/network_client_link.h"

namespace longarm::experiments {

/// Of an arm: its curves come first, then the driver's.
inline constexpr std::size_t kUrJoints = 6;

/// How long a run is when its keys do not say.
Duration length_of(const UrRunConfig& config, const UrScene& scene);

class UrRun final : public Experiment {
 public:
  /// Throws InputError for what only shows now.
  UrRun(const UrRunConfig& config, const UrScene& scene, const ExperimentContext& context);
  ~UrRun() override;

  /// The arm that the driver moves, or the first; null where it has no UR controller.
  const robots::UrRobot* driven() const;
  const UrDriver* driver() const { return driver_.get(); }
  /// From the driver to the robot's real-time port; null without one.
  const workcell::NetworkClientLink* status_link() const;

 private:
  /// Null where a loop without a UR controller moves the arm.
  using Robots = std::vector<std::unique_ptr<robots::UrRobot>>;

  void make_robots();
  void make_network(const ExperimentContext& context);
  void make_driver();
  void make_loop();
  void schedule();
  workcell::NetworkClientLink& connect(protocols::Door& door, bool is_call_out);
  protocols::Door& door(const std::string& name) const;
  network::NodeId node(const std::string& host) const;
  void sample(Time now);
  void take_call(Time now);
  void record(Time end);
  std::optional<Time> plan_begun() const;
  bool is_ramping() const;
  std::string why_inconclusive() const;
  const workcell::NetworkClientLink& command_link() const;
  std::uint64_t commands_received() const;
  /// Why the robot did nothing, or no more, of what it was told; empty: it did.
  std::string why_idle() const;
  void add_driver_results(nlohmann::ordered_json& out) const;
  void add_loop_results(nlohmann::ordered_json& out) const;
  void add_network_results(nlohmann::ordered_json& out) const;
  nlohmann::ordered_json robot_results() const;

  Duration do_length() const override { return length_; }
  bool do_can_outlast_length() const override { return !config_.driver.is_on(); }
  void do_step() override;
  void do_sample(std::span<double> out) const override;
  nlohmann::ordered_json do_results() const override;
  std::vector<std::string> do_warnings() const override;
  std::optional<std::string> do_failure() const override { return failure_; }
  std::vector<protocols::Door*> do_doors() override;
  const physics::Engine& do_engine() const override { return *engine_; }
  const model::Cell& do_cell() const override { return scene_.cell; }

  UrRunConfig config_;
  UrScene scene_;
  Duration length_;
  Duration period_;
  std::uint64_t seed_;
  Log log_;
  std::unique_ptr<physics::Engine> engine_;
  Robots robots_;
  sim::Kernel kernel_;
  sim::SourceId world_;
  network::Topology topology_;
  std::unique_ptr<network::Network> network_;
  motion::Trajectory loop_plan_;
  std::unique_ptr<control::ArmLoop> loop_;  ///< kind ros_control
  std::deque<std::unique_ptr<workcell::NetworkClientLink>> links_;
  std::unique_ptr<UrDriver> driver_;               ///< kinds speedj and servoj
  protocols::Door* sockets_ = nullptr;             ///< that calls the driver; kind servoj
  workcell::NetworkClientLink* called_ = nullptr;  ///< by the robot, not yet answered
  std::unique_ptr<UrPath> path_;
  std::optional<std::string> failure_;
};

}  // namespace longarm::experiments
