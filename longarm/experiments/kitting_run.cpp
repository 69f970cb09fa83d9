// SPDX-License-Identifier: Apache-2.0
// Puts executor and judge beside the cell, steps them, and says what came out.
#include "longarm/experiments/kitting_run.h"

#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "longarm/experiments/cell_run.h"
#include "longarm/experiments/kitting_figure.h"
#include "longarm/experiments/kitting_notice.h"
#include "longarm/pddl/write.h"

namespace longarm::experiments {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr Duration kJudgeEvery = 10ms;
// after the executor is done: as long as the judge needs, and some more for what still settles
constexpr Duration kJudgeTime = 1500ms;

/// "medium" for an object called medium_gear_3: what slots for it are called.
std::string size_of(const kitting::PartKind& kind) {
  return kind.objects.substr(0, kind.objects.find('_'));
}

}  // namespace

KittingRun::KittingRun(const KittingConfig& config, const kitting::Ontology& ontology,
                       const pddl::Domain& domain, model::Cell cell,
                       const ExperimentContext& context)
    : config_(config),
      ontology_(ontology),
      domain_(domain),
      period_(context.options.period),
      cell_(std::make_unique<workcell::WorkCell>(config_.cell, std::move(cell),
                                                 cell_context(context))) {
  make_judge();
  const std::string file = context.folder.empty() ? "" : context.folder + "/world.db";
  world_model_ = std::make_unique<kitting::WorldModel>(ontology_, config_.world_model, file);
  make_executor();
}

KittingRun::~KittingRun() {
  executor_.reset();  // it talks through the cell
}

void KittingRun::make_judge() {
  std::map<std::string, std::string> sizes;
  std::vector<JudgedKits> kits;
  for (const kitting::KitRequest& kit : config_.request.kits) {
    JudgedKits& judged = kits.emplace_back(JudgedKits{kit.name, kit.count, {}, {}});
    for (const kitting::PartCount& part : kitting::contents_of(kit, ontology_)) {
      if (const kitting::PartKind* kind = ontology_.find_part(part.part)) {
        judged.contents[size_of(*kind)] += part.count;
      }
    }
  }
  for (const model::Placement& placement : cell_->cell().placements) {
    if (const kitting::PartKind* part = ontology_.part_of(placement.name)) {
      sizes[placement.name] = size_of(*part);
    }
    const kitting::TrayKind* tray = ontology_.tray_of(placement.name);
    for (JudgedKits& each : kits) {
      if (tray != nullptr && tray->kit == each.kind) {
        each.trays.push_back(placement.name);
      }
    }
  }
  judge_ = std::make_unique<KittingJudge>(cell_->engine(), cell_->cell(), std::move(kits), sizes);
}

void KittingRun::make_executor() {
  const auto dial = [this](const std::string& door) -> kitting::Dial {
    return [this, door](protocols::ClientLink* lost) -> protocols::ClientLink& {
      if (lost != nullptr) {
        cell_->disconnect(*lost);
      }
      return cell_->connect(door);
    };
  };
  kitting::ExecutorPorts ports;
  ports.robot = [dial](const std::string& robot) { return dial(robot + ".crcl"); };
  if (config_.cell.plc.is_on && cell_->belt() != nullptr) {
    ports.plc = dial("plc");
  }
  executor_ = std::make_unique<kitting::Executor>(cell_->kernel(), ontology_, config_.request,
                                                  domain_, *world_model_, config_.executor, ports);
  for (const std::size_t number : {std::size_t{0}, std::size_t{1}}) {
    const std::string name = fmt::format("camera_{}", number + 1);
    const workcell::CameraSection& camera =
        number == 0 ? config_.cell.camera_1 : config_.cell.camera_2;
    if (camera.is_on) {
      cell_->listen_to_camera(number, [this, name](const devices::CameraFrame& frame, Time now) {
        executor_->see(name, frame, now);
      });
    }
  }
  executor_->start();
}

bool KittingRun::is_over() const {
  const std::optional<Time> done = executor_->over_at();
  if (!config_.ends_early || !done) {
    return false;
  }
  return judge_->kits_completed() == judge_->kits_requested() || now_ - *done >= kJudgeTime;
}

Duration KittingRun::do_length() const {
  return ended_ ? ended_->time_since_epoch() : config_.cell.length;
}

void KittingRun::do_step() {
  if (ended_) {
    return;
  }
  cell_->step();
  now_ = cell_->kernel().now();
  if (now_.time_since_epoch() % kJudgeEvery < period_) {
    judge_->look(now_);
    if (is_over()) {
      ended_ = now_;
    }
  }
}

void KittingRun::do_sample(std::span<double> out) const {
  out[0] = static_cast<double>(judge_->slots_filled());
  out[1] = static_cast<double>(judge_->kits_completed());
  out[2] = cell_->belt() != nullptr ? cell_->belt()->velocity_m_s() : 0.0;
  out[3] = static_cast<double>(cell_->engine().contacts().size());
}

Json KittingRun::do_results() const {
  Json out;
  const std::int64_t completed = judge_->kits_completed();
  const std::int64_t requested = judge_->kits_requested();
  const std::optional<Time> last = judge_->completed_at();
  out["completion"] = completed == requested;
  out["kits_completed"] = completed;
  out["kits_requested"] = requested;
  out["makespan_s"] = last && completed == requested ? Json(to_seconds(*last)) : Json();
  out["last_kit_s"] = last ? Json(to_seconds(*last)) : Json();
  // until arms and belt had done their last; hoping for better times is not work
  const std::optional<Time> worked = executor_->journal().last_action();
  out["worked_s"] = worked ? Json(to_seconds(*worked)) : Json();
  out["kits_per_hour"] =
      worked ? static_cast<double>(completed) * 3600.0 / to_seconds(*worked) : 0.0;
  out["slots_filled"] = judge_->slots_filled();
  out.update(executor_->json());
  out["executor_over_s"] = executor_->over_at() ? Json(to_seconds(*executor_->over_at())) : Json();
  out["safety_stops"] = cell_->stops().all().size();
  out["stop_distance_m"] = cell_->stops().largest_distance_m();
  out["arm_contacts"] = cell_->contacts().counts().arm_contacts;
  out["environment_hits"] = cell_->contacts().counts().environment_hits;
  out["time_to_notice_s"] = times_to_notice(config_.cell, executor_->journal().setbacks());
  out["judge"] = judge_->report();
  out["cell"] = cell_->results();
  if (out["cell"].contains("traffic_hash")) {
    out["traffic_hash"] = out["cell"]["traffic_hash"];  // belongs to the state of the run
  }
  return out;
}

std::vector<std::string> KittingRun::do_warnings() const {
  std::vector<std::string> warnings = cell_->warnings();
  for (const std::string& words : executor_->remarks()) {
    warnings.push_back(words);
  }
  for (const std::string& words : executor_->causes()) {
    warnings.push_back(words);
  }
  for (const std::string& words : executor_->undone()) {
    warnings.push_back("not done: " + words);
  }
  if (!executor_->is_over()) {
    warnings.push_back("the executor was still at work when the run ended");
  }
  return warnings;
}

std::vector<ResultFile> KittingRun::do_files() const {
  std::vector<ResultFile> files{{"domain.pddl", pddl::write_domain(domain_)}};
  for (const kitting::PlanFile& file : executor_->files()) {
    files.push_back({file.name, file.content});
  }
  files.push_back({"timeline.csv", executor_->journal().csv()});
  files.push_back({"timeline.svg", draw_timeline(executor_->journal())});
  return files;
}

}  // namespace longarm::experiments
