// SPDX-License-Identifier: Apache-2.0
// A tool's way in straight legs, each with its time: as a program for the arm, or as a point for
// every instant.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/model/shape.h"

namespace longarm::picking {

struct Leg {
  model::Vector3 to_W = model::Vector3::Zero();
  Duration time{0};
  bool is_even = false;  ///< at one speed, not from rest to rest
};
using Way = std::vector<Leg>;

/// So long a leg takes from rest to rest within these limits.
Duration leg_time(double distance_m, double speed_m_s, double acceleration_m_s2);

/// A program of movel; `X_BW` takes points of the world to the arm's base, `R_BT` is how the tool
/// is turned there, `tcp_m` where its point is on the flange.
std::string movel_program(const Way& way, const model::Vector3& from_W, const model::Pose& X_BW,
                          const model::Matrix3& R_BT, const std::vector<double>& tcp_m,
                          double acceleration_m_s2);

/// A way that began somewhere at some time.
class RunningWay {
 public:
  RunningWay(Way way, const model::Vector3& from_W, Time begun)
      : way_(std::move(way)), from_W_(from_W), begun_(begun) {}
  model::Vector3 at(Time now) const;

 private:
  Way way_;
  model::Vector3 from_W_;
  Time begun_;
};

}  // namespace longarm::picking
