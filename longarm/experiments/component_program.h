// SPDX-License-Identifier: Apache-2.0
// What a component does: the loop that needs no code, and programs that move an arm. Internal to
// the folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "longarm/components/loop_component.h"
#include "longarm/components/node.h"
#include "longarm/experiments/component_arm.h"
#include "longarm/experiments/component_config.h"
#include "longarm/experiments/component_topics.h"

namespace longarm::experiments {

/// What programs are given. Computing times are those of the run.
struct ProgramContext {
  components::Node& node;
  const ComponentConfig& config;
  const TopicsConfig& topics;
  const Subscribers& subscribers;
  std::uint64_t seed = 1;
  ArmPort* arm = nullptr;  ///< null: there is none
};

class Program {
 public:
  virtual ~Program() = default;
  /// From first request to last reply; empty for those without cycles.
  virtual const std::vector<components::LoopCycle>& cycles() const = 0;
  virtual std::uint64_t overruns() const = 0;
  /// What a call of it came to last that went wrong; empty: nothing did.
  virtual std::string last_failure() const = 0;
};

/// By the name of its `program`. Outlives the tasks of its node.
std::unique_ptr<Program> make_program(const ProgramContext& context);

/// Everything of a component that a program of its own has no other idea about: methods, topics
/// and, if `has_cycles`, the calls of its cycles.
class PlainPart {
 public:
  /// What a publication contains; nothing: so many zeros as its key says.
  using Content = std::function<components::Bytes(const components::LoopPublication&)>;
  using Heard = std::function<void(const std::string& topic, const components::Bytes&)>;

  /// Leaves out the methods in `own_methods`.
  PlainPart(const ProgramContext& context, bool has_cycles,
            const std::vector<std::string>& own_methods = {}, Content content = {},
            Heard heard = {});

  const components::LoopComponent& loop() const { return *loop_; }
  std::string last_failure() const;

 private:
  void make_topics(const ProgramContext& context, Content content, Heard heard);

  std::unique_ptr<components::LoopComponent> loop_;
  std::unique_ptr<TopicServer> server_;
  std::vector<std::unique_ptr<TopicPublisher>> publishers_;
  std::vector<std::unique_ptr<TopicSubscriber>> subscribers_;
};

}  // namespace longarm::experiments
