// SPDX-License-Identifier: Apache-2.0
// Two folders are compiled in; the environment and the place of the program may add others.
#include "longarm/config/data_files.h"

#include <cstdlib>
#include <system_error>

namespace longarm::config {

std::vector<std::filesystem::path> data_folders() {
  std::vector<std::filesystem::path> folders;
  if (const char* own = std::getenv("LONGARM_DATA")) {
    folders.emplace_back(own);
  }
  // an installed program is first to look at what was installed with it, wherever that is
  std::error_code ignored;
  const auto beside =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "../share/longarm";
  if (std::filesystem::is_directory(beside, ignored)) {
    folders.push_back(beside.lexically_normal());
  }
  folders.emplace_back(LONGARM_SOURCE_DATA);
  folders.emplace_back(LONGARM_INSTALLED_DATA);
  return folders;
}

std::vector<std::string> folders_of(const std::string& path, std::vector<std::string> search) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  search.insert(search.begin(), folder);
  if (std::filesystem::is_directory(folder / kInputsFolder)) {
    search.insert(search.begin(), folder / kInputsFolder);
  }
  search.emplace_back(".");
  return search;
}

InputFiles files_of(const std::string& path, std::vector<std::string> search) {
  std::vector<std::string> folders = folders_of(path, std::move(search));
  const std::filesystem::path first = folders.front();
  folders.erase(folders.begin());
  return InputFiles(first / "scenario", std::move(folders));
}

model::ModelSearch model_search(const std::vector<std::string>& first) {
  return model::search_from_environment(first, [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value == nullptr ? "" : value);
  });
}

}  // namespace longarm::config
