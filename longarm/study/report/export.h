// SPDX-License-Identifier: Apache-2.0
// A study's results as comma-separated values (RFC 4180), a row per run.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "longarm/study/store.h"

namespace longarm::study {

struct ExportOptions {
  /// Every number and word of metrics.json, e.g. joints.elbow_joint.overshoot_rad, not only the
  /// main figures.
  bool has_all_metrics = false;
  /// What the machine needed, in the last columns: no two exports have the same.
  bool has_machine = false;
};

/// "a" as it is; quoted if it has a comma, a quote or a line's end inside.
std::string csv_field(std::string_view text);

/// Hands out line after line, the heading first: the keys of the axes, what came out, hash,
/// identity. Of an experiment the kind's metrics come out.
/// Numbers read back as the same bits; what a run does not have is an empty field. Returns how many
/// runs there are. Throws InputError if nothing was asked of the study.
std::size_t export_csv(const Store& store, const ExportOptions& options,
                       const std::function<void(const std::string& line)>& write);

}  // namespace longarm::study
