// SPDX-License-Identifier: Apache-2.0
// The keys of a system of components: its network, who runs where, what is measured, and an arm
// that some of them move. Internal to the folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/components/lockstep/lockstep_config.h"
#include "longarm/components/loop_component.h"
#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/network/topology/network_config.h"

namespace longarm::experiments {

struct ComponentConfig : components::LoopConfig {
  std::string host;  ///< where the placement's rule is `listed`; empty: the first one
  std::string program = "loop";
  std::int64_t threads = 0;  ///< requests executed at once; 0: any number
  std::string command;       ///< foreign: how to start it; empty: it joins by itself
};

/// Who runs where, when it is not written at each component.
struct PlacementConfig {
  std::string rule = "listed";        ///< listed, together, separate or isolate
  std::vector<std::string> isolated;  ///< isolate: these share the second host, the rest the first
};

/// How computing times of all components vary around what is written at them.
struct ExecutionConfig {
  double scale = 1.0;
  double variation = 0.0;  ///< standard deviation over mean, of a log-normal distribution
};

/// Publish and subscribe through one component that all publishers call, and which calls all
/// subscribers.
struct TopicsConfig {
  std::string server;             ///< empty: from publisher to subscriber
  network::VaryingTime handling;  ///< computing of a subscriber, for each message
};

struct ArmConfig {
  std::string model;  ///< empty: no arm, nothing moves
  std::string hand;   ///< the frame that follows the path
  std::vector<double> positions_deg;
  std::vector<std::vector<double>> path_m;  ///< corners of a closed path, in the model's root
  double speed_m_s = 0.05;
  double gain = 5.0;  ///< of the distance to the corner, 1/s: slows down before it
};

struct ComponentsConfig {
  Duration length{5'000'000'000};
  Duration settle{100'000'000};  ///< from when on cycles and calls count
  network::NetworkConfig network;
  std::optional<Duration> call_timeout;  ///< nothing: see call_timeout_of()
  PlacementConfig placement;
  std::string name_service_host;  ///< empty: the first one
  ExecutionConfig execution;
  TopicsConfig topics;
  std::string measure;  ///< the component whose cycles are; empty: the first that has some
  ArmConfig arm;
  components::LockstepConfig lockstep;
  std::vector<ComponentConfig> components;

  bool has_foreign() const;
};

/// What a component may be.
std::vector<std::string> program_names();
/// Whether a program has use for the arm.
bool needs_arm(const std::string& program);

void list_fields(Fields& fields, ComponentsConfig& config);

/// Reads files, and judges everything that needs no engine.
std::vector<network::KeyRemark> load(ComponentsConfig& config, InputFiles& files);

/// Of calls that have none of their own: a second where messages get lost, none over TCP.
std::optional<Duration> call_timeout_of(const ComponentsConfig& config);
/// Whether it works in cycles of calls, which can be measured.
bool has_cycles(const ComponentConfig& component);

/// Names of all hosts, in order.
std::vector<std::string> host_names(const ComponentsConfig& config);
/// The host of each component, by the rule. Needs hosts enough for it.
std::vector<std::string> hosts_of(const ComponentsConfig& config);

/// Computing times as the run has them: scaled, and spread where only `fixed` was given.
class ExecutionTimes {
 public:
  explicit ExecutionTimes(const ExecutionConfig& config);
  network::VaryingTime operator()(const network::VaryingTime& time) const;

 private:
  double scale_;
  std::shared_ptr<const std::vector<double>> factors_;  ///< equally likely; null: they are all 1
};

}  // namespace longarm::experiments
