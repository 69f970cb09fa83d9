// SPDX-License-Identifier: Apache-2.0
// Parameters that a node declares: a name, a type, a value, a unit and what they are for; as in
// ROS 2. Others read and set them by calls that cross the network.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longarm/components/names.h"
#include "longarm/core/result.h"

namespace longarm::components {

/// Those of ROS 2 but for bytes.
enum class ParameterType : std::uint8_t {
  kBool,
  kInteger,
  kDouble,
  kString,
  kBoolArray,
  kIntegerArray,
  kDoubleArray,
  kStringArray
};

/// "bool", "integer", "double", "string", "bool_array", …: in the order of the types.
const std::vector<std::string>& parameter_type_names();
const std::string& name_of(ParameterType type);
/// Of one of those names.
ParameterType parameter_type(std::string_view name);

struct ParameterDeclaration {
  std::string name;
  ParameterType type = ParameterType::kDouble;
  Parameter value;  ///< the default; of a declared parameter, what it is now
  std::string unit{};
  std::string doc{};
  std::optional<double> least{};  ///< of numbers, also of those in arrays
  std::optional<double> most{};
};

/// The value as its type has it: 3 becomes 3.0 where a double is wanted. The error says what is
/// wrong with it.
Result<Parameter> checked_parameter(const ParameterDeclaration& declaration,
                                    const Parameter& value);
/// From what a user wrote; seconds may have a unit: "20ms".
Result<Parameter> parse_parameter(const ParameterDeclaration& declaration,
                                  const std::vector<std::string>& words);
/// As JSON; what is no UTF-8 is replaced.
std::string json_text(const Parameter& value);
/// A value without a declaration: "3", "true", "[1, 2]"; anything else is text.
Parameter guess_parameter(const std::string& text);

/// Those of one node.
class NodeParameters {
 public:
  using Changed = std::function<void(const Parameter& value)>;

  /// `node` is whose they are, for errors.
  explicit NodeParameters(std::string node) : node_(std::move(node)) {}

  /// Replaces one of that name. The value must be of the type.
  void declare(ParameterDeclaration declaration);
  /// In the order of declaration.
  const std::vector<ParameterDeclaration>& all() const { return all_; }
  /// Null if there is none.
  const ParameterDeclaration* find(std::string_view name) const;
  /// All of them, or none and an error. Then those who follow them hear of it.
  Result<bool> set(const std::vector<std::pair<std::string, Parameter>>& values);
  /// Called with each later value.
  void follow(std::string_view name, Changed changed);
  /// "'/camera' has no parameter 'rat'; did you mean 'rate'?"
  Error unknown(std::string_view name) const;

 private:
  ParameterDeclaration* find_own(std::string_view name);

  std::string node_;
  std::vector<ParameterDeclaration> all_;
  std::map<std::string, std::vector<Changed>, std::less<>> followers_;
};

}  // namespace longarm::components
