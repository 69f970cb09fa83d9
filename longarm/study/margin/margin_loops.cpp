// SPDX-License-Identifier: Apache-2.0
// From cut, gains and inertias to loops.
#include "longarm/study/margin/margin_loops.h"

#include <algorithm>

namespace longarm::study {
namespace {

using control::Cut;

Duration rounded_up(Duration delay, Duration step) {
  return (delay + step - Duration(1)) / step * step;
}

/// How the efforts that hold an arm change from pose to pose: ∂g/∂q, by central differences.
Eigen::MatrixXd gravity_slope(motion::Dynamics& dynamics, std::vector<double> q) {
  constexpr double kStep_rad = 1e-4;
  const std::vector<double> at_rest(q.size(), 0.0);
  Eigen::MatrixXd slope(q.size(), q.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double here = q[i];
    q[i] = here + kStep_rad;
    const Eigen::VectorXd above = dynamics.bias(q, at_rest);
    q[i] = here - kStep_rad;
    const Eigen::VectorXd below = dynamics.bias(q, at_rest);
    q[i] = here;
    slope.col(static_cast<Eigen::Index>(i)) = (above - below) / (2.0 * kStep_rad);
  }
  return slope;
}

}  // namespace

const std::vector<std::string>& direction_names() {
  static const std::vector<std::string> names{"states", "commands", "both"};
  return names;
}

ArmLoops::ArmLoops(const actors::ArmModel& arm)
    : arm_(arm),
      config_(arm.whole_config()),
      tree_(arm.tree()),
      count_(static_cast<int>(tree_.joints.size())),
      cut_(control::cut_of(config_.cut)) {}

bool ArmLoops::is_remote() const {
  return cut_ == Cut::kVelocity || cut_ == Cut::kEffort || cut_ == Cut::kStaleServo;
}

/// A servo that asks for the whole change of velocity within one of its periods.
bool ArmLoops::is_computed_torque() const {
  return config_.servo.model == "ideal" && (cut_ == Cut::kEffort || cut_ == Cut::kStaleServo);
}

/// The remote servo ticks with the controller, the robot's own with the physics.
Duration ArmLoops::servo_period() const {
  return cut_ == Cut::kEffort ? config_.control.period : arm_.physics_period();
}

std::vector<double> ArmLoops::position_gains() const {
  return config_.gain ? std::vector<double>(static_cast<std::size_t>(count_), *config_.gain)
                      : control::per_joint(config_.gains.p, count_);
}

/// A follower has no motor of its own.
std::vector<double> ArmLoops::servo_gains() const {
  std::vector<double> gains = control::per_joint(config_.servo.gains.p, count_);
  for (std::size_t i = 0; i < gains.size(); ++i) {
    gains[i] = tree_.joints[i].mimic ? 0.0 : gains[i];
  }
  return gains;
}

SingleLoop ArmLoops::position_loop() const {
  const std::vector<double> gains = position_gains();
  const auto largest = std::max_element(gains.begin(), gains.end());
  SingleLoop loop;
  loop.name = "position loop";
  loop.rate_per_s = *largest;
  loop.joint = tree_.joints[static_cast<std::size_t>(largest - gains.begin())].name;
  if (std::count(gains.begin(), gains.end(), *largest) > 1) {
    for (std::size_t i = 0; i < gains.size(); ++i) {
      if (gains[i] == *largest) {
        loop.tied_joints.push_back(tree_.joints[i].name);
      }
    }
  }
  loop.period = cut_ == Cut::kPosition ? arm_.physics_period() : config_.control.period;
  loop.has_states = is_remote();
  loop.has_commands = is_remote();
  return loop;
}

SingleLoop ArmLoops::velocity_loop(const VelocityMode& mode) const {
  SingleLoop loop;
  loop.name = "velocity loop";
  loop.rate_per_s = mode.rate_per_s;
  loop.joint = tree_.joints[mode.joint].name;
  // between two samples of the states a stale servo computes the same again
  loop.period =
      cut_ == Cut::kStaleServo ? std::max(servo_period(), *config_.states_period) : servo_period();
  loop.has_states = cut_ == Cut::kEffort || cut_ == Cut::kStaleServo;
  loop.has_commands = cut_ == Cut::kEffort;
  return loop;
}

std::vector<SingleLoop> ArmLoops::with(const VelocityMode& mode) const {
  std::vector<SingleLoop> loops{position_loop()};
  if (is_computed_torque()) {
    loops.push_back(velocity_loop({1.0 / to_seconds(servo_period()), 0}));
  } else if (has_velocity_loop()) {
    loops.push_back(velocity_loop(mode));
  }
  return loops;
}

std::vector<SingleLoop> ArmLoops::at_goal() const {
  if (config_.servo.model != "pid") {
    return with({});
  }
  motion::Dynamics dynamics(tree_);
  return with(fastest_mode(dynamics, arm_.plan().goal, servo_gains()));
}

std::vector<SingleLoop> ArmLoops::along_path() const {
  if (config_.servo.model != "pid") {
    return with({});
  }
  motion::Dynamics dynamics(tree_);
  return with(
      fastest_mode_along(dynamics, arm_.plan().trajectory, arm_.plan().hold_start, servo_gains()));
}

Duration ArmLoops::delay_in(const SingleLoop& loop, Direction direction, Duration latency) const {
  Duration delay{0};
  if (loop.has_states && direction != Direction::kCommands) {
    // a controller uses the newest state there is at its tick; a servo at the robot looks at every
    // step
    const bool is_at_robot = !loop.has_commands;
    delay += rounded_up(latency, is_at_robot ? arm_.physics_period() : *config_.states_period);
  }
  if (loop.has_commands && direction != Direction::kStates) {
    delay += rounded_up(latency, arm_.physics_period());
  }
  return delay;
}

bool ArmLoops::has_nested() const {
  return is_remote() && has_velocity_loop() && config_.control.period == arm_.physics_period() &&
         *config_.states_period == arm_.physics_period();
}

NestedLoops ArmLoops::nested(Direction direction, Duration latency) const {
  NestedLoops loops;
  loops.period = arm_.physics_period();
  const auto ticks = [&](const SingleLoop& loop) {
    return static_cast<int>(delay_in(loop, direction, latency) / loops.period);
  };
  loops.velocity_delay_ticks = ticks(velocity_loop({}));
  loops.position_delay_ticks = ticks(position_loop());
  if (is_computed_torque()) {
    // it undoes all coupling, so that the joint with the largest gain stands for all
    loops.rates_per_s = Eigen::MatrixXd::Constant(1, 1, 1.0 / to_seconds(servo_period()));
    loops.gains_per_s = Eigen::VectorXd::Constant(1, position_loop().rate_per_s);
    return loops;
  }
  motion::Dynamics dynamics(tree_, arm_.gravity_R_m_s2());
  const std::vector<double> kv = servo_gains();
  const std::vector<double> gains = position_gains();
  const Eigen::MatrixXd kv_matrix =
      Eigen::Map<const Eigen::VectorXd>(kv.data(), count_).asDiagonal();
  const Eigen::LLT<Eigen::MatrixXd> inertia = dynamics.mass_matrix(arm_.plan().goal).llt();
  loops.rates_per_s = inertia.solve(kv_matrix);
  loops.gravity_per_s2 = inertia.solve(gravity_slope(dynamics, arm_.plan().goal));
  loops.compensates_gravity = config_.servo.gravity_compensation;
  loops.gains_per_s = Eigen::Map<const Eigen::VectorXd>(gains.data(), count_);
  return loops;
}

std::string ArmLoops::busiest_joint(const Eigen::VectorXcd& velocities) const {
  if (velocities.size() != count_ || config_.servo.model != "pid") {
    return position_loop().joint;
  }
  const std::vector<double> kv = servo_gains();
  Eigen::Index joint = 0;
  Eigen::Map<const Eigen::VectorXd>(kv.data(), count_)
      .cwiseProduct(velocities.cwiseAbs2())
      .maxCoeff(&joint);
  return tree_.joints[static_cast<std::size_t>(joint)].name;
}

}  // namespace longarm::study
