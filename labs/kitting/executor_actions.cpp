// SPDX-License-Identifier: Apache-2.0
// One action: look, do it, look again; and what is made of it when it fails.
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "labs/kitting/executor_parts.h"

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;

constexpr Duration kFresh = 1s;
constexpr Duration kLookEvery = 20ms;

bool can_be_picked(PartState state) {
  return state == PartState::kSeated || state == PartState::kCrooked || state == PartState::kLoose;
}

std::string where(const Pose& X) {
  const Vector3 p = X.translation();
  return fmt::format("({:.3f}, {:.3f}, {:.3f}) m", p.x(), p.y(), p.z());
}

/// At the edge of a zone an arm is not in the other's way.
bool stands_in(const Zone& zone, const Vector3& p_W) {
  constexpr double kZoneEdge_m = 0.05;
  return zone.contains(p_W + Vector3(kZoneEdge_m, kZoneEdge_m, 0.0)) &&
         zone.contains(p_W - Vector3(kZoneEdge_m, kZoneEdge_m, 0.0));
}

}  // namespace

std::string Executor::note(const std::string& who, const std::string& kind, std::string words,
                           const std::string& part) {
  world_.note(kernel_.now(), who, words);
  journal_.add(Setback{kernel_.now(), who, kind, words, part});
  return words;
}

void Executor::tell_world(const Station& station) {
  if (station.arm) {
    world_.set_robot({station.name, station.works, station.holds, station.words}, kernel_.now());
  }
}

sim::Task<std::string> Executor::bring(Station& station) {
  std::string words = co_await belt_->bring();
  if (!words.empty() && is_blind()) {
    co_return note_cameras();  // nobody can tell what the belt does
  }
  if (!words.empty()) {
    belt_works_ = false;
    belt_words_ = words;
    ++belt_failures_;
    note(station.name, "belt", words);
  }
  co_return words;
}

/// Waits for a place that is fresh and an average of some frames; the last known one otherwise.
sim::Task<std::optional<PartView>> Executor::look_at(Station& station, std::string part) {
  const Time give_up = kernel_.now() + config_.camera_timeout;
  while (true) {
    std::optional<PartView> view = world_.part(part);
    const bool is_fresh = view && !view->object.is_missing &&
                          kernel_.now() - view->object.heard <= kFresh &&
                          view->object.frames >= world_.frames_to_trust();
    if (is_fresh || kernel_.now() >= give_up || (view && view->object.is_missing)) {
      co_return view;
    }
    co_await sim::sleep_for(station.context, kLookEvery);
  }
}

/// Parts whose pegs could be in the fingers' way.
std::vector<Vector3> Executor::others_near(const Vector3& p_W, const std::string& part) const {
  std::vector<Vector3> others;
  for (const PartView& view : world_.parts()) {
    const Vector3 p = view.object.X_WO.translation();
    const bool is_there = !view.object.is_missing && view.state != PartState::kInAir;
    if (is_there && view.object.name != part && is_near(p, p_W)) {
      others.push_back(p);
    }
  }
  return others;
}

/// Of a part that nobody has looked at since.
std::string Executor::unseen(Station& station, const std::string& part, Time since) {
  const std::string faults = note_cameras();
  std::string words =
      fmt::format("{}{}no camera has seen {} since {:.1f} s", faults, faults.empty() ? "" : "; ",
                  part, to_seconds(since.time_since_epoch()));
  return faults.empty() ? note(station.name, "camera", std::move(words), part) : words;
}

sim::Task<std::string> Executor::pick(Station& station, KittingAction action) {
  const std::optional<PartView> view = co_await look_at(station, action.part);
  const PartKind* kind = ontology_.part_of(action.part);
  if (!view || kind == nullptr) {
    co_return note(station.name, "part", action.part + " is not in view of any camera",
                   action.part);
  }
  if (!view->object.is_missing && kernel_.now() - view->object.heard > config_.camera_timeout) {
    co_return unseen(station, action.part, view->object.seen);
  }
  if (!can_be_picked(view->state)) {
    co_return note(
        station.name, "part",
        fmt::format("{} is {} at {}", action.part, name_of(view->state), where(view->object.X_WO)),
        action.part);
  }
  const Vector3 p_WP = view->object.X_WO.translation();
  std::vector<Vector3> others = others_near(p_WP, action.part);
  const Deed deed =
      co_await station.arm->pick(p_WP, grasp_of(ontology_, station.tool, *kind), std::move(others));
  if (deed.is_done()) {
    station.holds = action.part;
    tell_world(station);
    co_return "";
  }
  std::string words = co_await judge(station, deed, action.part);
  co_return words;
}

sim::Task<std::string> Executor::take_tool(Station& station, KittingAction action) {
  const Tool* tool = ontology_.find_tool(action.tool);
  const Deed deed = co_await station.arm->take_tool(tool->stand(), tool->length_m);
  if (deed.is_done()) {
    station.tool = action.tool;
    ++journal_.counts().tool_changes[station.name];
    co_return "";
  }
  std::string words = co_await judge(station, deed, "");
  co_return words;
}

sim::Task<std::string> Executor::hang_tool(Station& station, KittingAction action) {
  const Tool* tool = ontology_.find_tool(action.tool);
  const Deed deed = co_await station.arm->hang_tool(tool->stand(), tool->length_m);
  if (deed.is_done()) {
    station.tool.clear();
    co_return "";
  }
  std::string words = co_await judge(station, deed, "");
  co_return words;
}

sim::Task<std::string> Executor::place(Station& station, KittingAction action) {
  co_await wait_for_tray(station, action.slot);
  const std::optional<SlotView> slot = world_.slot(action.slot);
  const PartKind* kind = ontology_.part_of(action.part);
  if (!slot || !slot->is_known || kind == nullptr) {
    const std::string faults = note_cameras();
    std::string words = fmt::format("{}{}{} is not in view of any camera", faults,
                                    faults.empty() ? "" : "; ", action.slot);
    co_return faults.empty() ? note(station.name, "slot", std::move(words)) : words;
  }
  if (!slot->part.empty() && slot->part != action.part) {
    co_return note(station.name, "slot", fmt::format("{} is in {}", slot->part, action.slot),
                   slot->part);
  }
  const Vector3 p_WS = slot->X_WS.translation();
  std::vector<Vector3> others = others_near(p_WS, action.part);
  const Deed deed = co_await station.arm->place(p_WS, grasp_of(ontology_, station.tool, *kind),
                                                std::move(others));
  if (!deed.is_done()) {
    std::string words = co_await judge(station, deed, action.part);
    co_return words;
  }
  const Time released = kernel_.now();
  station.holds.clear();
  tell_world(station);
  const Sight sight = co_await look_at_seat(station, action.part, action.slot, released);
  if (sight == Sight::kSits) {
    ++journal_.counts().parts_placed;
    tries_.erase(action.part);
    co_return "";
  }
  const std::optional<PartView> view = world_.part(action.part);
  if (sight == Sight::kUnseen || !view) {
    co_return unseen(station, action.part, view ? view->object.seen : Time{});
  }
  ++tries_[action.part];
  co_return note(station.name, "seat",
                 fmt::format("{} does not sit in {}: it is {} at {}", action.part, action.slot,
                             name_of(view->state), where(view->object.X_WO)),
                 action.part);
}

/// It was in the air before, so that frames with it in its seat are of after it was let go, however
/// late they come. That it does not sit is said of frames from after that, too, for as long as
/// there is patience; without any, nothing is.
sim::Task<Executor::Sight> Executor::look_at_seat(Station& station, std::string part,
                                                  std::string slot, Time released) {
  if (world_.is_noisy()) {
    world_.look_afresh(part, released);
  }
  while (true) {
    const std::optional<PartView> view = world_.part(part);
    if (view && view->state == PartState::kSeated && view->slot == slot &&
        view->object.frames >= world_.frames_to_trust()) {
      co_return Sight::kSits;
    }
    const std::optional<Time> newest = newest_stamp();
    if (newest && *newest - released >= config_.camera_timeout) {
      co_return view && view->object.seen >= released ? Sight::kDoesNotSit : Sight::kUnseen;
    }
    if (is_blind()) {
      co_return Sight::kUnseen;
    }
    co_await sim::sleep_for(station.context, kLookEvery);
  }
}

/// Until where the slot's tray stands is an average of enough frames, as far as patience goes.
sim::Task<void> Executor::wait_for_tray(Station& station, std::string slot) {
  const Time give_up = kernel_.now() + config_.camera_timeout;
  while (kernel_.now() < give_up) {
    const std::optional<SlotView> view = world_.slot(slot);
    if (!view || !view->is_known || view->frames >= world_.frames_to_trust()) {
      co_return;
    }
    co_await sim::sleep_for(station.context, kLookEvery);
  }
}

/// What a failed action says of arm and part; an arm that cannot be commanded any more is given up.
sim::Task<std::string> Executor::judge(Station& station, Deed deed, std::string part) {
  JournalCounts& counts = journal_.counts();
  if (!part.empty()) {
    ++tries_[part];
  }
  switch (deed.end) {
    case DeedEnd::kDone:
      co_return "";
    case DeedEnd::kNothingHeld:
      ++counts.failed_grasps;
      station.holds.clear();
      tell_world(station);
      co_return note(station.name, "failed grasp", deed.words, part);
    case DeedEnd::kDropped:
      ++counts.drops;
      station.holds.clear();
      tell_world(station);
      co_return note(station.name, "drop", deed.words, part);
    case DeedEnd::kSilent:
      station.is_silent = true;
      note(station.name, "robot", deed.words);
      give_up(station, deed.words);
      co_return deed.words;
    case DeedEnd::kRefused:
      break;
  }
  note(station.name, "robot", deed.words);
  const Deed again = co_await station.arm->recover();
  if (!again.is_done()) {
    station.is_silent = again.end == DeedEnd::kSilent;
    give_up(station, again.words);
  } else if (station.arm->says_it_holds() != !station.holds.empty()) {
    station.holds = station.arm->says_it_holds() ? part : "";
    tell_world(station);
  }
  co_return deed.words;
}

void Executor::give_up(Station& station, const std::string& words) {
  station.works = false;
  station.words = words;
  tell_world(station);
  const std::optional<Vector3> p_W = station.arm->last_p_W();
  for (const Zone& zone : ontology_.zones) {
    if (!zone.is_shared) {
      continue;
    }
    const bool stands_in_it =
        p_W ? stands_in(zone, *p_W) : zones_.is_inside(zone.name, station.name);
    if (stands_in_it) {
      zones_.block(zone.name, fmt::format("{} stands in it: {}", station.name, words));
    } else {
      zones_.leave(zone.name, station.name);
    }
  }
}

}  // namespace longarm::kitting
