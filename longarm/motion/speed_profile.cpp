// SPDX-License-Identifier: Apache-2.0
// A backward pass finds how fast each place may be passed and still stop in time; a forward pass
// goes that fast.
#include "longarm/motion/speed_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "longarm/core/check.h"

namespace longarm::motion {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kGridStep = 1e-3;
constexpr int kMinGrid = 200;
constexpr int kMaxGrid = 20'000;
constexpr double kNoMotion =
    1e-9;  ///< a joint that moves less than this per unit of path stands still

/// With x the squared speed along the path and u the acceleration along it, a joint's acceleration
/// is q'·u + q''·x. Its limit confines u to the strip −room − slant·x ≤ u ≤ room − slant·x.
struct Strip {
  double room = 0.0;
  double slant = 0.0;
};

struct Place {
  std::vector<Strip> strips;
  double speed_limit_squared = kInfinity;
};

Place place_at(const PathCurve::Sample& sample, const MotionLimits& limits) {
  Place place;
  for (Eigen::Index j = 0; j < sample.q.size(); ++j) {
    const auto k = static_cast<std::size_t>(j);
    const double slope = std::abs(sample.dq_ds[j]);
    double& limit = place.speed_limit_squared;
    if (slope < kNoMotion) {
      const double bend = std::abs(sample.d2q_ds2[j]);
      limit = bend < kNoMotion ? limit : std::min(limit, limits.acceleration[k] / bend);
      continue;
    }
    limit = std::min(limit, std::pow(limits.velocity[k] / slope, 2));
    place.strips.push_back({limits.acceleration[k] / slope, sample.d2q_ds2[j] / sample.dq_ds[j]});
  }
  return place;
}

/// A bound of u that falls by `slant` per x.
struct Bound {
  double at_zero = 0.0;
  double slant = 0.0;
};

/// The largest x from which some allowed u leads to at most `next` (squared speed) after `step`.
/// Unless `next` is the final rest, u may take away three quarters of x at most, so that no place
/// is entered from which the only way on is a dead stop. Each lower bound of u must stay below each
/// upper one, and each such pair limits x.
double fastest_before(const Place& place, double next, double step, std::vector<Bound>& lower,
                      std::vector<Bound>& upper) {
  lower.assign(1, {0.0, (next > 0.0 ? 0.375 : 0.5) / step});
  upper.assign(1, {0.5 * next / step, 0.5 / step});
  for (const Strip& strip : place.strips) {
    lower.push_back({-strip.room, strip.slant});
    upper.push_back({strip.room, strip.slant});
  }
  double x = place.speed_limit_squared;
  for (const Bound& low : lower) {
    for (const Bound& high : upper) {
      if (high.slant > low.slant) {
        x = std::min(x, (high.at_zero - low.at_zero) / (high.slant - low.slant));
      }
    }
  }
  return x;
}

double greatest_acceleration(const Place& place, double x) {
  double u = kInfinity;
  for (const Strip& strip : place.strips) {
    u = std::min(u, strip.room - strip.slant * x);
  }
  return u;
}

}  // namespace

SpeedProfile::SpeedProfile(const PathCurve& curve, const MotionLimits& limits) {
  knots_.push_back({});
  const double length = curve.length();
  if (length <= 0.0) {
    return;
  }
  const int wanted = std::max(static_cast<int>(std::ceil(length / kGridStep)), curve.knot_count());
  const int count = std::clamp(wanted, kMinGrid, kMaxGrid);
  const double step = length / count;
  std::vector<Place> places;
  PathCurve::Sample sample;
  for (int i = 0; i <= count; ++i) {
    curve.sample(step * i, sample);
    places.push_back(place_at(sample, limits));
  }
  // Backward: squared speeds from which the rest of the path can still be run.
  std::vector<double> fastest(places.size(), 0.0);
  std::vector<Bound> lower;
  std::vector<Bound> upper;
  for (std::size_t i = places.size() - 1; i-- > 0;) {
    fastest[i] = fastest_before(places[i], fastest[i + 1], step, lower, upper);
  }
  // Forward: as fast as those and the acceleration limits allow.
  double x = 0.0;
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    const double u = greatest_acceleration(places[i], x);
    const double next = std::clamp(x + 2.0 * step * u, 0.0, fastest[i + 1]);
    check(next > 0.0 || i + 2 == places.size(), "a speed profile stops on its way");
    const Knot& last = knots_.back();
    const double dt = 2.0 * step / (std::sqrt(x) + std::sqrt(next));
    const double acceleration = 0.5 * (next - x) / step;
    knots_.push_back(
        {last.time + dt, step * static_cast<double>(i + 1), std::sqrt(next),
         last.integral + dt * (last.s + dt * (0.5 * last.speed + acceleration * dt / 6.0))});
    x = next;
  }
}

SpeedProfile::Moment SpeedProfile::at(double time_s) const {
  if (time_s <= 0.0) {
    return {};
  }
  const Knot& end = knots_.back();
  if (time_s >= end.time) {
    return {end.s, end.integral + end.s * (time_s - end.time)};
  }
  const auto later = std::upper_bound(knots_.begin(), knots_.end(), time_s,
                                      [](double t, const Knot& knot) { return t < knot.time; });
  const Knot& a = *(later - 1);
  const Knot& b = *later;
  const double t = time_s - a.time;
  const double acceleration = (b.speed - a.speed) / (b.time - a.time);
  return {a.s + t * (a.speed + 0.5 * acceleration * t),
          a.integral + t * (a.s + t * (0.5 * a.speed + acceleration * t / 6.0))};
}

SpeedProfile::Progress SpeedProfile::averaged(double time_s, double window_s) const {
  const Moment now = at(time_s);
  const Moment then = at(time_s - window_s);
  return {(now.integral - then.integral) / window_s, (now.s - then.s) / window_s};
}

}  // namespace longarm::motion
