// SPDX-License-Identifier: Apache-2.0
// CSV: a header with time_… and delay_…, then one line per packet.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "longarm/core/text.h"
#include "longarm/network/trace/delay_trace.h"

namespace longarm::network {
namespace {

constexpr double kLongestNanoseconds = 1e18;  // 31 years; sums of such times must not overflow

struct Column {
  std::optional<std::size_t> index;
  double nanoseconds = 0.0;  ///< per unit
};

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::vector<std::string_view> split_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) {
      return cells;
    }
    line.remove_prefix(comma + 1);
  }
}

/// The column called `name` with a unit, e.g. delay_ms.
Column find_column(const std::vector<std::string_view>& header, const std::string& name) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"_s", 1e9}, {"_ms", 1e6}, {"_us", 1e3}, {"_ns", 1.0}}};
  for (std::size_t i = 0; i < header.size(); ++i) {
    for (const auto& [unit, nanoseconds] : kUnits) {
      if (header[i] == name + std::string(unit)) {
        return {i, nanoseconds};
      }
    }
  }
  return {};
}

bool is_skipped(std::string_view line) {
  return trim(line).empty() || trim(line).front() == '#';
}

class CsvReader {
 public:
  Result<DelayTrace> read(std::string_view content) {
    const std::vector<std::string_view> lines = split_lines(content);
    std::size_t number = 0;
    for (; number < lines.size() && is_skipped(lines[number]); ++number) {
    }
    if (number == lines.size()) {
      return Error{"the trace is empty"};
    }
    const std::vector<std::string_view> header = split_cells(lines[number]);
    time_ = find_column(header, "time");
    delay_ = find_column(header, "delay");
    if (!delay_.index) {
      return Error{fmt::format("line {}: a header such as 'time_s,delay_s' is expected, not '{}'",
                               number + 1, lines[number])};
    }
    trace_.has_times = time_.index.has_value();
    for (++number; number < lines.size(); ++number) {
      if (is_skipped(lines[number])) {
        continue;
      }
      if (const std::optional<Error> error = read_line(lines[number])) {
        return Error{fmt::format("line {}: {}", number + 1, error->message)};
      }
    }
    if (trace_.samples.empty()) {
      return Error{"the trace has a header but no samples"};
    }
    return trace_;
  }

 private:
  std::optional<Error> read_line(std::string_view line) {
    const std::vector<std::string_view> cells = split_cells(line);
    const std::size_t last = std::max(*delay_.index, time_.index.value_or(0));
    // an empty last cell may come without its comma
    if (cells.size() < last + (*delay_.index == last ? 0 : 1)) {
      return Error{fmt::format("{} columns are too few", cells.size())};
    }
    DelaySample sample;
    if (time_.index) {
      const std::string_view cell = cells[*time_.index];
      const std::optional<Duration> at = number_in(cell, time_);
      if (!at) {
        return Error{fmt::format("'{}' is not a time", cell)};
      }
      first_ = first_.value_or(*at);
      sample.at = *at - *first_;
      if (!trace_.samples.empty() && sample.at < trace_.samples.back().at) {
        return Error{"this time is before the one above"};
      }
    }
    const std::string_view cell =
        *delay_.index < cells.size() ? cells[*delay_.index] : std::string_view();
    if (!cell.empty() && cell != "lost") {
      sample.delay = number_in(cell, delay_);
      if (!sample.delay) {
        return Error{
            fmt::format("'{}' is not a delay; write 'lost' or nothing for a lost packet", cell)};
      }
      if (*sample.delay < Duration(0)) {
        return Error{fmt::format("the delay {} is negative", cell)};
      }
    }
    trace_.samples.push_back(sample);
    return std::nullopt;
  }

  static std::optional<Duration> number_in(std::string_view cell, const Column& column) {
    const std::optional<double> number = parse_number(cell);
    if (!number || !(std::abs(*number * column.nanoseconds) < kLongestNanoseconds)) {
      return std::nullopt;
    }
    return Duration(std::llround(*number * column.nanoseconds));
  }

  Column time_;
  Column delay_;
  std::optional<Duration> first_;
  DelayTrace trace_;
};

}  // namespace

Result<DelayTrace> read_csv_trace(std::string_view content) {
  return CsvReader().read(content);
}

std::vector<std::string_view> split_lines(std::string_view content) {
  std::vector<std::string_view> lines;
  while (!content.empty()) {
    const std::size_t end = content.find('\n');
    std::string_view line = content.substr(0, end);
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    lines.push_back(line);
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
  }
  return lines;
}

}  // namespace longarm::network
