// SPDX-License-Identifier: Apache-2.0
// Does an oscillation grow or decay? Its envelope in constant memory, and the growth fitted to it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace longarm::record {

/// Exponential rate of an envelope with the standard error of the fit.
struct Growth {
  double per_s = 0.0;
  double standard_error_per_s = 0.0;
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
  /// lies below kRest_rad left out. Nothing if too little is left.
  std::optional<Growth> growth() const;

  /// Unstable: growth more than two standard errors above zero, or the actuator at its limits again
  /// and again to the end (a saturated limit cycle). Stable: more than two below, or at rest.
  /// Undecided: anything else, and where the record is too short for the swing it shows.
  Judgement judge() const;

 private:
  struct Window {
    double start_s = 0.0;
    double end_s = 0.0;
    double low = 0.0;
    double high = 0.0;
    int samples = 0;
    int limited = 0;

    double half_range() const { return (high - low) / 2.0; }
  };

  static Window merged(const Window& a, const Window& b);
  void halve();
  struct Fit {
    Growth growth;
    double scatter = 0.0;  ///< of the logarithm about the line
    double span_s = 0.0;
  };
  std::optional<Fit> fit() const;
  /// The record after its first part, in few windows, long enough to hold a swing each.
  std::vector<Window> grouped_windows(double skipped_part) const;

  std::vector<Window> windows_;
  int samples_per_window_ = 1;
  std::int64_t samples_ = 0;
};

}  // namespace longarm::record
