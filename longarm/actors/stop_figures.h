// SPDX-License-Identifier: Apache-2.0
// How far robots come after a beam is broken, and how long it takes until they are told to stop.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/model/shape.h"

namespace longarm::actors {

struct SafetyStop {
  Time begun{};                    ///< the beam was broken, or the order given if none was
  bool has_broken_beam = false;    ///< false: stopped because the curtain was silent
  std::optional<Time> ordered;     ///< nothing: not yet
  std::optional<Time> still;       ///< all controlled points
  std::vector<double> distance_m;  ///< of each controlled point, from `begun` to standstill
};

/// Given the truth, step by step.
class StopFigures {
 public:
  /// A beam was broken at `now`; controlled points are at `positions`.
  void begin(Time now, std::span<const model::Vector3> positions);
  /// Everything was told to stop.
  void order(Time now, std::span<const model::Vector3> positions);
  /// Everything goes on: what has not come to rest did not.
  void end();
  /// After each step while is_under_way(): controlled points at `now`, a `period` after the last.
  void update(Time now, Duration period, std::span<const model::Vector3> positions);

  bool is_under_way() const { return is_under_way_; }
  const std::vector<SafetyStop>& all() const { return stops_; }
  /// Of all stops and points; zero without any.
  double largest_distance_m() const;

 private:
  void open(Time now, bool has_broken_beam, std::span<const model::Vector3> positions);

  std::vector<SafetyStop> stops_;
  std::vector<model::Vector3> last_;
  bool is_under_way_ = false;
};

}  // namespace longarm::actors
