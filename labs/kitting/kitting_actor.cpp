// SPDX-License-Identifier: Apache-2.0
// The kind `kitting`: plans from what cameras saw, and drives arms by CRCL and a belt by Modbus.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "labs/kitting/domain_check.h"
#include "labs/kitting/kitting_actors.h"
#include "labs/kitting/kitting_figure.h"
#include "labs/kitting/kitting_notice.h"
#include "labs/kitting/world_dial.h"
#include "labs/kitting/world_model.h"
#include "longarm/actors/camera.h"
#include "longarm/actors/device_messages.h"
#include "longarm/actors/door_interface.h"
#include "longarm/actors/outlet.h"
#include "longarm/actors/relay_door.h"
#include "longarm/actors/source.h"
#include "longarm/cell/cell_config.h"
#include "longarm/cell/world.h"
#include "longarm/core/suggest.h"
#include "longarm/pddl/read.h"
#include "longarm/pddl/write.h"

namespace longarm::kitting {
namespace {

using actors::CrclServer;
using actors::LinesServer;
using actors::ModbusDoor;
using cell::Wish;
using cell::World;
using devices::CameraFrame;
using devices::CurtainReport;
using Frames = actors::Source<CameraFrame>;
using CurtainReports = actors::Source<CurtainReport>;
using Json = nlohmann::ordered_json;
using Remarks = std::vector<cell::KeyRemark>;

struct KittingKeys {
  std::vector<Wish> robots;
  std::vector<Wish> cameras;
  std::vector<Wish> curtains;
  Wish plc;
  bool external_executor = false;
  std::int64_t first_port = 0;
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
      return dial_in(world_, name_, *wish, world_.ask<CrclServer>(*wish).door->name());
    };
    if (!keys_.plc.is_empty()) {
      ports.plc = dial_in(world, name, keys_.plc, world_.ask<ModbusDoor>(keys_.plc).door->name());
    }
    for (const Wish& wish : keys_.cameras) {
      world.ask<Frames>(wish).listen(name, wish, [this, &wish](const CameraFrame& frame, Time now) {
        executor_->see(wish.name, frame, now);
      });
    }
    for (const Wish& wish : keys_.curtains) {
      world.ask<CurtainReports>(wish).listen(name, wish,
                                             [this, &wish](const CurtainReport& report, Time now) {
                                               executor_->see(wish.name, report, now);
                                             });
    }
    executor_ = std::make_unique<kitting::Executor>(world.kernel(), ontology_, keys_.request,
                                                    domain_, *world_model_, keys_.executor, ports);
    executor_->start();
    world.offer<KitMaker>(name, *this);
    if (world.trace() != nullptr) {
      world.on(cell::Stage::kMeasure, [this](Time) { note_news(); });
    }
  }

  const kitting::Ontology& ontology() const override { return ontology_; }
  const kitting::Request& request() const override { return keys_.request; }
  const kitting::Executor* executor() const override { return executor_.get(); }
  bool is_connected() const override { return true; }

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
    std::vector<std::string> warnings = warnings_of(*executor_);
    if (!executor_->is_over()) {
      warnings.push_back("the executor was still working when the run ended");
    }
    return warnings;
  }

  std::vector<cell::ResultFile> files() const override { return files_of(*executor_, domain_); }

 private:
  /// For those who look at the recording.
  void note_news() {
    const kitting::Journal& journal = executor_->journal();
    for (; setbacks_noted_ < journal.setbacks().size(); ++setbacks_noted_) {
      world_.note(name_, "setback", journal.setbacks()[setbacks_noted_].words);
    }
    for (; replans_noted_ < journal.counts().replans; ++replans_noted_) {
      world_.note(name_, "replan", "a new plan");
    }
  }

  World& world_;
  std::string name_;
  KittingKeys keys_;
  kitting::Ontology ontology_;
  pddl::Domain domain_;
  std::size_t setbacks_noted_ = 0;
  std::int64_t replans_noted_ = 0;
  std::unique_ptr<kitting::WorldModel> world_model_;
  std::unique_ptr<kitting::Executor> executor_;
};

/// Waits for a program outside that makes the kits, over the doors of the others. Where it is on a
/// host that program is, too: what it says and hears crosses the network, through doors of its own.
class OutsideKittingActor final : public cell::Actor, public KitMaker {
 public:
  OutsideKittingActor(const KittingKeys& keys, const kitting::Ontology& ontology,
                      const pddl::Domain& domain, World& world, const std::string& name)
      : world_(world),
        name_(name),
        next_port_(keys.first_port),
        job_{ontology, domain, keys.request, keys.world_model, keys.executor, {}, {}, {}} {
    for (const Wish& wish : keys.robots) {
      robots_.push_back(&world.ask<CrclServer>(wish));
      job_.robots[wish.name] = reach<protocols::Door>(wish, *robots_.back()->door);
    }
    if (!keys.plc.is_empty()) {
      job_.plc = reach<protocols::Door>(keys.plc, *world.ask<ModbusDoor>(keys.plc).door);
    }
    for (const Wish& wish : keys.cameras) {
      views_.push_back(world.ask<LinesServer>(wish).door);
      job_.cameras[wish.name] = reach<protocols::BroadcastDoor>(wish, *views_.back());
    }
    for (const Wish& wish : keys.curtains) {
      job_.curtains[wish.name] =
          reach<protocols::BroadcastDoor>(wish, *world.ask<LinesServer>(wish).door);
    }
    world.on(cell::Stage::kMeasure, [this](Time) { has_come_ = has_come_ || is_connected(); });
    world.offer<KitMaker>(name, *this);
  }

  const kitting::Ontology& ontology() const override { return job_.ontology; }
  const kitting::Request& request() const override { return job_.request; }
  const kitting::Executor* executor() const override { return nullptr; }
  bool is_connected() const override {
    return std::ranges::any_of(
               views_, [](const protocols::LinesDoor* door) { return door->clients() > 0; }) ||
           std::ranges::any_of(robots_,
                               [](const CrclServer* robot) { return robot->clients() > 0; });
  }

  std::vector<std::string> warnings() const override {
    if (has_come_) {
      return {};
    }
    return {"no external executor connected: start longarm serve, then longarm execute"};
  }

  const KittingJob& job() const { return job_; }

 private:
  /// The door that leads there: the other's own, or one on this host.
  template <typename Kind>
  const protocols::Door* reach(const Wish& wish, const protocols::Door& door) {
    if (!world_.is_networked(name_, wish.name)) {
      return &door;
    }
    const std::uint16_t port = next_port_ == 0 ? 0 : static_cast<std::uint16_t>(next_port_++);
    auto relay = std::make_unique<actors::RelayDoor<Kind>>(
        fmt::format("{}.{}", name_, door.name()), port,
        [this, wish, to = door.name()]() -> protocols::ClientLink& {
          return world_.dial(name_, wish, to);
        },
        [this](protocols::ClientLink& link) { world_.hang_up(link); });
    world_.offer_door(name_, *relay);
    relays_.push_back(std::move(relay));
    return relays_.back().get();
  }

  World& world_;
  std::string name_;
  std::int64_t next_port_;
  std::vector<std::unique_ptr<protocols::Door>> relays_;
  KittingJob job_;
  std::vector<const CrclServer*> robots_;
  std::vector<const protocols::LinesDoor*> views_;  ///< the cameras'
  bool has_come_ = false;
};

class KittingModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    cell::list_wishes(fields, "robots", keys_.robots,
                      "robots of the ontology, actors of kind crcl");
    cell::list_wishes(fields, "cameras", keys_.cameras, "cameras that it uses");
    cell::list_wishes(fields, "curtains", keys_.curtains,
                      "light curtains whose interruptions it records");
    cell::list_wish(fields, "plc", keys_.plc,
                    "PLC that moves the belt; empty: the belt stands still");
    fields.field(
        "external_executor", keys_.external_executor,
        "whether an external program makes the kits: start longarm serve, then longarm execute");
    fields.field("first_port", keys_.first_port,
                 "first TCP port for the connections of an external executor; the others follow; "
                 "0: free ports");
    if (keys_.first_port < 0 || keys_.first_port > 65'000) {
      fields.reject("first_port", fmt::format("{} cannot be the first port", keys_.first_port),
                    "use a whole number up to 65000; 0 picks free ports");
    }
    fields.field(
        "ontology", keys_.ontology,
        "parts, trays, robots and zones: a file beside the scenario, or a built-in ontology");
    fields.field("domain", keys_.domain,
                 "a PDDL domain file; default: generated from the ontology");
    kitting::list_fields(fields, keys_.request);
    fields.section("world_model", "how camera frames are interpreted",
                   [&](Fields& inner) { kitting::list_fields(inner, keys_.world_model); });
    fields.section("executor", "how kits are made",
                   [&](Fields& inner) { kitting::list_fields(inner, keys_.executor); });
  }
  std::vector<cell::Interface> offers() const override { return {KitMaker::kInterface}; }
  std::vector<cell::WishInfo> wishes() const override {
    // those without a name say what is asked for, for the reference
    const cell::Interface frames =
        keys_.external_executor ? LinesServer::kInterface : Frames::kInterface;
    const cell::Interface reports =
        keys_.external_executor ? LinesServer::kInterface : CurtainReports::kInterface;
    std::vector<cell::WishInfo> wishes{{"plc", keys_.plc.name, ModbusDoor::kInterface},
                                       {"robots", "", CrclServer::kInterface},
                                       {"cameras", "", frames},
                                       {"curtains", "", reports}};
    for (const Wish& wish : keys_.robots) {
      wishes.push_back({"robots", wish.name, CrclServer::kInterface});
    }
    for (const Wish& wish : keys_.cameras) {
      wishes.push_back({"cameras", wish.name, frames});
    }
    for (const Wish& wish : keys_.curtains) {
      wishes.push_back({"curtains", wish.name, reports});
    }
    for (cell::WishInfo& wish : wishes) {
      // who is outside needs no network to come to a door
      wish.what.needs_hosts = wish.what.needs_hosts && !keys_.external_executor;
    }
    return wishes;
  }
  bool writes_while_running() const override { return !keys_.external_executor; }

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
    if (keys_.external_executor) {
      return std::make_unique<OutsideKittingActor>(keys_, ontology_, domain_, world, name);
    }
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
             {"overlap_s", "both arms working", "s", 1.0, 1},
             {"crcl_round_trip_mean_s", "round trip of CRCL, mean", "ms", 1e3, 2}},
            ""};
  }

  KittingQuestion question() const { return {ontology_, domain_, keys_.request, keys_.executor}; }

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
                         fmt::format("the problem generated from the request does not fit {}: {}",
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
      remarks.push_back({"kits", "no kit is requested", "for example: {m2l1: {count: 2}}"});
    }
    for (const kitting::RobotAbility& robot : ontology_.robots) {
      if (!is_in(keys_.robots, robot.name)) {
        remarks.push_back({"robots",
                           fmt::format("the ontology's robot '{}' is missing", robot.name),
                           "name all of them, and give actors of kind crcl the same names"});
      }
    }
    judge_cameras(remarks, cell);
    judge_ports(remarks, cell);
    judge_arms(remarks);
    if (keys_.cameras.empty()) {
      remarks.push_back({"cameras", "the executor needs a camera",
                         "name actors of kind camera: cameras: [NAME]"});
    }
    if (keys_.plc.is_empty()) {
      remarks.push_back(
          {"plc", "moving the belt needs a PLC", "name an actor of kind plc", Severity::kWarning});
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
                           "kitting was never tested with more than 3 mm of noise",
                           "the lab's cameras: noise: tri-modal", Severity::kWarning});
      }
    }
    // a camera that is not there is not waited for
    std::erase_if(ontology_.cameras, [&](const kitting::CameraView& camera) {
      const bool is_there = std::ranges::any_of(
          keys_.cameras, [&](const Wish& wish) { return wish.name == camera.name; });
      if (!is_there) {
        remarks.push_back({"cameras",
                           fmt::format("the ontology's camera '{}' is missing", camera.name),
                           "add it, or remove it from the ontology", Severity::kWarning});
      }
      return !is_there;
    });
  }

  /// A program outside sees and hears through doors.
  void judge_ports(Remarks& remarks, const cell::CellConfig& cell) const {
    std::vector<Wish> devices = keys_.cameras;
    devices.insert(devices.end(), keys_.curtains.begin(), keys_.curtains.end());
    for (const Wish& wish : devices) {
      const cell::ActorEntry* entry = cell.find(wish.name);
      const auto* known = entry == nullptr
                              ? nullptr
                              : dynamic_cast<const actors::OutletDescription*>(entry->model.get());
      if (keys_.external_executor && known != nullptr && !known->has_port()) {
        remarks.push_back(
            {fmt::format("actors.{}", wish.name),
             fmt::format("an external executor cannot receive '{}': it has no port", wish.name),
             fmt::format("actors.{}.port: 0 picks a free port", wish.name)});
      }
    }
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
                           fmt::format("{} cannot reach its waiting position", arm.name),
                           "choose a point above its own table", Severity::kWarning});
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

std::optional<KittingJob> find_outside_job(const cell::Run& run) {
  for (const cell::ActorEntry& entry : run.prepared().cell().actors) {
    if (const auto* actor = dynamic_cast<const OutsideKittingActor*>(run.find(entry.name))) {
      return actor->job();
    }
  }
  return std::nullopt;
}

std::vector<std::string> warnings_of(const kitting::Executor& executor) {
  std::vector<std::string> warnings = executor.remarks();
  warnings.insert(warnings.end(), executor.causes().begin(), executor.causes().end());
  for (const std::string& words : executor.undone()) {
    warnings.push_back("not done: " + words);
  }
  return warnings;
}

std::vector<cell::ResultFile> files_of(const kitting::Executor& executor,
                                       const pddl::Domain& domain) {
  std::vector<cell::ResultFile> files{{"domain.pddl", pddl::write_domain(domain)}};
  for (const kitting::PlanFile& file : executor.files()) {
    files.push_back({file.name, file.content});
  }
  files.push_back({"timeline.csv", executor.journal().csv()});
  files.push_back({"timeline.svg", draw_timeline(executor.journal())});
  return files;
}

std::optional<KittingQuestion> find_kitting(const cell::ActorModel& model) {
  const auto* kitting = dynamic_cast<const KittingModel*>(&model);
  return kitting == nullptr ? std::nullopt : std::optional(kitting->question());
}

}  // namespace longarm::kitting
