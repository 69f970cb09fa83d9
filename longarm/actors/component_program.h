// SPDX-License-Identifier: Apache-2.0
// What a component does: the loop that needs no code, and programs of one's own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/actors/component_config.h"
#include "longarm/actors/component_topics.h"
#include "longarm/cell/world.h"
#include "longarm/components/loop_component.h"
#include "longarm/components/node.h"

namespace longarm::actors {

/// What programs are given. Computing times are those of the run.
struct ProgramContext {
  components::Node& node;
  const ComponentConfig& config;
  const TopicsConfig& topics;
  const Subscribers& subscribers;
  std::uint64_t seed = 1;
  const cell::World& world;
  const cell::Wish& arm;  ///< an arm that it moves, if its kind of program does
};

class Program {
 public:
  virtual ~Program() = default;
  /// From first request to last reply; empty for those without cycles.
  virtual const std::vector<components::LoopCycle>& cycles() const = 0;
  virtual std::uint64_t overruns() const = 0;
  /// What a call of it came to last that went wrong; empty: nothing did.
  virtual std::string last_failure() const = 0;
  /// Of a statechart: its states, and how often each was entered.
  virtual std::vector<std::pair<std::string, std::uint64_t>> entered() const { return {}; }
};

/// A program that components may have, and what is to be known of it beforehand.
struct ProgramKind {
  std::string summary;
  /// Outlives the tasks of its node.
  std::function<std::unique_ptr<Program>(const ProgramContext&)> make;
  bool is_cyclic = true;                   ///< works through the calls of its component in cycles
  bool needs_period = false;               ///< and must have some
  std::vector<std::string> own_methods{};  ///< that it serves besides those of the keys
  std::optional<cell::Interface> arm{};    ///< what it asks its arm for
  /// Of a statechart: what guards may compare beside cycles and failures, and how many numbers
  /// a state's target has.
  std::optional<StatechartVocabulary> states{};
  std::vector<std::string> own_actions{};  ///< that it serves besides those of the keys
  /// That components with this program have; it reads them from its node.
  std::vector<components::ParameterDeclaration> parameters{};
};

/// By name.
using ProgramKinds = std::map<std::string, ProgramKind>;

/// `loop`: as the keys of its component say; `statechart`: as its states do.
ProgramKinds built_in_programs();

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

}  // namespace longarm::actors
