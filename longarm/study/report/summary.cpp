// SPDX-License-Identifier: Apache-2.0
// Groups results by point as they are read.
#include "longarm/study/report/summary.h"

#include <algorithm>
#include <map>
#include <utility>

#include "longarm/core/hash.h"
#include "longarm/core/statistics.h"
#include "longarm/core/suggest.h"

namespace longarm::study {
namespace {

/// A row that is not complete yet.
struct Growing {
  SummaryRow row;
  std::vector<Scatter> scatters;
  std::string any_hash;  ///< of the first run there is
};

void add_result(Growing& group, const ResultRow& result, bool is_first_repeat) {
  SummaryRow& row = group.row;
  ++row.count;
  group.any_hash = row.count == 1 ? result.state_hash : group.any_hash;
  row.is_same_run = (row.count <= 2 || row.is_same_run) && row.count > 1 &&
                    !result.state_hash.empty() && result.state_hash == group.any_hash;
  const bool is_experiment = result.verdict.empty();
  const bool has_diverged = is_experiment && result.ended == "diverged";
  row.stable += result.verdict == "stable" || (is_experiment && !has_diverged) ? 1 : 0;
  row.unstable += result.verdict == "unstable" || has_diverged ? 1 : 0;
  row.undecided += result.verdict == "undecided" ? 1 : 0;
  if (row.unstable_joint.empty()) {
    row.unstable_joint = result.unstable_joint;
  }
  if (is_first_repeat) {
    row.identity = result.identity;
    row.reference = result.reference;
    row.state_hash = result.state_hash;
    row.verdict = result.verdict;
    row.ended = result.ended;
  }
  group.scatters.resize(result.metrics.size());
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    if (result.metrics[i]) {
      group.scatters[i].add(*result.metrics[i]);
    }
  }
}

SummaryRow finish(Growing& group, const Summary& summary, ConfidenceInterval& interval) {
  for (std::size_t i = 0; i < group.scatters.size(); ++i) {
    const Scatter& scatter = group.scatters[i];
    const MetricColumn& column = summary.columns[i];
    const bool is_outcome = summary.figures && summary.figures->outcome == column.name;
    // a machine is never the same twice; yes and no are not spread around a mean
    const bool has_interval =
        group.row.unstable == 0 && !is_outcome && (!group.row.is_same_run || column.is_of_machine);
    std::optional<SummaryCell>& cell = group.row.cells.emplace_back();
    if (scatter.count() > 0) {
      cell = SummaryCell{scatter.count(), scatter.mean(),
                         has_interval ? interval.half_width(scatter) : std::nullopt};
    }
  }
  return std::move(group.row);
}

}  // namespace

Summary summarise(const Store& store) {
  const std::optional<StudyQuestion> question = store.question();
  if (!question) {
    throw InputError(Diagnostic{
        {store.file().string()}, "this study has no runs yet", "run longarm sweep first"});
  }
  Summary summary;
  summary.figures = figures_of(store);
  summary.columns = shown_columns(summary.figures);
  std::optional<std::size_t> repeat_axis;
  const std::vector<ReportAxis> axes = read_axes(question->axes);
  for (const ReportAxis& axis : axes) {
    if (axis.is_repeat()) {
      repeat_axis = summary.axes.size();  // the place where it was
      summary.repeats = axis.values.size();
    } else {
      summary.axes.push_back(axis);
    }
  }

  // by point, so that the order is the grid's wherever the repeats stand in it
  std::map<Point, Growing> groups;
  Hash hash;
  store.for_each_result(names_of(summary.columns), [&](const ResultRow& result) {
    check_point(axes, result.values, result.identity);
    Point point = result.values;
    std::size_t repeat = 0;
    if (repeat_axis && *repeat_axis < point.size()) {
      const auto place = point.begin() + static_cast<std::ptrdiff_t>(*repeat_axis);
      repeat = *place;
      point.erase(place);
    }
    Growing& group = groups[point];
    group.row.point = point;
    add_result(group, result, repeat == 0);
    ++summary.runs;
    hash.add(result.identity);
    if (std::find(summary.versions.begin(), summary.versions.end(), result.longarm_version) ==
        summary.versions.end()) {
      summary.versions.push_back(result.longarm_version);
    }
  });
  ConfidenceInterval interval;
  summary.rows.reserve(groups.size());
  for (auto& [point, group] : groups) {
    summary.rows.push_back(finish(group, summary, interval));
  }
  summary.open = store.grid_size() - summary.runs;
  summary.identity = hash.text();
  return summary;
}

}  // namespace longarm::study
