// SPDX-License-Identifier: Apache-2.0
// The keys of components that call each other and publish, and of what they have in common.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/actors/statechart_config.h"
#include "longarm/cell/wish.h"
#include "longarm/components/lockstep/lockstep_config.h"
#include "longarm/components/loop_component.h"
#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/network/key_remark.h"

namespace longarm::actors {

/// The program of a component that is a process of its own.
inline constexpr const char* kForeign = "foreign";

struct ComponentConfig : components::LoopConfig {
  std::string program = "loop";
  std::int64_t threads = 0;  ///< requests executed at once; 0: any number
  std::string command;       ///< foreign: how to start it; empty: it joins by itself
  /// Of its program, no keys: whether it works through its calls in cycles, whether it must, and
  /// what it serves besides.
  bool is_cyclic = true;
  bool needs_period = false;
  std::vector<std::string> own_methods{};
  std::vector<std::string> own_actions{};
  std::vector<StateConfig> states{};  ///< of a program that is a statechart
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
  std::string server_node{};      ///< the full name of its node; no key
  network::VaryingTime handling;  ///< computing of a subscriber, for each message
};

/// What all components of a system share.
struct MiddlewareConfig {
  Duration settle{100'000'000};          ///< from when on cycles and calls count
  std::optional<Duration> call_timeout;  ///< nothing: a second where messages get lost
  ExecutionConfig execution;
  TopicsConfig topics;
  std::string measure;  ///< the component whose cycles are; empty: the first that has some
  components::LockstepConfig lockstep;
};

void list_fields(Fields& fields, MiddlewareConfig& config);

/// Whether it works in cycles of calls, which can be measured.
bool has_cycles(const ComponentConfig& component);

/// Everybody of a system, and what they have in common.
struct ComponentSystem {
  MiddlewareConfig config;
  std::vector<ComponentConfig> components;
  std::vector<std::string> hosts;  ///< of each
  bool is_udp = false;             ///< calls and topics travel in datagrams

  bool has_foreign() const;
  /// The component whose cycles are measured: config.measure, or the first that has cycles.
  std::size_t measured() const;
};

/// Names that exist, methods that somebody serves, messages that fit. Keys are the scenario's.
std::vector<network::KeyRemark> judge_system(const ComponentSystem& system,
                                             const std::string& middleware);

/// Computing times as the run has them: scaled, and spread where only `fixed` was given.
class ExecutionTimes {
 public:
  explicit ExecutionTimes(const ExecutionConfig& config);
  network::VaryingTime operator()(const network::VaryingTime& time) const;
  void apply(ComponentConfig& component) const;

 private:
  double scale_;
  std::shared_ptr<const std::vector<double>> factors_;  ///< equally likely; null: they are all 1
};

}  // namespace longarm::actors
