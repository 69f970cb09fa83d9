// SPDX-License-Identifier: Apache-2.0
// The kind `kitting`: reads cell, ontology and request, and says which key is to blame.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/experiments/kinds.h"
#include "longarm/experiments/kitting_run.h"
#include "longarm/kitting/domain_check.h"
#include "longarm/pddl/read.h"
#include "longarm/workcell/load_work_cell.h"

namespace longarm::experiments {
namespace {

using Remarks = std::vector<KeyRemark>;

class KittingModel final : public ExperimentModel {
 public:
  void list_fields(Fields& fields) override { experiments::list_fields(fields, config_); }

  Remarks load(InputFiles& files, const ExperimentContext& context) override {
    workcell::add_usual_network(config_.cell);
    const workcell::WorkCellContext cell_context{context.engines, context.engine, context.options,
                                                 context.seed};
    Remarks remarks = workcell::load_work_cell(config_.cell, cell_, files, cell_context);
    load_knowledge(files, remarks);
    if (!has_errors(remarks)) {
      judge_cell(remarks);
    }
    return remarks;
  }

  bool writes_while_running() const override { return true; }

  std::unique_ptr<Experiment> make(const ExperimentContext& context) const override {
    return std::make_unique<KittingRun>(config_, ontology_, domain_, cell_, context);
  }

  ExperimentFigures figures() const override {
    return {{{"slots_filled", "slots filled", ""},
             {"kits_completed", "kits completed", ""},
             {"belt_velocity", "velocity of the belt", "m/s"},
             {"contacts", "contacts", ""}},
            // the first four stand in the table of a study
            {{"kits_completed", "kits completed", "", 1.0, 0},
             {"kits_per_hour", "kits per hour", "1/h", 1.0, 1},
             {"drops", "parts dropped", "", 1.0, 0},
             {"makespan_s", "all kits done after", "s", 1.0, 2},
             {"kits_requested", "kits requested", "", 1.0, 0},
             {"last_kit_s", "last complete kit after", "s", 1.0, 2},
             {"parts_placed", "parts placed", "", 1.0, 0},
             {"plan_length", "length of the first plan", "", 1.0, 0},
             {"plan_cost_s", "cost of the first plan", "s", 1.0, 1},
             {"replans", "replans", "", 1.0, 0},
             {"failed_grasps", "failed grasps", "", 1.0, 0},
             {"time_to_recover_s", "longest time to recover", "s", 1.0, 2},
             {"safety_stops", "safety stops", "", 1.0, 0},
             {"stop_distance_m", "way covered after a stop", "mm", 1e3, 1},
             {"overlap_s", "both arms at work", "s", 1.0, 1},
             {"arm_contacts", "arm-arm contacts", "", 1.0, 0},
             {"environment_hits", "hits of the furniture", "", 1.0, 0},
             {"crcl_round_trip_mean_s", "round trip of CRCL, mean", "ms", 1e3, 2}},
            "completion"};
  }

 private:
  void load_knowledge(InputFiles& files, Remarks& remarks) {
    try {
      ontology_ = kitting::load_ontology(config_.ontology, files);
    } catch (const InputError& error) {
      blame("kitting.ontology", error.diagnostics(), remarks);
      return;
    }
    for (const kitting::RequestRemark& remark :
         kitting::check_request(config_.request, ontology_)) {
      remarks.push_back({"kitting." + remark.key, remark.message, remark.hint});
    }
    load_domain(files, remarks);
  }

  void load_domain(InputFiles& files, Remarks& remarks) {
    if (config_.domain.empty()) {
      domain_ = kitting::make_domain(ontology_);
      return;
    }
    const Result<std::string> path = files.find(config_.domain);
    if (!path) {
      remarks.push_back({"kitting.domain", path.error().message, "name a PDDL file"});
      return;
    }
    try {
      domain_ = pddl::load_domain(*path);
    } catch (const InputError& error) {
      blame("kitting.domain", error.diagnostics(), remarks);
      return;
    }
    for (const kitting::RequestRemark& remark : kitting::check_actions(domain_)) {
      remarks.push_back({"kitting." + remark.key, remark.message, remark.hint});
    }
    for (const Diagnostic& lack : kitting::what_domain_lacks(domain_, ontology_)) {
      remarks.push_back({"kitting.domain",
                         fmt::format("the problem that is made of the request does not fit {}: {}",
                                     *path, lack.message),
                         lack.hint, lack.severity});
    }
  }

  /// What the executor cannot do without.
  void judge_cell(Remarks& remarks) {
    if (config_.request.kits.empty()) {
      remarks.push_back({"kitting.kits", "no kit is asked for", "for example: {m2l1: {count: 2}}"});
    }
    for (const kitting::RobotAbility& robot : ontology_.robots) {
      const bool is_there = std::ranges::any_of(
          config_.cell.robots,
          [&](const workcell::RobotSection& section) { return section.name == robot.name; });
      if (!is_there) {
        remarks.push_back({"robots",
                           fmt::format("the ontology's robot '{}' is missing", robot.name),
                           fmt::format("add robots: {{{}: {{}}}}", robot.name)});
      }
    }
    judge_cameras(remarks);
    judge_arms(remarks);
    if (!config_.cell.camera_1.is_on && !config_.cell.camera_2.is_on) {
      remarks.push_back({"camera_1.is_on", "without a camera the executor knows nothing",
                         "camera_1: {is_on: true}"});
    }
    if (!config_.cell.plc.is_on) {
      remarks.push_back({"plc.is_on", "without a PLC nobody moves the belt", "plc: {is_on: true}",
                         Severity::kWarning});
    }
  }

  /// A camera that is off is not waited for.
  void judge_cameras(Remarks& remarks) {
    std::erase_if(ontology_.cameras, [&](const kitting::CameraView& camera) {
      if (camera.name != "camera_1" && camera.name != "camera_2") {
        remarks.push_back(
            {"kitting.ontology",
             fmt::format("the ontology's camera '{}' is not in the cell", camera.name),
             "the cell has camera_1 and camera_2"});
        return false;
      }
      const bool is_on =
          camera.name == "camera_1" ? config_.cell.camera_1.is_on : config_.cell.camera_2.is_on;
      if (!is_on) {
        remarks.push_back({camera.name + ".is_on",
                           fmt::format("the ontology's camera '{}' is off", camera.name),
                           camera.name + ": {is_on: true}", Severity::kWarning});
      }
      return !is_on;
    });
    for (const auto& [name, camera] : {std::pair("camera_1", &config_.cell.camera_1),
                                       std::pair("camera_2", &config_.cell.camera_2)}) {
      constexpr double kTried_m = 0.003;
      if (camera->is_on && camera->camera.noise == "gaussian" &&
          camera->camera.noise_m > kTried_m) {
        remarks.push_back({fmt::format("{}.noise_m", name),
                           "with more than 3 mm of noise kits were never tried to be made",
                           "the lab's cameras: noise: tri-modal", Severity::kWarning});
      }
    }
  }

  void judge_arms(Remarks& remarks) const {
    for (const kitting::ArmConfig& arm : config_.executor.arms) {
      const std::string key = "kitting.executor.arms." + arm.name;
      const kitting::RobotAbility* robot = ontology_.find_robot(arm.name);
      if (robot == nullptr) {
        std::vector<std::string> known;
        for (const kitting::RobotAbility& each : ontology_.robots) {
          known.push_back(each.name);
        }
        remarks.push_back({key, fmt::format("the ontology has no robot '{}'", arm.name),
                           suggest(arm.name, known)});
      } else if (arm.clear_m.size() == 3 &&
                 !robot->reaches({arm.clear_m[0], arm.clear_m[1], arm.clear_m[2]})) {
        remarks.push_back({key + ".clear_m",
                           fmt::format("{} does not reach where it is to wait", arm.name),
                           "a place over its own table", Severity::kWarning});
      }
    }
  }

  KittingConfig config_;
  model::Cell cell_;
  kitting::Ontology ontology_;
  pddl::Domain domain_;
};

}  // namespace

std::unique_ptr<ExperimentModel> make_kitting_run() {
  return std::make_unique<KittingModel>();
}

}  // namespace longarm::experiments
