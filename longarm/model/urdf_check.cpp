// SPDX-License-Identifier: Apache-2.0
// The walk that compares a URDF text with the grammar, and the few rules that are more than
// grammar.
#include "longarm/model/urdf_check.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/model/shape.h"
#include "longarm/model/urdf_grammar.h"

namespace longarm::model {
namespace {

const ElementRule* rule_for(const std::string& tag) {
  const std::vector<ElementRule>& rules = urdf_grammar();
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const ElementRule& rule) { return rule.tag == tag; });
  return found == rules.end() ? nullptr : &*found;
}

std::string example(const std::string& tag, const AttributeRule& attribute) {
  return fmt::format("for example <{} {}=\"{}\"/>", tag, attribute.name, attribute.example);
}

class UrdfChecker {
 public:
  UrdfChecker(const XmlSource& source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics) {}

  void check(pugi::xml_node element) {
    const ElementRule* rule = rule_for(element.name());
    if (rule == nullptr) {
      return;
    }
    check_attributes(element, *rule);
    check_children(element, *rule);
    if (rule->tag == "geometry") {
      check_geometry(element);
    } else if (rule->tag == "joint") {
      check_joint(element);
    }
    for (const pugi::xml_node child : element.children()) {
      const std::string tag = child.name();
      // which way a joint does not move, nobody needs to know
      const bool is_idle = tag == "axis" && is_fixed(element);
      if (!is_idle && std::any_of(rule->children.begin(), rule->children.end(),
                                  [&](const ChildRule& allowed) { return allowed.tag == tag; })) {
        check(child);
      }
    }
  }

 private:
  static bool is_fixed(pugi::xml_node joint) {
    return joint.attribute("type").value() == std::string("fixed");
  }
  static bool is_drawn(pugi::xml_node mesh) {
    return mesh.parent().parent().name() == std::string("visual");
  }
  void error(pugi::xml_node element, const std::string& message, const std::string& hint) {
    diagnostics_.error(source_.where(element), owner_of(element) + message, hint);
  }
  void warning(pugi::xml_node element, const std::string& message, const std::string& hint) {
    diagnostics_.warning(source_.where(element), owner_of(element) + message, hint);
  }

  void check_attributes(pugi::xml_node element, const ElementRule& rule) {
    for (const AttributeRule& attribute : rule.attributes) {
      const pugi::xml_attribute found = element.attribute(attribute.name.c_str());
      if (found) {
        check_value(element, attribute, found.value());
      } else if (attribute.is_required) {
        error(element, fmt::format("<{}> needs the attribute '{}'", rule.tag, attribute.name),
              example(rule.tag, attribute));
      }
    }
    std::vector<std::string> known;
    std::vector<std::string> seen;
    for (const AttributeRule& attribute : rule.attributes) {
      known.push_back(attribute.name);
    }
    for (const pugi::xml_attribute attribute : element.attributes()) {
      const std::string name = attribute.name();
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
        error(element, fmt::format("<{}> has the attribute '{}' twice", rule.tag, name),
              "keep one");
      } else if (!name.starts_with("xmlns") && name.find(':') == std::string::npos &&
                 std::find(known.begin(), known.end(), name) == known.end()) {
        warning(element, fmt::format("unknown attribute '{}' of <{}> is ignored", name, rule.tag),
                known.empty() ? "" : suggest(name, known));
      }
      seen.push_back(name);
    }
  }

  void check_value(pugi::xml_node element, const AttributeRule& rule, const std::string& value) {
    const std::string tag = element.name();
    if (rule.kind == AttributeKind::kText) {
      if (value.empty() && tag == "robot") {
        warning(element, "the robot has no name", example(tag, rule));
      } else if (value.empty() && rule.is_required) {
        error(element, fmt::format("<{}> attribute '{}' is empty", tag, rule.name),
              example(tag, rule));
      }
      return;
    }
    // a number is a vector of one
    const std::size_t wanted = rule.kind == AttributeKind::kVector ? 3 : 1;
    const std::vector<std::string> words = words_of(value);
    // what collides has to be beyond doubt; what is drawn has not
    const bool are_equal =
        std::adjacent_find(words.begin(), words.end(), std::not_equal_to<>()) == words.end();
    if (rule.name == "scale" && words.size() > wanted && (is_drawn(element) || are_equal)) {
      warning(element,
              fmt::format(
                  "<{}> attribute '{}' needs 3 numbers but has {}: '{}'; the first three are used",
                  tag, rule.name, words.size(), value),
              example(tag, rule));
    } else if (words.size() != wanted) {
      error(element,
            fmt::format("<{}> attribute '{}' needs {} but has {}: '{}'", tag, rule.name,
                        wanted == 1 ? "1 number" : "3 numbers", words.size(), value),
            example(tag, rule));
      return;
    }
    for (const std::string& word : words) {
      const std::optional<double> number = parse_number(word);
      if (!number || !std::isfinite(*number)) {
        error(element,
              fmt::format("<{}> attribute '{}' is not a finite number: '{}'", tag, rule.name, word),
              word.find(',') != std::string::npos ? "the decimal separator is a point"
                                                  : example(tag, rule));
        return;
      }
      check_sign(element, rule, *number);
    }
  }

  void check_sign(pugi::xml_node element, const AttributeRule& rule, double number) {
    const std::string tag = element.name();
    // every size of a box is a length, too
    const bool must_be_positive = rule.kind == AttributeKind::kPositive || tag == "box";
    if (tag == "mass" && number == 0.0) {
      warning(element, "<mass> is 0: the link counts as massless",
              "remove <inertial> if this is intended");
    } else if (must_be_positive && number == 0.0) {
      warning(element, fmt::format("<{}> has no size and is ignored", tag),
              "remove it, or give it a size; " + example(tag, rule));
    } else if (must_be_positive && number < 0.0) {
      error(element,
            fmt::format("<{}> attribute '{}' must be greater than 0, is {}", tag, rule.name,
                        format_number(number)),
            tag == "mass" ? "remove <inertial> if the link has no mass" : example(tag, rule));
    } else if (must_be_positive && tag != "mass" && number > kMostLength_m) {
      error(element,
            fmt::format("<{}> attribute '{}' is implausibly large: {} m", tag, rule.name,
                        format_number(number)),
            "sizes are in metres; " + example(tag, rule));
    } else if (rule.kind == AttributeKind::kNotNegative && number < 0.0) {
      error(element,
            fmt::format("<{}> attribute '{}' must not be negative, is {}", tag, rule.name,
                        format_number(number)),
            example(tag, rule));
    }
  }

  void check_children(pugi::xml_node element, const ElementRule& rule) {
    std::vector<std::string> known;
    for (const ChildRule& child : rule.children) {
      known.push_back(child.tag);
      const pugi::xml_node first = element.child(child.tag.c_str());
      if (child.is_required && !first) {
        error(element, fmt::format("<{}> needs a <{}>", rule.tag, child.tag),
              child_hint(child.tag));
      }
      const pugi::xml_node second = first.next_sibling(child.tag.c_str());
      if (!child.may_repeat && second) {
        // of two values ROS takes the first; of two links none
        const std::string message = fmt::format("<{}> has more than one <{}>", rule.tag, child.tag);
        if (child.tag == "parent" || child.tag == "child") {
          error(second, message, "keep one");
        } else {
          warning(second, message + "; the first one is used", "keep one");
        }
      }
    }
    // foreign elements are no business of ours, unless they look like a slip
    for (const pugi::xml_node child : element.children()) {
      const std::string tag = child.name();
      const bool is_known = std::find(known.begin(), known.end(), tag) != known.end();
      const bool is_foreign = tag.find(':') != std::string::npos && !tag.starts_with("longarm:");
      if (!tag.empty() && !is_known && !is_foreign && !nearest_name(tag, known).empty()) {
        warning(child, fmt::format("unknown element <{}> in <{}> is ignored", tag, rule.tag),
                suggest(tag, known));
      }
    }
  }

  static std::string child_hint(const std::string& tag) {
    const ElementRule* rule = rule_for(tag);
    if (rule == nullptr || rule->attributes.empty() || !rule->attributes.front().is_required) {
      return {};
    }
    std::string text = "for example <" + tag;
    for (const AttributeRule& attribute : rule->attributes) {
      text += fmt::format(" {}=\"{}\"", attribute.name, attribute.example);
    }
    return text + "/>";
  }

  void check_geometry(pugi::xml_node geometry) {
    int shapes = 0;
    pugi::xml_node unknown;
    for (const pugi::xml_node child : geometry.children()) {
      if (child.type() == pugi::node_element) {
        const bool is_shape = is_shape_tag(child.name());
        shapes += is_shape ? 1 : 0;
        unknown = is_shape ? unknown : child;
      }
    }
    const std::string shapes_hint =
        "a shape is one of <box>, <sphere>, <cylinder>, <capsule> and <mesh>";
    if (shapes == 1 && unknown) {
      warning(unknown, fmt::format("<{}> in <geometry> is ignored", unknown.name()), shapes_hint);
    } else if (unknown) {
      error(geometry, fmt::format("unknown shape <{}>", unknown.name()), shapes_hint);
    } else if (shapes != 1) {
      error(geometry, fmt::format("<geometry> needs one shape but has {}", shapes), shapes_hint);
    }
  }

  void check_joint(pugi::xml_node joint) {
    const std::string type = joint.attribute("type").value();
    if (type == "floating" || type == "planar") {
      warning(joint, fmt::format("joint type '{}' is not supported: the joint is fixed", type),
              "make a freely moving body a separate model");
      return;
    }
    const std::vector<std::string> types{"fixed", "revolute", "continuous", "prismatic"};
    if (!type.empty() && std::find(types.begin(), types.end(), type) == types.end()) {
      error(joint, fmt::format("unknown joint type '{}'", type), suggest(type, types));
      return;
    }
    check_axis(joint.child("axis"), type == "fixed");
    if (type != "revolute" && type != "prismatic") {
      return;
    }
    const pugi::xml_node limit = joint.child("limit");
    if (!limit) {
      error(joint, fmt::format("a {} joint needs a <limit>", type),
            type == "revolute"
                ? "add <limit lower=\"…\" upper=\"…\" effort=\"…\" velocity=\"…\"/> or make it "
                  "continuous"
                : "add <limit lower=\"…\" upper=\"…\" effort=\"…\" velocity=\"…\"/>");
    } else if (!limit.attribute("lower") && !limit.attribute("upper")) {
      warning(limit,
              "<limit> has neither 'lower' nor 'upper': both are 0 and the joint cannot move",
              type == "revolute" ? "give both, or make the joint continuous" : "give both");
    }
  }

  void check_axis(pugi::xml_node axis, bool is_idle) {
    const std::vector<std::string> words = words_of(axis.attribute("xyz").value());
    const bool is_zero = words.size() == 3 &&
                         std::all_of(words.begin(), words.end(),
                                     [](const auto& word) { return parse_number(word) == 0.0; });
    if (is_zero && is_idle) {
      warning(axis, "<axis> is the zero vector; a fixed joint needs none", "remove it");
    } else if (is_zero) {
      error(axis, "<axis> is the zero vector", "for example <axis xyz=\"0 0 1\"/>");
    }
  }

  const XmlSource& source_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_urdf(const XmlSource& source, Diagnostics& diagnostics) {
  UrdfChecker(source, diagnostics).check(source.root());
}

}  // namespace longarm::model
