// SPDX-License-Identifier: Apache-2.0
// What tables and figures show of a cell, kept beside its runs: a report must not need the
// program that made them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/figures.h"
#include "longarm/study/report/report_axis.h"
#include "longarm/study/store.h"

namespace longarm::cell {
struct PreparedScenario;
}

namespace longarm::study {

/// Name of the document in a store.
inline constexpr const char* kFiguresDocument = "experiment";

struct StudyFigures {
  std::string kind;
  std::string title;  ///< the scenario's
  std::vector<cell::CurveInfo> curves;
  std::vector<MetricColumn> columns;  ///< the kind's metrics, and its outcome
  std::string outcome;                ///< one of the columns that is true or false; empty: none
  bool outcome_is_good = true;        ///< whether true is what one hopes for
  std::size_t headline = 5;           ///< how many columns a terminal shows

  bool operator==(const StudyFigures& other) const;
};

StudyFigures figures_of(const cell::PreparedScenario& prepared);
nlohmann::ordered_json to_json(const StudyFigures& figures);
nlohmann::ordered_json figures_document(const cell::PreparedScenario& prepared);

/// Nothing if it is damaged, or of an arm.
std::optional<StudyFigures> read_figures_document(const nlohmann::ordered_json& document);
/// Nothing if the study is one of an arm.
std::optional<StudyFigures> figures_of(const Store& store);

/// A mean of truths: "yes", "no", or "3 of 5" of several runs that disagree.
std::string outcome_text(double mean, std::size_t count);

/// How fast it ran: of the machine, and so no part of the results.
MetricColumn real_time_factor_column();

/// What tables show of a study: an arm's figures, or the experiment's and how fast it ran.
std::vector<MetricColumn> shown_columns(const std::optional<StudyFigures>& figures);

}  // namespace longarm::study
