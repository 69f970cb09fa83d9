// SPDX-License-Identifier: Apache-2.0
// What a study's file consists of, in SQL; private to the store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/study/store.h"

namespace longarm::study {

/// "Long": so that `file` and we know our own.
inline constexpr int kApplication = 0x4c6f6e67;

/// Tables that hold the results are compared between studies; `machine` is not.
std::string table_definitions();

/// A row of `axes`: what a step of an axis sets a key to.
struct AxisValue {
  std::size_t axis = 0;
  std::size_t step = 0;
  std::string key;
  std::string text;
  std::optional<double> number;   ///< if the text is one
  std::optional<double> seconds;  ///< if it is a duration
};
std::vector<AxisValue> axis_values(const StudyQuestion& question);

/// `results`: for whoever opens the file with sqlite3: a row per point, a column per axis.
std::string results_view(const StudyQuestion& question, const std::vector<std::string>& metrics);

/// A metric by its name, from the columns of `runs`, from `details`, or from `machine`.
std::string metric_expression(const std::string& name);
/// What these expressions need beside `runs`: joins, or nothing.
std::string joined_for(const std::vector<std::string>& metrics);

/// What the user can do about an error of that code of SQLite.
std::string hint_for(int code);

}  // namespace longarm::study
