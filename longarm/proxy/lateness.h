// SPDX-License-Identifier: Apache-2.0
// How late a relay is: when something left, compared with when the link model said.
#pragma once

#include <cstdint>

#include "longarm/core/time.h"
#include "longarm/network/histogram.h"

namespace longarm::proxy {

/// Durations with their mean, standard deviation and percentiles; memory does not grow with them.
class DurationFigures {
 public:
  /// Below zero counts as zero.
  void add(Duration duration);

  std::uint64_t count() const { return histogram_.count(); }
  double mean_s() const { return mean_s_; }
  /// Of a sample: zero for fewer than two.
  double deviation_s() const;
  Duration median() const { return histogram_.quantile(0.5); }
  Duration p99() const { return histogram_.quantile(0.99); }
  Duration max() const { return histogram_.max(); }
  const network::DurationHistogram& histogram() const { return histogram_; }

 private:
  network::DurationHistogram histogram_;
  double mean_s_ = 0.0;
  double squares_s2_ = 0.0;  // of the distances from the mean
};

/// How much later than due things left.
class Lateness {
 public:
  void add(Time due, Time left) { figures_.add(left - due); }
  const DurationFigures& figures() const { return figures_; }

 private:
  DurationFigures figures_;
};

}  // namespace longarm::proxy
