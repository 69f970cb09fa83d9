// SPDX-License-Identifier: Apache-2.0
// From yaml-cpp's nodes to ours. yaml-cpp counts lines from zero and keeps duplicate keys without a
// word.
#include "longarm/config/config_node.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace longarm::config {
namespace {

SourceLocation place(const std::string& path, const YAML::Mark& mark) {
  return mark.is_null() ? SourceLocation{path}
                        : SourceLocation{path, mark.line + 1, mark.column + 1};
}

/// One text's way from yaml-cpp's nodes to ours. Aliases are written out, so a small text may mean
/// any number of values, and one that contains itself no end of them.
class Converter {
 public:
  Converter(const std::string& path, Diagnostics& diagnostics)
      : path_(path), diagnostics_(diagnostics) {}

  ConfigNode convert(const YAML::Node& node);

 private:
  static constexpr int kMostValues = 100'000;
  static constexpr int kMostLevels = 100;

  /// False once the text means too much; reports that once.
  bool has_room();
  void convert_map(const YAML::Node& node, ConfigNode& out);

  const std::string& path_;
  Diagnostics& diagnostics_;
  int values_ = 0;
  int levels_ = 0;
  bool is_full_ = false;
};

bool Converter::has_room() {
  if (is_full_) {
    return false;
  }
  if (values_ >= kMostValues) {
    diagnostics_.error({path_}, fmt::format("this scenario has more than {} values", kMostValues),
                       "check whether aliases (*name) expand too often");
    is_full_ = true;
  } else if (levels_ >= kMostLevels) {
    diagnostics_.error({path_}, fmt::format("this scenario has more than {} levels", kMostLevels),
                       "check whether an alias (*name) is inside its own anchor (&name)");
    is_full_ = true;
  }
  return !is_full_;
}

void Converter::convert_map(const YAML::Node& node, ConfigNode& out) {
  for (const auto& entry : node) {
    const SourceLocation where = place(path_, entry.first.Mark());
    if (!entry.first.IsScalar()) {
      diagnostics_.error(where, "a key must be a plain word");
      continue;
    }
    const std::string key = entry.first.Scalar();
    const auto same = std::find_if(out.entries.begin(), out.entries.end(),
                                   [&](const ConfigNode::Entry& e) { return e.key == key; });
    if (same != out.entries.end()) {
      diagnostics_.error(where, "duplicate key '" + key + "'",
                         "it is already set in line " + std::to_string(same->where.line));
      continue;
    }
    out.entries.push_back({key, where, convert(entry.second)});
    if (ConfigNode& value = out.entries.back().value; value.kind == ConfigNode::Kind::kNull) {
      value.where = where;  // what is not there stands nowhere: point at the key
    }
  }
}

ConfigNode Converter::convert(const YAML::Node& node) {
  ConfigNode out;
  out.where = place(path_, node.Mark());
  if (!has_room()) {
    return out;
  }
  ++values_;
  ++levels_;
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      out.kind = ConfigNode::Kind::kScalar;
      out.text = node.Scalar();
      break;
    case YAML::NodeType::Sequence:
      out.kind = ConfigNode::Kind::kList;
      for (const YAML::Node& item : node) {
        out.items.push_back(convert(item));
      }
      break;
    case YAML::NodeType::Map:
      out.kind = ConfigNode::Kind::kMap;
      convert_map(node, out);
      break;
    default:
      break;
  }
  --levels_;
  return out;
}

/// yaml-cpp's own words rarely tell what to do; indenting with a tab is the commonest slip.
std::string yaml_hint(const std::string& text) {
  int line = 1;
  bool is_indentation = true;
  for (const char c : text) {
    if (c == '\t' && is_indentation) {
      return "line " + std::to_string(line) + " is indented with a tab: use spaces";
    }
    line += c == '\n' ? 1 : 0;
    is_indentation = c == '\n' || (is_indentation && c == ' ');
  }
  return "check the brackets, quotes and indentation here and just before";
}

/// Only notes where a document's content begins.
class ContentFinder final : public YAML::EventHandler {
 public:
  std::optional<YAML::Mark> found;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { note(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { note(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    note(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    note(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    note(mark);
  }
  void OnMapEnd() override {}

 private:
  void note(const YAML::Mark& mark) { found = found ? found : std::optional(mark); }
};

/// Where a second document begins, if there is one. YAML::LoadAll would tell too, but never ends on
/// some texts.
std::optional<YAML::Mark> second_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  ContentFinder first;
  ContentFinder second;
  if (!parser.HandleNextDocument(first) || !parser.HandleNextDocument(second)) {
    return std::nullopt;
  }
  return second.found;
}

/// What is on a command line, or in the list of an axis, has one place altogether.
void place_all(ConfigNode& node, const SourceLocation& where) {
  node.where = where;
  for (ConfigNode& item : node.items) {
    place_all(item, where);
  }
  for (ConfigNode::Entry& entry : node.entries) {
    entry.where = where;
    place_all(entry.value, where);
  }
}

/// `qdisc netem 8001: dev eth0 …` is a map to YAML, but a text to whoever pastes it: no key of ours
/// has blanks in it.
bool is_text_with_colon(const ConfigNode& value, const std::string& text) {
  return value.kind == ConfigNode::Kind::kMap && !text.starts_with('{') && !value.entries.empty() &&
         value.entries.front().key.find(' ') != std::string::npos;
}

ConfigNode parse(const std::string& text, const std::string& path, Diagnostics& diagnostics) {
  try {
    if (const std::optional<YAML::Mark> second = second_document(text)) {
      diagnostics.error(place(path, *second), "a second YAML document starts here",
                        "keep one document and remove the line '---'");
      return {};
    }
    return Converter(path, diagnostics).convert(YAML::Load(text));
  } catch (const YAML::Exception& problem) {
    diagnostics.error(place(path, problem.mark), "this is not valid YAML: " + problem.msg,
                      yaml_hint(text));
    return {};
  }
}

}  // namespace

const ConfigNode* ConfigNode::find(const std::string& key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) {
      return &entry.value;
    }
  }
  return nullptr;
}

ConfigNode* ConfigNode::find(const std::string& key) {
  return const_cast<ConfigNode*>(std::as_const(*this).find(key));
}

void ConfigNode::set(const std::string& key, SourceLocation key_where, ConfigNode value) {
  kind = Kind::kMap;
  for (Entry& entry : entries) {
    if (entry.key == key) {
      entry.where = std::move(key_where);
      entry.value = std::move(value);
      return;
    }
  }
  entries.push_back({key, std::move(key_where), std::move(value)});
}

void ConfigNode::erase(const std::string& key) {
  std::erase_if(entries, [&](const Entry& entry) { return entry.key == key; });
}

std::vector<std::string> ConfigNode::keys() const {
  std::vector<std::string> all;
  for (const Entry& entry : entries) {
    all.push_back(entry.key);
  }
  return all;
}

ConfigNode parse_config(const std::string& text, const std::string& path,
                        Diagnostics& diagnostics) {
  ConfigNode root = parse(text, path, diagnostics);
  if (root.kind != ConfigNode::Kind::kMap && root.kind != ConfigNode::Kind::kNull) {
    diagnostics.error(root.where, "a scenario must be a map of keys and values",
                      "for example: 'engine: mujoco'");
    return {};
  }
  root.kind = ConfigNode::Kind::kMap;
  root.where.path = path;
  return root;
}

Override parse_override(const std::string& text, Diagnostics& diagnostics,
                        const std::string& option) {
  Override out;
  out.where.path = option + " " + text;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics.error(out.where, "expected key=value",
                      "for example: " + option + " link.delay=5ms");
    return out;
  }
  std::string key = text.substr(0, equals);
  for (std::size_t dot = 0; dot != std::string::npos;) {
    dot = key.find('.');
    out.keys.push_back(key.substr(0, dot));
    key = dot == std::string::npos ? "" : key.substr(dot + 1);
  }
  if (std::any_of(out.keys.begin(), out.keys.end(), [](const auto& k) { return k.empty(); })) {
    diagnostics.error(out.where, "a key is empty", "for example: " + option + " link.delay=5ms");
  }

  // the value has no place in a file: all of it is on the command line
  Diagnostics of_value;
  const std::string value = text.substr(equals + 1);
  out.value = parse(value, out.where.path, of_value);
  if (is_text_with_colon(out.value, value)) {
    out.value = {};
    out.value.kind = ConfigNode::Kind::kScalar;
    out.value.text = value;
    of_value = {};
  }
  for (const Diagnostic& problem : of_value.all()) {
    diagnostics.error(out.where, problem.message, problem.hint);
  }
  place_all(out.value, out.where);
  return out;
}

void move_to(Override& change, const SourceLocation& where) {
  change.where = where;
  place_all(change.value, where);
}

void apply_override(ConfigNode& root, const Override& change,
                    std::string (*shorthand_of)(const std::string& key)) {
  ConfigNode* node = &root;
  for (std::size_t i = 0; i + 1 < change.keys.size(); ++i) {
    const std::string& key = change.keys[i];
    if (node->find(key) == nullptr) {
      ConfigNode map;
      map.kind = ConfigNode::Kind::kMap;
      map.where = change.where;
      node->set(key, change.where, std::move(map));
    }
    node = node->find(key);
    if (node->kind == ConfigNode::Kind::kScalar && !shorthand_of(key).empty()) {
      ConfigNode scalar = *node;
      const SourceLocation where = node->where;
      *node = {};
      node->where = where;
      node->set(shorthand_of(key), where, std::move(scalar));
    } else if (node->kind != ConfigNode::Kind::kMap) {
      // a group in place of a value is the command line's doing, right or wrong
      *node = {};
      node->kind = ConfigNode::Kind::kMap;
      node->where = change.where;
    }
  }

  // `--set servo=pid` on a group changes what the short form stands for and leaves the rest
  const std::string& last = change.keys.back();
  ConfigNode* old = node->find(last);
  const bool is_in_short = change.value.kind == ConfigNode::Kind::kScalar &&
                           !shorthand_of(last).empty() && old != nullptr &&
                           old->kind == ConfigNode::Kind::kMap;
  if (is_in_short) {
    old->set(shorthand_of(last), change.where, change.value);
  } else {
    node->set(last, change.where, change.value);
  }
}

}  // namespace longarm::config
