// SPDX-License-Identifier: Apache-2.0
// Forces, velocities or positions for each finger of a gripper.
#include "longarm/control/gripper/gripper_law.h"

#include <algorithm>
#include <utility>

#include "longarm/core/check.h"

namespace longarm::control {
namespace {

using Mode = FingerCommand::Mode;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

class ConstantForceLaw final : public GripperLaw {
 public:
  explicit ConstantForceLaw(const GripperConfig& config)
      : close_N_(config.force_N), open_N_(config.opening_force_N()) {}
  void drive(const FingerMotion& motion, std::span<FingerCommand> out) override {
    std::fill(out.begin(), out.end(),
              FingerCommand{Mode::kForce, motion.closes ? close_N_ : -open_N_});
  }

 private:
  double close_N_;
  double open_N_;
};

/// The first finger is pushed; the others follow it and it does not know of them.
class MimicPidLaw final : public GripperLaw {
 public:
  MimicPidLaw(const GripperConfig& config, std::size_t fingers, Duration period)
      : leader_(config),
        followers_(fingers - 1, Pid(config.mimic)),
        most_N_(config.mimic_max_effort_N),
        period_(period) {}
  void reset() override {
    for (Pid& pid : followers_) {
      pid.reset();
    }
  }
  void drive(const FingerMotion& motion, std::span<FingerCommand> out) override {
    leader_.drive(motion, out.first(1));
    for (std::size_t i = 1; i < out.size(); ++i) {
      const double force = followers_[i - 1].update(motion.p[0] - motion.p[i], period_);
      out[i] = {Mode::kForce, std::clamp(force, -most_N_, most_N_)};
    }
  }

 private:
  ConstantForceLaw leader_;
  std::vector<Pid> followers_;
  double most_N_;
  Duration period_;
};

/// A velocity motor per finger; each presses with its limit once it is blocked.
class VelFmaxLaw final : public GripperLaw {
 public:
  explicit VelFmaxLaw(const GripperConfig& config)
      : speed_m_s_(config.speed_m_s), most_N_(config.force_N) {}
  void drive(const FingerMotion& motion, std::span<FingerCommand> out) override {
    const double velocity = motion.closes ? speed_m_s_ : -speed_m_s_;
    std::fill(out.begin(), out.end(), FingerCommand{Mode::kVelocity, velocity, most_N_});
  }

 private:
  double speed_m_s_;
  double most_N_;
};

/// Position motors towards the end of the stroke, no faster than told.
class PositionLaw final : public GripperLaw {
 public:
  PositionLaw(const GripperConfig& config, Duration period)
      : step_m_(config.speed_m_s * to_seconds(period)), most_N_(config.force_N) {}
  void drive(const FingerMotion& motion, std::span<FingerCommand> out) override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      // ahead of where the finger is, not of where it should be: a finger that was blocked does not
      // jump
      const double next = motion.p[i] + std::clamp(motion.goal - motion.p[i], -step_m_, step_m_);
      out[i] = {Mode::kPosition, next, most_N_};
    }
  }

 private:
  double step_m_;
  double most_N_;
};

std::unique_ptr<GripperLaw> make_parallel(const GripperConfig& config) {
  // with contact grasping a part may be far off the centre: both fingers must keep pressing while
  // they bring it there
  const double no_limit = config.closes_on_touch ? 0.5 * config.force_N : kUnlimited;
  return std::make_unique<ParallelLaw>(
      [force = config.force_N](double) { return force; },
      [stiffness = config.stiffness_N_m](double difference) { return stiffness * difference; },
      config.opening_force_N(), config.most_align_N.value_or(no_limit));
}

}  // namespace

ParallelLaw::ParallelLaw(Force joint_force, Force align_force, double open_force_N,
                         double most_align_N)
    : joint_force_(std::move(joint_force)),
      align_force_(std::move(align_force)),
      open_force_N_(open_force_N),
      most_align_N_(most_align_N) {}

void ParallelLaw::drive(const FingerMotion& motion, std::span<FingerCommand> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    double align = 0.0;
    for (std::size_t n = 0; n < out.size(); ++n) {
      align += n == i ? 0.0 : align_force_(motion.p[n] - motion.p[i]);
    }
    const double own = motion.closes ? joint_force_(motion.p[i]) : -open_force_N_;
    out[i] = {Mode::kForce, own + std::clamp(align, -most_align_N_, most_align_N_)};
  }
}

std::unique_ptr<GripperLaw> make_gripper_law(const GripperConfig& config, std::size_t fingers,
                                             Duration period) {
  check(fingers > 0, "a gripper law needs fingers");
  switch (gripper_law_of(config.law)) {
    case GripperLawKind::kParallel:
      return make_parallel(config);
    case GripperLawKind::kConstantForce:
      return std::make_unique<ConstantForceLaw>(config);
    case GripperLawKind::kMimicPid:
      return std::make_unique<MimicPidLaw>(config, fingers, period);
    case GripperLawKind::kVelFmax:
      return std::make_unique<VelFmaxLaw>(config);
    case GripperLawKind::kPosition:
      break;
  }
  return std::make_unique<PositionLaw>(config, period);
}

}  // namespace longarm::control
