// SPDX-License-Identifier: Apache-2.0
// The kind `kitting`: plans from what cameras saw, and drives arms by CRCL and a belt by Modbus.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "labs/kitting/domain_check.h"
#include "labs/kitting/kitting_actors.h"
#include "labs/kitting/kitting_figure.h"
#include "labs/kitting/kitting_notice.h"
#include "labs/kitting/world_model.h"
#include "longarm/actors/camera.h"
#include "longarm/actors/device_messages.h"
#include "longarm/actors/door_interface.h"
#include "longarm/actors/source.h"
#include "longarm/cell/cell_config.h"
#include "longarm/cell/world.h"
#include "longarm/core/suggest.h"
#include "longarm/pddl/read.h"
#include "longarm/pddl/write.h"

namespace longarm::kitting {
namespace {

using actors::CrclServer;
using actors::ModbusDoor;
using cell::Wish;
using cell::World;
using devices::CameraFrame;
using Frames = actors::Source<CameraFrame>;
using Json = nlohmann::ordered_json;
using Remarks = std::vector<cell::KeyRemark>;

struct KittingKeys {
  std::vector<Wish> robots;
  std::vector<Wish> cameras;
  Wish plc;
  std::string ontology = "aprs";  ///< a file beside the scenario, or a ready one
  std::string domain;             ///< a PDDL file; empty: the ontology's own
  kitting::Request request;
  kitting::WorldModelConfig world_model;
  kitting::ExecutorConfig executor;
};

class KittingActor final : public cell::Actor, public KitMaker {
 public:
  KittingActor(const KittingKeys& keys, const kitting::Ontology& ontology,
               const pddl::Domain& domain, World& world, const std::string& name)
      : world_(world), name_(name), keys_(keys), ontology_(ontology), domain_(domain) {
    const std::string file = world.folder().empty() ? "" : world.folder() + "/world.db";
    world_model_ = std::make_unique<kitting::WorldModel>(ontology_, keys_.world_model, file);
    kitting::ExecutorPorts ports;
    ports.robot = [this](const std::string& robot) {
      const auto wish = std::ranges::find(keys_.robots, robot, &Wish::name);
      return dial(*wish, world_.ask<CrclServer>(*wish).door->name());
    };
    if (!keys_.plc.is_empty()) {
      ports.plc = dial(keys_.plc, world_.ask<ModbusDoor>(keys_.plc).door->name());
    }
    for (const Wish& wish : keys_.cameras) {
      world.ask<Frames>(wish).listen(name, wish, [this, &wish](const CameraFrame& frame, Time now) {
        executor_->see(wish.name, frame, now);
      });
    }
    executor_ = std::make_unique<kitting::Executor>(world.kernel(), ontology_, keys_.request,
                                                    domain_, *world_model_, keys_.executor, ports);
    executor_->start();
    world.offer<KitMaker>(name, *this);
  }

  const kitting::Ontology& ontology() const override { return ontology_; }
  const kitting::Request& request() const override { return keys_.request; }
  const kitting::Executor& executor() const override { return *executor_; }

  std::optional<bool> is_done() const override { return executor_->is_over(); }

  Json results() const override {
    Json out = executor_->json();
    // until arms and belt had done their last; hoping for better times is not work
    const std::optional<Time> worked = executor_->journal().last_action();
    out["worked_s"] = worked ? Json(to_seconds(*worked)) : Json();
    out["over_s"] = executor_->over_at() ? Json(to_seconds(*executor_->over_at())) : Json();
    const NoticePlaces places{world_.network_config().links, world_.host_of(name_),
                              world_.host_of(keys_.plc.name),
                              [this](const std::string& actor) { return world_.host_of(actor); }};
    out["time_to_notice_s"] =
        times_to_notice(world_.failures(), places, executor_->journal().setbacks());
    return out;
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> warnings = executor_->remarks();
    warnings.insert(warnings.end(), executor_->causes().begin(), executor_->causes().end());
    for (const std::string& words : executor_->undone()) {
      warnings.push_back("not done: " + words);
    }
    if (!executor_->is_over()) {
      warnings.push_back("the executor was still at work when the run ended");
    }
    return warnings;
  }

  std::vector<cell::ResultFile> files() const override {
    std::vector<cell::ResultFile> files{{"domain.pddl", pddl::write_domain(domain_)}};
    for (const kitting::PlanFile& file : executor_->files()) {
      files.push_back({file.name, file.content});
    }
    files.push_back({"timeline.csv", executor_->journal().csv()});
    files.push_back({"timeline.svg", draw_timeline(executor_->journal())});
    return files;
  }

 private:
  kitting::Dial dial(const Wish& wish, const std::string& door) {
    return [this, wish, door](protocols::ClientLink* lost) -> protocols::ClientLink& {
      if (lost != nullptr) {
        world_.hang_up(*lost);
      }
      return world_.dial(name_, wish, door);
    };
  }

  World& world_;
  std::string name_;
  KittingKeys keys_;
  kitting::Ontology ontology_;
  pddl::Domain domain_;
  std::unique_ptr<kitting::WorldModel> world_model_;
  std::unique_ptr<kitting::Executor> executor_;
};

class KittingModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    cell::list_wishes(fields, "robots", keys_.robots, "those of the ontology, behind CRCL");
    cell::list_wishes(fields, "cameras", keys_.cameras, "what it knows the world by");
    cell::list_wish(fields, "plc", keys_.plc, "that moves the belt; none: it stands");
    fields.field("ontology", keys_.ontology,
                 "parts, trays, robots and zones: a file beside the scenario, or a ready one");
    fields.field("domain", keys_.domain, "a PDDL domain file; none: made of the ontology");
    kitting::list_fields(fields, keys_.request);
    fields.section("world_model", "what is made of camera frames",
                   [&](Fields& inner) { kitting::list_fields(inner, keys_.world_model); });
    fields.section("executor", "how it is done",
                   [&](Fields& inner) { kitting::list_fields(inner, keys_.executor); });
  }
  std::vector<cell::Interface> offers() const override { return {KitMaker::kInterface}; }
  std::vector<cell::WishInfo> wishes() const override {
    // those without a name say what is asked for, for the reference
    std::vector<cell::WishInfo> wishes{{"plc", keys_.plc.name, ModbusDoor::kInterface},
                                       {"robots", "", CrclServer::kInterface},
                                       {"cameras", "", Frames::kInterface}};
    for (const Wish& wish : keys_.robots) {
      wishes.push_back({"robots", wish.name, CrclServer::kInterface});
    }
    for (const Wish& wish : keys_.cameras) {
      wishes.push_back({"cameras", wish.name, Frames::kInterface});
    }
    return wishes;
  }
  bool writes_while_running() const override { return true; }

  Remarks load(InputFiles& files, const cell::LoadContext& context) override {
    Remarks remarks;
    // a kit that is held by force of the computer proves nothing
    if (context.cell.simplify.mode == "kludge") {
      remarks.push_back({"", "kits cannot be made with the mode 'kludge'",
                         "simplify: merge keeps the physics of grasping"});
    }
    load_knowledge(files, remarks);
    if (!has_errors(remarks)) {
      judge_cell(remarks, context.cell);
    }
    return remarks;
  }

  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<KittingActor>(keys_, ontology_, domain_, world, name);
  }

  cell::Figures figures() const override {
    return {{},
            {{"drops", "parts dropped", "", 1.0, 0},
             {"parts_placed", "parts placed", "", 1.0, 0},
             {"plan_length", "length of the first plan", "", 1.0, 0},
             {"plan_cost_s", "cost of the first plan", "s", 1.0, 1},
             {"replans", "replans", "", 1.0, 0},
             {"failed_grasps", "failed grasps", "", 1.0, 0},
             {"time_to_recover_s", "longest time to recover", "s", 1.0, 2},
             {"tool_changes", "tools changed", "", 1.0, 0},
             {"overlap_s", "both arms at work", "s", 1.0, 1},
             {"crcl_round_trip_mean_s", "round trip of CRCL, mean", "ms", 1e3, 2}},
            ""};
  }

  KittingQuestion question() const { return {ontology_, domain_, keys_.request}; }

 private:
  void load_knowledge(InputFiles& files, Remarks& remarks) {
    try {
      ontology_ = kitting::load_ontology(keys_.ontology, files);
    } catch (const InputError& error) {
      blame("ontology", error.diagnostics(), remarks);
      return;
    }
    for (const kitting::RequestRemark& remark : kitting::check_request(keys_.request, ontology_)) {
      remarks.push_back({remark.key, remark.message, remark.hint});
    }
    load_domain(files, remarks);
  }

  void load_domain(InputFiles& files, Remarks& remarks) {
    if (keys_.domain.empty()) {
      domain_ = kitting::make_domain(ontology_);
      return;
    }
    const Result<std::string> path = files.find(keys_.domain);
    if (!path) {
      remarks.push_back({"domain", path.error().message, "name a PDDL file"});
      return;
    }
    try {
      domain_ = pddl::load_domain(*path);
    } catch (const InputError& error) {
      blame("domain", error.diagnostics(), remarks);
      return;
    }
    for (const kitting::RequestRemark& remark : kitting::check_actions(domain_)) {
      remarks.push_back({remark.key, remark.message, remark.hint});
    }
    for (const Diagnostic& lack : kitting::what_domain_lacks(domain_, ontology_)) {
      remarks.push_back({"domain",
                         fmt::format("the problem that is made of the request does not fit {}: {}",
                                     *path, lack.message),
                         lack.hint, lack.severity});
    }
  }

  /// What the executor cannot do without.
  void judge_cell(Remarks& remarks, const cell::CellConfig& cell) {
    const auto is_in = [](const std::vector<Wish>& wishes, const std::string& name) {
      return std::ranges::any_of(wishes, [&](const Wish& wish) { return wish.name == name; });
    };
    if (keys_.request.kits.empty()) {
      remarks.push_back({"kits", "no kit is asked for", "for example: {m2l1: {count: 2}}"});
    }
    for (const kitting::RobotAbility& robot : ontology_.robots) {
      if (!is_in(keys_.robots, robot.name)) {
        remarks.push_back({"robots",
                           fmt::format("the ontology's robot '{}' is missing", robot.name),
                           "name all of them, and call actors of kind crcl so"});
      }
    }
    judge_cameras(remarks, cell);
    judge_arms(remarks);
    if (keys_.cameras.empty()) {
      remarks.push_back({"cameras", "without a camera the executor knows nothing",
                         "name actors of kind camera: cameras: [NAME]"});
    }
    if (keys_.plc.is_empty()) {
      remarks.push_back({"plc", "without a PLC nobody moves the belt", "name an actor of kind plc",
                         Severity::kWarning});
    }
  }

  void judge_cameras(Remarks& remarks, const cell::CellConfig& cell) {
    for (const Wish& wish : keys_.cameras) {
      const auto is_it = [&](const kitting::CameraView& view) { return view.name == wish.name; };
      if (std::ranges::none_of(ontology_.cameras, is_it)) {
        remarks.push_back({"cameras", fmt::format("the ontology has no camera '{}'", wish.name),
                           suggest(wish.name, names_of(ontology_.cameras))});
      }
      const cell::ActorEntry* entry = cell.find(wish.name);
      const auto* known = entry == nullptr
                              ? nullptr
                              : dynamic_cast<const actors::CameraDescription*>(entry->model.get());
      constexpr double kTried_m = 0.003;
      if (known != nullptr && known->camera().noise == "gaussian" &&
          known->camera().noise_m > kTried_m) {
        remarks.push_back({fmt::format("actors.{}.noise_m", wish.name),
                           "with more than 3 mm of noise kits were never tried to be made",
                           "the lab's cameras: noise: tri-modal", Severity::kWarning});
      }
    }
    // a camera that is not there is not waited for
    std::erase_if(ontology_.cameras, [&](const kitting::CameraView& camera) {
      const bool is_there = std::ranges::any_of(
          keys_.cameras, [&](const Wish& wish) { return wish.name == camera.name; });
      if (!is_there) {
        remarks.push_back({"cameras",
                           fmt::format("the ontology's camera '{}' is not there", camera.name),
                           "add it, or remove it from the ontology", Severity::kWarning});
      }
      return !is_there;
    });
  }

  void judge_arms(Remarks& remarks) const {
    for (const kitting::ArmConfig& arm : keys_.executor.arms) {
      const std::string key = "executor.arms." + arm.name;
      const kitting::RobotAbility* robot = ontology_.find_robot(arm.name);
      if (robot == nullptr) {
        remarks.push_back({key, fmt::format("the ontology has no robot '{}'", arm.name),
                           suggest(arm.name, names_of(ontology_.robots))});
      } else if (arm.clear_m.size() == 3 &&
                 !robot->reaches({arm.clear_m[0], arm.clear_m[1], arm.clear_m[2]})) {
        remarks.push_back({key + ".clear_m",
                           fmt::format("{} does not reach where it is to wait", arm.name),
                           "a place over its own table", Severity::kWarning});
      }
    }
  }

  KittingKeys keys_;
  kitting::Ontology ontology_;
  pddl::Domain domain_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_kitting() {
  return std::make_unique<KittingModel>();
}

std::optional<KittingQuestion> find_kitting(const cell::ActorModel& model) {
  const auto* kitting = dynamic_cast<const KittingModel*>(&model);
  return kitting == nullptr ? std::nullopt : std::optional(kitting->question());
}

}  // namespace longarm::kitting
