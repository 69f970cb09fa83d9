// SPDX-License-Identifier: Apache-2.0
// One PID per joint, as ROS's joint trajectory controllers have them.
#include "longarm/control/pid_controller.h"

#include <algorithm>

namespace longarm::control {
namespace {

class PidController final : public Controller {
 public:
  explicit PidController(const ControllerContext& context) : feed_forward_(context.feed_forward) {
    for (std::size_t i = 0; i < context.joints.size(); ++i) {
      pids_.emplace_back(i < context.gains.size() ? context.gains[i] : PidGains{});
    }
  }

 private:
  void do_reset() override {
    for (Pid& pid : pids_) {
      pid.reset();
    }
  }

  void do_update(const ControllerInput& input, std::span<double> commands) override {
    for (std::size_t i = 0; i < pids_.size(); ++i) {
      const double position_error = input.desired_positions[i] - input.positions[i];
      const double velocity_error = input.desired_velocities[i] - input.velocities[i];
      commands[i] = feed_forward_ * input.desired_velocities[i] +
                    pids_[i].update(position_error, velocity_error, input.period);
    }
  }

  bool do_set_gains(std::span<const PidGains> gains, double feed_forward) override {
    feed_forward_ = feed_forward;
    for (std::size_t i = 0; i < std::min(pids_.size(), gains.size()); ++i) {
      pids_[i].set_gains(gains[i]);
    }
    return true;
  }

  double feed_forward_;
  std::vector<Pid> pids_;
};

class PidModel final : public ControllerModel {
 public:
  // `gains` and `feed_forward` belong to the scenario
  void list_fields(Fields&) override {}
  std::unique_ptr<Controller> make(const ControllerContext& context) const override {
    return make_pid_controller(context);
  }
};

}  // namespace

std::unique_ptr<Controller> make_pid_controller(const ControllerContext& context) {
  return std::make_unique<PidController>(context);
}

void register_pid_controller(ControllerRegistry& registry) {
  registry.add("pid", "feed-forward of the planned velocity plus PID of the position error",
               [] { return std::make_unique<PidModel>(); });
}

}  // namespace longarm::control
