// SPDX-License-Identifier: Apache-2.0
// The results of a study with its repeats averaged: one row per point of the question.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "longarm/study/report/report_axis.h"
#include "longarm/study/report/report_figures.h"
#include "longarm/study/store.h"

namespace longarm::study {

/// A metric over the repeats that have it: a run that never settles has no settling time.
struct SummaryCell {
  std::size_t count = 0;
  double mean = 0.0;
  /// Of the 95 % interval. Nothing for a single run, nor where it would mean nothing: for repeats
  /// that are all the same run, and for runs that ended when they became unstable.
  std::optional<double> half_width;
};

struct SummaryRow {
  Point point;               ///< without the repeats
  std::size_t count = 0;     ///< runs there are
  std::size_t stable = 0;    ///< of an experiment: that came to their end
  std::size_t unstable = 0;  ///< of an experiment: that diverged
  std::size_t undecided = 0;
  bool is_same_run = false;    ///< there are several, and all did the same to the last bit
  std::string unstable_joint;  ///< of the first run that has one
  std::vector<std::optional<SummaryCell>> cells;  ///< in the order of the columns
  /// The run whose curves stand for the point: the first repeat. Empty if it is not there yet.
  std::string identity;
  std::string reference;
  std::string state_hash;
  std::string verdict;
  std::string ended;
};

struct Summary {
  std::optional<StudyFigures> figures;  ///< of an experiment; nothing of an arm
  std::vector<MetricColumn> columns;    ///< what the cells are
  std::vector<ReportAxis> axes;         ///< without the repeats
  std::optional<std::size_t> repeats;   ///< how many there should be, if that is an axis
  std::vector<SummaryRow> rows;         ///< in the order of the grid
  std::size_t runs = 0;
  std::size_t open = 0;               ///< runs still to come
  std::vector<std::string> versions;  ///< of Longarm that made them, in order of appearance
  std::string identity;               ///< hash of the runs' identities
};

/// Reads every result once. Throws InputError if nothing was asked yet.
Summary summarise(const Store& store);

/// "stable", "UNSTABLE (elbow_joint)", "3 of 5 stable, 2 undecided"; of an experiment "completed",
/// "DIVERGED" or "1 of 5 DIVERGED".
std::string verdict_text(const SummaryRow& row, bool is_experiment = false);

/// What a sweep prints at its end: one line per point, and how many more there are.
std::string format_summary_table(const Summary& summary, std::size_t most_lines = 100);

}  // namespace longarm::study
