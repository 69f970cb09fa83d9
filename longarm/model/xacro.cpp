// SPDX-License-Identifier: Apache-2.0
// Walks a xacro file in its order, as the xacro program does, and writes what is left of it.
#include "longarm/model/xacro.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/model/xacro_expression.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {
namespace {

namespace fs = std::filesystem;

// Files that call themselves for ever end here.
constexpr int kMostDepth = 150;
constexpr std::size_t kMostElements = 300'000;
// Marks elements of the output with the number of their origin, until it is written.
constexpr const char* kOriginMark = "longarm-origin";

struct SourceFile {
  SourceFile(const std::string& text, const std::string& file, Diagnostics& diagnostics)
      : path(file), xml(text, file, diagnostics) {}
  std::string path;
  XmlSource xml;
};

/// An element and the file that it stands in.
struct Place {
  const SourceFile* file = nullptr;  ///< null: it is expanded already
  pugi::xml_node node;
};

struct Property {
  XacroValue value;
  std::string text;  ///< to be worked out when somebody asks
  bool is_waiting = false;
  bool is_asked = false;  ///< is being worked out
};

struct Parameter {
  std::string name;  ///< with its stars, if it is a block
  std::optional<std::string> default_text{};
  bool is_forwarded = false;  ///< ^: the caller's property of that name comes before the default
};

struct Macro {
  Place body;
  std::vector<Parameter> parameters;
};

/// Names that are visible at a place: those of a macro call, of a namespace, of the file.
struct Scope {
  Scope* parent = nullptr;
  bool is_namespace = false;
  std::map<std::string, Property> properties{};
  std::map<std::string, Place> blocks{};  ///< the name has its stars
  std::map<std::string, Macro> macros{};
  std::map<std::string, std::unique_ptr<Scope>> namespaces{};
};

/// With the place where it happened.
struct PlacedProblem {
  Diagnostic diagnostic;
};

bool starts_with_xacro(const char* name) {
  return std::string_view(name).starts_with("xacro:");
}

/// Whether an element of that name means something to xacro itself; others call macros.
bool is_own_element(const std::string& name) {
  constexpr std::array<std::string_view, 10> kOwn{"property", "macro",    "include",      "if",
                                                  "unless",   "arg",      "insert_block", "call",
                                                  "element",  "attribute"};
  return std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end();
}

std::string in_words(const SourceLocation& where) {
  return fmt::format("{}:{}", where.path, where.line);
}

/// The first parameter of a list such as "name *origin parent:=^|base_link mass:=${2 * m}".
Parameter take_parameter(std::string& list) {
  const auto fail = [&] {
    throw XacroProblem{fmt::format("cannot parse the parameters '{}'", list),
                       "for example params=\"name parent:=base_link *origin\""};
  };
  const std::size_t name_end = list.find_first_of(" \t\r\n:=");
  Parameter parameter{list.substr(0, name_end)};
  list = name_end == std::string::npos ? "" : trimmed(list.substr(name_end));
  if (!list.starts_with(":=") && !list.starts_with("=")) {
    return parameter;
  }
  list = list.substr(list[0] == ':' ? 2 : 1);
  list = list.substr(std::min(list.size(), list.find_first_not_of(" \t\r\n")));
  if (list.starts_with("^")) {
    parameter.is_forwarded = true;
    list = list.substr(list.starts_with("^|") ? 2 : 1);
  }
  // up to the next space outside of ${…}, $(…) and quotes
  std::string value;
  while (!list.empty() && std::isspace(static_cast<unsigned char>(list[0])) == 0) {
    std::size_t length = 1;
    const std::string closing = list.starts_with("${")              ? "}"
                                : list.starts_with("$(")            ? ")"
                                : list[0] == '\'' || list[0] == '"' ? list.substr(0, 1)
                                                                    : "";
    if (!closing.empty()) {
      const std::size_t end = list.find(closing, 1);
      if (end == std::string::npos) {
        fail();
      }
      length = end + 1;
    }
    value += list.substr(0, length);
    list = list.substr(length);
  }
  if (!value.empty() || !parameter.is_forwarded) {
    parameter.default_text = value;
  }
  list = trimmed(list);
  return parameter;
}

std::vector<Parameter> read_parameters(std::string list) {
  std::vector<Parameter> parameters;
  list = trimmed(list);
  while (!list.empty()) {
    parameters.push_back(take_parameter(list));
  }
  return parameters;
}

class Expander {
 public:
  Expander(ModelResources& resources, Diagnostics& diagnostics)
      : resources_(resources),
        diagnostics_(diagnostics),
        arguments_(resources.search().xacro_arguments) {}

  std::optional<RewrittenXml> expand(const std::string& text, const std::string& path) {
    files_.push_back(std::make_unique<SourceFile>(text, path, diagnostics_));
    open_.push_back(files_.back().get());
    try {
      const Place root{open_.back(), open_.back()->xml.root()};
      expand_plain(root, global_, out_);
      check_use(root);
    } catch (const PlacedProblem& problem) {
      diagnostics_.add(problem.diagnostic);
      return std::nullopt;
    }
    return write();
  }

 private:
  // --- elements

  void expand_children(const Place& place, Scope& scope, pugi::xml_node out) {
    for (const pugi::xml_node child : place.node.children()) {
      expand_node({place.file, child}, scope, out);
    }
  }

  void expand_node(const Place& place, Scope& scope, pugi::xml_node out) {
    if (place.node.type() == pugi::node_pcdata || place.node.type() == pugi::node_cdata) {
      const Place parent{place.file, place.node.parent()};
      out.append_child(pugi::node_pcdata).set_value(placed(parent, [&] {
                                                      return text_of(place.node.value(), scope);
                                                    }).c_str());
      return;
    }
    if (place.node.type() != pugi::node_element) {
      return;
    }
    const std::string tag = place.node.name();
    if (!starts_with_xacro(place.node.name())) {
      expand_plain(place, scope, out);
    } else if (tag == "xacro:if" || tag == "xacro:unless") {
      const bool holds = placed(place, [&] { return condition(place.node, "value", scope); });
      if (holds == (tag == "xacro:if")) {
        expand_children(place, scope, out);
      }
    } else if (tag == "xacro:include") {
      include(place, scope, out);
    } else if (tag == "xacro:insert_block") {
      insert_block(place, scope, out);
    } else if (tag == "xacro:element") {
      expand_as(placed(place, [&] { return text_of(required(place.node, "xacro:name"), scope); }),
                place, scope, out);
    } else if (!define(tag, place, scope, out)) {
      call(tag, place, scope, out);
    }
  }

  /// Definitions, which leave nothing behind. False if it is none.
  bool define(const std::string& tag, const Place& place, Scope& scope, pugi::xml_node out) {
    if (tag == "xacro:property") {
      placed(place, [&] { define_property(place, scope); });
    } else if (tag == "xacro:macro") {
      placed(place, [&] { define_macro(place, scope); });
    } else if (tag == "xacro:arg") {
      placed(place, [&] { define_argument(place, scope); });
    } else if (tag == "xacro:attribute") {
      placed(place, [&] {
        const std::string name = text_of(required(place.node, "name"), scope);
        set_attribute(out, name, text_of(required(place.node, "value"), scope));
      });
    } else {
      return false;
    }
    return true;
  }

  void expand_plain(const Place& place, Scope& scope, pugi::xml_node out) {
    expand_as(place.node.name(), place, scope, out);
  }

  void expand_as(const std::string& tag, const Place& place, Scope& scope, pugi::xml_node out) {
    if (origins_.size() >= kMostElements) {
      fail(place, "the file expands to too many elements", "check whether a macro calls itself");
    }
    pugi::xml_node made = out.append_child(tag.c_str());
    made.append_attribute(kOriginMark) = static_cast<unsigned>(origins_.size());
    origins_.push_back(where(place));
    for (const pugi::xml_attribute attribute : place.node.attributes()) {
      const std::string name = attribute.name();
      if (!starts_with_xacro(attribute.name()) && name != "xmlns:xacro") {
        set_attribute(made, name, placed(place, [&] { return text_of(attribute.value(), scope); }));
      }
    }
    expand_children(place, scope, made);
  }

  static void set_attribute(pugi::xml_node element, const std::string& name,
                            const std::string& value) {
    pugi::xml_attribute attribute = element.attribute(name.c_str());
    if (!attribute) {
      attribute = element.append_attribute(name.c_str());
    }
    attribute.set_value(value.c_str());
  }

  // --- definitions

  void define_argument(const Place& place, Scope& scope) {
    const std::string name = required(place.node, "name");
    if (!arguments_.contains(name) && place.node.attribute("default")) {
      arguments_[name] = text_of(place.node.attribute("default").value(), scope);
    }
  }

  void define_macro(const Place& place, Scope& scope) {
    std::string name = required(place.node, "name");
    if (name.starts_with("xacro:")) {
      name = name.substr(6);
    }
    scope.macros[name] = {place, read_parameters(place.node.attribute("params").value())};
  }

  void define_property(const Place& place, Scope& scope) {
    const pugi::xml_node node = place.node;
    const std::string name = text_of(required(node, "name"), scope);
    if (node.attribute("remove") && condition(node, "remove", scope)) {
      for (Scope* each = &scope; each != nullptr; each = each->parent) {
        each->properties.erase(name);
      }
      return;
    }
    const char* attribute = node.attribute("value") ? "value" : "default";
    if (!node.attribute("value") && node.attribute("default") && find_property(name, scope)) {
      return;
    }
    Scope& target = target_scope(node, scope);
    if (!node.attribute(attribute)) {
      target.blocks["**" + name] = place;
      return;
    }
    const std::string text = node.attribute(attribute).value();
    const bool is_lazy =
        &target == &scope && (!node.attribute("lazy_eval") || condition(node, "lazy_eval", scope));
    target.properties[name] = is_lazy ? waiting(text) : known(value_of(text, scope));
  }

  Scope& target_scope(pugi::xml_node node, Scope& scope) {
    const std::string wanted = node.attribute("scope").value();
    if (wanted == "global") {
      return global_;
    }
    if (wanted != "parent" || scope.parent == nullptr) {
      return scope;
    }
    Scope* target = scope.parent;
    while (!scope.is_namespace && target->is_namespace && target->parent != nullptr) {
      target = target->parent;
    }
    return *target;
  }

  static Property known(const XacroValue& value) {
    const std::string* text = value.as_text();
    return {text == nullptr ? value : literal_value(*text), ""};
  }

  static Property waiting(const std::string& text) {
    const XacroValue value = literal_value(text);
    return value.as_text() == nullptr ? Property{value, ""} : Property{{}, text, true};
  }

  // --- files

  void include(const Place& place, Scope& scope, pugi::xml_node out) {
    const std::string name =
        placed(place, [&] { return text_of(required(place.node, "filename"), scope); });
    const bool is_optional = place.node.attribute("optional").as_bool();
    const std::optional<std::string> path = find_file(name, place);
    if (!path && is_optional) {
      return;
    }
    const Result<std::string> text =
        path ? resources_.read(name, *path) : Result<std::string>(Error{"file not found"});
    if (!text) {
      fail(place, fmt::format("cannot read '{}'", name),
           "check that the path is right and that it is a file");
    }
    if (open_.size() >= kMostDepth / 3) {
      fail(place, fmt::format("'{}' is included too deeply", name),
           "check whether files include each other");
    }
    Diagnostics syntax;
    files_.push_back(std::make_unique<SourceFile>(*text, *path, syntax));
    if (syntax.has_errors()) {
      throw PlacedProblem{syntax.all().front()};
    }
    Scope* inside = &scope;
    if (place.node.attribute("ns")) {
      auto made = std::make_unique<Scope>(Scope{&scope, true});
      inside = made.get();
      scope.namespaces[place.node.attribute("ns").value()] = std::move(made);
    }
    const SourceFile* file = files_.back().get();
    open_.push_back(file);
    expand_children({file, file->xml.root()}, *inside, out);
    open_.pop_back();
  }

  /// Beside the file that is being read, or beside the one that a macro stands in.
  std::optional<std::string> find_file(const std::string& name, const Place& place) const {
    for (const std::string& beside :
         {open_.back()->path, place.file == nullptr ? open_.back()->path : place.file->path}) {
      const fs::path path = fs::path(beside).parent_path() / name;
      std::error_code ignored;
      if (fs::is_regular_file(path, ignored)) {
        return path.lexically_normal().string();
      }
    }
    return std::nullopt;
  }

  // --- macros and blocks

  std::pair<const Macro*, Scope*> find_macro(const std::string& name, Scope& scope) const {
    Scope* from = &scope;
    std::string rest = name;
    for (std::size_t point = rest.find('.'); point != std::string::npos; point = rest.find('.')) {
      const std::string space = rest.substr(0, point);
      Scope* found = nullptr;
      for (Scope* each = from; each != nullptr && found == nullptr; each = each->parent) {
        const auto at = each->namespaces.find(space);
        found = at == each->namespaces.end() ? nullptr : at->second.get();
      }
      if (found == nullptr) {
        return {nullptr, nullptr};
      }
      from = found;
      rest = rest.substr(point + 1);
    }
    for (Scope* each = from; each != nullptr; each = each->parent) {
      if (const auto found = each->macros.find(rest); found != each->macros.end()) {
        return {&found->second, from};
      }
    }
    return {nullptr, nullptr};
  }

  void call(const std::string& tag, const Place& place, Scope& scope, pugi::xml_node out) {
    const bool is_dynamic = tag == "xacro:call";
    const std::string name =
        is_dynamic ? placed(place, [&] { return text_of(required(place.node, "macro"), scope); })
                   : tag.substr(6);
    const auto [found, from] = find_macro(name, scope);
    if (found == nullptr) {
      fail(place, fmt::format("there is no macro '{}'", name), macro_hint(name, scope));
    }
    if (++depth_ > kMostDepth) {
      fail(place, fmt::format("macro '{}' is called too deeply", name),
           "check whether it calls itself");
    }
    const Macro macro = *found;  // its own body may define it anew
    Scope inside{from};
    // blocks are expanded where they are written
    pugi::xml_document blocks;
    blocks.append_child("blocks");
    expand_children(place, scope, blocks.document_element());
    placed(place, [&] {
      std::vector<Parameter> open = macro.parameters;
      take_values(place, scope, is_dynamic, inside, open);
      take_blocks(blocks.document_element(), inside, open);
      take_defaults(*from, inside, open);
    });
    try {
      expand_children(macro.body, inside, out);
    } catch (PlacedProblem& problem) {
      std::string& hint = problem.diagnostic.hint;
      hint += fmt::format("{}in macro '{}', called at {}", hint.empty() ? "" : "; ", name,
                          in_words(where(place)));
      throw;
    }
    --depth_;
  }

  std::string macro_hint(const std::string& name, const Scope& scope) const {
    std::vector<std::string> names;
    for (const Scope* each = &scope; each != nullptr; each = each->parent) {
      for (const auto& [known, macro] : each->macros) {
        names.push_back(known);
      }
    }
    const std::string near = nearest_name(name, names);
    return near.empty() ? "include the file that defines it before it is used"
                        : fmt::format("did you mean 'xacro:{}'?", near);
  }

  void take_values(const Place& place, Scope& scope, bool is_dynamic, Scope& inside,
                   std::vector<Parameter>& open) {
    for (const pugi::xml_attribute attribute : place.node.attributes()) {
      const std::string name = attribute.name();
      if ((is_dynamic && name == "macro") || name.starts_with("xmlns:") || name == kOriginMark) {
        continue;
      }
      const auto parameter = std::find_if(open.begin(), open.end(),
                                          [&](const Parameter& each) { return each.name == name; });
      if (parameter == open.end()) {
        throw XacroProblem{fmt::format("the macro has no parameter '{}'", name),
                           suggest(name, names_of(open))};
      }
      inside.properties[name] = known(value_of(attribute.value(), scope));
      open.erase(parameter);
    }
  }

  static void take_blocks(pugi::xml_node blocks, Scope& inside, std::vector<Parameter>& open) {
    std::vector<pugi::xml_node> given;
    for (const pugi::xml_node child : blocks.children()) {
      if (child.type() == pugi::node_element) {
        given.push_back(child);
      }
    }
    std::size_t next = 0;
    for (auto parameter = open.begin(); parameter != open.end();) {
      if (!parameter->name.starts_with('*')) {
        ++parameter;
        continue;
      }
      if (next == given.size()) {
        throw XacroProblem{fmt::format("the macro needs a block '{}'",
                                       parameter->name.substr(parameter->name.rfind('*') + 1)),
                           "write it between the tags of the call"};
      }
      inside.blocks[parameter->name] = {nullptr, given[next++]};
      parameter = open.erase(parameter);
    }
    if (next < given.size()) {
      throw XacroProblem{fmt::format("the macro does not use the block <{}>", given[next].name()),
                         "blocks are parameters that start with *"};
    }
  }

  void take_defaults(Scope& caller, Scope& inside, const std::vector<Parameter>& open) {
    for (const Parameter& parameter : open) {
      const std::optional<XacroValue> forwarded =
          parameter.is_forwarded ? find_property(parameter.name, caller) : std::nullopt;
      if (!forwarded && !parameter.default_text) {
        throw XacroProblem{fmt::format("the parameter '{}' is missing", parameter.name),
                           fmt::format("write {}=\"…\" into the call", parameter.name)};
      }
      inside.properties[parameter.name] =
          known(forwarded ? *forwarded : value_of(*parameter.default_text, caller));
    }
  }

  void insert_block(const Place& place, Scope& scope, pugi::xml_node out) {
    const std::string name =
        placed(place, [&] { return text_of(required(place.node, "name"), scope); });
    for (const char* stars : {"**", "*"}) {
      for (Scope* each = &scope; each != nullptr; each = each->parent) {
        const auto found = each->blocks.find(stars + name);
        if (found != each->blocks.end()) {
          insert(found->second, stars == std::string("**"), scope, out);
          return;
        }
      }
    }
    fail(place, fmt::format("there is no block '{}'", name),
         fmt::format("add *{} to the macro's params", name));
  }

  void insert(const Place& block, bool content_only, Scope& scope, pugi::xml_node out) {
    if (block.file != nullptr) {
      expand_children(block, scope, out);
    } else if (!content_only) {
      out.append_copy(block.node);
    } else {
      for (const pugi::xml_node child : block.node.children()) {
        out.append_copy(child);
      }
    }
  }

  // --- texts

  static std::string required(pugi::xml_node node, const char* attribute) {
    if (!node.attribute(attribute)) {
      throw XacroProblem{fmt::format("<{}> needs the attribute '{}'", node.name(), attribute), ""};
    }
    return node.attribute(attribute).value();
  }

  bool condition(pugi::xml_node node, const char* attribute, Scope& scope) {
    const std::string text = required(node, attribute);
    return condition_value(value_of(text, scope), text);
  }

  std::string text_of(const std::string& text, Scope& scope) {
    return value_of(text, scope).text();
  }

  /// A text with its ${…} and $(…) worked out; one such by itself keeps its type.
  XacroValue value_of(const std::string& text, Scope& scope) {
    std::string plain;
    std::optional<XacroValue> alone;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t dollar = text.find('$', at);
      if (dollar == std::string::npos || dollar + 1 == text.size()) {
        plain += text.substr(at);
        break;
      }
      plain += text.substr(at, dollar - at);
      const char next = text[dollar + 1];
      if (next == '$') {
        plain += '$';
        // $${ is a plain ${
        const bool is_escape =
            dollar + 2 < text.size() && (text[dollar + 2] == '{' || text[dollar + 2] == '(');
        plain += is_escape ? text.substr(dollar + 2, 1) : "";
        at = dollar + (is_escape ? 3 : 1);
        continue;
      }
      if (next != '{' && next != '(') {
        plain += '$';
        at = dollar + 1;
        continue;
      }
      const std::size_t end = text.find(next == '{' ? '}' : ')', dollar);
      if (end == std::string::npos) {
        throw XacroProblem{fmt::format("'{}' is not closed", text.substr(dollar)), ""};
      }
      const std::string inside = text_of(text.substr(dollar + 2, end - dollar - 2), scope);
      XacroValue value = next == '{' ? evaluate(inside, scope) : substitute(inside, scope);
      if (dollar == 0 && end + 1 == text.size()) {
        alone = std::move(value);
      } else {
        plain += value.text();
      }
      at = end + 1;
    }
    return alone ? *alone : XacroValue(plain);
  }

  XacroValue evaluate(const std::string& expression, Scope& scope) {
    const XacroSurroundings around{
        [&](const std::string& name) { return find_property(name, scope); },
        [&](const std::string& name, const std::vector<XacroValue>& arguments) {
          return own_function(name, arguments);
        }};
    return evaluate_xacro(expression, around);
  }

  /// $(find package), $(arg name), …
  XacroValue substitute(const std::string& text, Scope& scope) {
    const std::vector<std::string> words = words_of(text);
    const std::string word = words.empty() ? "" : words[0];
    if (word == "eval") {
      return evaluate(text.substr(text.find("eval") + 4), scope);
    }
    if (word == "cwd" || word == "dirname") {
      return XacroValue(word == "cwd" ? fs::current_path().string()
                                      : fs::absolute(open_.back()->path).parent_path().string());
    }
    if (word == "optenv" && words.size() >= 2) {
      const char* value = std::getenv(words[1].c_str());
      const std::size_t rest = text.find(words[1]) + words[1].size();
      return XacroValue(value != nullptr ? std::string(value) : trimmed(text.substr(rest)));
    }
    if (words.size() == 2 && word == "find") {
      return XacroValue(find_package(words[1]));
    }
    if (words.size() == 2 && word == "arg") {
      return XacroValue(argument(words[1]));
    }
    if (words.size() == 2 && word == "env") {
      const char* value = std::getenv(words[1].c_str());
      if (value == nullptr) {
        throw XacroProblem{fmt::format("environment variable {} is not set", words[1]),
                           "set it, or use "
                           "$(optenv " +
                               words[1] + " value)"};
      }
      return XacroValue(std::string(value));
    }
    throw XacroProblem{fmt::format("'$({})' is not supported", text),
                       "supported are find, arg, env, optenv, dirname, cwd and eval"};
  }

  std::string argument(const std::string& name) const {
    const auto found = arguments_.find(name);
    if (found == arguments_.end()) {
      throw XacroProblem{fmt::format("the argument '{}' has no value", name),
                         fmt::format("give it one: robot.xacro_args: [\"{0}:=…\"] in the scenario, "
                                     "{0}:=… behind the file on the command line",
                                     name)};
    }
    return found->second;
  }

  std::string find_package(const std::string& name) {
    const std::string uri = "package://" + name;
    const Result<std::string> folder =
        find_resource("package", uri, open_.back()->path, resources_.search());
    if (!folder) {
      throw XacroProblem{folder.error().message, search_hint(uri)};
    }
    return *folder;
  }

  std::optional<XacroValue> find_property(const std::string& name, Scope& scope) {
    const std::size_t point = name.find('.');
    for (Scope* each = &scope; each != nullptr; each = each->parent) {
      if (point != std::string::npos) {
        const auto space = each->namespaces.find(name.substr(0, point));
        if (space != each->namespaces.end()) {
          return find_property(name.substr(point + 1), *space->second);
        }
      } else if (const auto found = each->properties.find(name); found != each->properties.end()) {
        return settle(name, found->second, *each);
      }
    }
    return std::nullopt;
  }

  XacroValue settle(const std::string& name, Property& property, Scope& scope) {
    if (!property.is_waiting) {
      return property.value;
    }
    if (property.is_asked) {
      throw XacroProblem{fmt::format("property '{}' depends on itself", name), ""};
    }
    property.is_asked = true;
    try {
      property.value = known(value_of(property.text, scope)).value;
    } catch (XacroProblem& problem) {
      problem.message = fmt::format("property '{}': {}", name, problem.message);
      throw;
    }
    property.is_waiting = false;
    property.is_asked = false;
    return property.value;
  }

  std::optional<XacroValue> own_function(const std::string& name,
                                         const std::vector<XacroValue>& arguments) {
    const std::string text = arguments.empty() ? "" : arguments[0].text();
    if (name == "load_yaml") {
      return load_yaml(text);
    }
    if (name == "arg") {
      return XacroValue(argument(text));
    }
    if (name == "abs_filename") {
      return XacroValue((fs::absolute(open_.back()->path).parent_path() / text).string());
    }
    if (name == "fatal") {
      throw XacroProblem{text, ""};
    }
    if (name == "warning" || name == "error" || name == "message" || name == "print_location") {
      if (name == "warning" || name == "error") {
        diagnostics_.warning({open_.back()->path, 0, 0}, text, "");
      }
      return XacroValue(std::string());
    }
    return std::nullopt;
  }

  XacroValue load_yaml(const std::string& name) {
    const std::optional<std::string> path = find_file(name, {open_.back(), {}});
    if (!path) {
      throw XacroProblem{fmt::format("there is no file '{}'", name), ""};
    }
    if (const auto known = yaml_.find(*path); known != yaml_.end()) {
      return known->second;
    }
    const Result<std::string> text = resources_.read(name, *path);
    if (!text) {
      throw XacroProblem{text.error().message, ""};
    }
    return yaml_[*path] = yaml_value(*text, *path);
  }

  // --- places

  SourceLocation where(const Place& place) const {
    if (place.file == nullptr) {
      return origins_[place.node.attribute(kOriginMark).as_uint()];
    }
    return place.file->xml.where(place.node);
  }

  [[noreturn]] void fail(const Place& place, std::string message, std::string hint) const {
    throw PlacedProblem{{where(place), std::move(message), std::move(hint)}};
  }

  /// Runs `work`, whose problems happen at that place.
  template <typename Work>
  auto placed(const Place& place, const Work& work) -> decltype(work()) {
    try {
      return work();
    } catch (const XacroProblem& problem) {
      fail(place, problem.message, problem.hint);
    }
  }

  /// A file that only defines macros is meant to be included.
  void check_use(const Place& root) const {
    const pugi::xml_node made = out_.document_element();
    if (made.find_child([](pugi::xml_node n) { return n.type() == pugi::node_element; }) ||
        global_.macros.empty()) {
      return;
    }
    std::vector<std::string> names;
    for (const auto& [name, macro] : global_.macros) {
      names.push_back(name);
    }
    fail(root, "the file defines macros but does not use any: " + join(names),
         "use the file that includes it");
  }

  RewrittenXml write() {
    std::vector<SourceLocation> in_order;
    struct Walker : pugi::xml_tree_walker {
      std::vector<SourceLocation>* in_order = nullptr;
      const std::vector<SourceLocation>* origins = nullptr;
      bool for_each(pugi::xml_node& node) override {
        if (node.type() == pugi::node_element) {
          in_order->push_back((*origins)[node.attribute(kOriginMark).as_uint()]);
          node.remove_attribute(kOriginMark);
        }
        return true;
      }
    } walker;
    walker.in_order = &in_order;
    walker.origins = &origins_;
    out_.traverse(walker);

    return write_xml(out_, in_order);
  }

  ModelResources& resources_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::string> arguments_;
  std::vector<std::unique_ptr<SourceFile>> files_;
  std::vector<const SourceFile*> open_;  ///< that include each other, innermost last
  std::map<std::string, XacroValue> yaml_;
  Scope global_;
  pugi::xml_document out_;
  std::vector<SourceLocation> origins_;
  int depth_ = 0;
};

}  // namespace

bool is_xacro(const std::string& text) {
  Diagnostics ignored;
  const XmlSource source(text, "", ignored);
  return !source.document()
              .find_node([](pugi::xml_node element) {
                return starts_with_xacro(element.name()) ||
                       element.find_attribute(
                           [](pugi::xml_attribute a) { return starts_with_xacro(a.name()); });
              })
              .empty();
}

std::vector<XacroCall> leftover_calls(const std::string& text, const std::string& path) {
  Diagnostics ignored;
  const XmlSource source(text, path, ignored);
  std::vector<XacroCall> calls;
  const pugi::xml_node other = source.document().find_node([&](pugi::xml_node node) {
    const std::string name = node.name();
    const bool is_element = starts_with_xacro(node.name());
    // right below the robot a call would make links and joints, without which it is another robot
    const bool is_call = is_element && !is_own_element(name.substr(6)) &&
                         node.parent() != source.document().document_element();
    if (is_call) {
      calls.push_back({name.substr(6), source.where(node)});
    }
    const bool has_work = node.find_attribute([](pugi::xml_attribute attribute) {
      return starts_with_xacro(attribute.name()) ||
             std::string_view(attribute.value()).find("${") != std::string_view::npos;
    });
    return (is_element && !is_call) || has_work;
  });
  return other ? std::vector<XacroCall>{} : calls;
}

std::optional<RewrittenXml> expand_xacro(const std::string& text, const std::string& path,
                                         ModelResources& resources, Diagnostics& diagnostics) {
  return Expander(resources, diagnostics).expand(text, path);
}

}  // namespace longarm::model
