// SPDX-License-Identifier: Apache-2.0
// Whole files in and out.
#pragma once

#include <filesystem>
#include <string>

namespace longarm::config {

/// Empty if there is no such file.
std::string read_text_file(const std::filesystem::path& path);

/// Throws InputError if not all of it could be written.
void write_text_file(const std::filesystem::path& path, const std::string& text);

}  // namespace longarm::config
