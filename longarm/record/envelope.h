// SPDX-License-Identifier: Apache-2.0
// Does an oscillation grow or decay? Its envelope in constant memory, and the growth fitted to it.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace longarm::record {

/// Exponential rate of an envelope.
struct Growth {
  double per_s = 0.0;
  /// Twice this is half of the 95 % interval, also on links whose chance makes the envelope a
  /// random walk. Nothing where there is no such interval: of a few swings, and of a record that
  /// was at rest for a while, whose length is chance, too.
  std::optional<double> standard_error_per_s;
};

enum class Verdict { kStable, kUnstable, kUndecided };

/// A verdict and why, in words for the user.
struct Judgement {
  Verdict verdict = Verdict::kUndecided;
  const char* reason = "";
};

/// Keeps half the range (max - min) of a signal over equal windows; the windows grow with the
/// record, so an hour costs what a second does. A constant offset has no range and counts as rest.
class Envelope {
 public:
  /// A signal that stays within this half range is at rest, whatever its trend.
  static constexpr double kRest_rad = 1e-7;

  void add(double time_s, double value, bool is_limited);

  /// Slope of the logarithm of the envelope over the last three fifths of the record, with what
  /// lies below kRest_rad left out; of a few plain swings, of their heights. Nothing if too little
  /// is left.
  std::optional<Growth> growth() const;

  /// Unstable: growth more than two standard errors above zero, or the actuator at its limits again
  /// and again to the end (a saturated limit cycle). Stable: more than two below, or at rest.
  /// Undecided: anything else, and where the record is too short for the swing it shows: a slope
  /// counts only if complete swings were seen that bear it out, or the signal has settled.
  Judgement judge() const;

 private:
  struct Window {
    double start_s = 0.0;
    double end_s = 0.0;
    double low = 0.0;
    double high = 0.0;
    int samples = 0;
    int limited = 0;
    int turns = 0;  ///< of the samples themselves

    double half_range() const { return (high - low) / 2.0; }
  };

  static Window merged(const Window& a, const Window& b);
  static Window merged(const std::vector<Window>& windows, std::size_t first);
  void halve();
  struct Point {
    double time_s = 0.0;
    double size = 0.0;
  };
  struct Fit {
    double slope_per_s = 0.0;
    double error_per_s = 0.0;  ///< twice this is half of the 95 % interval
    double scatter = 0.0;      ///< of the logarithm about the line
    double span_s = 0.0;
    bool is_whole = true;  ///< no window was left out for being at rest

    bool is_certain() const { return std::abs(slope_per_s) > 2.0 * error_per_s; }
  };
  /// A straight line through the logarithms of the sizes.
  static Fit fit(const std::vector<Point>& points);
  /// Of the windows after the first part; nothing if too few move.
  std::optional<Fit> window_fit() const;
  /// Of the half swings, where there are few of them and each is smaller than the one before, or
  /// each is larger: then windows are shorter than a swing and say less.
  std::optional<Fit> swing_fit() const;
  /// The record after its first part: its complete windows, and these in few groups, long enough to
  /// hold a swing each.
  std::vector<Window> complete_windows(double skipped_part) const;
  std::vector<Window> grouped_windows(double skipped_part) const;
  /// Heights from turn to turn; of swings shorter than a window, one per window.
  std::vector<Point> half_swings(double skipped_part) const;
  /// Whether the last part of the record stays within a small part of what came before.
  bool has_settled() const;
  /// Whether the error itself, not only its slope, falls like an exponential of this rate.
  bool is_exponential(const Fit& fitted) const;
  Judgement judge_limited() const;
  bool has_doubled() const;
  Judgement judge_fit() const;

  std::vector<Window> windows_;
  int samples_per_window_ = 1;
  double last_value_ = 0.0;
  double last_step_ = 0.0;  // that was not zero
  std::int64_t samples_ = 0;
};

}  // namespace longarm::record
