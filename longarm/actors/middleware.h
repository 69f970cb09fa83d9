// SPDX-License-Identifier: Apache-2.0
// What components of one system share: a name service, topics, and somebody who counts their calls.
#pragma once

#include <memory>
#include <string>

#include "longarm/actors/component_config.h"
#include "longarm/actors/component_program.h"
#include "longarm/cell/wish.h"
#include "longarm/components/node.h"
#include "longarm/components/simulation.h"

namespace longarm::actors {

/// A component at run time. The node goes first: its tasks use the program.
struct ComponentUnit {
  std::unique_ptr<components::Transport> transport;
  std::unique_ptr<components::Processor> processor;
  std::unique_ptr<Program> program;  ///< null: it is a process of its own
  std::unique_ptr<components::Node> node;
};

/// Whoever is part of a system of components, as its middleware finds it among the actors.
class ComponentDescription {
 public:
  virtual ~ComponentDescription() = default;
  virtual const std::string& middleware() const = 0;
  virtual const ComponentConfig& component() const = 0;
};

/// And what they share, from its keys.
class MiddlewareDescription {
 public:
  virtual ~MiddlewareDescription() = default;
  virtual const MiddlewareConfig& config() const = 0;
};

class Middleware {
 public:
  static constexpr cell::Interface kInterface{"middleware", cell::Reach::kSpoken};

  virtual ~Middleware() = default;
  /// Opens the component of that name; the middleware looks at it until the end of the run.
  virtual void open(const std::string& component, ComponentUnit& unit) = 0;
  /// Computing times are those of the run.
  virtual const ComponentConfig& config_of(const std::string& component) const = 0;
  virtual const TopicsConfig& topics() const = 0;
  virtual const Subscribers& subscribers() const = 0;
  /// A process takes the component's place.
  virtual void join(const std::string& component, ComponentUnit& unit) = 0;
};

}  // namespace longarm::actors
