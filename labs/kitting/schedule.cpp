// SPDX-License-Identifier: Apache-2.0
// List scheduling: again and again the step that can start first; then tries to share the work.
#include "labs/kitting/schedule.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "labs/kitting/problem.h"
#include "labs/kitting/schedule_order.h"
#include "longarm/core/check.h"
#include "longarm/pddl/validate.h"

namespace longarm::kitting {
namespace {

/// A thousandth of a cost is a millisecond.
Duration duration_of(pddl::Cost cost) {
  return Duration(cost * 1'000'000);
}

struct Task {
  pddl::Step step;
  BoundStep bound;
  std::string robot;
  std::string zone;  ///< shared; empty: none
  std::string part;
  bool is_pick = false;
  std::vector<std::size_t> after;
  Duration tail{};  ///< its own time and the longest chain behind it
};

class Scheduler {
 public:
  explicit Scheduler(const std::vector<Task>& tasks)
      : tasks_(tasks), ends_(tasks.size(), Duration(-1)) {}

  Schedule run() {
    std::vector<std::size_t> place(tasks_.size());
    while (out_.steps.size() < tasks_.size()) {
      std::optional<std::size_t> next = choose(false);
      if (!next) {
        next = choose(true);  // one who stays in a zone waits for one who needs it: let that one in
      }
      check(next.has_value(), "a plan's order has a circle");
      place[*next] = out_.steps.size();
      take(*next, place);
    }
    return finish();
  }

 private:
  bool is_done(std::size_t t) const { return ends_[t] >= Duration::zero(); }

  /// Earliest start; nothing: it cannot be told yet.
  std::optional<Duration> start_of(std::size_t t, bool ignores_stays) const {
    const Task& task = tasks_[t];
    Duration start{};
    for (const std::size_t before : task.after) {
      if (!is_done(before)) {
        return std::nullopt;
      }
      start = std::max(start, ends_[before]);
    }
    if (const auto free = robot_free_.find(task.robot); free != robot_free_.end()) {
      start = std::max(start, free->second);
    }
    if (task.zone.empty()) {
      return start;
    }
    const auto stays = staying_.find(task.zone);
    if (stays != staying_.end() && stays->second != task.robot && !ignores_stays) {
      return std::nullopt;
    }
    const auto free = zone_free_.find(task.zone);
    return free == zone_free_.end() ? start : std::max(start, free->second);
  }

  /// First start, then longest chain behind it, then the plan's order.
  std::optional<std::size_t> choose(bool ignores_stays) const {
    std::optional<std::size_t> best;
    Duration best_start{};
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      if (is_done(t)) {
        continue;
      }
      const std::optional<Duration> start = start_of(t, ignores_stays);
      if (!start) {
        continue;
      }
      if (!best || *start < best_start ||
          (*start == best_start && tasks_[t].tail > tasks_[*best].tail)) {
        best = t;
        best_start = *start;
      }
    }
    return best;
  }

  /// Where the part that it picks will be put down by the same robot.
  bool places_in_its_zone(std::size_t t) const {
    for (std::size_t u = t + 1; u < tasks_.size(); ++u) {
      if (!tasks_[u].is_pick && tasks_[u].part == tasks_[t].part && !tasks_[u].part.empty()) {
        return tasks_[u].robot == tasks_[t].robot && tasks_[u].zone == tasks_[t].zone;
      }
    }
    return false;
  }

  void take(std::size_t t, const std::vector<std::size_t>& place) {
    const Task& task = tasks_[t];
    TimedStep timed;
    timed.step = task.step;
    timed.robot = task.robot;
    timed.start = *start_of(t, true);
    timed.end = timed.start + duration_of(task.bound.cost);
    for (const std::size_t before : task.after) {
      timed.after.push_back(place[before]);
    }
    std::sort(timed.after.begin(), timed.after.end());
    ends_[t] = timed.end;
    robot_free_[task.robot] = timed.end;
    if (!task.zone.empty()) {
      timed.zones.push_back(task.zone);
      zone_free_[task.zone] = timed.end;
      staying_.erase(task.zone);
      if (task.is_pick && places_in_its_zone(t)) {
        staying_[task.zone] = task.robot;
      }
    }
    out_.steps.push_back(std::move(timed));
  }

  /// Sorts by start; equal ones as they were chosen.
  Schedule finish() {
    std::vector<std::size_t> order(out_.steps.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return out_.steps[a].start < out_.steps[b].start;
    });
    std::vector<std::size_t> place(order.size());
    Schedule sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      sorted.steps.push_back(out_.steps[order[i]]);
    }
    for (TimedStep& step : sorted.steps) {
      for (std::size_t& before : step.after) {
        before = place[before];
      }
      std::sort(step.after.begin(), step.after.end());
      sorted.makespan = std::max(sorted.makespan, step.end);
    }
    for (const Task& task : tasks_) {
      sorted.critical_path = std::max(sorted.critical_path, task.tail);
    }
    sorted.overlap = overlap_of(sorted.steps);
    return sorted;
  }

  const std::vector<Task>& tasks_;
  std::vector<Duration> ends_;
  std::map<std::string, Duration> robot_free_;
  std::map<std::string, Duration> zone_free_;
  std::map<std::string, std::string> staying_;
  Schedule out_;
};

std::vector<Task> tasks_of(const pddl::Domain& domain, const pddl::Problem& problem,
                           const std::vector<pddl::Step>& steps, const Ontology& ontology) {
  std::vector<Task> tasks;
  std::vector<BoundStep> bound;
  for (const pddl::Step& step : steps) {
    Task task;
    task.step = step;
    task.bound = bind_step(domain, problem, step);
    bound.push_back(task.bound);
    // of a user's own action the first robot and all zones are told by their names
    for (const std::string& argument : step.arguments) {
      const Zone* zone = ontology.find_zone(argument);
      if (task.robot.empty() && ontology.find_robot(argument) != nullptr) {
        task.robot = argument;
      }
      if (zone != nullptr && (zone->is_shared || zone->is_belt)) {
        task.zone = argument;
      }
      if (task.part.empty() && ontology.part_of(argument) != nullptr) {
        task.part = argument;
      }
    }
    task.is_pick = step.action.starts_with("pick");
    tasks.push_back(std::move(task));
  }
  const std::vector<std::vector<std::size_t>> order = order_of(bound);
  for (std::size_t t = tasks.size(); t-- > 0;) {
    tasks[t].after = order[t];
    tasks[t].tail += duration_of(tasks[t].bound.cost);
    for (const std::size_t before : order[t]) {
      tasks[before].tail = std::max(tasks[before].tail, tasks[t].tail);
    }
  }
  return tasks;
}

/// What is in hands at the beginning is put down first, after the belt if that is wanted: a robot
/// whose hand is full until the end could be given nothing else.
std::vector<pddl::Step> hands_emptied(const std::vector<pddl::Step>& steps) {
  std::set<std::string> picked;
  std::vector<pddl::Step> belt;
  std::vector<pddl::Step> held;
  std::vector<pddl::Step> rest;
  for (const pddl::Step& step : steps) {
    const std::optional<KittingAction> action = read_action(step);
    const bool is_place = action && action->kind == KittingAction::Kind::kPlace;
    const bool is_held = is_place && !picked.contains(action->part);
    if (action && !is_place) {
      picked.insert(action->part);
    }
    const bool is_bring = action && action->kind == KittingAction::Kind::kBring;
    (is_bring ? belt : is_held ? held : rest).push_back(step);
  }
  if (held.empty()) {
    return steps;
  }
  belt.insert(belt.end(), held.begin(), held.end());
  belt.insert(belt.end(), rest.begin(), rest.end());
  return belt;
}

/// Each place right behind its pick, if that is a plan too: then any robot that is free can have
/// the two.
std::vector<pddl::Step> pairs_of(const pddl::Domain& domain, const pddl::Problem& problem,
                                 const std::vector<pddl::Step>& steps) {
  std::vector<pddl::Step> out;
  std::vector<bool> is_used(steps.size(), false);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (is_used[i]) {
      continue;
    }
    out.push_back(steps[i]);
    const std::optional<KittingAction> pick = read_action(steps[i]);
    if (!pick || pick->part.empty() || pick->kind == KittingAction::Kind::kPlace) {
      continue;
    }
    for (std::size_t j = i + 1; j < steps.size(); ++j) {
      const std::optional<KittingAction> place = read_action(steps[j]);
      if (!is_used[j] && place && place->part == pick->part) {
        is_used[j] = true;
        out.push_back(steps[j]);
        break;
      }
    }
  }
  return pddl::validate(domain, problem, out) ? out : steps;
}

std::vector<pddl::Step> paired(const pddl::Domain& domain, const pddl::Problem& problem,
                               const std::vector<pddl::Step>& steps) {
  const std::vector<pddl::Step> emptied = hands_emptied(steps);
  return pairs_of(domain, problem, pddl::validate(domain, problem, emptied) ? emptied : steps);
}

/// How often a schedule is tried with another robot for a part.
constexpr int kMostTrials = 400;

}  // namespace

Schedule make_schedule(const pddl::Domain& domain, const pddl::Problem& problem,
                       const pddl::Plan& plan, const Ontology& ontology,
                       const ScheduleOptions& options) {
  std::vector<pddl::Step> steps = plan.steps;
  Schedule best = Scheduler(tasks_of(domain, problem, steps, ontology)).run();
  if (!options.balances) {
    return best;
  }
  steps = paired(domain, problem, steps);
  if (Schedule pairs = Scheduler(tasks_of(domain, problem, steps, ontology)).run();
      pairs.makespan < best.makespan) {
    best = std::move(pairs);
  }
  int trials = 0;
  for (bool improves = true; improves && trials < kMostTrials;) {
    improves = false;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      const std::optional<KittingAction> pick = read_action(steps[i]);
      const std::optional<KittingAction> place = read_action(steps[i + 1]);
      if (!pick || !place || pick->part != place->part || pick->robot != place->robot) {
        continue;
      }
      for (const RobotAbility& other : ontology.robots) {
        std::vector<pddl::Step> changed = steps;
        changed[i].arguments[0] = other.name;
        changed[i + 1].arguments[0] = other.name;
        if (changed == steps || trials >= kMostTrials ||
            !pddl::validate(domain, problem, changed)) {
          continue;
        }
        ++trials;
        Schedule schedule = Scheduler(tasks_of(domain, problem, changed, ontology)).run();
        if (schedule.makespan < best.makespan) {
          best = std::move(schedule);
          steps = std::move(changed);
          improves = true;
        }
      }
    }
  }
  return best;
}

Duration overlap_of(const std::vector<TimedStep>& steps) {
  std::vector<std::pair<Duration, int>> changes;
  for (const TimedStep& step : steps) {
    if (!step.robot.empty() && step.end > step.start) {
      changes.emplace_back(step.start, 1);
      changes.emplace_back(step.end, -1);
    }
  }
  std::sort(changes.begin(), changes.end());
  Duration total{};
  Duration since{};
  int busy = 0;
  for (const auto& [time, change] : changes) {
    total += busy >= 2 ? time - since : Duration::zero();
    since = time;
    busy += change;
  }
  return total;
}

std::string schedule_text(const Schedule& schedule) {
  const auto seconds = [](Duration time) { return fmt::format("{:8.1f}", to_seconds(time)); };
  std::string text = "   start      end  actor     action\n";
  std::vector<TimedStep> steps = schedule.steps;
  std::stable_sort(steps.begin(), steps.end(),
                   [](const TimedStep& a, const TimedStep& b) { return a.start < b.start; });
  for (const TimedStep& step : steps) {
    text += fmt::format("{} {}  {:<9} {}\n", seconds(step.start), seconds(step.end),
                        step.robot.empty() ? "belt" : step.robot, text_of(step.step));
  }
  return text +
         fmt::format("makespan {:.1f} s, both arms working for {:.1f} s, critical path {:.1f} s\n",
                     to_seconds(schedule.makespan), to_seconds(schedule.overlap),
                     to_seconds(schedule.critical_path));
}

}  // namespace longarm::kitting
