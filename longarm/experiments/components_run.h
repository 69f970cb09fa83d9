// SPDX-License-Identifier: Apache-2.0
// A system of components on hosts, in operation: one kernel for the network, the programs and the
// arm. Internal to the folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/components/lockstep/lockstep_door.h"
#include "longarm/components/node.h"
#include "longarm/components/simulation.h"
#include "longarm/experiments/component_arm.h"
#include "longarm/experiments/component_config.h"
#include "longarm/experiments/component_figures.h"
#include "longarm/experiments/component_program.h"
#include "longarm/experiments/experiment.h"
#include "longarm/network/network.h"
#include "longarm/sim/kernel.h"

namespace longarm::experiments {

class ComponentsRun final : public Experiment {
 public:
  /// Throws InputError for what only shows now.
  ComponentsRun(const ComponentsConfig& config, const ArmModel& arm,
                const ExperimentContext& context);
  ~ComponentsRun() override;

  components::CommunicationGraph graph() const;

 private:
  /// In order of destruction the node comes first: its tasks use the program.
  struct Unit {
    std::unique_ptr<components::Transport> transport;
    std::unique_ptr<components::Processor> processor;
    std::unique_ptr<Program> program;
    std::unique_ptr<components::Node> node;
  };

  Unit open_unit(const std::string& name, const std::string& host, const ComponentConfig* config);
  void make_names();
  void make_components();
  void step_world(Time now);
  double bandwidth_bit_s() const;
  double counted_s() const;
  std::size_t outstanding_calls() const;
  void warn_of_cycles(std::size_t unit, std::vector<std::string>& out) const;
  void warn_of_open_calls(std::size_t unit, std::vector<std::string>& out) const;
  nlohmann::ordered_json host_figures() const;

  Duration do_length() const override { return config_.length; }
  void do_step() override;
  void do_sample(std::span<double> out) const override;
  nlohmann::ordered_json do_results() const override;
  std::vector<std::string> do_warnings() const override;
  std::optional<std::string> do_failure() const override { return failure_; }
  std::vector<ResultFile> do_files() const override;
  const physics::Engine& do_engine() const override { return *engine_; }
  const model::Cell& do_cell() const override { return arm_model_.cell; }

  ComponentsConfig config_;  ///< computing times are those of the run
  ArmModel arm_model_;
  Duration period_;
  std::uint64_t seed_;
  std::vector<std::string> host_of_;
  Subscribers subscribers_;
  std::size_t measured_ = 0;
  std::unique_ptr<physics::Engine> engine_;
  std::optional<ArmPort> arm_;
  sim::Kernel kernel_;
  sim::SourceId world_;
  network::Topology topology_;
  std::unique_ptr<network::Network> network_;
  std::unique_ptr<components::SimulatedHosts> hosts_;
  std::unique_ptr<SystemObserver> observer_;
  std::unique_ptr<components::LockstepDoor> door_;
  Unit names_unit_;
  std::unique_ptr<components::NameService> names_;
  std::vector<Unit> units_;

  std::optional<std::string> failure_;
  bool is_captured_ = false;
  bool has_path_begun_ = false;
  double deviation_m_ = 0.0;
  double deviation_max_m_ = 0.0;
  double deviation_squares_ = 0.0;
  std::uint64_t deviation_count_ = 0;
};

/// The keys of a loaded experiment, if it is of this kind; for those who run its components
/// otherwise.
const ComponentsConfig* find_components(const ExperimentModel& model);

/// The component whose cycles are measured: config.measure, or the first that has cycles.
std::size_t measured_component(const ComponentsConfig& config);

}  // namespace longarm::experiments
