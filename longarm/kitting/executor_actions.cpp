// SPDX-License-Identifier: Apache-2.0
// One action: look, do it, look again; and what is made of it when it fails.
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "longarm/kitting/executor_parts.h"

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;

constexpr Duration kFresh = 1s;
constexpr Duration kLookEvery = 20ms;
constexpr std::int64_t kFramesToTrust = 4;

bool can_be_picked(PartState state) {
  return state == PartState::kSeated || state == PartState::kCrooked || state == PartState::kLoose;
}

std::string where(const Pose& X) {
  const Vector3 p = X.translation();
  return fmt::format("({:.3f}, {:.3f}, {:.3f}) m", p.x(), p.y(), p.z());
}

/// At the edge of a zone an arm is not in the other's way.
bool stands_in(const Zone& zone, const Vector3& p_W) {
  constexpr double kEdge_m = 0.05;
  return zone.contains(p_W + Vector3(kEdge_m, kEdge_m, 0.0)) &&
         zone.contains(p_W - Vector3(kEdge_m, kEdge_m, 0.0));
}

}  // namespace

std::string Executor::note(const std::string& who, const std::string& kind, std::string words) {
  world_.note(kernel_.now(), who, words);
  journal_.add(Setback{kernel_.now(), who, kind, words});
  return words;
}

void Executor::tell_world(const Station& station) {
  if (station.arm) {
    world_.set_robot({station.name, station.works, station.holds, station.words}, kernel_.now());
  }
}

sim::Task<std::string> Executor::bring(Station& station) {
  std::string words = co_await belt_->bring();
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
  const Time give_up = kernel_.now() + config_.camera_patience;
  while (true) {
    std::optional<PartView> view = world_.part(part);
    const bool is_fresh = view && !view->object.is_missing &&
                          kernel_.now() - view->object.seen <= kFresh &&
                          view->object.frames >= kFramesToTrust;
    if (is_fresh || kernel_.now() >= give_up || (view && view->object.is_missing)) {
      co_return view;
    }
    co_await sim::sleep_for(station.context, kLookEvery);
  }
}

/// Parts whose pegs could be in the fingers' way.
std::vector<Vector3> Executor::others_near(const Vector3& p_W, const std::string& part) const {
  constexpr double kNear_m = 0.13;
  std::vector<Vector3> others;
  for (const PartView& view : world_.parts()) {
    const Vector3 p = view.object.X_WO.translation();
    const bool is_there = !view.object.is_missing && view.state != PartState::kInAir;
    if (is_there && view.object.name != part && (p - p_W).head<2>().norm() < kNear_m) {
      others.push_back(p);
    }
  }
  return others;
}

sim::Task<std::string> Executor::pick(Station& station, KittingAction action) {
  const std::optional<PartView> view = co_await look_at(station, action.part);
  const PartKind* kind = ontology_.part_of(action.part);
  if (!view || kind == nullptr) {
    co_return note(station.name, "part", action.part + " is nowhere to be seen");
  }
  if (!can_be_picked(view->state)) {
    co_return note(
        station.name, "part",
        fmt::format("{} is {} at {}", action.part, name_of(view->state), where(view->object.X_WO)));
  }
  if (kernel_.now() - view->object.seen > config_.camera_patience) {
    co_return note(station.name, "camera",
                   fmt::format("no camera has seen {} for {:.1f} s", action.part,
                               to_seconds(kernel_.now() - view->object.seen)));
  }
  const Vector3 p_WP = view->object.X_WO.translation();
  std::vector<Vector3> others = others_near(p_WP, action.part);
  const Deed deed = co_await station.arm->pick(p_WP, kind->grasp_height_m, std::move(others));
  if (deed.is_done()) {
    station.holds = action.part;
    tell_world(station);
    co_return "";
  }
  std::string words = co_await judge(station, deed, action.part);
  co_return words;
}

sim::Task<std::string> Executor::place(Station& station, KittingAction action) {
  const std::optional<SlotView> slot = world_.slot(action.slot);
  const PartKind* kind = ontology_.part_of(action.part);
  if (!slot || !slot->is_known || kind == nullptr) {
    co_return note(station.name, "slot", action.slot + " is nowhere to be seen");
  }
  if (!slot->part.empty() && slot->part != action.part) {
    co_return note(station.name, "slot", fmt::format("{} is in {}", slot->part, action.slot));
  }
  const Vector3 p_WS = slot->X_WS.translation();
  std::vector<Vector3> others = others_near(p_WS, action.part);
  const Deed deed = co_await station.arm->place(p_WS, kind->grasp_height_m, std::move(others));
  if (!deed.is_done()) {
    std::string words = co_await judge(station, deed, action.part);
    co_return words;
  }
  const Time released = kernel_.now();
  station.holds.clear();
  tell_world(station);
  const bool sits = co_await is_seated(station, action.part, action.slot, released);
  if (sits) {
    ++journal_.counts().parts_placed;
    tries_.erase(action.part);
    co_return "";
  }
  const std::optional<PartView> view = world_.part(action.part);
  if (view && view->object.seen < released) {
    co_return note(station.name, "camera",
                   fmt::format("no camera has seen {} since it was placed", action.part));
  }
  ++tries_[action.part];
  co_return note(station.name, "seat",
                 view ? fmt::format("{} does not sit in {}: it is {} at {}", action.part,
                                    action.slot, name_of(view->state), where(view->object.X_WO))
                      : fmt::format("{} is not seen in {}", action.part, action.slot));
}

/// It was in the air before, so that these frames are of after it was let go, however late they
/// come.
sim::Task<bool> Executor::is_seated(Station& station, std::string part, std::string slot,
                                    Time released) {
  while (kernel_.now() - released < config_.camera_patience) {
    const std::optional<PartView> view = world_.part(part);
    if (view && view->state == PartState::kSeated && view->slot == slot &&
        view->object.frames >= kFramesToTrust) {
      co_return true;
    }
    co_await sim::sleep_for(station.context, kLookEvery);
  }
  co_return false;
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
      co_return note(station.name, "failed grasp", deed.words);
    case DeedEnd::kDropped:
      ++counts.drops;
      station.holds.clear();
      tell_world(station);
      co_return note(station.name, "drop", deed.words);
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
