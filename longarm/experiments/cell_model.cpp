// SPDX-License-Identifier: Apache-2.0
// The kind `cell`: reads its world, tries every part of it once, and says which key is to blame.
#include <chrono>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/experiments/cell_run.h"
#include "longarm/experiments/kinds.h"
#include "longarm/model/lint.h"
#include "longarm/model/world.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/ready.h"

namespace longarm::experiments {
namespace {

using Remarks = std::vector<KeyRemark>;

/// What an InputError says, as remarks on a key.
void blame(const std::string& key, const InputError& error, Remarks& remarks) {
  for (const Diagnostic& diagnostic : error.diagnostics()) {
    const bool has_place = !diagnostic.where.path.empty();
    const std::string message = has_place ? fmt::format("{}:{}: {}", diagnostic.where.path,
                                                        diagnostic.where.line, diagnostic.message)
                                          : diagnostic.message;
    remarks.push_back({key, message, diagnostic.hint, diagnostic.severity});
  }
}

void attempt(const std::string& key, Remarks& remarks, const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    blame(key, error, remarks);
  } catch (const std::invalid_argument& error) {
    remarks.push_back({key, error.what(), ""});
  }
}

bool has_errors(const Remarks& remarks) {
  for (const KeyRemark& remark : remarks) {
    if (remark.severity == Severity::kError) {
      return true;
    }
  }
  return false;
}

/// Everything of the world is judged, what the engine does not use is not.
void lint_world(const model::Cell& cell, bool has_dynamics, Remarks& remarks) {
  for (const model::Placement& placement : cell.placements) {
    if (placement.tree.is_static) {
      continue;
    }
    for (const model::LintFinding& finding : model::lint(placement.tree, placement.is_fixed)) {
      const bool is_about_mass = finding.name == "mass" || finding.name.starts_with("inertia");
      if (has_dynamics || !is_about_mass) {
        blame("world", InputError(finding.diagnostic), remarks);
      }
    }
  }
}

class CellModel final : public ExperimentModel {
 public:
  void list_fields(Fields& fields) override { experiments::list_fields(fields, config_); }

  Remarks load(InputFiles& files, const ExperimentContext& context) override {
    Remarks remarks;
    attempt("world", remarks, [&] { read_world(files, remarks); });
    load_links(files, remarks);
    if (!has_errors(remarks)) {
      try_parts(context, remarks);
    }
    return remarks;
  }

  std::string usual_solver(const std::string& engine) const override {
    // the direct solver takes the time of all contacts of the belt to the third power
    return engine == "ode" ? "quick" : "";
  }
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
  void read_world(InputFiles& files, Remarks& remarks) {
    const Result<std::string> beside = files.find(config_.world);
    const std::string path =
        beside ? *beside : scenario::find_model_file(config_.world, config_.world);
    if (config_.world.empty() || path.empty()) {
      remarks.push_back({"world", "there is no world '" + config_.world + "'",
                         "it is neither a file beside the scenario nor a ready world"});
      return;
    }
    Diagnostics diagnostics;
    const model::World world =
        model::read_world_file(path, scenario::model_search(), files, diagnostics);
    diagnostics.throw_if_errors();
    cell_.placements = model::make_placements(world, diagnostics);
    cell_.gravity_m_s2 = world.gravity_m_s2;
    diagnostics.throw_if_errors();
    if (!diagnostics.all().empty()) {
      blame("world", InputError(diagnostics.all()), remarks);
    }
  }

  void load_links(InputFiles& files, Remarks& remarks) {
    const auto load_one = [&](const std::string& device, devices::DeviceLinkConfig& link) {
      for (KeyRemark remark : devices::load(link, files)) {
        remark.key = device + ".link." + remark.key;
        remarks.push_back(std::move(remark));
      }
    };
    load_one("curtain", config_.curtain.link);
    load_one("camera_1", config_.camera_1.link);
    load_one("camera_2", config_.camera_2.link);
    load_one("touch", config_.touch.link);
  }

  void warn_of_engine(const physics::Capabilities& can, Remarks& remarks) const {
    const auto warn = [&](const char* key, const char* message) {
      remarks.push_back({key, message, "use engine mujoco or ode", Severity::kWarning});
    };
    if (!can.has_contacts) {
      warn("engine",
           "this engine knows no contacts: parts stay where they are, belts carry nothing");
    }
    if (!can.has_contacts && config_.simplify.mode != "none") {
      warn("simplify.mode", "without contacts there is nothing to simplify");
    }
    if (!can.has_rays && !config_.curtain.curtain.poles.empty()) {
      warn("curtain.poles", "this engine has no rays: the light curtain is left out");
    }
  }

  /// One by one, so that the key that is to blame is known.
  void try_parts(const ExperimentContext& context, Remarks& remarks) const {
    std::unique_ptr<physics::Engine> engine;
    attempt("world", remarks,
            [&] { engine = context.engines.make(context.engine, cell_, context.options); });
    if (!engine) {
      return;
    }
    const physics::Capabilities& can = engine->capabilities();
    lint_world(cell_, can.has_dynamics, remarks);
    warn_of_engine(can, remarks);
    if (can.has_contacts) {
      attempt("simplify", remarks, [&] {
        mechanisms::Simplifier(*engine, cell_, config_.simplify, context.options.period);
      });
    }
    if (!config_.belt.joint.empty()) {
      attempt("belt.joint", remarks, [&] {
        mechanisms::Belt(*engine, cell_, find_joint(cell_, config_.belt.joint), config_.belt.belt,
                         context.options.period, nullptr);
      });
    }
    if (can.has_rays) {
      attempt("curtain.poles", remarks,
              [&] { devices::LightCurtain(*engine, cell_, config_.curtain.curtain); });
    }
    for (const auto& [key, camera] :
         {std::pair("camera_1", &config_.camera_1), std::pair("camera_2", &config_.camera_2)}) {
      if (camera->is_on) {
        attempt(fmt::format("{}.watch", key), remarks,
                [&] { devices::OverheadCamera(*engine, cell_, key, camera->camera, 1); });
      }
    }
    attempt("touch.collisions", remarks,
            [&] { devices::ContactSensor(*engine, cell_, config_.touch.collisions); });
  }

  CellConfig config_;
  model::Cell cell_;
};

}  // namespace

std::unique_ptr<ExperimentModel> make_cell_run() {
  return std::make_unique<CellModel>();
}

}  // namespace longarm::experiments
