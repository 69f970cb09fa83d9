// SPDX-License-Identifier: Apache-2.0
// Answers the points of a study: loads one, simulates it, and names it across asks.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "longarm/cell/load_scenario.h"
#include "longarm/study/axis.h"
#include "longarm/study/point_answer.h"
#include "longarm/study/point_source.h"
#include "longarm/study/study_file.h"

namespace longarm::study {

/// Several threads may ask at once.
class PointRunner {
 public:
  /// `load` has what holds for every point. Throws InputError if a value of an axis makes no sense
  /// by itself, or if the scenario cannot be loaded at any of the grid's first points.
  PointRunner(const StudySource& source, const Grid& grid, cell::LoadOptions load,
              const cell::Plugins& plugins);

  const Grid& grid() const { return grid_; }
  /// What all points share: scenario file, overrides, contents of the files they name.
  const std::string& base_hash() const { return base_hash_; }
  const LoadedPoint& first() const { return *first_; }

  /// Names a point across asks: equal keys, equal results. Quick, unless an axis changes which
  /// files are read: then the point has to be loaded.
  std::string key(const Point& point) const;

  /// Never throws for what the user did.
  PointAnswer run(std::size_t index) const;

 private:
  cell::LoadOptions options_at(const Point& point) const;
  std::unique_ptr<LoadedPoint> load(const Point& point) const;
  std::unique_ptr<LoadedPoint> load_first() const;
  std::vector<Point> points_along_axes() const;
  void check_values_of_axes() const;
  void check_value(std::size_t axis, std::size_t step) const;
  bool may_change_files() const;
  std::string hash_of_base() const;

  StudySource source_;
  Grid grid_;
  cell::LoadOptions load_;
  PointSource points_;
  std::unique_ptr<LoadedPoint> first_;
  bool changes_files_ = false;
  std::string base_hash_;
};

}  // namespace longarm::study
