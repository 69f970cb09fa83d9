// SPDX-License-Identifier: Apache-2.0
// A run's trace to read from, row by row, wherever it is kept.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace longarm::record {

class TraceSource {
 public:
  virtual ~TraceSource() = default;

  /// Index of a column in the rows, e.g. "position.elbow_joint".
  virtual std::optional<std::size_t> find_column(const std::string& name) const = 0;
  /// The next row, or nothing at the end or at an incomplete row. Column 0 is time_s.
  virtual const std::vector<double>* next() = 0;
};

}  // namespace longarm::record
