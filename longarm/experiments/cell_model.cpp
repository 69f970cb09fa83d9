// SPDX-License-Identifier: Apache-2.0
// The kind `cell`: a whole cell, and nobody in it who has a task.
#include "longarm/experiments/cell_run.h"
#include "longarm/experiments/kinds.h"
#include "longarm/workcell/load_work_cell.h"

namespace longarm::experiments {
namespace {

class CellModel final : public ExperimentModel {
 public:
  void list_fields(Fields& fields) override { workcell::list_fields(fields, config_); }

  std::vector<KeyRemark> load(InputFiles& files, const ExperimentContext& context) override {
    return workcell::load_work_cell(config_, cell_, files, cell_context(context));
  }

  std::string usual_solver(const std::string& engine) const override {
    // the direct solver takes the time of all contacts of the belt to the third power
    return engine == "ode" ? "quick" : "";
  }
  bool writes_while_running() const override { return config_.network.capture; }
  std::unique_ptr<Experiment> make(const ExperimentContext& context) const override {
    return std::make_unique<CellRun>(config_, cell_, context);
  }

  ExperimentFigures figures() const override {
    return {{{"belt_velocity", "velocity of the belt", "m/s"},
             {"contacts", "contacts", ""},
             {"joined", "parts joined to their support", ""},
             {"broken_beams", "broken beams", ""}},
            {{"displacement_sum_m", "displacement on supports, sum", "mm", 1e3, 4},
             {"displacement_max_m", "largest displacement", "mm", 1e3, 4},
             {"contacts_mean", "contacts", "", 1.0, 1},
             {"joints_made", "joints made", "", 1.0, 0},
             {"joints_removed", "joints removed", "", 1.0, 0},
             {"belt_encoder_m", "way of the belt", "m", 1.0, 3},
             {"belt_jammed", "the belt was jammed", "", 1.0, 0},
             {"curtain_interruptions", "interruptions of the light curtain", "", 1.0, 0}},
            ""};
  }

 private:
  workcell::WorkCellConfig config_;
  model::Cell cell_;
};

}  // namespace

std::unique_ptr<ExperimentModel> make_cell_run() {
  return std::make_unique<CellModel>();
}

}  // namespace longarm::experiments
