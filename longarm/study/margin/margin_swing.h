// SPDX-License-Identifier: Apache-2.0
// How fast each joint swings in the final hold of a run, from the turning points of its motion, and
// which one reached its limits first.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/sim/probe.h"

namespace longarm::study {

/// Follows a run step by step. A joint turns where its velocity changes sign; unlike its error,
/// that has no offset.
class SwingMeter {
 public:
  /// `probes` must outlive this, and offer velocity and limited.
  SwingMeter(const sim::Probes& probes, Duration hold_start);

  /// After the step that ends at `stamp`.
  void record(Time stamp);

  /// Of a full swing, from the later turning points: those before any joint reached a limit, where
  /// there are enough, because only they are a linear loop's. Nothing without a few turns.
  std::optional<double> period_s(std::size_t joint) const;

  /// The joint that was the first to reach a limit, on the way or in the hold.
  std::optional<std::size_t> first_limited() const { return first_limited_; }

 private:
  struct Joint {
    double last_time_s = 0.0;  // of the last velocity that was not zero
    double last_velocity = 0.0;
    std::vector<double> turns_s;
    std::size_t free_turns = 0;  // before the first limit
  };

  const sim::Probe* velocity_;
  const sim::Probe* limited_;
  double hold_start_s_;
  std::optional<std::size_t> first_limited_;
  std::vector<double> values_;
  std::vector<Joint> joints_;
};

}  // namespace longarm::study
