// SPDX-License-Identifier: Apache-2.0
// The kind `ur`: UR arms behind their ports, and a driver somewhere on a network.
#include <fmt/format.h>

#include "longarm/experiments/kinds.h"
#include "longarm/experiments/ur_run.h"

namespace longarm::experiments {
namespace {

using Remarks = std::vector<KeyRemark>;

class UrModel final : public ExperimentModel {
 public:
  void list_fields(Fields& fields) override { experiments::list_fields(fields, config_); }

  Remarks load(InputFiles& files, const ExperimentContext& context) override {
    Remarks remarks = experiments::load(config_, files);
    const std::vector<InputFile> of_network = files.all();
    if (has_errors(remarks)) {
      return remarks;
    }
    scene_ = UrScene{};
    keep_all(of_network, scene_);
    Remarks wrong = load_ur_scene(config_, scene_, files, context);
    remarks.insert(remarks.end(), wrong.begin(), wrong.end());
    if (has_errors(remarks)) {
      return remarks;
    }
    try {
      make(context);
    } catch (const InputError& error) {
      for (const Diagnostic& diagnostic : error.diagnostics()) {
        remarks.push_back({"driver", diagnostic.message, diagnostic.hint});
      }
    }
    return remarks;
  }

  std::vector<InputFile> inputs() const override { return scene_.inputs; }

  bool writes_while_running() const override { return config_.network.capture; }

  std::unique_ptr<Experiment> make(const ExperimentContext& context) const override {
    return std::make_unique<UrRun>(config_, scene_, context);
  }

  ExperimentFigures figures() const override {
    ExperimentFigures out;
    for (std::size_t i = 1; i <= kUrJoints; ++i) {
      out.curves.push_back({fmt::format("q{}", i), fmt::format("joint {}", i), "rad"});
    }
    if (!config_.driver.is_on()) {
      return out;
    }
    out.curves.push_back({"path_deviation", "distance of the tool to its path", "mm", 1e3});
    out.metrics = {{"path_error_max_m", "tool from path, largest", "mm", 1e3, 3},
                   {"plan_completed", "plan completed", "%", 100.0, 0},
                   {"robot_timeouts", "time-outs of the robot", "", 1.0, 0},
                   {"first_timeout_s", "first time-out", "s", 1.0, 3},
                   {"protective_stops", "protective stops", "", 1.0, 0},
                   {"tracking_error_rms_m", "tool from plan at equal time, rms", "mm", 1e3, 3},
                   {"overshoot_rad", "overshoot", "mrad", 1e3, 3},
                   {"settling_time_s", "settling time", "s", 1.0, 3},
                   {"goal_error_rad", "farthest joint from its goal at the end", "mrad", 1e3, 3},
                   {"commands_received", "commands received", "", 1.0, 0},
                   {"command_delay_mean_s", "delay of commands, mean", "ms", 1e3, 3},
                   {"command_delay_max_s", "delay of commands, largest", "ms", 1e3, 3},
                   {"packet_delay_max_s", "delay of status packets, largest", "ms", 1e3, 3},
                   {"packets_missed", "status packets missed", "", 1.0, 0},
                   {"driver_watchdog_trips", "zeros sent by the driver's watchdog", "", 1.0, 0},
                   {"retransmissions", "TCP retransmissions", "", 1.0, 0}};
    out.outcome = "stable";
    out.headline = 6;  // with the robot's own stops
    return out;
  }

 private:
  UrRunConfig config_;
  UrScene scene_;
};

}  // namespace

std::unique_ptr<ExperimentModel> make_ur_run() {
  return std::make_unique<UrModel>();
}

}  // namespace longarm::experiments
