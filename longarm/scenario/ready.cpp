// SPDX-License-Identifier: Apache-2.0
// Looks through the data folders.
#include "longarm/scenario/ready.h"

#include <algorithm>
#include <filesystem>

#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/scenario/config_node.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/text_file.h"

namespace longarm::scenario {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::vector<ReadyScenario> ready_scenarios() {
  std::vector<ReadyScenario> all;
  for (const fs::path& folder : data_folders()) {
    if (!fs::is_directory(folder / "scenarios")) {
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "scenarios")) {
      const std::string name = entry.path().stem();
      const bool is_known = std::any_of(all.begin(), all.end(),
                                        [&](const ReadyScenario& r) { return r.name == name; });
      if (entry.path().extension() != ".yaml" || is_known) {
        continue;
      }
      Diagnostics ignored;
      const ConfigNode root = parse_config(read_text_file(entry.path()), entry.path(), ignored);
      const ConfigNode* title = root.find("title");
      all.push_back({name, title == nullptr ? "" : title->text});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const ReadyScenario& a, const ReadyScenario& b) { return a.name < b.name; });
  return all;
}

std::string find_scenario_file(const std::string& name_or_file) {
  if (fs::is_regular_file(name_or_file)) {
    return name_or_file;
  }
  for (const fs::path& folder : data_folders()) {
    const fs::path file = folder / "scenarios" / (name_or_file + ".yaml");
    if (fs::is_regular_file(file)) {
      return file;
    }
  }
  std::vector<std::string> names;
  for (const ReadyScenario& ready : ready_scenarios()) {
    names.push_back(ready.name);
  }
  throw InputError(
      Diagnostic{{},
                 "there is no scenario '" + name_or_file + "'",
                 "it is neither a file nor a ready scenario; " + suggest(name_or_file, names)});
}

std::vector<std::string> ready_models() {
  std::vector<std::string> names;
  for (const fs::path& folder : data_folders()) {
    if (!fs::is_directory(folder / "models")) {
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "models")) {
      const std::string name = entry.path().filename();
      if (!find_model_file(name, "").empty()) {
        names.push_back(name);
      }
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string find_model_file(const std::string& name, const std::string& beside) {
  std::vector<fs::path> candidates{fs::path(beside).parent_path() / name};
  for (const fs::path& folder : data_folders()) {
    candidates.push_back(folder / "models" / name / (name + ".urdf"));
    candidates.push_back(folder / "models" / name / (name + ".sdf"));
  }
  for (const fs::path& candidate : candidates) {
    if (fs::is_regular_file(candidate)) {
      return candidate;
    }
  }
  return {};
}

}  // namespace longarm::scenario
