// SPDX-License-Identifier: Apache-2.0
// The report as one HTML file that needs nothing beside it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "longarm/study/report/report_data.h"

namespace longarm::study {

/// The page with the report's data in it. Throws InputError if `page` is empty, because the program
/// was built without it.
std::string report_html(const Report& report, std::string_view page);

/// Writes beside the file, then takes its place: an older file is there until the new one is
/// complete. Throws InputError if that cannot be, e.g. because the disk is full.
void replace_file(const std::filesystem::path& file, std::string_view text);

}  // namespace longarm::study
