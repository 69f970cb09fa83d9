// SPDX-License-Identifier: Apache-2.0
// Judges a system of components: names that exist, methods that somebody serves, and the like.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "longarm/actors/component_config.h"
#include "longarm/components/names.h"
#include "longarm/core/suggest.h"
#include "longarm/network/external/external_backend.h"

namespace longarm::actors {
namespace {

using network::KeyRemark;
using Remarks = std::vector<KeyRemark>;
using Names = std::vector<std::string>;

// what UDP over IPv4 carries at most, and what frames have around their content (see frame.h)
constexpr std::int64_t kLargestDatagramBytes = 65'507;
constexpr std::size_t kRequestBytes = 7;  // and the method's name
constexpr std::size_t kReplyBytes = 21;
constexpr std::size_t kDatumBytes = 9;
constexpr std::size_t kActionBytes = 5;  // the state, and the length of what follows

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Methods that a component answers to.
Names methods_of(const ComponentConfig& component) {
  Names methods = component.own_methods;
  for (const components::LoopMethod& method : component.serves) {
    methods.push_back(method.name);
  }
  return methods;
}

/// How users write a full name: "Server", "left/Server".
std::string plain(const std::string& full) {
  return full.substr(full.starts_with('/') ? 1 : 0);
}

class SystemJudge {
 public:
  SystemJudge(const ComponentSystem& system, std::string middleware)
      : system_(system),
        own_("actors." + std::move(middleware) + "."),
        names_(names_of(system.components)) {
    for (const ComponentConfig& component : system.components) {
      nodes_.emplace(component.node(), &component);
      node_names_.push_back(plain(component.node()));
    }
  }

  Remarks remarks() && {
    judge_name(own_ + "measure", config().measure);
    judge_measured();
    judge_name(own_ + "topics.server", config().topics.server);
    judge_nodes();
    judge_topics();
    for (const ComponentConfig& component : system_.components) {
      judge_component(component);
    }
    return std::move(remarks_);
  }

 private:
  const MiddlewareConfig& config() const { return system_.config; }

  void error(const std::string& key, std::string message, std::string hint) {
    remarks_.push_back({key, std::move(message), std::move(hint)});
  }

  void judge_name(const std::string& key, const std::string& name) {
    if (!name.empty() && !has(names_, name)) {
      error(key, fmt::format("there is no component '{}'", name), suggest(name, names_));
    }
  }

  void judge_nodes() {
    for (const ComponentConfig& component : system_.components) {
      const ComponentConfig* const first = nodes_.at(component.node());
      if (first != &component) {
        error("actors." + component.name,
              fmt::format("its node has the same name as that of '{}': {}", first->name,
                          component.node()),
              "give it another name or namespace");
      }
    }
  }

  /// The component that `caller` means, and the method or action; null after a complaint, and for
  /// the caller itself.
  const ComponentConfig* judge_service(const std::string& key, const ComponentConfig& caller,
                                       const std::string& to, std::string& method) {
    if (to.empty()) {
      return nullptr;
    }
    auto [node, name] =
        components::resolve_service(to, method, caller.node(), caller.remap_rules());
    method = std::move(name);
    const auto found = nodes_.find(node);
    if (found == nodes_.end()) {
      const bool is_as_written = node == "/" + to;
      error(key + ".to",
            is_as_written ? fmt::format("there is no component '{}'", to)
                          : fmt::format("there is no component '{}', which is {} here", to, node),
            suggest_node(node));
      return nullptr;
    }
    if (found->second == &caller) {
      error(key + ".to", "a component cannot call itself: it would wait forever",
            "call another component, or use a computing time");
      return nullptr;
    }
    return found->second;
  }

  /// As it can be written everywhere: with a slash in front, unless there are no namespaces.
  std::string suggest_node(const std::string& node) const {
    const bool is_flat = std::ranges::none_of(
        node_names_, [](const std::string& name) { return name.find('/') != name.npos; });
    if (is_flat && node.rfind('/') == 0) {
      return suggest(plain(node), node_names_);
    }
    Names full;
    for (const auto& [name, component] : nodes_) {
      full.push_back(name);
    }
    return suggest(node, full);
  }

  void judge_measured() {
    for (const ComponentConfig& component : system_.components) {
      if (component.name == config().measure && !has_cycles(component)) {
        error(own_ + "measure", fmt::format("'{}' has no cycles to measure", component.name),
              "name a component with period and calls");
      }
    }
  }

  /// A datagram that IP does not carry would never arrive.
  void judge_datagram(const std::string& key, std::size_t frame_bytes, std::int64_t bytes) {
    const std::int64_t most = kLargestDatagramBytes - static_cast<std::int64_t>(frame_bytes);
    if (system_.is_udp && bytes > most) {
      error(key, fmt::format("{} bytes do not fit into a UDP datagram", bytes),
            fmt::format("use at most {}, or network.flows=tcp", most));
    }
  }

  void judge_topics() {
    std::set<std::string> published;
    for (const ComponentConfig& component : system_.components) {
      for (const components::LoopPublication& each : component.publishes) {
        const std::string topic = component.resolve(each.topic_name());
        published.insert(topic);
        const std::string method = "topic" + topic;
        judge_datagram(fmt::format("actors.{}.publishes.{}.bytes", component.name, each.name),
                       config().topics.server.empty() ? kDatumBytes : kRequestBytes + method.size(),
                       each.bytes);
      }
    }
    Names topics;
    for (const std::string& topic : published) {
      topics.push_back(topic.rfind('/') == 0 ? plain(topic) : topic);
    }
    for (const ComponentConfig& component : system_.components) {
      const std::string key = "actors." + component.name;
      for (const std::string& topic : component.subscribes) {
        const std::string full = component.resolve(topic);
        if (!published.contains(full)) {
          error(key + ".subscribes",
                full == "/" + topic
                    ? fmt::format("no component publishes '{}'", topic)
                    : fmt::format("no component publishes '{}', which is {} here", topic, full),
                topics.empty() ? "let a component publish it" : suggest(topic, topics));
        }
      }
      const bool has_topics = !component.publishes.empty() || !component.subscribes.empty();
      if (has_topics && component.name == config().topics.server) {
        error(key, "the topic server only forwards messages",
              "let another component publish or subscribe");
      }
    }
  }

  void judge_calls(const std::string& key, const std::vector<components::LoopCall>& calls,
                   const ComponentConfig& caller) {
    for (const components::LoopCall& call : calls) {
      const std::string at = key + "." + call.name;
      std::string method = call.method_name();
      judge_datagram(at + ".request_bytes", kRequestBytes + method.size(), call.request_bytes);
      const ComponentConfig* const server = judge_service(at, caller, call.to, method);
      if (server == nullptr || server->program == kForeign) {
        continue;
      }
      if (call.is_about_parameters()) {
        judge_parameters(at, call, *server);
        continue;
      }
      const Names methods = methods_of(*server);
      const Names actions = names_of(server->actions);
      if (has(actions, method)) {
        error(at, fmt::format("'{}' is an action of '{}', not a method", method, call.to),
              fmt::format("goals: {{{}: {{to: {}}}}}", method, call.to));
      } else if (!has(methods, method)) {
        error(at + (call.method.empty() ? "" : ".method"),
              fmt::format("'{}' serves no method '{}'", call.to, method), suggest(method, methods));
      }
    }
  }

  void judge_parameters(const std::string& at, const components::LoopCall& call,
                        const ComponentConfig& server) {
    const std::vector<components::ParameterDeclaration> known =
        components::declared_parameters(server);
    const auto find = [&](const std::string& key, const std::string& name) {
      const auto found = std::ranges::find(known, name, &components::ParameterDeclaration::name);
      if (found == known.end()) {
        error(at + key, fmt::format("'{}' has no parameter '{}'", call.to, name),
              known.empty() ? "it has none; declare it there under declares"
                            : suggest(name, names_of(known)));
      }
      return found;
    };
    for (const std::string& name : call.get) {
      find(".get", name);
    }
    for (const std::string& text : call.set) {
      const auto assignment = components::split_assignment(text);
      const auto found = assignment ? find(".set", assignment->first) : known.end();
      if (found == known.end()) {
        continue;
      }
      const Result<components::Parameter> value =
          components::checked_parameter(*found, components::guess_parameter(assignment->second));
      if (!value) {
        error(at + ".set", fmt::format("parameter '{}': {}", found->name, value.error().message),
              fmt::format("it is a {}", components::name_of(found->type)));
      }
    }
  }

  void judge_goals(const std::string& key, const ComponentConfig& client) {
    for (const components::LoopGoal& goal : client.goals) {
      const std::string at = key + "." + goal.name;
      std::string action = goal.action_name();
      judge_datagram(at + ".goal_bytes", kRequestBytes + action.size(), goal.goal_bytes);
      const ComponentConfig* const server = judge_service(at, client, goal.to, action);
      if (server == nullptr || server->program == kForeign) {
        continue;
      }
      Names actions = server->own_actions;
      for (const components::LoopAction& each : server->actions) {
        actions.push_back(each.name);
      }
      if (!has(actions, action)) {
        error(at + (goal.action.empty() ? "" : ".action"),
              fmt::format("'{}' has no action '{}'", goal.to, action),
              actions.empty() ? "add it there under actions" : suggest(action, actions));
      }
    }
  }

  /// A slip of the keyboard makes a new component.
  bool does_nothing(const ComponentConfig& component) const {
    return component.program == "loop" && component.period == Duration::zero() &&
           component.serves.empty() && component.publishes.empty() &&
           component.subscribes.empty() && component.actions.empty() && component.goals.empty() &&
           component.declares.empty() && component.name != config().topics.server;
  }

  void judge_component(const ComponentConfig& component) {
    const std::string key = "actors." + component.name;
    if (const std::string complaint = components::complaint_about_name(component.name);
        !complaint.empty()) {
      error(key, complaint, "");
    }
    if (component.name == "NameService") {
      error(key, "a component of this name already exists", "choose another name");
    }
    if (does_nothing(component)) {
      Names others = names_;
      std::erase(others, component.name);
      const std::string near = nearest_name(component.name, others);
      error(key, fmt::format("'{}' does nothing", component.name),
            near.empty() ? "give it calls, publishes, serves or subscribes"
                         : fmt::format("did you mean '{}'?", near));
    }
    if (component.threads < 0) {
      error(key + ".threads", "a number of threads must not be negative", "0 means any number");
    }
    judge_program(component, key);
    judge_calls(key + ".calls", component.calls, component);
    judge_goals(key + ".goals", component);
    judge_actions(key, component);
    for (const StateConfig& state : component.states) {
      judge_calls(key + ".states." + state.name + ".enter", state.enter, component);
      judge_calls(key + ".states." + state.name + ".calls", state.calls, component);
    }
    for (const components::LoopMethod& method : component.serves) {
      const std::string at = key + ".serves." + method.name;
      judge_datagram(at + ".reply_bytes", kReplyBytes, method.reply_bytes);
      judge_calls(at + ".calls", method.calls, component);
    }
  }

  /// Methods and actions share one name space at a node, with those for parameters.
  void judge_actions(const std::string& key, const ComponentConfig& component) {
    const Names methods = methods_of(component);
    for (const components::LoopAction& action : component.actions) {
      const std::string at = key + ".actions." + action.name;
      judge_datagram(at + ".result_bytes", kReplyBytes + kActionBytes, action.result_bytes);
      judge_datagram(at + ".feedback_bytes", kReplyBytes + kActionBytes, action.feedback_bytes);
      if (has(methods, action.name)) {
        error(at, fmt::format("'{}' is also a method that it serves", action.name),
              "rename one of them");
      }
    }
  }

  void judge_program(const ComponentConfig& component, const std::string& key) {
    if (component.needs_period && component.period <= Duration::zero()) {
      error(key + ".period", "this program needs a period", "10ms is usual");
    }
  }

  const ComponentSystem& system_;
  std::string own_;
  Names names_;
  std::map<std::string, const ComponentConfig*> nodes_;  ///< by their full names
  Names node_names_;                                     ///< those, without the slash in front
  Remarks remarks_;
};

}  // namespace

Remarks judge_system(const ComponentSystem& system, const std::string& middleware) {
  return SystemJudge(system, middleware).remarks();
}

}  // namespace longarm::actors
