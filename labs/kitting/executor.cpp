// SPDX-License-Identifier: Apache-2.0
// Plans, lets everybody work, and plans again until there is nothing left to do.
#include "labs/kitting/executor.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "labs/kitting/executor_parts.h"
#include "labs/kitting/rehearsal.h"
#include "longarm/pddl/plan_file.h"
#include "longarm/pddl/write.h"

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

}  // namespace

void list_fields(Fields& fields, ExecutorConfig& config) {
  fields.section("talk", "communication with robots and the belt's controller",
                 [&](Fields& group) { list_fields(group, config.talk); });
  fields.section("handling", "how parts are picked and placed",
                 [&](Fields& group) { list_fields(group, config.handling); });
  fields.section("belt", "how trays are moved",
                 [&](Fields& group) { list_fields(group, config.belt); });
  named(fields, "arms", "arms, by robot name", config.arms,
        [](Fields& group, ArmConfig& arm) { list_fields(group, arm); });
  fields.field("camera_timeout", config.camera_timeout,
               "time after which a camera without frames counts as silent, and one with empty "
               "frames as blind");
  fields.field("blocked_kit_timeout", config.blocked_kit_timeout,
               "how long to wait for a kit that cannot be made before giving up");
  fields.field("max_attempts", config.max_attempts, "largest number of attempts with one part");
  fields.field("max_plans", config.max_plans, "largest number of plans in a run");
  fields.field("optimal_states", config.optimal_states,
               "states the planner may explore for a provably optimal plan");
  if (config.max_attempts < 1) {
    fields.reject("max_attempts", "must be at least 1", "3 is usual");
  }
  if (config.max_plans < 1) {
    fields.reject("max_plans", "must be at least 1", "60 is usual");
  }
}

Executor::Executor(sim::Kernel& kernel, const Ontology& ontology, Request request,
                   pddl::Domain domain, WorldModel& world, const ExecutorConfig& config,
                   const ExecutorPorts& ports)
    : kernel_(kernel),
      ontology_(ontology),
      request_(std::move(request)),
      domain_(std::move(domain)),
      world_(world),
      config_(config),
      tasks_(kernel) {
  for (const RobotAbility& ability : ontology_.robots) {
    auto station = std::make_unique<Station>(tasks_.context("executor." + ability.name));
    station->name = ability.name;
    station->tool = ability.tool;
    ArmConfig arm;
    arm.name = ability.name;
    for (const ArmConfig& each : config_.arms) {
      arm = each.name == ability.name ? each : arm;
    }
    station->arm = std::make_unique<Arm>(station->context, ability, arm, config_.handling,
                                         ports.robot(ability.name), config_.talk);
    stations_.push_back(std::move(station));
  }
  if (ports.plc) {
    auto station = std::make_unique<Station>(tasks_.context("executor.belt"));
    station->name = "belt";
    belt_ = std::make_unique<BeltDrive>(station->context, world_, ports.plc, config_.talk,
                                        config_.belt);
    stations_.push_back(std::move(station));
  }
}

Executor::~Executor() = default;

void Executor::start() {
  started_ = kernel_.now();
  const sim::TaskContext context = tasks_.context("executor");
  tasks_.spawn(context, work());
}

void Executor::halt() {
  for (const auto& station : stations_) {
    if (station->arm) {
      station->arm->talk().stop_now();
    }
  }
  if (belt_) {
    belt_->stop_now();
  }
}

void Executor::see(const std::string& camera, const devices::CameraFrame& frame, Time now) {
  world_.update(camera, frame, now);
}

void Executor::see(const std::string& curtain, const devices::CurtainReport& report, Time now) {
  CurtainView& view = curtains_[curtain];
  if (view.is_broken == report.is_broken) {
    return;
  }
  view.is_broken = report.is_broken;
  view.interruptions += report.is_broken ? 1 : 0;
  world_.note(now, curtain, report.is_broken ? "its beams are interrupted" : "clear again");
}

sim::Task<void> Executor::work() {
  for (const auto& station : stations_) {
    tell_world(*station);
  }
  while (!over_at_) {
    co_await wait_for_cameras();
    const KittingPlan next = plan();
    Reasons reasons = reasons_of(next);
    if (journal_.counts().plans >= config_.max_plans) {
      reasons.causes.push_back(
          fmt::format("the goal was not reached within {} plans", config_.max_plans));
      reasons_ = std::move(reasons);
      over_at_ = kernel_.now();
      break;
    }
    if (next.plan.outcome == pddl::PlanOutcome::kSolved && !next.plan.steps.empty()) {
      blocked_since_.reset();
      round_ = std::make_unique<Round>();
      round_->schedule = make_schedule(domain_, next.question.problem, next.plan, ontology_);
      keep(next, round_->schedule);
      round_->is_done.assign(round_->schedule.steps.size(), false);
      co_await run_round();
      continue;
    }
    if (reasons.empty()) {
      over_at_ = kernel_.now();
      break;
    }
    const bool is_lost = co_await give_up_blocked_kits(reasons);
    if (is_lost) {
      reasons_ = std::move(reasons);
      over_at_ = kernel_.now();
    }
  }
}

/// Plans are made of pictures of now, however late these come; a few, so that there is something to
/// average.
sim::Task<void> Executor::wait_for_cameras() {
  const sim::TaskContext context = stations_.front()->context;
  const Time from = std::max(kernel_.now(), started_ + 600ms);
  for (const CameraView& camera : ontology_.cameras) {
    while (fault_of(camera.name).empty()) {
      const std::optional<Time> last = world_.last_frame(camera.name);
      if (last && *last >= from) {
        note_lateness(camera.name);
        break;
      }
      co_await bell_.wait_for(context, 50ms);
    }
  }
  note_cameras();
  world_.age(kernel_.now());
}

KittingPlan Executor::plan() {
  Circumstances circumstances;
  circumstances.blocked_zones = zones_.blocked();
  circumstances.belt_works = belt_ && belt_works_;
  for (const auto& [part, tries] : tries_) {
    if (tries >= config_.max_attempts) {
      circumstances.refused_parts.push_back(part);
    }
  }
  circumstances.carried_tools = carried_tools();
  pddl::PlannerOptions options;
  options.optimal_states = config_.optimal_states;
  return plan_kits(ontology_, domain_, request_, world_, circumstances, options);
}

Executor::Reasons Executor::reasons_of(const KittingPlan& plan) const {
  Reasons reasons;
  for (const LeftOut& left : plan.question.left_out) {
    reasons.kits.push_back(fmt::format("{}: {}", left.kit, left.reason));
  }
  const bool is_solved = plan.plan.outcome == pddl::PlanOutcome::kSolved;
  if (reasons.kits.empty() && is_solved) {
    return reasons;
  }
  std::vector<std::string>& causes = reasons.causes;
  causes = camera_faults();
  for (const auto& station : stations_) {
    if (!station->works) {
      causes.push_back(fmt::format("{} is unavailable: {}", station->name, station->words));
    }
  }
  for (const std::string& zone : zones_.blocked()) {
    causes.push_back(fmt::format("zone '{}' is blocked: {}", zone, zones_.why_blocked(zone)));
  }
  if (belt_ && !belt_works_) {
    causes.push_back("the belt is unavailable: " + belt_words_);
  }
  if (!is_solved) {
    causes.push_back(plan.plan.outcome == pddl::PlanOutcome::kUnsolvable
                         ? "no plan exists for the remaining kits"
                         : "no plan was found for the remaining kits");
  }
  return reasons;
}

std::map<std::string, std::string> Executor::carried_tools() const {
  std::map<std::string, std::string> tools;
  for (const auto& station : stations_) {
    tools[station->name] = station->tool;
  }
  return tools;
}

void Executor::keep(const KittingPlan& plan, const Schedule& schedule) {
  JournalCounts& counts = journal_.counts();
  ++counts.plans;
  counts.replans += counts.plans > 1 ? 1 : 0;
  files_.push_back(
      {fmt::format("problem_{}.pddl", counts.plans), pddl::write_problem(plan.question.problem)});
  files_.push_back({fmt::format("plan_{}.txt", counts.plans), pddl::write_plan(plan.plan)});
  const Rehearsal rehearsal = rehearse(schedule, ontology_, world_, config_, carried_tools());
  files_.push_back(
      {fmt::format("schedule_{}.txt", counts.plans), schedule_text(rehearsal.schedule)});
  for (PlanFile& file :
       program_files(rehearsal.programs, fmt::format("program_{}", counts.plans))) {
    files_.push_back(std::move(file));
  }
  if (!first_plan_) {
    first_plan_ = Json{
        {"planned_s", to_seconds(rehearsal.schedule.makespan)},
        {"plan_length", plan.plan.steps.size()},
        {"plan_cost_s", static_cast<double>(plan.plan.cost) / static_cast<double>(pddl::kCostUnit)},
        {"plan_optimal", plan.plan.is_optimal},
        {"plan_method", plan.plan.method},
        {"plan_states", plan.plan.expanded}};
  }
}

sim::Task<void> Executor::run_round() {
  for (const auto& station : stations_) {
    ++round_->workers;
    tasks_.spawn(station->context, run_steps(*station));
  }
  const sim::TaskContext context = tasks_.context("executor.round");
  while (round_->workers > 0) {
    co_await bell_.wait_for(context, 60s);
  }
}

/// A belt that stood, an arm that fell silent, a camera that was blind may come back.
sim::Task<bool> Executor::give_up_blocked_kits(Reasons reasons) {
  const Time now = kernel_.now();
  if (!blocked_since_) {
    blocked_since_ = now;
    for (const std::string& reason : reasons.kits) {
      note("executor", "kit", reason);
    }
  }
  if (now - *blocked_since_ >= config_.blocked_kit_timeout) {
    co_return true;
  }
  co_await revive();
  const sim::TaskContext context = stations_.front()->context;
  co_await bell_.wait_for(context, 1s);
  co_return false;
}

sim::Task<void> Executor::revive() {
  belt_works_ = belt_works_ || belt_failures_ < config_.max_attempts;
  for (const auto& station : stations_) {
    if (station->works || !station->is_silent || station->revivals >= config_.max_attempts) {
      continue;
    }
    const std::optional<protocols::crcl::Status> status = co_await station->arm->talk().ask();
    if (!status) {
      continue;
    }
    ++station->revivals;
    station->works = true;
    station->is_silent = false;
    station->words.clear();
    for (const Zone& zone : ontology_.zones) {
      if (zones_.is_inside(zone.name, station->name)) {
        zones_.unblock(zone.name);
        co_await station->arm->withdraw();
      }
    }
    tell_world(*station);
  }
}

Json Executor::json() const {
  Json out = first_plan_.value_or(Json{{"plan_length", 0}, {"plan_cost_s", 0.0}});
  out.update(journal_.json());
  out["undone"] = reasons_.kits;
  out["causes"] = reasons_.causes;
  Json talks = Json::object();
  std::uint64_t count = 0;
  Duration sum{};
  const auto add = [&](const std::string& name, const RoundTrips& trips, const Line& line) {
    talks[name] = {{"round_trips", trips.count},
                   {"round_trip_mean_s", trips.mean_s()},
                   {"round_trip_max_s", to_seconds(trips.longest)},
                   {"connections", line.dials()},
                   {"sent_bytes", line.sent_bytes()},
                   {"heard_bytes", line.heard_bytes()}};
  };
  for (const auto& station : stations_) {
    if (station->arm) {
      const CrclConversation& talk = station->arm->talk();
      add(station->name, talk.round_trips(), talk.line());
      talks[station->name]["commands"] = talk.commands();
      talks[station->name]["silences"] = talk.silences();
      count += talk.round_trips().count;
      sum += talk.round_trips().sum;
    } else {
      add("plc", belt_->talk().round_trips(), belt_->talk().line());
    }
  }
  out["crcl_round_trip_mean_s"] =
      count == 0 ? Json() : Json(to_seconds(sum) / static_cast<double>(count));
  out["talks"] = std::move(talks);
  for (const auto& [name, view] : curtains_) {
    out["curtains"][name] = {{"interruptions", view.interruptions}, {"broken", view.is_broken}};
  }
  return out;
}

}  // namespace longarm::kitting
