// SPDX-License-Identifier: Apache-2.0
// What an arm or the belt does in a round: its steps, each when those before it are done and its
// zones are free.
#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "labs/kitting/executor_parts.h"

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;

/// The belt's steps have no robot.
bool is_of(const TimedStep& step, const std::string& station) {
  return step.robot.empty() ? station == "belt" : step.robot == station;
}

bool uses(const TimedStep& step, const std::string& zone) {
  return std::ranges::find(step.zones, zone) != step.zones.end();
}

bool shares_zone(const TimedStep& a, const TimedStep& b) {
  return std::ranges::any_of(a.zones, [&](const std::string& zone) { return uses(b, zone); });
}

}  // namespace

/// A step waits for those that it builds on, and in its zones for those that are to go first there.
/// All of them stand before it in the schedule, so that nobody waits in a circle.
bool Executor::is_ready(const Station& station, std::size_t index) const {
  const std::vector<TimedStep>& steps = round_->schedule.steps;
  for (const std::size_t before : steps[index].after) {
    if (!round_->is_done[before]) {
      return false;
    }
  }
  for (std::size_t j = 0; j < index; ++j) {
    if (!is_of(steps[j], station.name) && !round_->is_done[j] &&
        shares_zone(steps[j], steps[index])) {
      return false;
    }
  }
  return true;
}

/// Whether the next step in a zone, after this one, is this station's too.
bool Executor::needs_zone_next(const Station& station, const std::string& zone,
                               std::size_t index) const {
  const std::vector<TimedStep>& steps = round_->schedule.steps;
  for (std::size_t j = index + 1; j < steps.size(); ++j) {
    if (uses(steps[j], zone)) {
      return is_of(steps[j], station.name);
    }
  }
  return false;
}

sim::Task<void> Executor::run_steps(Station& station) {
  const std::size_t count = round_->schedule.steps.size();
  for (std::size_t i = 0; i < count && station.works; ++i) {
    if (!is_of(round_->schedule.steps[i], station.name)) {
      continue;
    }
    while (!round_->is_aborted && !is_ready(station, i)) {
      co_await station.bell.wait_for(station.context, 60s);
    }
    if (round_->is_aborted) {
      break;
    }
    const bool is_in = co_await enter_zones(station, i);
    if (!is_in || round_->is_aborted) {
      abort_round();
      break;
    }
    const bool is_done = co_await run_step(station, i);
    if (!is_done) {
      abort_round();
      break;
    }
    end_step(i);
    co_await leave_zones(station, i);
  }
  co_await leave_all_zones(station);
  --round_->workers;
  bell_.ring();
}

sim::Task<bool> Executor::enter_zones(Station& station, std::size_t index) {
  const std::vector<std::string> zones = round_->schedule.steps[index].zones;
  for (const std::string& zone : zones) {
    const bool is_in = co_await zones_.enter(station.context, zone, station.name);
    if (!is_in) {
      co_return false;
    }
  }
  co_return true;
}

sim::Task<void> Executor::leave_zones(Station& station, std::size_t index) {
  for (const Zone& zone : ontology_.zones) {
    if (!zones_.is_inside(zone.name, station.name) || !station.works ||
        needs_zone_next(station, zone.name, index)) {
      continue;
    }
    co_await leave_all_zones(station);
    co_return;
  }
}

/// An arm goes out of the way before it gives a zone back.
sim::Task<void> Executor::leave_all_zones(Station& station) {
  const bool is_inside = std::ranges::any_of(
      ontology_.zones, [&](const Zone& zone) { return zones_.is_inside(zone.name, station.name); });
  if (!is_inside) {
    co_return;
  }
  if (station.arm && station.works) {
    const Deed deed = co_await station.arm->withdraw();
    if (!deed.is_done()) {
      co_await judge(station, deed, "");
    }
  }
  if (!station.works) {
    co_return;  // whether it blocks them was decided when it was given up
  }
  for (const Zone& zone : ontology_.zones) {
    zones_.leave(zone.name, station.name);
  }
}

sim::Task<bool> Executor::run_step(Station& station, std::size_t index) {
  const TimedStep step = round_->schedule.steps[index];
  JournalEntry entry;
  entry.who = station.name;
  entry.what = pddl::text_of(step.step);
  entry.start = kernel_.now();
  const std::optional<KittingAction> action = read_action(step.step);
  if (!action) {
    entry.words = note(station.name, "plan", entry.what + " is not an action of this executor");
  } else if (action->kind == KittingAction::Kind::kBring) {
    entry.words = co_await bring(station);
  } else if (action->kind == KittingAction::Kind::kPlace) {
    entry.words = co_await place(station, *action);
  } else if (action->kind == KittingAction::Kind::kTakeTool) {
    entry.words = co_await take_tool(station, *action);
  } else if (action->kind == KittingAction::Kind::kHangTool) {
    entry.words = co_await hang_tool(station, *action);
  } else {
    entry.words = co_await pick(station, *action);
  }
  entry.end = kernel_.now();
  entry.is_done = entry.words.empty();
  const bool is_done = entry.is_done;
  journal_.add(std::move(entry));
  co_return is_done;
}

void Executor::end_step(std::size_t index) {
  round_->is_done[index] = true;
  for (const auto& station : stations_) {
    station->bell.ring();
  }
}

void Executor::abort_round() {
  round_->is_aborted = true;
  for (const auto& station : stations_) {
    station->bell.ring();
  }
}

}  // namespace longarm::kitting
