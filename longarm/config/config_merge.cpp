// SPDX-License-Identifier: Apache-2.0
// Trees over trees; every value keeps the place where it was written.
#include "longarm/config/config_merge.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "longarm/config/data_files.h"
#include "longarm/config/text_file.h"
#include "longarm/core/suggest.h"

namespace longarm::config {
namespace {

constexpr const char* kInclude = "include";
constexpr const char* kLike = "like";

/// The files that a tree names; taken out of it.
std::vector<ConfigNode> take_includes(ConfigNode& root, Diagnostics& diagnostics) {
  const ConfigNode* named = root.find(kInclude);
  if (named == nullptr) {
    return {};
  }
  const bool is_list = named->kind == ConfigNode::Kind::kList;
  std::vector<ConfigNode> names = is_list ? named->items : std::vector<ConfigNode>{*named};
  for (const ConfigNode& name : names) {
    if (name.kind != ConfigNode::Kind::kScalar) {
      diagnostics.error(name.where, "'include' must list files",
                        "for example: include: [cell.yaml, network.yaml]");
    }
  }
  std::erase_if(names, [](const auto& name) { return name.kind != ConfigNode::Kind::kScalar; });
  root.erase(kInclude);
  return names;
}

/// `above` are the files that are being read, to find circles.
void include_into(ConfigNode& root, const std::string& path, std::vector<std::string> above,
                  Diagnostics& diagnostics) {
  above.push_back(std::filesystem::absolute(path).lexically_normal());
  ConfigNode all;
  all.kind = ConfigNode::Kind::kMap;
  for (const ConfigNode& name : take_includes(root, diagnostics)) {
    const Result<std::string> file = files_of(path).find(name.text);
    if (!file) {
      diagnostics.error(name.where, file.error().message, "the path is relative to this file");
      continue;
    }
    const std::string whole = std::filesystem::absolute(*file).lexically_normal();
    if (std::find(above.begin(), above.end(), whole) != above.end()) {
      diagnostics.error(name.where, fmt::format("'{}' includes itself", name.text),
                        "remove one of the includes");
      continue;
    }
    ConfigNode below = parse_config(read_text_file(*file), *file, diagnostics);
    include_into(below, *file, above, diagnostics);
    merge(all, below);
  }
  merge(all, root);
  root.entries = std::move(all.entries);
}

/// Depth first; `path` are those that are being completed, to find circles.
void complete(ConfigNode& group, const std::string& name, std::vector<std::string> path,
              const std::string& what, Diagnostics& diagnostics) {
  ConfigNode& entry = *group.find(name);
  const ConfigNode* like = entry.find(kLike);
  if (like == nullptr) {
    return;
  }
  path.push_back(name);
  const ConfigNode model = *like;
  entry.erase(kLike);
  if (group.find(model.text) == nullptr) {
    diagnostics.error(model.where, fmt::format("there is no {} '{}'", what, model.text),
                      suggest(model.text, group.keys()));
    return;
  }
  if (std::find(path.begin(), path.end(), model.text) != path.end()) {
    diagnostics.error(model.where, fmt::format("'{}' refers to itself", model.text),
                      "remove one of the references");
    return;
  }
  complete(group, model.text, path, what, diagnostics);
  ConfigNode whole = *group.find(model.text);
  whole.where = group.find(name)->where;
  merge(whole, *group.find(name));
  *group.find(name) = std::move(whole);
}

}  // namespace

void merge(ConfigNode& node, const ConfigNode& over) {
  if (node.kind != ConfigNode::Kind::kMap || over.kind != ConfigNode::Kind::kMap) {
    node = over;
    return;
  }
  for (const ConfigNode::Entry& entry : over.entries) {
    if (ConfigNode* own = node.find(entry.key)) {
      merge(*own, entry.value);
    } else {
      node.set(entry.key, entry.where, entry.value);
    }
  }
}

void include_files(ConfigNode& root, const std::string& path, Diagnostics& diagnostics) {
  if (root.find(kInclude) != nullptr) {
    include_into(root, path, {}, diagnostics);
  }
}

void complete_alike(ConfigNode& group, const std::string& what, Diagnostics& diagnostics) {
  for (const std::string& name : group.keys()) {
    complete(group, name, {}, what, diagnostics);
  }
}

}  // namespace longarm::config
