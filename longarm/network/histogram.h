// SPDX-License-Identifier: Apache-2.0
// Percentiles of durations in a memory that does not grow with their number.
#pragma once

#include <cstdint>
#include <vector>

#include "longarm/core/time.h"

namespace longarm::network {

/// Counts durations in bins: each power of two is cut into 512 equal ones, and below 1024 ns each
/// nanosecond has its own. A percentile is the middle of its bin, so it is wrong by less than
/// 0.1 %, and never outside the smallest and largest that were added. Memory grows with the
/// logarithm of the largest only: 90 kB for a second.
class DurationHistogram {
 public:
  /// Negative durations count as zero.
  void add(Duration duration);

  std::uint64_t count() const { return count_; }
  /// Exact; zero while nothing was added, like the rest.
  Duration min() const { return min_; }
  Duration max() const { return max_; }
  /// By nearest rank: the smallest duration that at least `fraction` of all do not exceed.
  Duration quantile(double fraction) const;

  struct Bin {
    Duration low{0};
    Duration high{0};  ///< exclusive, except where it is the largest that was added
    std::uint64_t count = 0;
  };
  /// The whole in `bins` equally wide ones between the smallest and the largest, empty ones left
  /// out; a single one if those are equal.
  std::vector<Bin> summary(int bins) const;

 private:
  std::uint64_t count_ = 0;
  Duration min_{0};
  Duration max_{0};
  std::vector<std::uint64_t> bins_;
};

}  // namespace longarm::network
