// SPDX-License-Identifier: Apache-2.0
// What came of a point of a study.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "longarm/study/run_row.h"

namespace longarm::study {

struct PointAnswer {
  std::size_t index = 0;                ///< in the grid
  std::optional<RunRow> row;            ///< absent if the point makes no sense
  std::optional<RunRow> reference;      ///< if it was simulated for this point
  std::string error;                    ///< why there is no row, in words for the user
  std::vector<std::string> warnings{};  ///< found while the point was loaded, one text each

  /// For the way to another process.
  std::string to_bytes() const;
  static PointAnswer from_bytes(const std::string& bytes);
};

}  // namespace longarm::study
