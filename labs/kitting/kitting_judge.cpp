// SPDX-License-Identifier: Apache-2.0
// Looks at every slot of the trays that were asked for.
#include "labs/kitting/kitting_judge.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/mechanisms/body_roles.h"
#include "longarm/robots/arm/robot_tool.h"

namespace longarm::kitting {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

KittingJudge::KittingJudge(const physics::Engine& engine, const model::Cell& cell,
                           std::vector<JudgedKits> kits,
                           const std::map<std::string, std::string>& sizes, JudgeLimits limits)
    : engine_(engine), kits_(std::move(kits)), limits_(limits) {
  for (const mechanisms::BodyRole& role : mechanisms::find_roles(cell)) {
    is_finger_.push_back(role.is_finger);
  }
  for (const auto& [name, size] : sizes) {
    const int placement = robots::find_placement(cell, name);
    gears_.push_back({name, size, static_cast<physics::BodyId>(cell.first_body(placement))});
  }
  for (std::size_t kind = 0; kind < kits_.size(); ++kind) {
    for (const std::string& name : kits_[kind].trays) {
      const int placement = robots::find_placement(cell, name);
      const model::BodyTree& tree = cell.placements[static_cast<std::size_t>(placement)].tree;
      Tray tray{name, kind, {}};
      for (const model::Frame& frame : tree.frames) {
        if (frame.name.starts_with("slot_")) {
          const auto body = cell.first_body(placement) + frame.body;
          tray.slots.push_back({frame.name,
                                frame.name.substr(frame.name.rfind('_') + 1),
                                static_cast<physics::BodyId>(body),
                                frame.X_BF,
                                -1,
                                {}});
        }
      }
      trays_.push_back(std::move(tray));
    }
  }
}

bool KittingJudge::is_touched_by_finger(physics::BodyId body) const {
  return std::ranges::any_of(engine_.contacts(), [&](const physics::Contact& contact) {
    if (contact.a != body && contact.b != body) {
      return false;
    }
    const physics::BodyId other = contact.a == body ? contact.b : contact.a;
    return bool(is_finger_[static_cast<std::size_t>(other)]);
  });
}

void KittingJudge::judge(Slot& slot, Time now) const {
  const model::Pose X_WS = engine_.pose(slot.tray) * slot.X_TS;
  int found = -1;
  for (std::size_t i = 0; i < gears_.size() && found < 0; ++i) {
    if (gears_[i].size != slot.size) {
      continue;
    }
    const model::Pose X_SG = X_WS.inverse() * engine_.pose(gears_[i].body);
    const double offset_m = X_SG.translation().norm();
    // between the two z axes; well conditioned near zero, unlike the arc cosine
    const double tilt_rad = std::asin(std::min(1.0, X_SG.linear().col(2).head<2>().norm()));
    if (offset_m > limits_.offset_m || tilt_rad > limits_.tilt_rad || X_SG.linear()(2, 2) < 0.0) {
      continue;
    }
    found = static_cast<int>(i);
    slot.offset_m = offset_m;
    slot.tilt_rad = tilt_rad;
  }
  const bool is_same = found >= 0 && found == slot.gear;
  slot.gear = found;
  if (found < 0) {
    slot.since.reset();
    slot.is_done = false;
    return;
  }
  const physics::BodyId body = gears_[static_cast<std::size_t>(found)].body;
  const bool is_still = engine_.twist(body).linear_W.norm() < limits_.speed_m_s;
  if (!is_same || !is_still || is_touched_by_finger(body)) {
    slot.since.reset();
  }
  if (is_still && !is_touched_by_finger(body) && !slot.since) {
    slot.since = now;
  }
  slot.is_done = slot.since && now - *slot.since >= limits_.stillness;
}

void KittingJudge::look(Time now) {
  for (Tray& tray : trays_) {
    for (Slot& slot : tray.slots) {
      judge(slot, now);
    }
  }
}

template <typename IsGood>
bool KittingJudge::is_complete(const Tray& tray, const IsGood& is_good) const {
  const std::map<std::string, std::int64_t>& contents = kits_[tray.kind].contents;
  if (contents.empty()) {
    return std::ranges::all_of(tray.slots, is_good);
  }
  return std::ranges::all_of(contents, [&](const auto& wanted) {
    return std::ranges::count_if(tray.slots, [&](const Slot& slot) {
             return slot.size == wanted.first && is_good(slot);
           }) >= wanted.second;
  });
}

/// Trays that are complete, but of each kind no more than were asked for.
template <typename IsGood>
std::int64_t KittingJudge::count(const IsGood& is_good) const {
  std::vector<std::int64_t> good(kits_.size(), 0);
  for (const Tray& tray : trays_) {
    if (is_complete(tray, is_good)) {
      ++good[tray.kind];
    }
  }
  std::int64_t sum = 0;
  for (std::size_t kind = 0; kind < kits_.size(); ++kind) {
    sum += std::min(good[kind], kits_[kind].wanted);
  }
  return sum;
}

std::int64_t KittingJudge::kits_completed() const {
  return count([](const Slot& slot) { return slot.is_done; });
}

bool KittingJudge::is_about_to_be_complete() const {
  return count([](const Slot& slot) { return slot.gear >= 0; }) > kits_completed();
}

std::int64_t KittingJudge::kits_requested() const {
  std::int64_t sum = 0;
  for (const JudgedKits& kits : kits_) {
    sum += kits.wanted;
  }
  return sum;
}

std::int64_t KittingJudge::slots_filled() const {
  std::int64_t sum = 0;
  for (const Tray& tray : trays_) {
    sum += std::ranges::count_if(tray.slots, [](const Slot& slot) { return slot.is_done; });
  }
  return sum;
}

std::optional<double> KittingJudge::seat_error_m() const {
  std::optional<double> most;
  for (const Tray& tray : trays_) {
    for (const Slot& slot : tray.slots) {
      if (slot.is_done) {
        most = std::max(most.value_or(0.0), slot.offset_m);
      }
    }
  }
  return most;
}

std::optional<Time> KittingJudge::completed_at() const {
  std::optional<Time> last;
  for (const Tray& tray : trays_) {
    if (!is_complete(tray, [](const Slot& slot) { return slot.is_done; })) {
      continue;
    }
    for (const Slot& slot : tray.slots) {
      last = slot.is_done ? std::max(last.value_or(*slot.since), *slot.since) : last;
    }
  }
  return last;
}

Json KittingJudge::report() const {
  Json out = Json::object();
  for (const Tray& tray : trays_) {
    Json slots = Json::object();
    for (const Slot& slot : tray.slots) {
      if (slot.gear < 0) {
        slots[slot.name] = nullptr;
        continue;
      }
      slots[slot.name] = {{"gear", gears_[static_cast<std::size_t>(slot.gear)].name},
                          {"offset_m", slot.offset_m},
                          {"tilt_rad", slot.tilt_rad},
                          {"still_since_s", slot.since ? Json(to_seconds(*slot.since)) : Json()},
                          {"is_done", slot.is_done}};
    }
    out[tray.name] = std::move(slots);
  }
  return out;
}

}  // namespace longarm::kitting
