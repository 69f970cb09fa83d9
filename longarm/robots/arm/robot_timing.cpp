// SPDX-License-Identifier: Apache-2.0
// Puts time into a way. Distance and turn ride along as if they were joints, so that one speed
// profile keeps all limits.
#include <array>
#include <limits>

#include "longarm/motion/time_parametrisation.h"
#include "longarm/robots/arm/robot_path.h"

namespace longarm::robots {
namespace {

// an acceleration must be finite; no cell has one like this
constexpr double kNoLimit = 1e9;
// Points near to each other and a long enough average let cubics come within half a per cent of the
// limits.
constexpr std::chrono::milliseconds kPointPeriod{2};
constexpr std::chrono::milliseconds kSmoothing{40};

/// The four coordinates that carry the limits of a leg: distance and turn, once for speed and once
/// for acceleration, stretched so that every leg has the first one's limits.
class LimitCoordinates {
 public:
  explicit LimitCoordinates(const SpeedLimits& first) : first_(first) {}

  void advance(double gone_m, double turned_rad, const SpeedLimits& limits) {
    values_[0] += gone_m * first_.speed_m_s / limits.speed_m_s;
    values_[1] += gone_m * first_.acceleration_m_s2 / limits.acceleration_m_s2;
    values_[2] += turned_rad * first_.turn_speed_rad_s / limits.turn_speed_rad_s;
    values_[3] += turned_rad * first_.turn_acceleration_rad_s2 / limits.turn_acceleration_rad_s2;
  }
  void append_to(std::vector<double>& configuration) const {
    configuration.insert(configuration.end(), values_.begin(), values_.end());
  }
  void append_limits(motion::MotionLimits& limits) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    limits.velocity.insert(limits.velocity.end(),
                           {first_.speed_m_s, kInfinity, first_.turn_speed_rad_s, kInfinity});
    limits.acceleration.insert(
        limits.acceleration.end(),
        {kNoLimit, first_.acceleration_m_s2, kNoLimit, first_.turn_acceleration_rad_s2});
  }

 private:
  SpeedLimits first_;
  std::array<double, 4> values_{};
};

motion::JointPath with_limits(const Way& way, motion::MotionLimits& limits) {
  LimitCoordinates coordinates(way.limits.front());
  coordinates.append_limits(limits);
  motion::JointPath path;
  const WaySample* last = &way.samples.front();
  for (const WaySample& sample : way.samples) {
    coordinates.advance(sample.gone_m - last->gone_m, sample.turned_rad - last->turned_rad,
                        way.limits[sample.leg]);
    path.configurations.push_back(sample.q);
    coordinates.append_to(path.configurations.back());
    last = &sample;
  }
  path.waypoints.push_back(0);
  path.waypoints.insert(path.waypoints.end(), way.rests.begin(), way.rests.end());
  path.waypoints.push_back(way.samples.size() - 1);
  return path;
}

}  // namespace

Result<motion::Trajectory> put_time(const RobotArm& arm, const Way& way,
                                    std::span<const double> joint_velocity,
                                    std::span<const double> joint_acceleration) {
  motion::MotionLimits limits;
  limits.velocity.assign(joint_velocity.begin(), joint_velocity.end());
  limits.acceleration.assign(joint_acceleration.begin(), joint_acceleration.end());
  const motion::JointPath path = with_limits(way, limits);
  motion::TimingOptions options;
  options.period = kPointPeriod;
  options.smoothing = kSmoothing;
  const Result<motion::Trajectory> timed = motion::time_parametrise(path, limits, options);
  if (!timed) {
    return timed.error();
  }
  std::vector<motion::TrajectoryPoint> points = timed->points();
  for (motion::TrajectoryPoint& point : points) {
    point.positions.resize(arm.joint_count());
    point.velocities.resize(arm.joint_count());
  }
  return motion::Trajectory::make(std::move(points));
}

}  // namespace longarm::robots
