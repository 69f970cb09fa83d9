// SPDX-License-Identifier: Apache-2.0
// From a study's YAML to overrides and axes.
#include "longarm/study/study_file.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "longarm/config/config_node.h"
#include "longarm/config/ready.h"
#include "longarm/config/text_file.h"
#include "longarm/core/suggest.h"

namespace longarm::study {
namespace {

namespace fs = std::filesystem;
using config::ConfigNode;

/// A value as the command line would have it.
std::string flow_text(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::kList: {
      std::vector<std::string> items;
      for (const ConfigNode& item : node.items) {
        items.push_back(flow_text(item));
      }
      return fmt::format("[{}]", fmt::join(items, ", "));
    }
    case ConfigNode::Kind::kMap: {
      std::vector<std::string> items;
      for (const ConfigNode::Entry& entry : node.entries) {
        items.push_back(entry.key + ": " + flow_text(entry.value));
      }
      return fmt::format("{{{}}}", fmt::join(items, ", "));
    }
    default:
      return node.text;
  }
}

void flatten(const ConfigNode& node, const std::string& prefix, std::vector<std::string>& out) {
  for (const ConfigNode::Entry& entry : node.entries) {
    if (entry.value.kind == ConfigNode::Kind::kMap) {
      flatten(entry.value, prefix + entry.key + ".", out);
    } else {
      out.push_back(prefix + entry.key + "=" + flow_text(entry.value));
    }
  }
}

/// One value of an axis; with several keys its list has one of each.
std::string step_text(const ConfigNode& node, bool has_several_keys) {
  if (!has_several_keys || node.kind != ConfigNode::Kind::kList) {
    return flow_text(node);
  }
  std::vector<std::string> parts;
  for (const ConfigNode& item : node.items) {
    parts.push_back(flow_text(item));
  }
  return fmt::format("{}", fmt::join(parts, "/"));
}

std::vector<Axis> axes_of(const ConfigNode& node) {
  std::vector<Axis> axes;
  for (const ConfigNode::Entry& entry : node.entries) {
    const bool is_list = entry.value.kind == ConfigNode::Kind::kList;
    const bool has_several_keys = entry.key.find(',') != std::string::npos;
    std::vector<std::string> values;
    for (const ConfigNode& item : is_list ? entry.value.items : std::vector{entry.value}) {
      values.push_back(step_text(item, has_several_keys));
    }
    axes.push_back(make_axis(entry.key, values, entry.where));
  }
  return axes;
}

/// Where the scenario is: beside the study, or a ready one.
std::string scenario_file(const std::string& name, const std::string& study_file) {
  const fs::path beside = fs::path(study_file).parent_path() / name;
  return fs::is_regular_file(beside) ? beside.string() : name;
}

void check_keys(const ConfigNode& root, Diagnostics& diagnostics) {
  static const std::vector<std::string> known{"title", "scenario", "set", "axes"};
  for (const ConfigNode::Entry& entry : root.entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      diagnostics.error(entry.where, "unknown key '" + entry.key + "' of a study",
                        "a key of the scenario goes under 'set'; " + suggest(entry.key, known));
    }
  }
}

void check_kind(const ConfigNode* node, ConfigNode::Kind kind, const std::string& message,
                const std::string& hint, Diagnostics& diagnostics) {
  if (node != nullptr && node->kind != kind) {
    diagnostics.error(node->where, message, hint);
  }
}

}  // namespace

StudySource read_study(const std::string& name_or_file) {
  const std::string file = config::find_study_file(name_or_file);
  Diagnostics diagnostics;
  const ConfigNode root = config::parse_config(config::read_text_file(file), file, diagnostics);
  const ConfigNode* base = root.find("scenario");
  const ConfigNode* set = root.find("set");
  const ConfigNode* axes = root.find("axes");
  if (base != nullptr) {
    check_keys(root, diagnostics);
  }
  check_kind(base, ConfigNode::Kind::kScalar, "'scenario' must be a name or a file",
             "for example: 'scenario: ur5-waypoints'", diagnostics);
  check_kind(axes, ConfigNode::Kind::kMap, "'axes' must be a map of keys to values",
             "for example: 'axes: {link.delay: [0ms, 5ms], seed: 1..20}'", diagnostics);
  if (base != nullptr) {
    check_kind(set, ConfigNode::Kind::kMap, "'set' must be a map of keys to values",
               "for example: 'set: {feed_forward: 1}'", diagnostics);
  }
  diagnostics.throw_if_errors();

  StudySource source;
  source.name = fs::path(file).stem();
  source.folder = fs::path(file).parent_path();
  if (const ConfigNode* title = root.find("title")) {
    source.title = title->text;
  }
  source.scenario = base != nullptr ? scenario_file(base->text, file) : name_or_file;
  if (base != nullptr && set != nullptr) {
    flatten(*set, "", source.overrides);
  }
  if (axes != nullptr) {
    source.axes = axes_of(*axes);
  }
  return source;
}

}  // namespace longarm::study
