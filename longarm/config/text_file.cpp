// SPDX-License-Identifier: Apache-2.0
// Reads and writes byte by byte what is there.
#include "longarm/config/text_file.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "longarm/core/diagnostic.h"

namespace longarm::config {

std::string read_text_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_text_file(const std::filesystem::path& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    const std::string reason = errno == 0 ? "" : ": " + std::generic_category().message(errno);
    throw InputError(Diagnostic{{},
                                "cannot write " + path.string() + reason,
                                "check that the disk is not full and that you may write there"});
  }
}

}  // namespace longarm::config
