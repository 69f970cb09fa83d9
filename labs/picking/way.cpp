// SPDX-License-Identifier: Apache-2.0
// Legs in time, and in URScript.
#include "labs/picking/way.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/robots/ur/kinematics.h"

namespace longarm::picking {
namespace {

using model::Vector3;

// of the polynomial below: its fastest and its hardest moment
constexpr double kPeakSpeed = 1.875;
constexpr double kPeakAcceleration = 5.7736;

/// From 0 to 1, at rest at both ends.
double smooth(double share) {
  return share * share * share * (10.0 + share * (6.0 * share - 15.0));
}

}  // namespace

Duration leg_time(double distance_m, double speed_m_s, double acceleration_m_s2) {
  constexpr Duration kLeast{50'000'000};
  const double seconds = std::max(kPeakSpeed * distance_m / speed_m_s,
                                  std::sqrt(kPeakAcceleration * distance_m / acceleration_m_s2));
  return std::max(kLeast, Duration(std::llround(1e9 * seconds)));
}

std::string movel_program(const Way& way, const Vector3& from_W, const model::Pose& X_BW,
                          const model::Matrix3& R_BT, const std::vector<double>& tcp_m,
                          double acceleration_m_s2) {
  std::string text = fmt::format("def way():\n  set_tcp(p[{:.6f},{:.6f},{:.6f},0,0,0])\n", tcp_m[0],
                                 tcp_m[1], tcp_m[2]);
  const Vector3 turn = robots::rotation_vector(R_BT);
  Vector3 last_W = from_W;
  for (const Leg& leg : way) {
    const Vector3 to = X_BW * leg.to_W;
    const double seconds = to_seconds(leg.time);
    const std::string pace = leg.is_even ? fmt::format("a={:.6f},v={:.6f}", acceleration_m_s2,
                                                       (leg.to_W - last_W).norm() / seconds)
                                         : fmt::format("t={:.6f}", seconds);
    text += fmt::format("  movel(p[{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}],{})\n", to.x(),
                        to.y(), to.z(), turn.x(), turn.y(), turn.z(), pace);
    last_W = leg.to_W;
  }
  return text + "end\n";
}

Vector3 RunningWay::at(Time now) const {
  Vector3 from = from_W_;
  Time begun = begun_;
  for (const Leg& leg : way_) {
    if (now < begun + leg.time) {
      const double share = std::max(0.0, to_seconds(now - begun) / to_seconds(leg.time));
      return from + (leg.is_even ? share : smooth(share)) * (leg.to_W - from);
    }
    begun += leg.time;
    from = leg.to_W;
  }
  return from;
}

}  // namespace longarm::picking
