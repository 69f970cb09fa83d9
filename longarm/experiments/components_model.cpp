// SPDX-License-Identifier: Apache-2.0
// The kind `components`: reads its arm, tries the system once, and says which key is to blame.
#include <cmath>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/experiments/components_run.h"
#include "longarm/experiments/kinds.h"
#include "longarm/model/lint.h"
#include "longarm/model/model_file.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/ready.h"

namespace longarm::experiments {
namespace {

using Remarks = std::vector<KeyRemark>;

class ComponentsModel final : public ExperimentModel {
 public:
  void list_fields(Fields& fields) override { experiments::list_fields(fields, config_); }

  Remarks load(InputFiles& files, const ExperimentContext& context) override {
    Remarks remarks = experiments::load(config_, files);
    if (!config_.arm.model.empty()) {
      try {
        read_arm(files, context, remarks);
      } catch (const InputError& error) {
        blame("arm.model", error.diagnostics(), remarks);
      }
    }
    if (!has_errors(remarks)) {
      try {
        make(context);
      } catch (const InputError& error) {
        blame("network", error.diagnostics(), remarks);
      }
    }
    return remarks;
  }

  const ComponentsConfig& config() const { return config_; }

  bool writes_while_running() const override { return config_.network.capture; }

  std::unique_ptr<Experiment> make(const ExperimentContext& context) const override {
    return std::make_unique<ComponentsRun>(config_, arm_, context);
  }

  ExperimentFigures figures() const override {
    ExperimentFigures out{
        {{"cycle_time", "last cycle", "ms", 1e3}},
        {{"cycle_time_mean_s", "cycle time, mean", "ms", 1e3, 4},
         {"cycle_time_sd_s", "cycle time, standard deviation", "ms", 1e3, 4},
         {"cycle_time_ci95_s", "cycle time, half of the 95 % interval of the mean", "ms", 1e3, 4},
         {"cycle_time_p50_s", "cycle time, median", "ms", 1e3, 4},
         {"cycle_time_p99_s", "cycle time, 99th percentile", "ms", 1e3, 4},
         {"cycle_time_peak_low_s", "cycle time, lower peak", "ms", 1e3, 3},
         {"cycle_time_peak_high_s", "cycle time, upper peak", "ms", 1e3, 3},
         {"cycles", "cycles", "", 1.0, 0},
         {"cycles_failed", "cycles that failed", "", 1.0, 0},
         {"calls_outstanding", "calls without an answer at the end", "", 1.0, 0},
         {"calls_per_s", "calls per second", "", 1.0, 1},
         {"bandwidth_bit_s", "between hosts, with framing", "Mbit/s", 1e-6, 3},
         {"bandwidth_content_bit_s", "between hosts, contents only", "Mbit/s", 1e-6, 3}},
        ""};
    if (!config_.arm.model.empty()) {
      out.curves.push_back({"path_deviation", "distance of the hand to its path", "mm", 1e3});
      out.metrics.push_back({"path_deviation_max_m", "hand from path, largest", "mm", 1e3, 3});
      out.metrics.push_back(
          {"path_deviation_rms_m", "hand from path, root mean square", "mm", 1e3, 3});
    }
    return out;
  }

 private:
  void read_arm(InputFiles& files, const ExperimentContext& context, Remarks& remarks) {
    const ArmConfig& arm = config_.arm;
    const Result<std::string> beside = files.find(arm.model);
    const std::string path = beside ? *beside : scenario::find_model_file(arm.model, arm.model);
    if (path.empty()) {
      remarks.push_back({"arm.model", "there is no model '" + arm.model + "'",
                         suggest(arm.model, scenario::ready_models())});
      return;
    }
    Diagnostics diagnostics;
    const model::Model model =
        model::read_model_file(path, scenario::model_search(), files, diagnostics);
    diagnostics.throw_if_errors();
    model::Placement placement;
    placement.name = "arm";
    placement.tree = model::make_body_tree(model, diagnostics);
    diagnostics.throw_if_errors();
    for (const model::LintFinding& finding : model::lint(placement.tree, true)) {
      blame("arm.model", {finding.diagnostic}, remarks);
    }
    judge_arm(placement, remarks);
    if (has_errors(remarks)) {
      return;
    }
    arm_.speed_m_s = arm.speed_m_s;
    arm_.gain = arm.gain;
    arm_.hand = *placement.tree.find_frame(arm.hand);
    arm_.cell.placements = {std::move(placement)};
    context.engines.make(context.engine, arm_.cell, context.options);  // throws if it cannot
  }

  void judge_arm(model::Placement& placement, Remarks& remarks) {
    const ArmConfig& arm = config_.arm;
    const std::vector<model::TreeJoint>& joints = placement.tree.joints;
    if (!placement.tree.find_frame(arm.hand)) {
      std::vector<std::string> frames;
      for (const model::Frame& frame : placement.tree.frames) {
        frames.push_back(frame.name);
      }
      remarks.push_back(
          {"arm.hand", fmt::format("there is no frame '{}'", arm.hand), suggest(arm.hand, frames)});
    }
    if (!arm.positions_deg.empty() && arm.positions_deg.size() != joints.size()) {
      remarks.push_back(
          {"arm.positions_deg",
           fmt::format("{} positions for {} joints", arm.positions_deg.size(), joints.size()),
           "give one for each joint, or none"});
      return;
    }
    for (std::size_t i = 0; i < arm.positions_deg.size(); ++i) {
      const double position = arm.positions_deg[i] * std::acos(-1.0) / 180.0;
      if (!(position >= joints[i].limits.lower && position <= joints[i].limits.upper)) {
        remarks.push_back(
            {"arm.positions_deg",
             fmt::format("{} cannot be at {:g}°", joints[i].name, arm.positions_deg[i]),
             "stay within the joint's limits"});
      }
      placement.initial_positions.push_back(position);
    }
    arm_.path_m.clear();
    for (const std::vector<double>& corner : arm.path_m) {
      if (corner.size() != 3 || !std::isfinite(corner[0] + corner[1] + corner[2])) {
        remarks.push_back({"arm.path_m", "a corner is three numbers, in m",
                           "for example: [[-0.3, 0.5, 1.0], [-0.1, 0.5, 1.0], [-0.1, 0.5, 1.2]]"});
        return;
      }
      arm_.path_m.emplace_back(corner[0], corner[1], corner[2]);
    }
    if (arm_.path_m.size() < 2) {
      remarks.push_back({"arm.path_m", "a path has at least two corners",
                         "for example: [[-0.3, 0.5, 1.0], [-0.1, 0.5, 1.0], [-0.1, 0.5, 1.2]]"});
    }
  }

  ComponentsConfig config_;
  ArmModel arm_;
};

}  // namespace

const ComponentsConfig* find_components(const ExperimentModel& model) {
  const auto* components = dynamic_cast<const ComponentsModel*>(&model);
  return components == nullptr ? nullptr : &components->config();
}

std::unique_ptr<ExperimentModel> make_components_experiment() {
  return std::make_unique<ComponentsModel>();
}

}  // namespace longarm::experiments
