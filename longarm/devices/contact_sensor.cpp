// SPDX-License-Identifier: Apache-2.0
// Picks the contacts that concern it out of all of the step.
#include "longarm/devices/contact_sensor.h"

#include <algorithm>

#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"

namespace longarm::devices {
namespace {

constexpr int kNobody = -1;
// stamp and count; names, force, position and depth of each
constexpr std::size_t kContactReportBytes = 16;
constexpr std::size_t kTouchBytes = 64;

/// What a shape may be called: every part of placement::body::collision that is whole words.
std::vector<std::string> spellings_of(const std::string& placement, const std::string& body,
                                      const std::string& collision) {
  std::vector<std::string> names{placement, body, placement + "::" + body};
  if (!collision.empty()) {
    names.insert(names.end(), {collision, body + "::" + collision, placement + "::" + collision,
                               placement + "::" + body + "::" + collision});
  }
  return names;
}

}  // namespace

ContactSensor::ContactSensor(const physics::Engine& engine, const model::Cell& cell,
                             const std::vector<std::string>& names)
    : engine_(engine) {
  std::vector<std::string> known;
  std::vector<bool> is_used(names.size(), false);
  for (const model::Placement& placement : cell.placements) {
    for (const model::Body& body : placement.tree.bodies) {
      const auto number = static_cast<physics::BodyId>(numbers_.size());
      std::vector<int>& own = numbers_.emplace_back(body.collisions.size(), kNobody);
      for (std::size_t g = 0; g < body.collisions.size(); ++g) {
        const std::vector<std::string> fitting =
            spellings_of(placement.name, body.name, body.collisions[g].name);
        known.push_back(fitting.back());
        for (std::size_t n = 0; n < names.size(); ++n) {
          if (std::find(fitting.begin(), fitting.end(), names[n]) == fitting.end()) {
            continue;
          }
          is_used[n] = true;
          if (own[g] == kNobody) {
            own[g] = static_cast<int>(watched_.size());
            watched_.push_back({number, static_cast<int>(g)});
          }
        }
      }
    }
  }
  Diagnostics diagnostics;
  for (std::size_t n = 0; n < names.size(); ++n) {
    if (!is_used[n]) {
      diagnostics.error({}, "there is no collision '" + names[n] + "' to watch",
                        suggest(names[n], known));
    }
  }
  diagnostics.throw_if_errors();
}

int ContactSensor::number_of(physics::BodyId body, int geometry) const {
  return numbers_[static_cast<std::size_t>(body)][static_cast<std::size_t>(geometry)];
}

void ContactSensor::update() {
  touches_.clear();
  for (const physics::Contact& contact : engine_.contacts()) {
    note(number_of(contact.a, contact.geometry_a), contact, true);
    note(number_of(contact.b, contact.geometry_b), contact, false);
  }
}

void ContactSensor::note(int own, const physics::Contact& contact, bool is_a) {
  if (own == kNobody) {
    return;
  }
  Touch touch;
  touch.own = own;
  touch.other = is_a ? contact.b : contact.a;
  touch.other_geometry = is_a ? contact.geometry_b : contact.geometry_a;
  touch.force_on_own_W = is_a ? model::Vector3(-contact.force_on_b_W) : contact.force_on_b_W;
  touch.p_W = contact.p_W;
  touch.depth_m = contact.depth_m;
  touches_.push_back(touch);
}

model::Vector3 ContactSensor::force_on_own_W(int own) const {
  model::Vector3 sum = model::Vector3::Zero();
  for (const Touch& touch : touches_) {
    if (touch.own == own) {
      sum += touch.force_on_own_W;
    }
  }
  return sum;
}

bool ContactSensor::is_touched(int own) const {
  return std::any_of(touches_.begin(), touches_.end(),
                     [&](const Touch& touch) { return touch.own == own; });
}

void ContactSensor::connect(sim::Kernel& kernel, Duration step, Send<TouchReport> send) {
  const sim::SourceId source = kernel.add_source("contact sensor");
  kernel.every(step, kernel.now(), sim::Phase::kSample, source,
               [this, send = std::move(send), was_touched = false](Time now) mutable {
                 update();
                 // the end of a touch is news, too
                 if (!touches_.empty() || was_touched) {
                   send({now, touches_}, kContactReportBytes + kTouchBytes * touches_.size());
                 }
                 was_touched = !touches_.empty();
               });
}

}  // namespace longarm::devices
