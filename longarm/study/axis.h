// SPDX-License-Identifier: Apache-2.0
// The axes of a study (keys and their values), and the grid of points that they span.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"

namespace longarm::study {

/// One axis: a key, or several that change together, and the values that it takes in turn.
struct Axis {
  std::vector<std::string> keys;
  std::vector<std::vector<std::string>> values;  ///< per step, one text per key
  SourceLocation where;                          ///< for messages

  /// "link.delay", or "link.delay,cut".
  std::string name() const;
  /// "10ms", or "10ms/effort".
  std::string label(std::size_t step) const;
  /// Whether the axis repeats runs (`seed`): runs that differ in it only are averaged.
  bool is_repeat() const { return keys.size() == 1 && keys.front() == "seed"; }
};

/// "link.delay=0ms,2ms,5ms"; "seed=1..20" and "link.delay=0ms..20ms:5ms" count up, both ends
/// included; "gains.p=[5],[10]" has lists for values; "link.delay,cut=5ms/effort,10ms/velocity"
/// changes two keys together. Throws InputError.
Axis parse_axis(const std::string& text);

/// The same from its parts, with one text per value or range.
Axis make_axis(const std::string& keys, const std::vector<std::string>& values,
               const SourceLocation& where);

/// A point of the grid: the index of a value on each axis.
using Point = std::vector<std::size_t>;

/// All combinations of the axes' values; the last axis changes fastest.
class Grid {
 public:
  /// Throws InputError if a key is in two axes, or a value is there twice.
  explicit Grid(std::vector<Axis> axes);

  const std::vector<Axis>& axes() const { return axes_; }
  std::size_t size() const { return size_; }
  Point point(std::size_t index) const;
  /// "key=value" for every key, as for --set.
  std::vector<std::string> assignments(const Point& point) const;
  /// The places where the user wrote these, in the same order.
  std::vector<SourceLocation> places(const Point& point) const;
  /// Whether every axis of repeats is at its first value.
  bool is_first_repeat(const Point& point) const;

 private:
  std::vector<Axis> axes_;
  std::size_t size_ = 1;
};

}  // namespace longarm::study
