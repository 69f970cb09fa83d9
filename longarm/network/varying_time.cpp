// SPDX-License-Identifier: Apache-2.0
// Measured values are read once and sorted; a draw picks one of them.
#include "longarm/network/varying_time.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "longarm/core/text.h"

namespace longarm::network {
namespace {

constexpr double kLongestSeconds = 1e6;  // sums of such times must not overflow
constexpr double kLargestPerByteNs = 1e9;

Duration from_seconds(double seconds) {
  return Duration(std::llround(seconds * 1e9));
}

std::string_view trim_cell(std::string_view text) {
  const std::string_view blanks = " \t\r\"";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(trim_cell(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

/// The column's values, or what is wrong with the text.
Result<std::vector<double>> read_column(std::string_view content, const std::string& column) {
  std::vector<double> values;
  std::optional<std::size_t> index;
  const std::vector<std::string_view> lines = split(content, '\n');
  for (std::size_t number = 0; number < lines.size(); ++number) {
    if (lines[number].empty() || lines[number].front() == '#') {
      continue;
    }
    const std::vector<std::string_view> cells = split(lines[number], ',');
    if (!index) {  // the first line that says anything is the header
      const auto found = std::find(cells.begin(), cells.end(), column);
      if (found == cells.end()) {
        return Error{fmt::format("line {}: there is no column '{}'", number + 1, column)};
      }
      index = static_cast<std::size_t>(found - cells.begin());
      continue;
    }
    const std::optional<double> value =
        *index < cells.size() ? parse_number(cells[*index]) : std::nullopt;
    if (!value || !(*value >= 0.0 && *value <= kLongestSeconds)) {
      return Error{
          fmt::format("line {}: column '{}' is not a time in seconds", number + 1, column)};
    }
    values.push_back(*value);
  }
  if (values.empty()) {
    return Error{"it contains no values"};
  }
  return values;
}

}  // namespace

bool VaryingTime::is_zero() const {
  return fixed == Duration(0) && per_byte_ns == 0.0 && file.empty() && !sorted_s;
}

Duration VaryingTime::at(std::size_t size_bytes, double uniform) const {
  Duration time = fixed;
  if (per_byte_ns != 0.0) {
    time += Duration(std::llround(per_byte_ns * static_cast<double>(size_bytes)));
  }
  if (sorted_s) {
    const auto count = static_cast<double>(sorted_s->size());
    const auto index = static_cast<std::size_t>(uniform * count);
    time += from_seconds(scale * (*sorted_s)[std::min(index, sorted_s->size() - 1)]);
  }
  return time;
}

Duration VaryingTime::minimum() const {
  return at(0, 0.0);
}

Duration VaryingTime::mean(std::size_t size_bytes) const {
  if (!sorted_s) {
    return at(size_bytes, 0.0);
  }
  const double sum_s = std::accumulate(sorted_s->begin(), sorted_s->end(), 0.0);
  return fixed + Duration(std::llround(per_byte_ns * static_cast<double>(size_bytes))) +
         from_seconds(scale * sum_s / static_cast<double>(sorted_s->size()));
}

void list_fields(Fields& fields, std::string_view key, std::string_view doc, VaryingTime& time) {
  fields.section(
      key, doc,
      [&](Fields& group) {
        group.field("fixed", time.fixed, "fixed part");
        group.field("per_byte_ns", time.per_byte_ns, "additional nanoseconds per byte");
        group.field("file", time.file, "CSV file of measured times to draw from");
        group.field("column", time.column, "column of the file, in seconds");
        group.field("scale", time.scale, "factor for drawn values");
        if (time.fixed < Duration(0) || time.fixed > from_seconds(kLongestSeconds)) {
          group.reject("fixed", "a time must be between 0 and 1000000 s", "for example 20us");
        }
        if (!(time.per_byte_ns >= 0.0 && time.per_byte_ns <= kLargestPerByteNs)) {
          group.reject("per_byte_ns", "a time per byte must be between 0 and 1e9",
                       "for example 0.5: half a nanosecond per byte");
        }
        if (!(time.scale >= 0.0 && time.scale <= kLongestSeconds)) {
          group.reject("scale", "a scale must be between 0 and 1e6", "1 uses values as they are");
        }
      },
      "fixed");
}

std::vector<KeyRemark> load(VaryingTime& time, InputFiles& files) {
  time.sorted_s = nullptr;
  if (time.file.empty()) {
    return {};
  }
  const Result<std::string> content = files.read(time.file);
  if (!content) {
    return {{"file", content.error().message, "a CSV file with a column of seconds"}};
  }
  Result<std::vector<double>> values = read_column(*content, time.column);
  if (!values) {
    return {
        {"file", fmt::format("{}: {}", time.file, values.error().message),
         fmt::format("expected a header line with '{}', then one value per line", time.column)}};
  }
  std::vector<double> sorted = std::move(values).value();
  std::sort(sorted.begin(), sorted.end());
  time.sorted_s = std::make_shared<const std::vector<double>>(std::move(sorted));
  return {};
}

}  // namespace longarm::network
