// SPDX-License-Identifier: Apache-2.0
// Runs points of a study: loads and simulates one, and identifies it across studies.
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

/// Runs the points of one grid. Several threads may call it at once.
class PointRunner {
 public:
  /// `load` applies to every point. Throws InputError if a value of an axis is invalid by itself,
  /// or if the scenario cannot be loaded at any of the grid's first points.
  PointRunner(const StudySource& source, const Grid& grid, cell::LoadOptions load,
              const cell::Plugins& plugins);

  const Grid& grid() const { return grid_; }
  /// Hash of what all points share: scenario file, overrides, contents of the files they name.
  const std::string& base_hash() const { return base_hash_; }
  const LoadedPoint& first() const { return *first_; }

  /// Identifies a point across studies: equal keys have equal results. Fast, unless an axis changes
  /// which files are read, because the point must then be loaded.
  std::string key(const Point& point) const;

  /// Loads and simulates point `index`. Errors in the user's input are part of the answer.
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
