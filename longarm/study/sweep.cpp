// SPDX-License-Identifier: Apache-2.0
// What was asked, what is answered already, and the rest in an order that shares references.
#include "longarm/study/sweep.h"

#include <algorithm>
#include <map>
#include <utility>

#include "longarm/study/report/report_figures.h"
#include "longarm/study/report/report_motion.h"
#include "longarm/study/report/report_plan.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;

Json axes_json(const Grid& grid) {
  Json axes = Json::array();
  for (const Axis& axis : grid.axes()) {
    Json values = Json::array();
    for (std::size_t step = 0; step < axis.values.size(); ++step) {
      values.push_back(axis.label(step));
    }
    axes.push_back({{"key", axis.name()}, {"values", std::move(values)}});
  }
  return axes;
}

/// Runs that differ in the link or the seed only are compared with one run.
bool shares_reference(const Axis& axis) {
  return std::all_of(axis.keys.begin(), axis.keys.end(), [](const std::string& key) {
    return key == "seed" || key == "link" || key.starts_with("link.");
  });
}

/// Those that share a reference follow each other.
void sort_by_reference(std::vector<std::size_t>& points, const Grid& grid) {
  const auto group = [&](std::size_t index) {
    Point point = grid.point(index);
    for (std::size_t i = 0; i < point.size(); ++i) {
      point[i] = shares_reference(grid.axes()[i]) ? 0 : point[i];
    }
    return point;
  };
  std::stable_sort(points.begin(), points.end(),
                   [&](std::size_t a, std::size_t b) { return group(a) < group(b); });
}

/// What another study left in the file would be taken for this one's.
void keep_documents(Store& store, const std::vector<LoadedPoint::Document>& documents) {
  for (const char* name : {kPlanDocument, kMotionDocument, kFiguresDocument}) {
    store.drop_document(name);
  }
  for (const LoadedPoint::Document& document : documents) {
    store.put_document(document.name, document.json);
  }
}

}  // namespace

SweepResult sweep(const StudySource& source, const PointRunner& runner, Store& store,
                  const SweepOptions& options) {
  const Grid& grid = runner.grid();
  std::vector<GridPoint> points;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const Point point = grid.point(i);
    points.push_back({runner.key(point), point});
  }
  keep_documents(store, runner.first().documents());
  store.ask(
      {source.name, runner.first().prepared().name, options.command, source.title, axes_json(grid)},
      points, runner.first().metrics());

  Work work;
  work.points = store.open_points();
  sort_by_reference(work.points, grid);
  SweepResult result;
  std::map<std::string, std::size_t> warnings;  // ordered, as points end in any order
  result.progress = {grid.size(), grid.size() - work.points.size(), 0};
  const auto show = [&] {
    if (options.progress) {
      options.progress(result.progress);
    }
  };
  work.answer = [&](std::size_t index) { return runner.run(index); };
  work.is_stopped = [&] {
    show();
    return options.is_interrupted && options.is_interrupted();
  };
  work.take = [&](PointAnswer answer) {
    if (answer.reference) {
      store.add("", *answer.reference);
    }
    if (answer.row) {
      store.add(points[answer.index].key, *answer.row);
      ++result.progress.answered;
    } else {
      result.failures.push_back({grid.assignments(grid.point(answer.index)), answer.error});
    }
    for (const std::string& warning : answer.warnings) {
      ++warnings[warning];
    }
    ++result.progress.ran;
    show();
  };
  if (!work.points.empty()) {
    options.workers ? options.workers(work) : work_in_threads(work, available_threads());
  }
  for (const auto& [text, count] : warnings) {
    result.warnings.push_back({text, count});
  }
  return result;
}

}  // namespace longarm::study
