// SPDX-License-Identifier: Apache-2.0
// Names that are missing, twice or unknown; joints without axis; numbers that are none.
#include "longarm/model/sdf_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/model/shape.h"

namespace longarm::model {
namespace {

/// How many numbers the text of an element holds.
const std::map<std::string, std::size_t>& number_counts() {
  static const std::map<std::string, std::size_t> counts{
      {"mass", 1},     {"ixx", 1},     {"ixy", 1},      {"ixz", 1},   {"iyy", 1},   {"iyz", 1},
      {"izz", 1},      {"radius", 1},  {"length", 1},   {"lower", 1}, {"upper", 1}, {"effort", 1},
      {"velocity", 1}, {"damping", 1}, {"friction", 1}, {"mu", 1},    {"mu2", 1},   {"xyz", 3},
      {"pose", 6},     {"normal", 3},  {"scale", 3}};
  return counts;
}

/// Also the sizes of a box, of which there are three; other elements have a <size>, too.
bool is_length(pugi::xml_node element) {
  const std::string tag = element.name();
  return tag == "radius" || tag == "length" ||
         (tag == "size" && element.parent().name() == std::string("box"));
}

bool is_zero(const std::vector<std::string>& words) {
  return words.size() == 3 && std::all_of(words.begin(), words.end(), [](const std::string& word) {
           return parse_number(word) == 0.0;
         });
}

bool has_element_children(pugi::xml_node element) {
  return std::any_of(element.begin(), element.end(), [](const pugi::xml_node& child) {
    return child.type() == pugi::node_element;
  });
}

class SdfChecker {
 public:
  SdfChecker(const XmlSource& source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics) {}

  void check_model(pugi::xml_node model) {
    require_name(model);
    std::vector<std::string> names{"world"};
    for (const pugi::xml_node child : model.children()) {
      const std::string tag = child.name();
      if (tag != "link" && tag != "joint" && tag != "frame" && tag != "model") {
        continue;
      }
      if (!require_name(child)) {
        continue;
      }
      const std::string name = child.attribute("name").value();
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        error(child, fmt::format("the name '{}' is used twice", name),
              "names of links, joints and frames of a model must be unique");
      }
      names.push_back(name);
    }
    for (const pugi::xml_node pose : model.children("pose")) {
      check_number(pose, 6);
    }
    for (const pugi::xml_node joint : model.children("joint")) {
      check_joint(joint, names);
    }
    check_models_in(model);
    for (const char* tag : {"link", "joint", "frame"}) {
      for (const pugi::xml_node child : model.children(tag)) {
        check_numbers(child);
      }
    }
  }

  /// The models of a world or of another model, and the poses of those that it includes.
  void check_models_in(pugi::xml_node parent) {
    for (const pugi::xml_node model : parent.children("model")) {
      check_model(model);
    }
    for (const pugi::xml_node include : parent.children("include")) {
      for (const pugi::xml_node pose : include.children("pose")) {
        check_number(pose, 6);
      }
    }
  }

 private:
  void error(pugi::xml_node element, const std::string& message, const std::string& hint) {
    diagnostics_.error(source_.where(element), owner_of(element) + message, hint);
  }

  bool require_name(pugi::xml_node element) {
    const bool has_name = *element.attribute("name").value() != '\0';
    if (!has_name) {
      error(element, fmt::format("<{}> needs the attribute 'name'", element.name()), "");
    }
    return has_name;
  }

  void check_joint(pugi::xml_node joint, const std::vector<std::string>& names) {
    for (const char* role : {"parent", "child"}) {
      const pugi::xml_node end = joint.child(role);
      const std::string name = end.text().get();
      if (!end) {
        error(joint, fmt::format("<joint> needs a <{}>", role), "");
      } else if (std::find(names.begin(), names.end(), name) == names.end() &&
                 name.find(':') == std::string::npos && name != "__model__") {
        error(end, fmt::format("unknown {} link '{}'", role, name), suggest(name, names));
      }
    }
    const std::string type = joint.attribute("type").value();
    const std::vector<std::string> types{"fixed", "revolute", "continuous", "prismatic"};
    if (std::find(types.begin(), types.end(), type) == types.end()) {
      error(joint, fmt::format("joint type '{}' is not supported", type), suggest(type, types));
      return;
    }
    if (type != "fixed") {
      check_axis(joint, type);
    }
  }

  void check_axis(pugi::xml_node joint, const std::string& type) {
    const pugi::xml_node axis = joint.child("axis");
    if (!axis) {
      error(joint, fmt::format("a {} joint needs an <axis>", type),
            "for example <axis><xyz>0 0 1</xyz></axis>");
      return;
    }
    if (is_zero(words_of(axis.child("xyz").text().get()))) {
      error(axis.child("xyz"), "<xyz> is the zero vector", "for example <xyz>0 0 1</xyz>");
    }
  }

  /// Looks into everything but what belongs to other programs.
  void check_numbers(pugi::xml_node element) {
    static const std::set<std::string> foreign{"plugin", "sensor", "material", "light", "physics"};
    for (const pugi::xml_node child : element.children()) {
      const std::string tag = child.name();
      if (foreign.contains(tag) || tag.find(':') != std::string::npos) {
        continue;
      }
      if (tag == "size" && is_length(child)) {
        check_number(child, 3);
        continue;
      }
      const auto count = number_counts().find(tag);
      if (count != number_counts().end() && !has_element_children(child)) {
        check_number(child, count->second);
      } else {
        check_numbers(child);
      }
    }
  }

  void check_number(pugi::xml_node element, std::size_t wanted) {
    const std::string tag = element.name();
    const std::string text = element.text().get();
    const std::vector<std::string> words = words_of(text);
    // an empty pose is the identity; one with a quaternion has seven numbers
    if (tag == "pose" && (words.empty() || element.attribute("rotation_format"))) {
      return;
    }
    if (words.size() != wanted) {
      error(element,
            fmt::format("<{}> needs {} number{} but has {}: '{}'", tag, wanted,
                        wanted == 1 ? "" : "s", words.size(), text),
            "");
      return;
    }
    for (const std::string& word : words) {
      const std::optional<double> number = parse_number(word);
      if (!number || std::isnan(*number)) {
        error(element, fmt::format("<{}> is not a number: '{}'", tag, word),
              word.find(',') != std::string::npos ? "the decimal separator is a point" : "");
        return;
      }
      if (!check_size(element, *number)) {
        return;
      }
    }
    if (tag == "normal" && is_zero(words)) {
      error(element, "<normal> is the zero vector", "for example <normal>0 0 1</normal>");
    }
  }

  /// False after a complaint.
  bool check_size(pugi::xml_node element, double number) {
    const std::string tag = element.name();
    if ((tag == "mass" || is_length(element)) && number <= 0.0) {
      error(element, fmt::format("<{}> must be greater than 0, is {}", tag, format_number(number)),
            tag == "mass" ? "make it a <frame> if it has no mass" : "sizes are in metres");
      return false;
    }
    if (is_length(element) && number > kMostLength_m) {
      error(element, fmt::format("<{}> is implausibly large: {} m", tag, format_number(number)),
            "sizes are in metres; a <plane> in a <collision> is infinite");
      return false;
    }
    return true;
  }

  const XmlSource& source_;
  Diagnostics& diagnostics_;
};

/// Two numbers with a point between them; libsdformat takes that for granted.
bool is_version(std::string_view text) {
  const std::size_t point = text.find('.');
  const auto is_number = [](std::string_view part) {
    return !part.empty() && part.size() < 4 &&
           part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return point != std::string_view::npos && is_number(text.substr(0, point)) &&
         is_number(text.substr(point + 1));
}

}  // namespace

void check_sdf(const XmlSource& source, Diagnostics& diagnostics) {
  const pugi::xml_node root = source.root();
  if (!root.attribute("version")) {
    diagnostics.error(source.where(root), "<sdf> needs the attribute 'version'",
                      "for example <sdf version=\"1.9\">");
  } else if (!is_version(root.attribute("version").value())) {
    diagnostics.error(source.where(root),
                      fmt::format("'{}' is not an SDF version", root.attribute("version").value()),
                      "for example <sdf version=\"1.9\">");
  }
  SdfChecker checker(source, diagnostics);
  checker.check_models_in(root);
  for (const pugi::xml_node world : root.children("world")) {
    checker.check_models_in(world);
  }
}

}  // namespace longarm::model
