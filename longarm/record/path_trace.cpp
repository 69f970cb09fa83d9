// SPDX-License-Identifier: Apache-2.0
// Reads the end effector's path out of a trace.
#include <cmath>

#include <fmt/format.h>

#include "longarm/record/path_figure.h"
#include "longarm/record/trace_csv.h"

namespace longarm::record {
namespace {

constexpr double kLeastStep_m = 1e-5;

}  // namespace

Result<PathTrace> read_path_trace(const std::string& path) {
  auto opened = CsvTraceReader::open(path);
  if (!opened) {
    return opened.error();
  }
  CsvTraceReader& reader = *opened.value();
  std::array<std::size_t, 4> columns{};
  const std::array<const char*, 4> names{"end_effector.x", "end_effector.y", "end_effector.z",
                                         "path_deviation.m"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<std::size_t> column = reader.find_column(names[i]);
    if (!column) {
      return Error{fmt::format("{} has no column {}", path, names[i])};
    }
    columns[i] = *column;
  }

  PathTrace trace;
  std::optional<Point3> last;
  while (const std::vector<double>* row = reader.next()) {
    last = Point3{(*row)[columns[0]], (*row)[columns[1]], (*row)[columns[2]]};
    const Point3& kept = trace.path_m.empty() ? *last : trace.path_m.back();
    const double step =
        std::hypot((*last)[0] - kept[0], (*last)[1] - kept[1], (*last)[2] - kept[2]);
    if (trace.path_m.empty() || step > kLeastStep_m) {
      trace.path_m.push_back(*last);
    }
    trace.deviation.push_back({(*row)[0], (*row)[columns[3]]});
  }
  if (last && *last != trace.path_m.back()) {
    trace.path_m.push_back(*last);
  }
  return trace;
}

}  // namespace longarm::record
