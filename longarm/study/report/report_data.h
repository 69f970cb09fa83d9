// SPDX-License-Identifier: Apache-2.0
// What a report says about a run, a study or margins, before it is a page or a figure.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/load_scenario.h"
#include "longarm/record/plan_geometry.h"
#include "longarm/study/curves.h"
#include "longarm/study/report/report_axis.h"
#include "longarm/study/report/report_figures.h"
#include "longarm/study/report/report_slice.h"
#include "longarm/study/report/summary.h"

namespace longarm::study {

/// Limits that keep a page quick and small; it says which runs and rows they leave out.
inline constexpr std::size_t kMostSeries = 48;
inline constexpr std::size_t kMostStudySamples = 1000;
inline constexpr std::size_t kMostRunSamples = 2000;
inline constexpr std::size_t kMostRows = 2000;

/// What was run, and how to repeat it.
struct ReportAbout {
  std::string longarm_version;
  std::string scenario;
  std::string engine;
  std::string cut;
  std::string command;
  std::size_t runs = 0;
  std::size_t seeds = 1;
  std::string source;    ///< file name
  std::string identity;  ///< hash of the runs' identities
  std::string scenario_yaml;
  std::vector<std::string> warnings;
};

/// One run over time.
struct ReportSeries {
  std::string label;
  Point point;                ///< steps of the axes; empty for a reference
  bool is_reference = false;  ///< the run without the link
  std::string verdict;
  std::string ended;
  Curves curves;                 ///< as they were kept; the page gets fewer samples
  nlohmann::ordered_json link;   ///< as in metrics.json; null: none
  nlohmann::ordered_json poses;  ///< of what moves; null: what its curves have
  std::string identity;
  std::string reference;  ///< identity of the run it was compared with; empty: none
  Steps slice_of;         ///< of a reference that is no point: the points compared with it
};

struct Report {
  std::string kind;  ///< "study", "run" or "margin"
  std::string title;
  ReportAbout about;
  std::vector<ReportAxis> axes;        ///< without the repeats
  std::optional<std::size_t> repeats;  ///< seeds per point, if they are an axis
  Steps where;                         ///< what the user wants the figures to show
  Steps focus;  ///< the slice that they show: `where`, and else where the link does most
  std::optional<StudyFigures> experiment;  ///< what it shows; nothing of an arm
  std::vector<std::string> joints;
  std::optional<record::PlanGeometry> plan;
  nlohmann::ordered_json motion;  ///< what positions or poses of the series move; null: nothing
  std::vector<ReportSeries> series;
  std::vector<MetricColumn> columns;  ///< those of which some row has a value
  std::vector<SummaryRow> rows;       ///< cells as in `columns`
  std::size_t rows_left_out = 0;
  nlohmann::ordered_json margins = nlohmann::ordered_json::array();
  std::vector<std::string> margin_remarks;
};

/// Index of the axis that figures of curves run along; nothing without one.
std::optional<std::size_t> main_axis(const Report& report);

/// The study.db of a study's folder, or the file itself. Throws InputError if it is neither, with
/// what was found.
std::filesystem::path find_database(const std::filesystem::path& study);

/// From a run folder, or the folder or database of a study or a margin search. `where` has
/// "key=value" of axes whose slice the figures show. Throws InputError. What cannot be read of a
/// single run is left out with a warning.
Report make_report(const std::filesystem::path& run_or_study,
                   const std::vector<std::string>& where = {});

// --- the parts of make_report()
Report report_of_study(const Store& store, const std::vector<std::string>& where);
Report report_of_run(const std::filesystem::path& folder);
Report report_of_margins(const nlohmann::ordered_json& document, const std::string& source);
/// The object of that name; empty if it is none, as in a file changed by hand.
nlohmann::ordered_json object_in(const nlohmann::ordered_json& object, const char* key);
/// Those of metrics.json or a document: what is no text as JSON.
std::vector<std::string> texts_in(const nlohmann::ordered_json& object, const char* key);
/// "stable", "unstable" or "undecided"; of an experiment "unstable" where it diverged.
std::string verdict_in(const nlohmann::ordered_json& metrics);
/// Takes the rows, as many as a page can hold, and those of the columns that are used.
void set_rows(Report& report, const std::vector<MetricColumn>& columns,
              std::vector<SummaryRow> rows);
/// What moves in the run of this folder: by its poses where the curves do not have all joints. If
/// its files have changed since, a warning instead.
void add_motion(Report& report, ReportSeries& series, const cell::PreparedScenario& prepared,
                const std::filesystem::path& folder, const nlohmann::ordered_json& metrics);
/// The run of an experiment.
Report report_of_cell_run(const std::filesystem::path& folder,
                          const nlohmann::ordered_json& metrics);
/// What was run, from metrics.json.
ReportAbout describe_run(const nlohmann::ordered_json& metrics,
                         const std::filesystem::path& folder);
/// One row of the run's metrics.
SummaryRow row_of_run(const std::vector<MetricColumn>& columns,
                      const nlohmann::ordered_json& metrics);
/// The columns of these names of a CSV file, if it has them all. Its rows are equally spaced.
std::optional<Curves> read_curves(const std::filesystem::path& file,
                                  const std::vector<std::string>& names);
/// Every n-th sample, so that there are not more than so many.
Curves thinned(Curves curves, std::size_t most_samples);

/// The document that the page reads. Numbers keep all their bits; samples are base64 of
/// little-endian 32-bit floats.
nlohmann::ordered_json to_json(const Report& report);

}  // namespace longarm::study
