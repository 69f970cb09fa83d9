// SPDX-License-Identifier: Apache-2.0
// What a node is told at launch: its name, its namespace, other names for what it uses, and its
// parameters.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "longarm/components/node.h"
#include "longarm/components/parameters.h"
#include "longarm/core/fields.h"
#include "longarm/network/key_remark.h"

namespace longarm::components {

/// A rule `name: to`.
struct RemapRule {
  std::string name;
  std::string to;
};

/// A parameter that the user declares.
struct DeclaredParameter {
  std::string name;
  std::string type = "double";
  std::vector<std::string> value;  ///< the default
  std::string unit;
  std::string doc;
  std::optional<double> least;
  std::optional<double> most;
};

struct ParameterSetting {
  std::string name;
  std::vector<std::string> value;
};

struct NodeConfig {
  std::string name;        ///< of the component; no key
  std::string base_name;   ///< `name`: of its node; empty: the component's
  std::string name_space;  ///< `namespace`
  std::vector<RemapRule> remap;
  std::vector<DeclaredParameter> declares;
  std::vector<ParameterSetting> parameters;
  /// Of its program, no keys.
  std::vector<ParameterDeclaration> program_parameters;

  /// "/left/camera"
  std::string node() const;
  std::map<std::string, std::string> remap_rules() const;
  /// Resolved and remapped as the node does it.
  std::string resolve(std::string_view name) const;
};

void list_fields(Fields& fields, NodeConfig& config);
/// Those of names alone.
void list_names(Fields& fields, NodeConfig& config);
/// Remarks name keys below the component.
std::vector<network::KeyRemark> judge_node(const NodeConfig& config);

/// All that it has, with the values it is told; ignores what judge_node() complains about.
std::vector<ParameterDeclaration> declared_parameters(const NodeConfig& config);
void declare_parameters(Node& node, const NodeConfig& config);

}  // namespace longarm::components
