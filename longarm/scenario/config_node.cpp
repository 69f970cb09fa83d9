// SPDX-License-Identifier: Apache-2.0
// From yaml-cpp's nodes to ours. yaml-cpp counts lines from zero and keeps duplicate keys without a
// word.
#include "longarm/scenario/config_node.h"

#include <algorithm>

#include <yaml-cpp/yaml.h>

namespace longarm::scenario {
namespace {

SourceLocation place(const std::string& path, const YAML::Mark& mark) {
  return mark.is_null() ? SourceLocation{path}
                        : SourceLocation{path, mark.line + 1, mark.column + 1};
}

ConfigNode convert(const YAML::Node& node, const std::string& path, Diagnostics& diagnostics);

void convert_map(const YAML::Node& node, const std::string& path, Diagnostics& diagnostics,
                 ConfigNode& out) {
  for (const auto& entry : node) {
    const SourceLocation where = place(path, entry.first.Mark());
    if (!entry.first.IsScalar()) {
      diagnostics.error(where, "a key must be a plain word");
      continue;
    }
    const std::string key = entry.first.Scalar();
    const auto same = std::find_if(out.entries.begin(), out.entries.end(),
                                   [&](const ConfigNode::Entry& e) { return e.key == key; });
    if (same != out.entries.end()) {
      diagnostics.error(where, "duplicate key '" + key + "'",
                        "it is set in line " + std::to_string(same->where.line) + " already");
      continue;
    }
    out.entries.push_back({key, where, convert(entry.second, path, diagnostics)});
    if (ConfigNode& value = out.entries.back().value; value.kind == ConfigNode::Kind::kNull) {
      value.where = where;  // what is not there stands nowhere: point at the key
    }
  }
}

ConfigNode convert(const YAML::Node& node, const std::string& path, Diagnostics& diagnostics) {
  ConfigNode out;
  out.where = place(path, node.Mark());
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      out.kind = ConfigNode::Kind::kScalar;
      out.text = node.Scalar();
      break;
    case YAML::NodeType::Sequence:
      out.kind = ConfigNode::Kind::kList;
      for (const YAML::Node& item : node) {
        out.items.push_back(convert(item, path, diagnostics));
      }
      break;
    case YAML::NodeType::Map:
      out.kind = ConfigNode::Kind::kMap;
      convert_map(node, path, diagnostics, out);
      break;
    default:
      break;
  }
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
  return "look at the brackets, quotes and indentation here and just before";
}

ConfigNode parse(const std::string& text, const std::string& path, Diagnostics& diagnostics) {
  try {
    return convert(YAML::Load(text), path, diagnostics);
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

Override parse_override(const std::string& text, Diagnostics& diagnostics) {
  Override out;
  out.where.path = "--set " + text;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics.error(out.where, "expected key=value", "for example: --set link.delay=5ms");
    return out;
  }
  std::string key = text.substr(0, equals);
  for (std::size_t dot = 0; dot != std::string::npos;) {
    dot = key.find('.');
    out.keys.push_back(key.substr(0, dot));
    key = dot == std::string::npos ? "" : key.substr(dot + 1);
  }
  if (std::any_of(out.keys.begin(), out.keys.end(), [](const auto& k) { return k.empty(); })) {
    diagnostics.error(out.where, "a key is empty", "for example: --set link.delay=5ms");
  }

  // the value has no place in a file: all of it is on the command line
  Diagnostics of_value;
  out.value = parse(text.substr(equals + 1), out.where.path, of_value);
  for (const Diagnostic& problem : of_value.all()) {
    diagnostics.error(out.where, problem.message, problem.hint);
  }
  const auto forget_lines = [](auto&& self, ConfigNode& node) -> void {
    node.where.line = 0;
    node.where.column = 0;
    for (ConfigNode& item : node.items) {
      self(self, item);
    }
    for (ConfigNode::Entry& entry : node.entries) {
      entry.where.line = 0;
      entry.where.column = 0;
      self(self, entry.value);
    }
  };
  forget_lines(forget_lines, out.value);
  return out;
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

}  // namespace longarm::scenario
