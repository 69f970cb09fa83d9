// SPDX-License-Identifier: Apache-2.0
// CSV: a header with time_… or timestamp, and delay_… or rtt_…, then one line per packet.
#include <algorithm>
#include <array>
#include <chrono>
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
  bool is_stamp = false;     ///< `timestamp` without a unit
};

constexpr std::string_view kSeparators = ",;\t";

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

std::string_view unquote(std::string_view cell) {
  cell = trim(cell);
  const bool is_quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return is_quoted ? trim(cell.substr(1, cell.size() - 2)) : cell;
}

/// Separators within quotes separate nothing.
std::vector<std::string_view> split_cells(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  bool is_quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    is_quoted = is_quoted != (line[i] == '"');
    if (line[i] == separator && !is_quoted) {
      cells.push_back(unquote(line.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  cells.push_back(unquote(line.substr(begin)));
  return cells;
}

/// The columns called `name` with a unit, e.g. delay_ms.
std::vector<Column> find_columns(const std::vector<std::string_view>& header,
                                 const std::string& name) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"_s", 1e9}, {"_ms", 1e6}, {"_us", 1e3}, {"_ns", 1.0}}};
  std::vector<Column> found;
  for (std::size_t i = 0; i < header.size(); ++i) {
    for (const auto& [unit, nanoseconds] : kUnits) {
      if (to_lower(header[i]) == name + std::string(unit)) {
        found.push_back({i, nanoseconds});
      }
    }
  }
  return found;
}

std::vector<Column> find_times(const std::vector<std::string_view>& header) {
  for (const char* name : {"time", "timestamp"}) {
    std::vector<Column> found = find_columns(header, name);
    if (!found.empty()) {
      return found;
    }
  }
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (to_lower(header[i]) == "timestamp") {
      return {{i, 1e9, true}};
    }
  }
  return {};
}

/// Seconds, unless that would be after the year 5000: what counts since 1970 in thousandths,
/// millionths or nanoseconds is that large.
double unit_of_stamp(double value) {
  constexpr double kTooLate = 1e11;
  double nanoseconds = 1e9;
  for (; std::abs(value) > kTooLate && nanoseconds > 1.0; value *= 1e-3) {
    nanoseconds *= 1e-3;
  }
  return nanoseconds;
}

/// "2026-03-01 12:30:00.25" or with a T in between, as seconds. A zone at the end is left out: it
/// is the same in every line.
std::optional<double> clock_seconds(std::string_view cell) {
  constexpr std::size_t kDateLength = 10;
  constexpr std::size_t kClockLength = 8;
  const auto part = [&](std::size_t begin, std::size_t length) {
    const std::optional<double> value = parse_number(cell.substr(begin, length));
    return value && *value >= 0.0 ? static_cast<int>(*value) : -1;
  };
  const bool is_shaped = cell.size() >= kDateLength + 1 + kClockLength && cell[4] == '-' &&
                         cell[7] == '-' && (cell[10] == ' ' || cell[10] == 'T') &&
                         cell[13] == ':' && cell[16] == ':';
  if (!is_shaped) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(part(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(part(8, 2)))};
  const std::size_t end = std::min(cell.find_first_not_of("0123456789.", 17), cell.size());
  const std::optional<double> seconds = parse_number(cell.substr(17, end - 17));
  if (!date.ok() || part(11, 2) < 0 || part(14, 2) < 0 || !seconds) {
    return std::nullopt;
  }
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return 86400.0 * static_cast<double>(days) + 3600.0 * part(11, 2) + 60.0 * part(14, 2) + *seconds;
}

/// Why this is no text that can be read, if so.
std::optional<Error> refuse_bytes(std::string_view content) {
  if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff")) {
    return Error{"this text is UTF-16; save it as UTF-8"};
  }
  const std::size_t zero = content.find('\0');
  if (zero != std::string_view::npos) {
    const auto line = std::count(content.begin(), content.begin() + static_cast<long>(zero), '\n');
    return Error{fmt::format(
        "line {}: a zero byte; this is not text, or it is UTF-16 (save it as UTF-8)", line + 1)};
  }
  return std::nullopt;
}

bool is_skipped(std::string_view line) {
  return trim(line).empty() || trim(line).front() == '#';
}

class CsvReader {
 public:
  Result<DelayTrace> read(std::string_view content) {
    if (std::optional<Error> error = refuse_bytes(content)) {
      return *std::move(error);
    }
    if (content.starts_with("\xef\xbb\xbf")) {
      content.remove_prefix(3);  // some editors mark UTF-8 so
    }
    const std::vector<std::string_view> lines = split_lines(content);
    std::size_t number = 0;
    for (; number < lines.size() && is_skipped(lines[number]); ++number) {
    }
    if (number == lines.size()) {
      return Error{"the trace is empty"};
    }
    if (const std::optional<Error> error = read_header(lines[number])) {
      return Error{fmt::format("line {}: {}", number + 1, error->message)};
    }
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
  /// The separator is the one that makes a delay column of the header.
  std::optional<Error> read_header(std::string_view line) {
    for (const char separator : kSeparators) {
      const std::vector<std::string_view> header = split_cells(line, separator);
      std::vector<Column> delays = find_columns(header, "delay");
      const bool is_of_round_trips = delays.empty();
      if (is_of_round_trips) {
        delays = find_columns(header, "rtt");
      }
      const std::vector<Column> times = find_times(header);
      if (delays.empty()) {
        continue;
      }
      for (const std::vector<Column>& twice : {delays, times}) {
        if (twice.size() > 1) {
          return Error{fmt::format("both '{}' and '{}' are delay columns; keep one",
                                   header[*twice[0].index], header[*twice[1].index])};
        }
      }
      separator_ = separator;
      columns_ = header.size();
      delay_ = delays[0];
      time_ = times.empty() ? Column{} : times[0];
      trace_.has_times = time_.index.has_value();
      if (is_of_round_trips) {
        delay_.nanoseconds *= 0.5;
        trace_.is_of_pings = true;
        trace_.remarks.push_back(fmt::format(
            "'{}' are round trips: each way is taken as half of them", header[*delay_.index]));
      }
      return std::nullopt;
    }
    return Error{fmt::format(
        "a header such as 'time_s,delay_s' or 'timestamp,rtt_ms' is expected, not '{}'", line)};
  }

  std::optional<Error> read_line(std::string_view line) {
    const std::vector<std::string_view> cells = split_cells(line, separator_);
    if (cells.size() <= std::max(*delay_.index, time_.index.value_or(0))) {
      return Error{
          fmt::format("the row ends after {} of {} columns; write 'lost' for a lost packet",
                      cells.size(), columns_)};
    }
    DelaySample sample;
    if (time_.index) {
      const std::string_view cell = cells[*time_.index];
      const std::optional<Duration> at = time_in(cell);
      if (!at) {
        return Error{fmt::format("'{}' is not a time", cell)};
      }
      first_ = first_.value_or(*at);
      sample.at = *at - *first_;
      if (!trace_.samples.empty() && sample.at < trace_.samples.back().at) {
        return Error{"this time is before the one above"};
      }
      if (!trace_.samples.empty() && sample.at == trace_.samples.back().at) {
        return Error{"this time is the same as the one above"};
      }
    }
    const std::string_view cell = cells[*delay_.index];
    if (!cell.empty() && to_lower(cell) != "lost") {
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

  std::optional<double> number(std::string_view cell) const {
    std::string text(cell);
    if (separator_ != ',') {
      std::replace(text.begin(), text.end(), ',', '.');  // a decimal comma
    }
    return parse_number(text);
  }

  std::optional<Duration> number_in(std::string_view cell, const Column& column) const {
    return duration(number(cell).value_or(NAN) * column.nanoseconds);
  }

  static std::optional<Duration> duration(double nanoseconds) {
    if (!(std::abs(nanoseconds) < kLongestNanoseconds)) {
      return std::nullopt;
    }
    return Duration(std::llround(nanoseconds));
  }

  /// Times since 1970 are too long to be counted in nanoseconds: from the first one on.
  std::optional<Duration> time_in(std::string_view cell) {
    std::optional<double> value = number(cell);
    const bool is_clock = !value && time_.is_stamp;
    value = is_clock ? clock_seconds(cell) : value;
    if (!value) {
      return std::nullopt;
    }
    if (!origin_) {
      time_.nanoseconds = time_.is_stamp ? unit_of_stamp(*value) : time_.nanoseconds;
      const bool is_short = std::abs(*value * time_.nanoseconds) < kLongestNanoseconds;
      origin_ = is_short ? 0.0 : *value;
    }
    return duration((*value - *origin_) * time_.nanoseconds);
  }

  char separator_ = ',';
  std::size_t columns_ = 0;
  Column time_;
  Column delay_;
  std::optional<Duration> first_;
  std::optional<double> origin_;  // of the time column, in its unit
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
