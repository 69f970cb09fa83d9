// SPDX-License-Identifier: Apache-2.0
// What is to be started: the words of a command, and where longarm-ns3 is.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "longarm/network/external/external_backend.h"

namespace longarm::network {
namespace fs = std::filesystem;

Result<std::vector<std::string>> split_command(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool has_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
      has_word = true;
    } else if (quote != 0) {
      quote == c ? void(quote = 0) : void(word += c);
    } else if (c == '"' || c == '\'') {
      quote = c;
      has_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (has_word) {
        words.push_back(std::move(word));
        word.clear();
      }
      has_word = false;
    } else {
      word += c;
      has_word = true;
    }
  }
  if (quote != 0) {
    return Error{fmt::format("a quote ({}) is not closed", quote)};
  }
  if (has_word) {
    words.push_back(std::move(word));
  }
  if (words.empty()) {
    return Error{"the command is empty"};
  }
  return words;
}

std::string with_found_files(const std::string& command, const InputFiles& files) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+";
  const std::size_t plain_end = std::min(command.find_first_of("'\"\\"), command.size());
  std::string result;
  for (std::size_t begin = 0; begin < command.size();) {
    const std::size_t end = std::min(command.find_first_of(" \t\n", begin), command.size());
    const std::string word = command.substr(begin, end - begin);
    const bool is_file_name = end <= plain_end && word.find_first_of("./") != std::string::npos &&
                              word.find_first_not_of(kPlain) == std::string::npos;
    std::error_code ignored;
    const bool is_missing = is_file_name && !fs::exists(word, ignored);
    const Result<std::string> found = is_missing ? files.find(word) : Result<std::string>(word);
    const bool is_elsewhere = is_missing && found && found->find('\'') == std::string::npos;
    // neither a shell nor we look into single quotes
    result += is_elsewhere ? "'" + fs::absolute(*found, ignored).string() + "'" : word;
    const std::size_t next = std::min(command.find_first_not_of(" \t\n", end), command.size());
    result += command.substr(end, next - end);
    begin = next;
  }
  return result;
}

Result<std::string> find_ns3_backend() {
  if (const char* const named = std::getenv("LONGARM_NS3"); named != nullptr && *named != '\0') {
    if (access(named, X_OK) != 0) {
      return Error{fmt::format("LONGARM_NS3 is '{}', which is not a program", named)};
    }
    return std::string(named);
  }
  std::vector<fs::path> folders;
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  if (!self.empty()) {
    folders.push_back(self.parent_path());
    // programs, tests and benchmarks of a build tree are at most three folders below its root
    for (fs::path up = self.parent_path(); folders.size() < 5 && up.has_relative_path();
         up = up.parent_path()) {
      folders.push_back(up / "apps" / "longarm-ns3");
    }
  }
  std::istringstream path(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, ':');) {
    folders.emplace_back(folder.empty() ? "." : folder);
  }
  for (const fs::path& folder : folders) {
    const fs::path program = folder / "longarm-ns3";
    if (fs::is_regular_file(program, ignored) && access(program.c_str(), X_OK) == 0) {
      return program.string();
    }
  }
  return Error{"longarm-ns3 is neither beside this program nor on the PATH"};
}

}  // namespace longarm::network
