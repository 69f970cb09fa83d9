// SPDX-License-Identifier: Apache-2.0
// Tells grippers where to go, and looks where they stop.
#include "longarm/actors/ros_grippers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/text.h"

namespace longarm::actors {
namespace {

using namespace std::chrono_literals;
using robots::GripperKind;
using robots::GripperReport;
using Json = nlohmann::ordered_json;

// fingers come as near as half a millimetre each, and there may be three
constexpr double kThere_m = 1.6e-3;
// then it is given up
constexpr Duration kLongest = 3s;
constexpr double kOn = 0.5;  // below it a vacuum is switched on

}  // namespace

RosGrippers::RosGrippers(cell::World& world, const std::vector<cell::Wish>& robots, Say say)
    : say_(std::move(say)) {
  for (const cell::Wish& wish : robots) {
    GripperInput& input = world.ask<GripperInput>(wish);
    const GripperKind kind = input.report().kind;
    if (kind != GripperKind::kNone) {
      Gripper gripper;
      gripper.name = wish.name;
      gripper.input = &input;
      gripper.is_vacuum = kind == GripperKind::kVacuum;
      grippers_.push_back(std::move(gripper));
    }
  }
}

Json RosGrippers::json() const {
  Json out = Json::array();
  for (const Gripper& gripper : grippers_) {
    const GripperReport report = gripper.input->report();
    out.push_back({{"name", gripper.name},
                   {"kind", gripper.is_vacuum ? "vacuum" : "parallel"},
                   {"closed", gripper.is_vacuum ? 0.0 : report.closed_m},
                   {"open", gripper.is_vacuum ? 1.0 : report.open_m},
                   {"max_effort", gripper.is_vacuum ? 0.0 : report.usual_force_N}});
  }
  return out;
}

RosGrippers::State RosGrippers::state_of(const Gripper& gripper) {
  const GripperReport report = gripper.input->report();
  State state;
  state.effort_N = report.force_N;
  state.is_holding = report.is_holding;
  if (gripper.is_vacuum) {
    state.position = report.is_powered ? 0.0 : 1.0;
    const bool wants_hold = gripper.position < kOn;
    state.is_there = gripper.has_goal &&
                     (wants_hold ? report.is_powered && report.is_holding : !report.is_powered);
    state.is_busy = gripper.has_goal && !state.is_there;
    return state;
  }
  state.position = report.separation_m;
  state.is_busy = report.is_busy;
  state.is_there = gripper.has_goal && std::abs(report.separation_m - gripper.position) <= kThere_m;
  state.is_stalled = gripper.has_goal && !report.is_busy && !state.is_there;
  return state;
}

void RosGrippers::look(Time now) {
  for (Gripper& gripper : grippers_) {
    if (gripper.goal.empty()) {
      continue;
    }
    // what is told now is seen after the next step
    if (!std::exchange(gripper.has_moved, true)) {
      continue;
    }
    const State state = state_of(gripper);
    if (state.is_there && !state.is_busy) {
      ++counts_.succeeded;
      end(gripper, now, "succeeded", "");
    } else if (state.is_stalled && state.is_holding) {
      ++counts_.succeeded;
      end(gripper, now, "succeeded", "it holds something");
    } else if (state.is_stalled) {
      ++counts_.aborted;
      end(gripper, now, "aborted", "it stands before its goal and holds nothing");
    } else if (now - gripper.since >= kLongest) {
      ++counts_.aborted;
      end(gripper, now, "aborted",
          gripper.is_vacuum ? "nothing seals its cup"
                            : fmt::format("not there after {}", format_duration(kLongest)));
    }
  }
}

void RosGrippers::put(std::string& out) const {
  out += '{';
  for (const Gripper& gripper : grippers_) {
    const State state = state_of(gripper);
    fmt::format_to(std::back_inserter(out),
                   R"({}{}:{{"goal":{},"position":{},"effort":{},"stalled":{},)"
                   R"("reached_goal":{},"holding":{}}})",
                   &gripper == &grippers_.front() ? "" : ",", Json(gripper.name).dump(),
                   Json(gripper.goal).dump(), state.position, state.effort_N, state.is_stalled,
                   state.is_there, state.is_holding);
  }
  out += '}';
}

Result<RosGrippers::Gripper*> RosGrippers::find(const std::string& name) {
  std::vector<std::string> names;
  for (Gripper& gripper : grippers_) {
    if (gripper.name == name) {
      return &gripper;
    }
    names.push_back(gripper.name);
  }
  return Error{fmt::format("no robot called '{}' has a gripper; those that do: {}", name,
                           names.empty() ? "none" : join(names))};
}

void RosGrippers::tell(const Gripper& gripper, Time now, const std::string& goal,
                       const char* state_name, const std::string& text) const {
  const State state = state_of(gripper);
  say_({{"t_ns", now.time_since_epoch().count()},
        {"gripper", gripper.name},
        {"goal", goal},
        {"state", state_name},
        {"position", state.position},
        {"effort", state.effort_N},
        {"stalled", state.is_stalled},
        {"reached_goal", state.is_there},
        {"text", text}});
}

void RosGrippers::end(Gripper& gripper, Time now, const char* state, const std::string& text) {
  tell(gripper, now, std::exchange(gripper.goal, {}), state, text);
}

std::optional<Error> RosGrippers::carry_out(const protocols::ros::Grip& grip, Time now) {
  const Result<Gripper*> found = find(grip.gripper);
  if (!found) {
    return found.error();
  }
  if (grip.goal.empty()) {
    return Error{"a goal needs a name"};
  }
  Gripper& gripper = **found;
  const GripperReport report = gripper.input->report();
  if (!gripper.goal.empty()) {
    ++counts_.cancelled;
    end(gripper, now, "cancelled", "another goal replaced it");
  }
  ++counts_.goals;
  gripper.goal = grip.goal;
  gripper.since = now;
  gripper.has_goal = true;
  gripper.has_moved = false;
  if (gripper.is_vacuum) {
    gripper.position = grip.position < kOn ? 0.0 : 1.0;
    gripper.input->set(grip.position < kOn ? 1.0 : 0.0);
  } else {
    gripper.position = std::clamp(grip.position, std::min(report.closed_m, report.open_m),
                                  std::max(report.closed_m, report.open_m));
    gripper.input->move_fingers(
        (gripper.position - report.closed_m) / (report.open_m - report.closed_m) * report.stroke_m,
        std::max(grip.max_effort_N, 0.0));
  }
  tell(gripper, now, gripper.goal, "accepted", "");
  return std::nullopt;
}

std::optional<Error> RosGrippers::carry_out(const protocols::ros::CancelGrip& cancel, Time now) {
  const Result<Gripper*> found = find(cancel.gripper);
  if (!found) {
    return found.error();
  }
  Gripper& gripper = **found;
  if (gripper.goal.empty() || (!cancel.goal.empty() && cancel.goal != gripper.goal)) {
    return std::nullopt;  // it was over already
  }
  if (gripper.is_vacuum) {
    gripper.input->set(0.0);
  } else {
    gripper.input->stop();
  }
  ++counts_.cancelled;
  end(gripper, now, "cancelled", "on request");
  return std::nullopt;
}

}  // namespace longarm::actors
