// SPDX-License-Identifier: Apache-2.0
// Reads programs once, when the controller is made: a run depends on nothing that changes later.
#include "longarm/robots/ur/programs.h"

#include <filesystem>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/input_files.h"

namespace longarm::robots {

UrPrograms::UrPrograms(const std::string& folder) {
  if (folder.empty()) {
    return;
  }
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".script") {
      continue;
    }
    Result<std::string> text = read_file(entry.path().string());
    if (!text) {
      throw InputError(Diagnostic{{}, text.error().message, "programs must be readable"});
    }
    texts_[entry.path().stem().string()] = std::move(text).value();
  }
  if (error) {
    throw InputError(Diagnostic{{},
                                fmt::format("the folder '{}' cannot be read", folder),
                                "name a folder with *.script files"});
  }
}

Result<std::string> UrPrograms::find(std::string_view file) const {
  const std::size_t slash = file.rfind('/');
  std::string_view stem = slash == std::string_view::npos ? file : file.substr(slash + 1);
  for (const std::string_view ending : {".urp", ".script"}) {
    if (stem.ends_with(ending)) {
      stem.remove_suffix(ending.size());
      break;
    }
  }
  const auto found = texts_.find(stem);
  if (found == texts_.end()) {
    return Error{fmt::format("File not found: {}", file)};
  }
  return found->second;
}

}  // namespace longarm::robots
