// SPDX-License-Identifier: Apache-2.0
// Answers one point of a study: loads it, simulates it, compares it with the run without a link.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "longarm/record/memory_trace.h"
#include "longarm/scenario/load.h"
#include "longarm/study/axis.h"
#include "longarm/study/run_row.h"
#include "longarm/study/study_file.h"

namespace longarm::study {

/// What came of a point.
struct PointAnswer {
  std::size_t index = 0;            ///< in the grid
  std::optional<RunRow> row;        ///< absent if the point makes no sense
  std::optional<RunRow> reference;  ///< if it was simulated for this point
  std::string error;                ///< why there is no row, in words for the user

  /// For the way to another process.
  std::string to_bytes() const;
  static PointAnswer from_bytes(const std::string& bytes);
};

/// Every point is compared with the same scenario without a link and with the study's first seed:
/// what the link did is the difference. Several threads may ask at once.
class PointRunner {
 public:
  /// `load` has what holds for every point. Throws InputError if a value of an axis makes no sense
  /// by itself, or if the scenario cannot be loaded at any of the grid's first points.
  PointRunner(const StudySource& source, const Grid& grid, scenario::LoadOptions load,
              const scenario::Plugins& plugins);

  const Grid& grid() const { return grid_; }
  /// What all points share: scenario file, overrides, contents of the files they name.
  const std::string& base_hash() const { return base_hash_; }
  const scenario::PreparedScenario& first() const { return first_; }

  /// Names a point across asks: equal keys, equal results. Quick, unless an axis changes which
  /// files are read: then the point has to be loaded.
  std::string key(const Point& point) const;

  /// Never throws for what the user did.
  PointAnswer run(std::size_t index) const;

 private:
  /// A run that others are compared with.
  struct Reference {
    std::string identity;
    std::once_flag is_made;
    std::shared_ptr<const record::MemoryTrace> trace;
  };

  scenario::LoadOptions options_at(const Point& point) const;
  scenario::PreparedScenario load(const Point& point) const;
  scenario::PreparedScenario load_first() const;
  std::vector<Point> points_along_axes() const;
  void check_values_of_axes() const;
  bool may_change_files() const;
  std::string hash_of_base() const;
  scenario::PreparedScenario reference_scenario(scenario::PreparedScenario prepared) const;
  std::shared_ptr<Reference> reference_of(const std::string& identity) const;
  void simulate(const scenario::PreparedScenario& prepared, PointAnswer& answer) const;

  StudySource source_;
  Grid grid_;
  scenario::LoadOptions load_;
  const scenario::Plugins& plugins_;
  scenario::PreparedScenario first_;
  bool changes_files_ = false;
  std::string base_hash_;

  // the few references that are in use; a study's points come in an order that needs few
  mutable std::mutex mutex_;
  mutable std::list<std::shared_ptr<Reference>> references_;
};

}  // namespace longarm::study
