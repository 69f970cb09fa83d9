// SPDX-License-Identifier: Apache-2.0
// Contacts at one instant in a hundredth of a second; what is joined, only when it has changed.
#include "longarm/cell/touch_trace.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace longarm::cell {
namespace {

using Json = nlohmann::ordered_json;

// nobody can tell more of them apart
constexpr std::size_t kMostContacts = 64;

Json rounded(const model::Vector3& v, double to) {
  Json out = Json::array();
  for (int i = 0; i < 3; ++i) {
    out.push_back(std::round(v[i] / to) * to);
  }
  return out;
}

}  // namespace

TouchTrace::TouchTrace(const World& world, record::RosTrace& trace, const CellFrames& frames)
    : world_(world) {
  for (const BodyFrame& body : frames.bodies()) {
    frames_.push_back(body.frame);
  }
  if (world.engine().capabilities().has_contacts) {
    contacts_ = trace.add_json("/contacts", "longarm/Contacts", {{"contacts", "array"}});
    merged_ = trace.add_json("/merged", "longarm/Merged", {{"merged", "array"}});
  }
}

void TouchTrace::look(Time now) {
  if (contacts_) {
    write_contacts(now);
    write_merged(now);
  }
}

void TouchTrace::write_contacts(Time now) {
  const std::span<const physics::Contact> all = world_.engine().contacts();
  if (all.empty() && !had_contacts_) {
    return;
  }
  had_contacts_ = !all.empty();
  std::vector<const physics::Contact*> strongest;
  for (const physics::Contact& contact : all) {
    strongest.push_back(&contact);
  }
  const std::size_t count = std::min(kMostContacts, strongest.size());
  std::partial_sort(strongest.begin(), strongest.begin() + static_cast<std::ptrdiff_t>(count),
                    strongest.end(), [](const auto* a, const auto* b) {
                      return a->force_on_b_W.squaredNorm() > b->force_on_b_W.squaredNorm();
                    });
  Json contacts = Json::array();
  for (std::size_t i = 0; i < count; ++i) {
    contacts.push_back({{"a", frames_[static_cast<std::size_t>(strongest[i]->a)]},
                        {"b", frames_[static_cast<std::size_t>(strongest[i]->b)]},
                        {"position_m", rounded(strongest[i]->p_W, 1e-5)},
                        {"force_N", rounded(strongest[i]->force_on_b_W, 1e-3)}});
  }
  contacts_->write(now, {{"contacts", std::move(contacts)}});
}

void TouchTrace::write_merged(Time now) {
  const mechanisms::SimplifierCounts& counts = world_.simplifier().counts();
  if (counts.made + counts.removed == last_changes_) {
    return;
  }
  last_changes_ = counts.made + counts.removed;
  Json merged = Json::array();
  for (std::size_t body = 0; body < frames_.size(); ++body) {
    if (world_.simplifier().is_joined(static_cast<physics::BodyId>(body))) {
      merged.push_back(frames_[body]);
    }
  }
  merged_->write(now, {{"merged", std::move(merged)}});
}

}  // namespace longarm::cell
