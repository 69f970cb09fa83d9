// SPDX-License-Identifier: Apache-2.0
// Looks through the data folders.
#include "longarm/config/ready.h"

#include <algorithm>
#include <filesystem>

#include "longarm/config/config_node.h"
#include "longarm/config/data_files.h"
#include "longarm/config/text_file.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"

namespace longarm::config {
namespace {

namespace fs = std::filesystem;

std::vector<Ready> ready_files(const char* kind) {
  std::vector<Ready> all;
  for (const fs::path& folder : data_folders()) {
    if (!fs::is_directory(folder / kind)) {
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / kind)) {
      const std::string name = entry.path().stem();
      const bool is_known =
          std::any_of(all.begin(), all.end(), [&](const Ready& r) { return r.name == name; });
      if (entry.path().extension() != ".yaml" || is_known) {
        continue;
      }
      Diagnostics ignored;
      const ConfigNode root = parse_config(read_text_file(entry.path()), entry.path(), ignored);
      const ConfigNode* title = root.find("title");
      all.push_back({name, title == nullptr ? "" : title->text});
    }
  }
  std::sort(all.begin(), all.end(), [](const Ready& a, const Ready& b) { return a.name < b.name; });
  return all;
}

/// Empty if there is none.
std::string find_ready(const char* kind, const std::string& name) {
  for (const fs::path& folder : data_folders()) {
    const fs::path file = folder / kind / (name + ".yaml");
    if (fs::is_regular_file(file)) {
      return file;
    }
  }
  return {};
}

}  // namespace

std::vector<Ready> ready_scenarios() {
  return ready_files("scenarios");
}

std::vector<Ready> ready_studies() {
  return ready_files("studies");
}

bool is_ready_scenario(const std::string& name) {
  const std::vector<Ready> all = ready_scenarios();
  return std::any_of(all.begin(), all.end(), [&](const Ready& each) { return each.name == name; });
}

std::string find_scenario_file(const std::string& name_or_file) {
  if (fs::is_regular_file(name_or_file)) {
    return name_or_file;
  }
  if (const std::string file = find_ready("scenarios", name_or_file); !file.empty()) {
    return file;
  }
  if (!find_ready("studies", name_or_file).empty()) {
    throw InputError(Diagnostic{{},
                                "'" + name_or_file + "' is a study, not a scenario",
                                "run it with: longarm sweep " + name_or_file});
  }
  throw InputError(Diagnostic{{},
                              "there is no scenario '" + name_or_file + "'",
                              "it is neither a file nor a built-in scenario; " +
                                  suggest(name_or_file, names_of(ready_scenarios()))});
}

std::string find_study_file(const std::string& name_or_file) {
  if (fs::is_regular_file(name_or_file)) {
    return name_or_file;
  }
  for (const char* kind : {"studies", "scenarios"}) {
    if (const std::string file = find_ready(kind, name_or_file); !file.empty()) {
      return file;
    }
  }
  std::vector<std::string> names = names_of(ready_studies());
  const std::vector<std::string> scenarios = names_of(ready_scenarios());
  names.insert(names.end(), scenarios.begin(), scenarios.end());
  throw InputError(Diagnostic{
      {},
      "there is no study or scenario '" + name_or_file + "'",
      "it is neither a file nor a built-in study or scenario; " + suggest(name_or_file, names)});
}

std::vector<std::string> ready_models() {
  std::vector<std::string> names;
  for (const fs::path& folder : data_folders()) {
    if (!fs::is_directory(folder / "models")) {
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "models")) {
      const std::string name = entry.path().filename();
      if (entry.is_directory() && !find_model_file(name, "").empty()) {
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

}  // namespace longarm::config
