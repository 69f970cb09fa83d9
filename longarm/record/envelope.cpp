// SPDX-License-Identifier: Apache-2.0
// Windows that merge in pairs when there are too many, and a straight line through their
// logarithms.
#include "longarm/record/envelope.h"

#include <algorithm>
#include <cmath>

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
// off its goal by more than this, a joint at rest is not where it should be
constexpr double kOffGoal_rad = 1e-3;

}  // namespace

Envelope::Window Envelope::merged(const Window& a, const Window& b) {
  return {a.start_s,
          b.end_s,
          std::min(a.low, b.low),
          std::max(a.high, b.high),
          a.samples + b.samples,
          a.limited + b.limited};
}

void Envelope::add(double time_s, double value, bool is_limited) {
  ++samples_;
  const Window sample{time_s, time_s, value, value, 1, is_limited ? 1 : 0};
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

std::vector<Envelope::Window> Envelope::grouped_windows(double skipped_part) const {
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

std::optional<Growth> Envelope::growth() const {
  const std::optional<Fit> fitted = fit();
  return fitted ? std::optional(fitted->growth) : std::nullopt;
}

std::optional<Envelope::Fit> Envelope::fit() const {
  std::vector<Window> windows = grouped_windows(kSkippedPart);
  std::erase_if(windows, [](const Window& window) { return !(window.half_range() > kRest_rad); });
  if (windows.size() < kMinFitWindows) {
    return std::nullopt;
  }

  // least squares of log half range over time
  const auto count = static_cast<double>(windows.size());
  double mean_t = 0.0;
  double mean_y = 0.0;
  for (const Window& window : windows) {
    mean_t += (window.start_s + window.end_s) / 2.0 / count;
    mean_y += std::log(window.half_range()) / count;
  }
  double s_tt = 0.0;
  double s_ty = 0.0;
  double s_yy = 0.0;
  for (const Window& window : windows) {
    const double t = (window.start_s + window.end_s) / 2.0 - mean_t;
    const double y = std::log(window.half_range()) - mean_y;
    s_tt += t * t;
    s_ty += t * y;
    s_yy += y * y;
  }
  const double slope = s_ty / s_tt;
  const double residual = std::max(0.0, s_yy - slope * s_ty);
  const double scatter = std::sqrt(residual / (count - 2.0));
  return Fit{
      {slope, scatter / std::sqrt(s_tt)}, scatter, windows.back().end_s - windows.front().start_s};
}

Judgement Envelope::judge() const {
  const std::vector<Window> windows = grouped_windows(kSkippedPart);
  if (samples_ < kMinSamples || windows.size() < kMinFitWindows) {
    return {Verdict::kUndecided, "the hold is too short to judge by"};
  }

  // at the end of the record: at rest, or kept swinging by its limits?
  Window tail = windows.back();
  for (std::size_t i = windows.size() * 3 / 4; i < windows.size(); ++i) {
    tail = merged(windows[i], tail);
  }
  const bool is_limited = tail.limited > kLimitCyclePart * tail.samples;
  if (tail.half_range() <= kRest_rad) {
    const bool is_off = std::abs(tail.low + tail.high) / 2.0 > kOffGoal_rad;
    return is_off && is_limited ? Judgement{Verdict::kUndecided, "at rest off its goal, at a limit"}
                                : Judgement{Verdict::kStable, "at rest"};
  }
  if (is_limited) {
    return {Verdict::kUnstable, "swings between its limits"};
  }

  const std::optional<Fit> fitted = fit();
  const auto is_irregular = [](const Fit& f) {
    return f.scatter > kMaxScatter &&
           std::abs(f.growth.per_s) * f.span_s < kClearChange * f.scatter;
  };
  if (!fitted || is_irregular(*fitted)) {
    return {Verdict::kUndecided, "the hold is too short for so slow or irregular a swing"};
  }
  const Growth& growth = fitted->growth;
  const double error = std::max(growth.standard_error_per_s, kNoChange / 2.0 / fitted->span_s);
  if (std::abs(growth.per_s) <= 2.0 * error) {
    return {Verdict::kUndecided, "its swing neither grows nor decays for certain"};
  }
  return growth.per_s > 0.0 ? Judgement{Verdict::kUnstable, "its swing grows"}
                            : Judgement{Verdict::kStable, "its error decays"};
}

}  // namespace longarm::record
