// SPDX-License-Identifier: Apache-2.0
// Windows that merge in pairs when there are too many, a straight line through their logarithms,
// and the swings that must bear it out.
#include "longarm/record/envelope.h"

#include <algorithm>
#include <cmath>

#include "longarm/core/statistics.h"

namespace longarm::record {
namespace {

constexpr std::size_t kMaxWindows = 512;
constexpr std::size_t kMaxGroups = 32;
constexpr std::size_t kMinFitWindows = 6;
// the first part of a record shows how the motion before it dies away
constexpr double kSkippedPart = 0.4;
// a swing that touches its limits in more than this part of the samples is kept up by them
constexpr double kLimitCyclePart = 0.05;
// fewer samples say nothing
constexpr std::int64_t kMinSamples = 100;
// An envelope that scatters more than this about its line is no plain exponential; it is judged all
// the same if it changes by so many times its scatter. What remains is a record of less than a few
// swings.
constexpr double kMaxScatter = 0.3;
constexpr double kClearChange = 6.0;
// change over the whole record that counts as none, whatever the fit's own error
constexpr double kNoChange = 0.01;
// A slope says nothing of the loop before the swing has come round twice: so many half swings.
constexpr std::size_t kFewestHalfSwings = 4;
// So few, all shrinking or all growing by kSteadyStep or more, are judged by their heights.
constexpr std::size_t kMostHalfSwings = 16;
constexpr double kSteadyStep = 0.02;
// An exponential's error and slope fall at one rate, and by so much that it shows. On the way to a
// turn the slope falls faster, on the way through zero the error does.
constexpr double kSameRate = 0.2;
constexpr double kExponentialChange = 0.5;
// To turn is to come back by this part of the way since the last turn; less is noise.
constexpr double kTurnPart = 0.2;
// Settled: within kSettledError of the largest error for this last part of the record. A straight
// ramp through zero, the least that a swing can show of itself, has 1/7 there. About an offset the
// range counts instead, and a swing that is just turning has 1/49.
constexpr double kSettledPart = 0.25;
constexpr double kSettledError = 0.1;
constexpr double kSettledRange = 0.005;
// limits that keep a swing up do not let it shrink by more than this from one half to the next
constexpr double kKeptUp = 0.7;
// what turns so often at its limits chatters, however slowly it drifts meanwhile
constexpr int kChatter = 16;
constexpr const char* kTooShort = "the record is too short for its oscillation";
// off its goal by more than this, a joint at rest is not where it should be
constexpr double kOffGoal_rad = 1e-3;

}  // namespace

Envelope::Window Envelope::merged(const Window& a, const Window& b) {
  return {a.start_s,
          b.end_s,
          std::min(a.low, b.low),
          std::max(a.high, b.high),
          a.samples + b.samples,
          a.limited + b.limited,
          a.turns + b.turns};
}

void Envelope::add(double time_s, double value, bool is_limited) {
  const double step = samples_ == 0 ? 0.0 : value - last_value_;
  const bool is_turn = step * last_step_ < 0.0;
  last_value_ = value;
  last_step_ = step == 0.0 ? last_step_ : step;
  ++samples_;
  const Window sample{time_s, time_s, value, value, 1, is_limited ? 1 : 0, is_turn ? 1 : 0};
  if (!windows_.empty() && windows_.back().samples < samples_per_window_) {
    windows_.back() = merged(windows_.back(), sample);
    return;
  }
  if (windows_.size() == kMaxWindows) {
    halve();
  }
  windows_.push_back(sample);
}

void Envelope::halve() {
  for (std::size_t i = 0; i < windows_.size() / 2; ++i) {
    windows_[i] = merged(windows_[2 * i], windows_[2 * i + 1]);
  }
  windows_.resize(windows_.size() / 2);
  samples_per_window_ *= 2;
}

Envelope::Window Envelope::merged(const std::vector<Window>& windows, std::size_t first) {
  Window all = windows[first];
  for (std::size_t i = first + 1; i < windows.size(); ++i) {
    all = merged(all, windows[i]);
  }
  return all;
}

std::vector<Envelope::Window> Envelope::complete_windows(double skipped_part) const {
  // the last window may be incomplete, and a short window looks narrow
  std::vector<Window> all = windows_;
  if (!all.empty() && all.back().samples < samples_per_window_) {
    all.pop_back();
  }
  if (all.empty()) {
    return all;
  }
  const double begin =
      all.front().start_s + skipped_part * (all.back().end_s - all.front().start_s);
  std::erase_if(all, [&](const Window& window) { return window.start_s < begin; });
  return all;
}

std::vector<Envelope::Window> Envelope::grouped_windows(double skipped_part) const {
  const std::vector<Window> all = complete_windows(skipped_part);
  // group them evenly, dropping what is left over at the beginning
  const std::size_t group = std::max<std::size_t>(1, (all.size() + kMaxGroups - 1) / kMaxGroups);
  std::vector<Window> grouped;
  for (std::size_t i = all.size() % group; i + group <= all.size(); i += group) {
    Window window = all[i];
    for (std::size_t j = 1; j < group; ++j) {
      window = merged(window, all[i + j]);
    }
    grouped.push_back(window);
  }
  return grouped;
}

std::vector<Envelope::Point> Envelope::half_swings(double skipped_part) const {
  std::vector<Point> heights;
  double low = INFINITY;
  double high = -INFINITY;
  int direction = 0;  // of the way since the last turn; unknown until it goes one way for certain
  double from = 0.0;  // where it turned last
  for (const Window& window : complete_windows(skipped_part)) {
    const double way = direction == 0 ? 0.0 : direction > 0 ? high - from : from - low;
    const double least = std::max(2.0 * kRest_rad, kTurnPart * way);
    if (direction >= 0 && high - window.low > least) {
      if (direction > 0) {
        heights.push_back({window.start_s, high - from});
      }
      direction = -1;
      from = high;
      low = window.low;
      high = -INFINITY;
    } else if (direction <= 0 && window.high - low > least) {
      if (direction < 0) {
        heights.push_back({window.start_s, from - low});
      }
      direction = 1;
      from = low;
      high = window.high;
      low = INFINITY;
    }
    low = direction > 0 ? low : std::min(low, window.low);
    high = direction < 0 ? high : std::max(high, window.high);
  }
  return heights;
}

bool Envelope::has_settled() const {
  const std::vector<Window> windows = complete_windows(0.0);
  const Window all = merged(windows, 0);
  const auto settled = static_cast<double>(windows.size()) * (1.0 - kSettledPart);
  const Window last = merged(windows, static_cast<std::size_t>(settled));
  const auto largest = [](const Window& w) { return std::max(std::abs(w.low), std::abs(w.high)); };
  return largest(last) <= kSettledError * largest(all) ||
         last.half_range() <= kSettledRange * all.half_range();
}

bool Envelope::is_exponential(const Fit& fitted) const {
  const std::vector<Window> windows = grouped_windows(kSkippedPart);
  const Window& first = windows.front();
  const Window& last = windows.back();
  const double ratio = (last.low + last.high) / (first.low + first.high);
  const double span_s = last.start_s - first.start_s;
  return ratio > 0.0 && std::log(ratio) < -kExponentialChange && fitted.scatter < kMaxScatter &&
         std::abs(std::log(ratio) / (fitted.slope_per_s * span_s) - 1.0) < kSameRate;
}

std::optional<Growth> Envelope::growth() const {
  // neighbouring half swings share a turn, and were chosen for being steady
  if (const std::optional<Fit> swings = swing_fit()) {
    return Growth{swings->slope_per_s, std::nullopt};
  }
  const std::optional<Fit> fitted = window_fit();
  if (!fitted) {
    return std::nullopt;
  }
  return Growth{fitted->slope_per_s,
                fitted->is_whole ? std::optional(fitted->error_per_s) : std::nullopt};
}

std::optional<Envelope::Fit> Envelope::window_fit() const {
  std::vector<Point> points;
  const std::vector<Window> windows = grouped_windows(kSkippedPart);
  for (const Window& window : windows) {
    if (window.half_range() > kRest_rad) {
      points.push_back({(window.start_s + window.end_s) / 2.0, window.half_range()});
    }
  }
  if (points.size() < kMinFitWindows) {
    return std::nullopt;
  }
  Fit fitted = fit(points);
  fitted.is_whole = points.size() == windows.size();
  return fitted;
}

std::optional<Envelope::Fit> Envelope::swing_fit() const {
  std::vector<Point> swings = half_swings(0.0);
  if (swings.size() < kFewestHalfSwings || swings.size() > kMostHalfSwings) {
    return std::nullopt;
  }
  // the first is still the motion before
  swings.erase(swings.begin());
  const auto is_each = [&](auto is_next) {
    return std::adjacent_find(swings.begin(), swings.end(), [&](const Point& a, const Point& b) {
             return !is_next(b.size / a.size);
           }) == swings.end();
  };
  const bool is_steady = is_each([](double ratio) { return ratio < 1.0 - kSteadyStep; }) ||
                         is_each([](double ratio) { return ratio > 1.0 + kSteadyStep; });
  return is_steady ? std::optional(fit(swings)) : std::nullopt;
}

Envelope::Fit Envelope::fit(const std::vector<Point>& points) {
  const auto count = static_cast<double>(points.size());
  double mean_t = 0.0;
  double mean_y = 0.0;
  for (const Point& point : points) {
    mean_t += point.time_s / count;
    mean_y += std::log(point.size) / count;
  }
  double s_tt = 0.0;
  double s_ty = 0.0;
  double s_yy = 0.0;
  for (const Point& point : points) {
    const double t = point.time_s - mean_t;
    const double y = std::log(point.size) - mean_y;
    s_tt += t * t;
    s_ty += t * y;
    s_yy += y * y;
  }
  const double slope = s_ty / s_tt;
  const double residual = std::max(0.0, s_yy - slope * s_ty);

  // On a random link the logarithm is a random walk with a drift, and what it gained it keeps: its
  // steps are independent, not its distances to the line. The slope is a mean of the steps,
  // weighted by how much of the fit comes after them.
  std::vector<double> steps;
  double weight = 0.0;
  double square_weights = 0.0;
  for (std::size_t i = points.size() - 1; i > 0; --i) {
    const double step_s = points[i].time_s - points[i - 1].time_s;
    const double step = std::log(points[i].size / points[i - 1].size);
    weight += (points[i].time_s - mean_t) / s_tt;
    square_weights += weight * weight * step_s;
    steps.push_back((step - slope * step_s) / std::sqrt(step_s));
  }
  const LongRunVariance walk = long_run_variance(steps).value();
  // twice the error is then the 95 % interval, however few the steps
  const double student =
      student_t_quantile(0.975, static_cast<double>(walk.degrees_of_freedom)) / 2.0;
  return {slope, student * std::sqrt(walk.variance * square_weights),
          std::sqrt(residual / (count - 2.0)), points.back().time_s - points.front().time_s};
}

Judgement Envelope::judge() const {
  const std::vector<Window> windows = grouped_windows(kSkippedPart);
  if (samples_ < kMinSamples || windows.size() < kMinFitWindows) {
    return {Verdict::kUndecided, "the hold is too short to judge"};
  }

  // at the end of the record: at rest, or kept swinging by its limits?
  const Window tail = merged(windows, windows.size() * 3 / 4);
  const bool is_limited = tail.limited > kLimitCyclePart * tail.samples;
  if (tail.half_range() <= kRest_rad) {
    const bool is_off = std::abs(tail.low + tail.high) / 2.0 > kOffGoal_rad;
    return is_off && is_limited
               ? Judgement{Verdict::kUndecided, "at rest away from its goal, at a limit"}
               : Judgement{Verdict::kStable, "at rest"};
  }
  return is_limited ? judge_limited() : judge_fit();
}

Judgement Envelope::judge_limited() const {
  // a long way to go at the limit is no swing, and a swing may come off its limits yet
  const std::vector<Point> swings = half_swings(0.0);
  const std::size_t count = swings.size();
  const bool is_kept_up = count >= 2 && swings[count - 1].size > kKeptUp * swings[count - 2].size;
  const bool is_chatter = merged(complete_windows(kSkippedPart), 0).turns >= kChatter;
  return is_kept_up || is_chatter ? Judgement{Verdict::kUnstable, "oscillates between its limits"}
                                  : Judgement{Verdict::kUndecided, kTooShort};
}

/// Whether the last quarter of the record has twice the error of all that came before.
bool Envelope::has_doubled() const {
  const auto largest = [&](std::size_t from, std::size_t to) {
    double most = 0.0;
    for (std::size_t i = from; i < to; ++i) {
      most = std::max({most, std::abs(windows_[i].low), std::abs(windows_[i].high)});
    }
    return most;
  };
  const std::size_t last_quarter = windows_.size() * 3 / 4;
  return largest(last_quarter, windows_.size()) > 2.0 * largest(0, last_quarter);
}

Judgement Envelope::judge_fit() const {
  constexpr Judgement kGrows{Verdict::kUnstable, "its oscillation grows"};
  constexpr Judgement kDecays{Verdict::kStable, "its error decays"};
  constexpr Judgement kUncertain{Verdict::kUndecided,
                                 "its oscillation neither clearly grows nor clearly decays"};
  if (const std::optional<Fit> swings = swing_fit()) {
    if (!swings->is_certain()) {
      return kUncertain;
    }
    // a few swings may grow for a while because other joints shake this one
    const bool is_growing = swings->slope_per_s > 0.0;
    return !is_growing     ? kDecays
           : has_doubled() ? kGrows
                           : Judgement{Verdict::kUndecided, kTooShort};
  }
  const std::optional<Fit> fitted = window_fit();
  const auto is_irregular = [](const Fit& f) {
    return f.scatter > kMaxScatter && std::abs(f.slope_per_s) * f.span_s < kClearChange * f.scatter;
  };
  if (!fitted || is_irregular(*fitted)) {
    return {Verdict::kUndecided, "the hold is too short for such a slow or irregular oscillation"};
  }
  if (!fitted->is_certain() || std::abs(fitted->slope_per_s) * fitted->span_s <= kNoChange) {
    return kUncertain;
  }
  // part of a swing has a slope, too, and it says nothing
  const bool has_swung = half_swings(kSkippedPart).size() >= kFewestHalfSwings;
  const bool has_evidence =
      has_swung || (fitted->slope_per_s < 0.0 && (has_settled() || is_exponential(*fitted)));
  if (!has_evidence) {
    return {Verdict::kUndecided, kTooShort};
  }
  return fitted->slope_per_s > 0.0 ? kGrows : kDecays;
}

}  // namespace longarm::record
