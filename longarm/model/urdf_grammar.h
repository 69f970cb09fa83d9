// SPDX-License-Identifier: Apache-2.0
// URDF's grammar as data. Internal to the folder.
#pragma once

#include <string>
#include <vector>

namespace longarm::model {

enum class AttributeKind { kText, kNumber, kPositive, kNotNegative, kVector };

struct AttributeRule {
  std::string name;
  AttributeKind kind = AttributeKind::kText;
  bool is_required = false;
  std::string example;  ///< a value, for hints
};

struct ChildRule {
  std::string tag;
  bool is_required = false;
  bool may_repeat = false;
};

struct ElementRule {
  std::string tag;
  std::vector<AttributeRule> attributes;
  std::vector<ChildRule> children;
};

/// What we read, plus what others write and we ignore. Elements that are not listed are not looked
/// into.
const std::vector<ElementRule>& urdf_grammar();

/// Whether <geometry> may hold it.
bool is_shape_tag(const std::string& tag);

}  // namespace longarm::model
