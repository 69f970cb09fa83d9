// SPDX-License-Identifier: Apache-2.0
// Keys of a node, and what is wrong with some.
#include "longarm/components/node_config.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/suggest.h"

namespace longarm::components {
namespace {

using network::KeyRemark;

/// Without its value.
ParameterDeclaration declaration_of(const DeclaredParameter& declared) {
  return {.name = declared.name,
          .type = parameter_type(declared.type),
          .value = {},
          .unit = declared.unit,
          .doc = declared.doc,
          .least = declared.least,
          .most = declared.most};
}

/// The type once more, for a hint: "it is a double in s: time between two frames".
std::string described(const ParameterDeclaration& declaration) {
  std::string out = fmt::format("it is a {}", name_of(declaration.type));
  if (!declaration.unit.empty()) {
    out += " in " + declaration.unit;
  }
  return declaration.doc.empty() ? out : out + ": " + declaration.doc;
}

}  // namespace

std::string NodeConfig::node() const {
  return node_name(name_space, base_name.empty() ? name : base_name);
}

std::map<std::string, std::string> NodeConfig::remap_rules() const {
  std::map<std::string, std::string> rules;
  for (const RemapRule& rule : remap) {
    rules[rule.name] = rule.to;
  }
  return rules;
}

std::string NodeConfig::resolve(std::string_view used) const {
  return resolve_name(used, node(), remap_rules());
}

void list_names(Fields& fields, NodeConfig& config) {
  fields.field("namespace", config.name_space,
               "namespace of its node and of the relative names that it uses");
  fields.field("name", config.base_name, "name of its node; default: the actor's name");
  named(fields, "remap",
        "other names for topics, components, services and actions that it uses: NAME: OTHER",
        config.remap, [](Fields& group, RemapRule& rule) {
          group.field("to", rule.to, "the name to use instead; remap: {NAME: OTHER} is short");
        });
}

void list_fields(Fields& fields, NodeConfig& config) {
  list_names(fields, config);
  named(fields, "declares", "parameters that it declares besides those of its program",
        config.declares, [](Fields& group, DeclaredParameter& declared) {
          group.choice("type", declared.type, parameter_type_names(), "type, as in ROS 2");
          group.field("default", declared.value, "value unless parameters sets another");
          group.field("unit", declared.unit, "unit, for readers");
          group.field("doc", declared.doc, "what it is for");
          group.field("least", declared.least, "smallest value");
          group.field("most", declared.most, "largest value");
        });
  named(fields, "parameters", "values of parameters at the start: NAME: VALUE", config.parameters,
        [](Fields& group, ParameterSetting& setting) {
          group.field("value", setting.value, "its value; parameters: {NAME: VALUE} is short");
        });
}

std::vector<KeyRemark> judge_node(const NodeConfig& config) {
  std::vector<KeyRemark> remarks;
  const auto judge_name = [&](const std::string& key, const std::string& text) {
    if (const std::string what = complaint_about_name(text); !what.empty()) {
      remarks.push_back({key, what, "for example left/camera, /left/camera or ~camera"});
    }
  };
  if (config.name_space.find_first_not_of('/') != std::string::npos) {
    judge_name("namespace", config.name_space);
  }
  if (config.name_space.starts_with('~')) {
    remarks.push_back({"namespace", "a namespace cannot be private", "for example left"});
  }
  if (config.base_name.find_first_of("/~") != std::string::npos) {
    remarks.push_back({"name", fmt::format("the name '{}' has a namespace in it", config.base_name),
                       "use namespace for that"});
  } else if (!config.base_name.empty()) {
    judge_name("name", config.base_name);
  }
  for (const RemapRule& rule : config.remap) {
    judge_name("remap." + rule.name, rule.name);
    judge_name("remap." + rule.name + ".to", rule.to);
  }

  std::vector<ParameterDeclaration> known = config.program_parameters;
  for (const DeclaredParameter& declared : config.declares) {
    const std::string key = "declares." + declared.name;
    if (const std::string what = complaint_about_name(declared.name); !what.empty()) {
      remarks.push_back({key, what, "for example gain or limits/speed"});
    }
    if (std::ranges::find(known, declared.name, &ParameterDeclaration::name) != known.end()) {
      remarks.push_back({key,
                         fmt::format("its program already has a parameter '{}'", declared.name),
                         "set it under parameters, or choose another name"});
      continue;
    }
    ParameterDeclaration declaration = declaration_of(declared);
    const Result<Parameter> value = parse_parameter(declaration, declared.value);
    if (!value) {
      remarks.push_back(
          {key + ".default",
           declared.value.empty() ? "a parameter needs a default" : value.error().message,
           "give a value of its type"});
    }
    known.push_back(std::move(declaration));
  }
  for (const ParameterSetting& setting : config.parameters) {
    const std::string key = "parameters." + setting.name;
    const auto found = std::ranges::find(known, setting.name, &ParameterDeclaration::name);
    if (found == known.end()) {
      remarks.push_back({key, fmt::format("there is no parameter '{}'", setting.name),
                         known.empty() ? "this component has none; declare it under declares"
                                       : suggest(setting.name, names_of(known))});
      continue;
    }
    const Result<Parameter> value = parse_parameter(*found, setting.value);
    if (!value) {
      remarks.push_back({key + ".value", value.error().message, described(*found)});
    }
  }
  return remarks;
}

std::vector<ParameterDeclaration> declared_parameters(const NodeConfig& config) {
  std::vector<ParameterDeclaration> all = config.program_parameters;
  for (const DeclaredParameter& declared : config.declares) {
    ParameterDeclaration declaration = declaration_of(declared);
    Result<Parameter> value = parse_parameter(declaration, declared.value);
    if (value) {
      declaration.value = std::move(value).value();
      all.push_back(std::move(declaration));
    }
  }
  for (const ParameterSetting& setting : config.parameters) {
    const auto found = std::ranges::find(all, setting.name, &ParameterDeclaration::name);
    Result<Parameter> value =
        found == all.end() ? Result<Parameter>(Error{}) : parse_parameter(*found, setting.value);
    if (value) {
      found->value = std::move(value).value();
    }
  }
  return all;
}

void declare_parameters(Node& node, const NodeConfig& config) {
  for (ParameterDeclaration& parameter : declared_parameters(config)) {
    node.declare_parameter(std::move(parameter));
  }
}

}  // namespace longarm::components
