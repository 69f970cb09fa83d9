// SPDX-License-Identifier: Apache-2.0
// Between a cell and those who run experiments.
#include "longarm/experiments/cell_experiment.h"

#include <algorithm>

#include "longarm/actors/kinds.h"
#include "longarm/experiments/armar_programs.h"
#include "longarm/experiments/kitting_actors.h"

namespace longarm::experiments {
namespace {

cell::CellContext cell_context(const ExperimentContext& context) {
  return {context.engines, context.engine, context.options,
          context.seed,    context.folder, context.search};
}

class CellExperimentModel final : public ExperimentModel {
 public:
  explicit CellExperimentModel(const scenario::Plugins& plugins)
      : kinds_(actor_kinds(plugins)), links_(plugins.link_models) {}

  void list_fields(Fields& fields) override {
    cell::list_fields(fields, prepared_.config, kinds_, links_);
  }
  std::string usual_solver(const std::string& engine) const override {
    for (const cell::ActorEntry& actor : prepared_.config.actors) {
      if (std::string solver = actor.model->usual_solver(engine); !solver.empty()) {
        return solver;
      }
    }
    return {};
  }
  std::vector<KeyRemark> load(InputFiles& files, const ExperimentContext& context) override {
    std::vector<KeyRemark> remarks;
    prepared_ = cell::prepare_cell(std::move(prepared_.config), files, cell_context(context),
                                   kinds_, remarks);
    return remarks;
  }
  std::vector<InputFile> inputs() const override { return prepared_.kept.all(); }
  bool writes_while_running() const override {
    const auto writes = [](const cell::ActorEntry& actor) {
      return actor.model->writes_while_running();
    };
    return prepared_.config.network.capture ||
           std::any_of(prepared_.config.actors.begin(), prepared_.config.actors.end(), writes);
  }
  std::unique_ptr<Experiment> make(const ExperimentContext& context) const override {
    return std::make_unique<CellExperiment>(prepared_, cell_context(context));
  }
  ExperimentFigures figures() const override { return prepared_.config.figures(); }

  const cell::PreparedCell& prepared() const { return prepared_; }

 private:
  cell::ActorRegistry kinds_;
  network::LinkModelRegistry links_;
  cell::PreparedCell prepared_;
};

}  // namespace

cell::ActorRegistry actor_kinds(const scenario::Plugins& plugins) {
  cell::ActorRegistry kinds("kind of actor");
  actors::ProgramKinds programs = actors::built_in_programs();
  add_armar_programs(programs);
  for (const auto& [name, program] : plugins.programs) {
    programs[name] = *program;
  }
  actors::add_built_in(kinds, programs);
  kinds.add("armar-arm", "an arm whose hand is to follow a closed path", make_armar_arm);
  kinds.add("kitting", "makes kits: plans from what cameras saw, drives arms and belt",
            make_kitting);
  kinds.add("kitting-judge", "looks at the world itself, and says which kits are complete",
            make_kitting_judge);
  kinds.add_all(plugins.actors);
  return kinds;
}

CellExperiment::CellExperiment(const cell::PreparedCell& prepared, const cell::CellContext& context)
    : length_(prepared.length),
      has_schedules_(!prepared.config.network.is_empty()),
      run_(prepared, context) {}

Duration CellExperiment::do_length() const {
  return run_.is_done() ? run_.world().now().time_since_epoch() : length_;
}

bool CellExperiment::do_can_outlast_length() const {
  return !has_schedules_;
}

void CellExperiment::do_step() {
  run_.step();
  if (run_.failure() || run_.world().now() >= Time(do_length())) {
    run_.close();
  }
}

std::unique_ptr<ExperimentModel> make_cell(const scenario::Plugins& plugins) {
  return std::make_unique<CellExperimentModel>(plugins);
}

const cell::PreparedCell* find_cell(const ExperimentModel& model) {
  const auto* found = dynamic_cast<const CellExperimentModel*>(&model);
  return found == nullptr ? nullptr : &found->prepared();
}

}  // namespace longarm::experiments
