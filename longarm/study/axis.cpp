// SPDX-License-Identifier: Apache-2.0
// Reads axes as users write them and counts through the grid.
#include "longarm/study/axis.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/text.h"

namespace longarm::study {
namespace {

// more points than this are a slip of the keyboard
constexpr double kMostPoints = 10e6;

const char* const kExample = "for example: --axis link.delay=0ms,5ms,10ms or --axis seed=1..20";

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  const auto last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// Splits where `separator` stands outside brackets and quotes.
std::vector<std::string> split_outside_brackets(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == separator && depth == 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += c;
  }
  for (std::string& part : parts) {
    part = trimmed(part);
  }
  return parts;
}

/// A value that can be counted with: a number or a duration, and how to write it.
struct Countable {
  double number = 0.0;
  bool is_duration = false;

  std::string text() const {
    return is_duration ? format_duration(Duration(static_cast<std::int64_t>(number)))
                       : format_number(number);
  }
};

std::optional<Countable> countable(const std::string& text) {
  if (const std::optional<double> number = parse_number(text)) {
    return Countable{*number, false};
  }
  const Result<Duration> duration = parse_duration(text);
  return duration ? std::optional(Countable{static_cast<double>(duration->count()), true})
                  : std::nullopt;
}

/// How many digits a number has after its point; all there can be, if it has an exponent.
int decimals(const std::string& text) {
  if (text.find_first_of("eE") != std::string::npos) {
    return std::numeric_limits<double>::max_digits10;
  }
  const std::size_t point = text.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(trimmed(text).size() - point) - 1;
}

/// "1..20" or "0ms..20ms:5ms"; nothing if the text is not a range at all.
std::optional<std::vector<std::string>> expand_range(const std::string& text,
                                                     const SourceLocation& where) {
  const std::size_t dots = text.find("..");
  // a path such as ../trace.csv is no range
  if (dots == std::string::npos || dots == 0 || text.find('/') != std::string::npos) {
    return std::nullopt;
  }
  const std::size_t colon = text.find(':', dots);
  const std::string step_text = colon == std::string::npos ? "" : trimmed(text.substr(colon + 1));
  const std::size_t last_length = colon == std::string::npos ? colon : colon - dots - 2;
  std::optional<Countable> first = countable(trimmed(text.substr(0, dots)));
  const std::optional<Countable> last = countable(trimmed(text.substr(dots + 2, last_length)));
  if (!first || !last) {
    refuse(where, "'" + text + "' is not a range of numbers or durations",
           "write numbers or durations, for example 1..20 or 0ms..20ms:5ms");
  }
  if (first->number == 0.0) {
    first->is_duration = last->is_duration;  // 0..20ms
  }
  if (step_text.empty() && first->is_duration) {
    refuse(where, "'" + text + "' needs a step", "add a step: " + text + ":1ms");
  }
  const std::optional<Countable> step =
      step_text.empty() ? std::optional(Countable{1.0, false}) : countable(step_text);
  if (!step || step->is_duration != first->is_duration || last->is_duration != first->is_duration) {
    refuse(where, "'" + text + "' mixes durations with plain numbers",
           "give ends and step the same kind, for example 0ms..20ms:5ms");
  }
  if (!(step->number > 0.0) || last->number < first->number) {
    refuse(where, "'" + text + "' is an empty range",
           "ranges go from the smaller to the larger, with a step above 0");
  }
  const double count = std::floor((last->number - first->number) / step->number + 1e-9) + 1.0;
  if (count > kMostPoints) {
    refuse(where, fmt::format("'{}' has {:.0f} values", text, count), "use a larger step");
  }
  // 10 + 23 · 0.2 is 14.6 to people, whatever it is in binary
  const int places = std::max(decimals(text.substr(0, dots)), decimals(step_text));
  std::vector<std::string> values;
  for (double i = 0.0; i < count; i += 1.0) {
    const double exact = first->number + i * step->number;
    const double number =
        first->is_duration ? exact : *parse_number(fmt::format("{:.{}f}", exact, places));
    values.push_back(Countable{number, first->is_duration}.text());
  }
  return values;
}

std::vector<std::string> steps_of(const std::string& text, std::size_t keys,
                                  const SourceLocation& where) {
  std::vector<std::string> parts =
      keys == 1 ? std::vector{text} : split_outside_brackets(text, '/');
  if (parts.size() != keys) {
    refuse(where, fmt::format("'{}' has {} values for {} keys", text, parts.size(), keys),
           "keys that change together need one value each: --axis link.delay,cut=5ms/effort");
  }
  return parts;
}

}  // namespace

std::string Axis::name() const {
  return fmt::format("{}", fmt::join(keys, ","));
}

std::string Axis::label(std::size_t step) const {
  return fmt::format("{}", fmt::join(values.at(step), "/"));
}

Axis make_axis(const std::string& keys, const std::vector<std::string>& values,
               const SourceLocation& where) {
  Axis axis{split_outside_brackets(keys, ','), {}, where};
  for (const std::string& key : axis.keys) {
    if (key.empty()) {
      refuse(where, "an axis has no key", kExample);
    }
  }
  for (const std::string& text : values) {
    if (text.empty()) {
      refuse(where, "a value is empty", kExample);
    }
    const auto range = axis.keys.size() == 1 ? expand_range(text, where) : std::nullopt;
    if (range) {
      for (const std::string& value : *range) {
        axis.values.push_back({value});
      }
    } else {
      axis.values.push_back(steps_of(text, axis.keys.size(), where));
    }
  }
  if (axis.values.empty()) {
    refuse(where, "an axis has no values", kExample);
  }
  return axis;
}

Axis parse_axis(const std::string& text) {
  const SourceLocation where{"--axis " + text};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    refuse(where, "expected key=value,value,…", kExample);
  }
  return make_axis(text.substr(0, equals), split_outside_brackets(text.substr(equals + 1), ','),
                   where);
}

Grid::Grid(std::vector<Axis> axes) : axes_(std::move(axes)) {
  std::map<std::string, SourceLocation> seen;
  double points = 1.0;
  for (const Axis& axis : axes_) {
    for (const std::string& key : axis.keys) {
      if (!seen.emplace(key, axis.where).second) {
        refuse(axis.where, "'" + key + "' is in two axes", "give all its values in one");
      }
    }
    std::set<std::string> labels;
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
      if (!labels.insert(axis.label(i)).second) {
        refuse(axis.where, "'" + axis.label(i) + "' is given twice", "remove one");
      }
    }
    points *= static_cast<double>(axis.values.size());
    size_ *= axis.values.size();
    if (points > kMostPoints) {
      refuse(axis.where, fmt::format("the study has more than {:.0f} points", kMostPoints),
             "use fewer values, or split it into several studies");
    }
  }
}

Point Grid::point(std::size_t index) const {
  Point point(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    point[i] = index % axes_[i].values.size();
    index /= axes_[i].values.size();
  }
  return point;
}

std::vector<std::string> Grid::assignments(const Point& point) const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    for (std::size_t k = 0; k < axes_[i].keys.size(); ++k) {
      all.push_back(axes_[i].keys[k] + "=" + axes_[i].values[point[i]][k]);
    }
  }
  return all;
}

std::vector<SourceLocation> Grid::places(const Point& point) const {
  std::vector<SourceLocation> all;
  for (std::size_t i = 0; i < point.size(); ++i) {
    all.insert(all.end(), axes_[i].keys.size(), axes_[i].where);
  }
  return all;
}

bool Grid::is_first_repeat(const Point& point) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].is_repeat() && point[i] != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace longarm::study
