// SPDX-License-Identifier: Apache-2.0
// A span of time that differs from case to case: fixed, growing with size, or drawn from measured
// values.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/input_files.h"
#include "longarm/core/time.h"
#include "longarm/network/link.h"

namespace longarm::network {

/// fixed + per_byte · size + a value drawn from `file`, where each is given.
struct VaryingTime {
  Duration fixed{0};
  double per_byte_ns = 0.0;
  /// A CSV file with a column `seconds` (or `column`), one measured value a line, any order.
  std::string file;
  std::string column = "seconds";
  double scale = 1.0;                                   ///< of the drawn values
  std::shared_ptr<const std::vector<double>> sorted_s;  ///< of the file, after load()

  bool is_zero() const;
  Duration at(std::size_t size_bytes, double uniform) const;
  Duration minimum() const;
  Duration mean(std::size_t size_bytes) const;
};

/// `stack: 20us` is short for `stack: {fixed: 20us}`.
void list_fields(Fields& fields, std::string_view key, std::string_view doc, VaryingTime& time);
/// Reads the file. Remarks name keys below the time's own.
std::vector<KeyRemark> load(VaryingTime& time, InputFiles& files);

}  // namespace longarm::network
