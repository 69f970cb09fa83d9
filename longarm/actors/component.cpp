// SPDX-License-Identifier: Apache-2.0
// The kinds `component` and `lockstep`: a program on a host that calls, serves, publishes and
// subscribes, ours or a process of its own.
#include <algorithm>

#include <fmt/format.h>

#include "longarm/actors/component_statechart.h"
#include "longarm/actors/kinds.h"
#include "longarm/actors/middleware.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/world.h"
#include "longarm/components/loop_component.h"
#include "longarm/core/suggest.h"
#include "longarm/network/external/external_backend.h"

namespace longarm::actors {
namespace {

using cell::World;
using Remarks = std::vector<cell::KeyRemark>;

class ComponentActor final : public cell::Actor {
 public:
  /// `kind` null: it is a process of its own.
  ComponentActor(const cell::Wish& middleware, const cell::Wish& arm, const ProgramKind* kind,
                 World& world, const std::string& name) {
    Middleware& system = world.ask<Middleware>(middleware);
    system.open(name, unit_);
    offer_parameters(world, *unit_.node);
    if (kind == nullptr) {
      system.join(name, unit_);
      return;
    }
    unit_.program = kind->make({*unit_.node, system.config_of(name), system.topics(),
                                system.subscribers(), world.seed(), world, arm});
  }

 private:
  /// Whoever watches a served cell may change them, without a message on the simulated network.
  static void offer_parameters(World& world, components::Node& node) {
    for (const components::ParameterDeclaration& each : node.own_parameters()) {
      const std::string name = each.name;
      if (each.type == components::ParameterType::kString ||
          each.type == components::ParameterType::kStringArray) {
        continue;
      }
      world.offer_live_key({.name = node.name().substr(1) + "/" + name,
                            .unit = each.unit,
                            .doc = each.doc,
                            .value = [&node, name] { return *node.own_parameter(name); },
                            .set =
                                [&node, name](const nlohmann::ordered_json& value) {
                                  return node.set_own_parameter(name, value);
                                }});
    }
  }

  ComponentUnit unit_;
};

/// "joint_states: left/joint_states" in full, as it is listed.
void spread(config::ConfigNode& node, const std::string& group, const std::string& key) {
  config::ConfigNode* const entries = node.find(group);
  if (entries == nullptr || entries->kind != config::ConfigNode::Kind::kMap) {
    return;
  }
  for (config::ConfigNode::Entry& entry : entries->entries) {
    if (entry.value.kind == config::ConfigNode::Kind::kScalar ||
        entry.value.kind == config::ConfigNode::Kind::kList) {
      config::ConfigNode whole;
      whole.kind = config::ConfigNode::Kind::kMap;
      whole.where = entry.value.where;
      whole.set(key, entry.value.where, std::move(entry.value));
      entry.value = std::move(whole);
    }
  }
}

void spread_node_keys(config::ConfigNode& node) {
  spread(node, "remap", "to");
  spread(node, "parameters", "value");
}

class ComponentModel final : public cell::ActorModel, public ComponentDescription {
 public:
  explicit ComponentModel(ProgramKinds programs) : programs_(std::move(programs)) {}

  void list_fields(Fields& fields) override {
    cell::list_wish(fields, "middleware", middleware_,
                    "middleware that it belongs to; default: the only one");
    std::vector<std::string> names;
    for (const auto& [name, kind] : programs_) {
      names.push_back(name);
    }
    fields.choice("program", config_.program, names,
                  "its program; loop: defined by the keys below");
    fields.field("threads", config_.threads, "requests executed in parallel; 0: unlimited");
    cell::list_wish(fields, "arm", arm_, "arm that its program uses; default: the only one");
    components::list_fields(fields, config_);
    actors::list_fields(fields, config_.states);
    if (config_.threads < 0) {
      fields.reject("threads", "the number of threads must not be negative", "0 means unlimited");
    }
    const ProgramKind& kind = programs_.at(config_.program);
    config_.is_cyclic = kind.is_cyclic;
    config_.needs_period = kind.needs_period;
    config_.own_methods = kind.own_methods;
    config_.own_actions = kind.own_actions;
  }
  void normalise(config::ConfigNode& node, Diagnostics&) const override { spread_node_keys(node); }
  bool is_placed_by_rule() const override { return true; }
  std::vector<cell::WishInfo> wishes() const override {
    std::vector<cell::WishInfo> wishes{
        {"middleware", middleware_.name, Middleware::kInterface, true}};
    if (const std::optional<cell::Interface>& arm = programs_.at(config_.program).arm) {
      wishes.push_back({"arm", arm_.name, *arm, true});
    }
    return wishes;
  }
  void take(const cell::WishInfo& wish, const std::string& actor) override {
    (wish.key == "arm" ? arm_ : middleware_).name = actor;
  }

  Remarks load(InputFiles& files, const cell::LoadContext& context) override {
    config_.name = context.name;
    config_.program_parameters = programs_.at(config_.program).parameters;
    Remarks remarks = components::load(config_, files);
    if (middleware_.is_empty()) {
      remarks.push_back(
          {"middleware", "a component needs a middleware", "name an actor of kind middleware"});
    }
    if (programs_.at(config_.program).arm && arm_.is_empty()) {
      remarks.push_back({"arm", fmt::format("program '{}' needs an arm", config_.program),
                         "name the actor that has one"});
    }
    judge_states(remarks);
    return remarks;
  }

  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<ComponentActor>(middleware_, arm_, &programs_.at(config_.program),
                                            world, name);
  }

  const std::string& middleware() const override { return middleware_.name; }
  const ComponentConfig& component() const override { return config_; }

 private:
  void judge_states(Remarks& remarks) const {
    const std::optional<StatechartVocabulary>& known = programs_.at(config_.program).states;
    if (!known) {
      if (!config_.states.empty()) {
        remarks.push_back({"states", fmt::format("program '{}' has no states", config_.program),
                           "use program: statechart"});
      }
      return;
    }
    if (config_.states.empty()) {
      remarks.push_back({"states", "a statechart has states",
                         "for example states: {Waiting: {transitions: {go: {to: Moving, after: "
                         "1s}}}, Moving: {calls: {…}}}"});
    }
    if (!config_.calls.empty()) {
      remarks.push_back({"calls", "a statechart makes calls only in its states",
                         "move them into a state: states: {NAME: {calls: …}}"});
    }
    StatechartVocabulary vocabulary = *known;
    vocabulary.values.insert(vocabulary.values.end(), {"cycles", "failures"});
    vocabulary.events = config_.subscribes;
    for (const components::LoopMethod& method : config_.serves) {
      vocabulary.events.push_back(method.name);
    }
    for (const components::ParameterDeclaration& each : components::declared_parameters(config_)) {
      if (each.value.is_number() || each.value.is_boolean()) {
        vocabulary.values.push_back(each.name);
      }
    }
    const Remarks more = judge(config_.states, vocabulary);
    remarks.insert(remarks.end(), more.begin(), more.end());
    for (const components::LoopMethod& method : config_.serves) {
      const std::vector<std::string> events = event_methods(config_);
      if (!method.calls.empty() && std::ranges::find(events, method.name) != events.end()) {
        remarks.push_back({"serves." + method.name + ".calls",
                           "a method that is an event of the statechart cannot make calls",
                           "make the calls in a state"});
      }
    }
  }

  ProgramKinds programs_;
  cell::Wish middleware_;
  cell::Wish arm_;
  ComponentConfig config_;
};

class LockstepModel final : public cell::ActorModel, public ComponentDescription {
 public:
  LockstepModel() {
    config_.program = kForeign;
    config_.is_cyclic = false;
  }

  void list_fields(Fields& fields) override {
    cell::list_wish(fields, "middleware", middleware_,
                    "middleware that it belongs to; default: the only one");
    fields.field("command", config_.command, "command that starts it; empty: started separately");
    fields.field("threads", config_.threads, "requests executed in parallel; 0: unlimited");
    components::list_names(fields, config_);
  }
  void normalise(config::ConfigNode& node, Diagnostics&) const override { spread_node_keys(node); }
  bool is_placed_by_rule() const override { return true; }
  std::vector<cell::WishInfo> wishes() const override {
    return {{"middleware", middleware_.name, Middleware::kInterface, true}};
  }
  void take(const cell::WishInfo&, const std::string& actor) override { middleware_.name = actor; }
  Remarks load(InputFiles& files, const cell::LoadContext& context) override {
    config_.name = context.name;
    config_.command = network::with_found_files(config_.command, files);
    if (middleware_.is_empty()) {
      return {{"middleware", "a component needs a middleware", "name an actor of kind middleware"}};
    }
    return components::judge_node(config_);
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<ComponentActor>(middleware_, cell::Wish{}, nullptr, world, name);
  }

  const std::string& middleware() const override { return middleware_.name; }
  const ComponentConfig& component() const override { return config_; }

 private:
  cell::Wish middleware_;
  ComponentConfig config_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_component(const ProgramKinds& programs) {
  return std::make_unique<ComponentModel>(programs);
}

std::unique_ptr<cell::ActorModel> make_lockstep() {
  return std::make_unique<LockstepModel>();
}

}  // namespace longarm::actors
