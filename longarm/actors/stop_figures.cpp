// SPDX-License-Identifier: Apache-2.0
// Adds up ways step by step until nothing moves.
#include "longarm/actors/stop_figures.h"

#include <algorithm>

namespace longarm::actors {
namespace {

// slower than this is still
constexpr double kStill_m_s = 1e-3;

}  // namespace

void StopFigures::begin(Time now, std::span<const model::Vector3> positions) {
  if (is_under_way_) {
    // the same stop goes on; without a link its order comes a moment before we see the beam
    SafetyStop& stop = stops_.back();
    stop.has_broken_beam = stop.has_broken_beam || stop.begun == now;
    return;
  }
  open(now, true, positions);
}

void StopFigures::open(Time now, bool has_broken_beam, std::span<const model::Vector3> positions) {
  stops_.push_back(
      {now, has_broken_beam, std::nullopt, std::nullopt, std::vector<double>(positions.size())});
  last_.assign(positions.begin(), positions.end());
  is_under_way_ = true;
}

void StopFigures::order(Time now, std::span<const model::Vector3> positions) {
  if (!is_under_way_) {
    open(now, false, positions);
  }
  if (!stops_.back().ordered) {
    stops_.back().ordered = now;
  }
}

void StopFigures::end() {
  is_under_way_ = false;
}

void StopFigures::update(Time now, Duration period, std::span<const model::Vector3> positions) {
  if (!is_under_way_) {
    return;
  }
  SafetyStop& stop = stops_.back();
  double fastest = 0.0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double way = (positions[i] - last_[i]).norm();
    stop.distance_m[i] += way;
    last_[i] = positions[i];
    fastest = std::max(fastest, way / to_seconds(period));
  }
  if (stop.ordered && !stop.still && fastest < kStill_m_s) {
    stop.still = now;
    is_under_way_ = false;
  }
}

double StopFigures::largest_distance_m() const {
  double largest = 0.0;
  for (const SafetyStop& stop : stops_) {
    for (const double distance : stop.distance_m) {
      largest = std::max(largest, distance);
    }
  }
  return largest;
}

}  // namespace longarm::actors
