// SPDX-License-Identifier: Apache-2.0
// Splits measured round trips into what senders, receivers and our components take.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "longarm/components/calibrate/calibration.h"

namespace longarm::components {
namespace {

using ValuesBySize = std::map<std::size_t, std::vector<double>>;

ValuesBySize by_size(const std::vector<PingSample>& samples,
                     const std::function<double(const PingSample&)>& of) {
  ValuesBySize result;
  for (const PingSample& sample : samples) {
    result[sample.bytes].push_back(of(sample));
  }
  return result;
}

double mean(const std::vector<double>& values) {
  return values.empty() ? 0.0
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

/// Without the largest hundredth: a program that was put aside says nothing about the stack.
double trimmed_mean(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.resize(values.size() - values.size() / 100);
  return mean(values);
}

double quantile(std::vector<double> values, double share) {
  const auto index = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<std::size_t>(index)];
}

double median(const std::vector<double>& values) {
  return quantile(values, 0.5);
}

/// Of a median: 1.25 standard deviations over the root of the count. A normal distribution's middle
/// half is 1.35 standard deviations wide, and does not mind outliers.
double squared_error_of_median(const std::vector<double>& values) {
  const double deviation = (quantile(values, 0.75) - quantile(values, 0.25)) / 1.349;
  return 1.2533 * 1.2533 * deviation * deviation / static_cast<double>(values.size());
}

struct Line {
  double at_zero = 0.0;
  double slope = 0.0;
};

/// Least squares; neither part is negative.
Line fit(const std::map<std::size_t, double>& points) {
  const double n = static_cast<double>(points.size());
  double sum_x = 0.0;
  double sum_y = 0.0;
  for (const auto& [x, y] : points) {
    sum_x += static_cast<double>(x);
    sum_y += y;
  }
  double xx = 0.0;
  double xy = 0.0;
  for (const auto& [x, y] : points) {
    const double dx = static_cast<double>(x) - sum_x / n;
    xx += dx * dx;
    xy += dx * (y - sum_y / n);
  }
  const double slope = xx > 0.0 ? std::max(0.0, xy / xx) : 0.0;
  const double at_zero = points.empty() ? 0.0 : sum_y / n - slope * sum_x / n;
  if (at_zero >= 0.0 || sum_x <= 0.0) {
    return {std::max(0.0, at_zero), slope};
  }
  return {0.0, std::max(0.0, sum_y / sum_x)};  // what is left goes with the size, the mean stays
}

Line fit_medians(const ValuesBySize& values) {
  std::map<std::size_t, double> points;
  for (const auto& [size, each] : values) {
    points[size] = median(each);
  }
  return fit(points);
}

double round_trip_s(const PingSample& sample) {
  return to_seconds(sample.round_trip);
}

double write_s(const PingSample& sample) {
  return to_seconds(sample.write);
}

/// Two independent ways make a round trip, so half of one has too little spread: the variance of a
/// way is twice that of the halves. Each half becomes two ways that are as far apart as it is from
/// the mean, twice; the mean stays. None becomes shorter than all but a hundredth of the halves.
std::vector<double> ways_of_halves(const std::vector<double>& halves) {
  if (halves.empty()) {
    return {};
  }
  std::vector<double> ways(2 * halves.size());
  const double middle = mean(halves);
  const double shortest = quantile(halves, 0.01);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const double apart = std::clamp(halves[i] - shortest, 0.0, std::abs(halves[i] - middle));
    ways[i] = halves[i] - apart;
    ways[halves.size() + i] = halves[i] + apart;
  }
  return ways;
}

void analyse_stacks(Calibration& calibration, const CalibrationPlan& plan) {
  const Line write_line = fit_medians(by_size(calibration.raw, write_s));
  std::vector<double>& send = calibration.stack_send.seconds;
  for (const PingSample& sample : calibration.raw) {
    const double grown = write_line.slope * static_cast<double>(sample.bytes);
    send.push_back(std::max(0.0, write_s(sample) - grown));
  }
  calibration.stack_send.per_byte_ns = write_line.slope * 1e9;

  // of the two writes in a round trip we have seen our own; the other one is like most
  const double usual_write_s = send.empty() ? 0.0 : trimmed_mean(send);
  const auto receive_s = [&](const PingSample& sample) {
    const double bytes = static_cast<double>(sample.bytes);
    const double wire_s = plan.wire_fixed_s + plan.wire_ns_per_byte * 1e-9 * bytes;
    const double other_write_s = usual_write_s + write_line.slope * bytes;
    return (round_trip_s(sample) - write_s(sample) - other_write_s) / 2 - wire_s;
  };
  const Line receive_line = fit_medians(by_size(calibration.raw, receive_s));
  calibration.stack_receive.per_byte_ns = receive_line.slope * 1e9;
  std::vector<double> halves;
  std::size_t clipped = 0;
  for (const PingSample& sample : calibration.raw) {
    const double rest = receive_s(sample) - receive_line.slope * static_cast<double>(sample.bytes);
    clipped += rest < 0.0 ? 1 : 0;
    halves.push_back(std::max(0.0, rest));
  }
  calibration.stack_receive.seconds = ways_of_halves(halves);
  if (clipped > 0) {
    calibration.warnings.push_back(
        fmt::format("stack_receive: {} of {} values would be negative and are set to 0, because "
                    "round trips are shorter than --rate, --wire-us and the per-byte cost imply; "
                    "measure on a quieter machine",
                    clipped, halves.size()));
  }
}

void analyse_components(Calibration& calibration) {
  const ValuesBySize plain = by_size(calibration.raw, round_trip_s);
  // each of two senders and two receivers has a quarter
  std::map<std::size_t, double> added;
  double sum_s = 0.0;
  double squared_errors = 0.0;
  for (const auto& [size, values] : by_size(calibration.framed, round_trip_s)) {
    const auto other = plain.find(size);
    if (other != plain.end()) {
      added[size] = (median(values) - median(other->second)) / 4;
      sum_s += added[size];
      squared_errors +=
          (squared_error_of_median(values) + squared_error_of_median(other->second)) / 16;
    }
  }
  const Line line = fit(added);
  calibration.serialise = {{line.at_zero}, line.slope * 1e9};
  calibration.deserialise = calibration.serialise;
  const double count = std::max(1.0, static_cast<double>(added.size()));
  const double doubt_s = 2.0 * std::sqrt(squared_errors) / count;
  if (!added.empty() && sum_s / count <= doubt_s) {
    calibration.warnings.push_back(
        fmt::format("serialise, deserialise: the added time cannot be distinguished from noise "
                    "({:.1f} ± {:.1f} us); measure on a quieter machine or with a larger --count",
                    sum_s / count * 1e6, doubt_s * 1e6));
  }
}

}  // namespace

void analyse(Calibration& calibration, const CalibrationPlan& plan) {
  analyse_stacks(calibration, plan);
  analyse_components(calibration);
}

}  // namespace longarm::components
