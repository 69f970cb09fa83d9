// SPDX-License-Identifier: Apache-2.0
// A controller of one's own: a Smith predictor, which knows the delay of its loop and looks past
// it.
#include <algorithm>
#include <memory>
#include <vector>

#include <longarm/cell/plugin.h>

namespace {

using namespace longarm;

/// Joints follow their velocity commands, so what was commanded but is not yet seen in the states
/// tells where they will be when the next command arrives. The loop then behaves as if there were
/// no delay, as long as the delay is the one it was told.
class Predictor final : public control::Controller {
 public:
  Predictor(const control::ControllerContext& context, std::size_t ticks)
      : context_(context), under_way_(ticks, std::vector<double>(context.joints.size(), 0.0)) {}

 private:
  void do_reset() override {
    for (std::vector<double>& commands : under_way_) {
      std::fill(commands.begin(), commands.end(), 0.0);
    }
  }

  void do_update(const control::ControllerInput& input, std::span<double> commands) override {
    const double period_s = to_seconds(input.period);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      double predicted = input.positions[i];
      for (const std::vector<double>& sent : under_way_) {
        predicted += period_s * sent[i];
      }
      commands[i] = context_.gains[i].p * (input.desired_positions[i] - predicted) +
                    context_.feed_forward * input.desired_velocities[i];
    }
    if (!under_way_.empty()) {
      std::copy(commands.begin(), commands.end(), under_way_[next_].begin());
      next_ = (next_ + 1) % under_way_.size();
    }
  }

  control::ControllerContext context_;
  std::vector<std::vector<double>> under_way_;  ///< commands of the last ticks, used in turn
  std::size_t next_ = 0;
};

class PredictorModel final : public control::ControllerModel {
 public:
  void list_fields(Fields& fields) override {
    fields.field("loop_delay", loop_delay_, "of states and commands together");
    if (loop_delay_ < Duration(0)) {
      fields.reject("loop_delay", "a delay must not be negative", "use 0s or more");
    }
  }
  std::unique_ptr<control::Controller> make(
      const control::ControllerContext& context) const override {
    return std::make_unique<Predictor>(context,
                                       static_cast<std::size_t>(loop_delay_ / context.period));
  }

 private:
  Duration loop_delay_{0};
};

}  // namespace

LONGARM_PLUGIN(plugins) {
  plugins.controllers.add("predictor", "Smith predictor for a known delay (key: loop_delay)",
                          [] { return std::make_unique<PredictorModel>(); });
}
