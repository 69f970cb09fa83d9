// SPDX-License-Identifier: Apache-2.0
// `longarm nodes`: the nodes of a scenario with their topics, services, actions and parameters, by
// full names, as `rosnode info` and `ros2 node info` show them.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/longarm/commands.h"
#include "labs/labs.h"
#include "longarm/actors/middleware.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/components/name_messages.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"

namespace longarm::app {
namespace {

using Json = nlohmann::ordered_json;

struct NodesArguments {
  std::string scenario;
  std::vector<std::string> nodes;
  cell::LoadOptions load;
  bool prints_json = false;
};

/// A name, and the nodes at its other end.
using Ends = std::map<std::string, std::vector<std::string>>;

struct NodeInfo {
  std::string name;
  std::string actor;
  std::string host;
  std::string program;
  bool is_foreign = false;  ///< only its program knows what it uses
  Ends publishes;
  Ends subscribes;
  Ends services;
  Ends calls;
  Ends actions;
  Ends goals;
  std::vector<components::ParameterDeclaration> parameters;
};

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

void add_service(const actors::ComponentConfig& component, const std::string& to,
                 const std::string& method, Ends& ends) {
  const auto [node, service] =
      components::resolve_service(to, method, component.node(), component.remap_rules());
  add_once(ends[node + "/" + service], node);
}

NodeInfo info_of(const actors::ComponentConfig& component, const std::string& host) {
  NodeInfo info;
  info.name = component.node();
  info.actor = component.name;
  info.host = host;
  info.program = component.program;
  info.is_foreign = component.program == actors::kForeign;
  for (const components::LoopPublication& each : component.publishes) {
    info.publishes[component.resolve(each.topic_name())];
  }
  for (const std::string& topic : component.subscribes) {
    info.subscribes[component.resolve(topic)];
  }
  const auto own = [&info](const std::string& name) { return info.name + "/" + name; };
  const auto add_calls = [&](const std::vector<components::LoopCall>& calls) {
    for (const components::LoopCall& call : calls) {
      add_service(component, call.to, call.method_name(), info.calls);
    }
  };
  for (const std::string& method : component.own_methods) {
    info.services[own(method)];
  }
  for (const components::LoopMethod& method : component.serves) {
    info.services[own(method.name)];
    add_calls(method.calls);
  }
  add_calls(component.calls);
  for (const actors::StateConfig& state : component.states) {
    add_calls(state.enter);
    add_calls(state.calls);
  }
  for (const std::string& action : component.own_actions) {
    info.actions[own(action)];
  }
  for (const components::LoopAction& action : component.actions) {
    info.actions[own(action.name)];
  }
  for (const components::LoopGoal& goal : component.goals) {
    add_service(component, goal.to, goal.action_name(), info.goals);
  }
  info.parameters = components::declared_parameters(component);
  if (!info.parameters.empty()) {
    for (const std::string_view service :
         {components::kGetParameters, components::kSetParameters, components::kListParameters}) {
      info.services[own(std::string(service))];
    }
  }
  return info;
}

/// Who uses `name` in that list of theirs.
std::vector<std::string> users(const std::vector<NodeInfo>& all, Ends NodeInfo::*list,
                               const std::string& name) {
  std::vector<std::string> out;
  for (const NodeInfo& each : all) {
    if ((each.*list).contains(name)) {
      out.push_back(each.name);
    }
  }
  return out;
}

void join_ends(std::vector<NodeInfo>& all, Ends NodeInfo::*one, Ends NodeInfo::*other) {
  for (NodeInfo& info : all) {
    for (auto& [name, nodes] : info.*one) {
      nodes = users(all, other, name);
    }
  }
}

std::vector<NodeInfo> read_nodes(const NodesArguments& arguments) {
  const cell::PreparedScenario prepared =
      cell::load_scenario(arguments.scenario, arguments.load, labs::built_in_plugins());
  std::vector<NodeInfo> all;
  for (const cell::ActorEntry& actor : prepared.cell().actors) {
    if (const auto* member = dynamic_cast<const actors::ComponentDescription*>(actor.model.get())) {
      all.push_back(info_of(member->component(), actor.host));
    }
  }
  if (all.empty()) {
    refuse({arguments.scenario, 0, 0}, "this scenario has no components",
           "it needs actors of kind middleware and component");
  }
  join_ends(all, &NodeInfo::publishes, &NodeInfo::subscribes);
  join_ends(all, &NodeInfo::subscribes, &NodeInfo::publishes);
  join_ends(all, &NodeInfo::services, &NodeInfo::calls);
  join_ends(all, &NodeInfo::actions, &NodeInfo::goals);
  return all;
}

/// Those asked for, by the names of nodes or actors; all if none is.
std::vector<NodeInfo> choose(std::vector<NodeInfo> all, const std::vector<std::string>& wanted) {
  if (wanted.empty()) {
    return all;
  }
  std::vector<NodeInfo> chosen;
  for (const std::string& name : wanted) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const NodeInfo& each) {
      return each.name == name || each.name == "/" + name || each.actor == name;
    });
    if (found == all.end()) {
      refuse(fmt::format("there is no node '{}'", name), suggest(name, names_of(all)));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

void print_ends(const char* heading, const char* arrow, const Ends& ends) {
  if (ends.empty()) {
    return;
  }
  fmt::print("  {}\n", heading);
  for (const auto& [name, nodes] : ends) {
    fmt::print("    {}{}\n", name, nodes.empty() ? "" : fmt::format("  {} {}", arrow, join(nodes)));
  }
}

void print(const NodeInfo& info) {
  fmt::print("{}  {} on {}{}\n", info.name,
             info.is_foreign ? "a process of its own" : "program " + info.program,
             info.host.empty() ? "no host" : info.host,
             info.name == "/" + info.actor ? "" : fmt::format(", actor {}", info.actor));
  if (info.is_foreign) {
    fmt::print("  what it uses is known when it runs\n");
  }
  print_ends("publishes", "→", info.publishes);
  print_ends("subscribes", "←", info.subscribes);
  print_ends("services", "←", info.services);
  print_ends("calls", "→", info.calls);
  print_ends("actions", "←", info.actions);
  print_ends("goals", "→", info.goals);
  if (!info.parameters.empty()) {
    fmt::print("  parameters\n");
  }
  for (const components::ParameterDeclaration& each : info.parameters) {
    fmt::print("    {} = {}{}  {}{}\n", each.name, components::json_text(each.value),
               each.unit.empty() ? "" : " " + each.unit, components::name_of(each.type),
               each.doc.empty() ? "" : ", " + each.doc);
  }
}

Json to_json(const NodeInfo& info) {
  Json parameters = Json::array();
  for (const components::ParameterDeclaration& each : info.parameters) {
    parameters.push_back({{"name", each.name},
                          {"type", components::name_of(each.type)},
                          {"value", each.value},
                          {"unit", each.unit},
                          {"doc", each.doc}});
  }
  return {
      {"node", info.name},         {"actor", info.actor},         {"host", info.host},
      {"program", info.program},   {"publishes", info.publishes}, {"subscribes", info.subscribes},
      {"services", info.services}, {"calls", info.calls},         {"actions", info.actions},
      {"goals", info.goals},       {"parameters", parameters}};
}

int nodes(const NodesArguments& arguments) {
  const std::vector<NodeInfo> chosen = choose(read_nodes(arguments), arguments.nodes);
  if (arguments.prints_json) {
    Json out = Json::array();
    for (const NodeInfo& info : chosen) {
      out.push_back(to_json(info));
    }
    fmt::print("{}\n", out.dump(2));
    return kDone;
  }
  for (const NodeInfo& info : chosen) {
    print(info);
  }
  return kDone;
}

}  // namespace

Command add_nodes_command(CLI::App& word) {
  const auto arguments = std::make_shared<NodesArguments>();
  word.add_option("scenario", arguments->scenario, "a scenario with components")->required();
  word.add_option("node", arguments->nodes, "nodes or actors to show; default: all");
  word.add_option("--set", arguments->load.overrides, "change a key, as for longarm run")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_plugin_option(word, arguments->load.plugins);
  word.add_flag("--json", arguments->prints_json, "print JSON");
  word.footer(
      "Names are full names, after namespaces and remapping; arrows lead to the other ends.\n\n"
      "  longarm nodes two-stations /left/arm\n"
      "  longarm nodes two-stations --set actors.right_camera.remap.image=/left/image");
  return [arguments] { return nodes(*arguments); };
}

}  // namespace longarm::app
