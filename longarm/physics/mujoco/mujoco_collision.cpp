// SPDX-License-Identifier: Apache-2.0
// Keeps MuJoCo's list of excluded pairs and mends what it finds.
#include "longarm/physics/mujoco/mujoco_collision.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <utility>

#include "longarm/core/check.h"
#include "longarm/physics/mujoco/mujoco_deep_contact.h"
#include "longarm/physics/mujoco/mujoco_surface.h"
#include "longarm/physics/pair_surface.h"

namespace longarm::physics {
namespace {

// Deeper overlaps are pushed apart like this one, at half a metre per second: what starts inside
// something else is not shot away. At a depth like that a contact carries thousands of times the
// weight of what touches.
constexpr double kDeepest_m = 0.004;
// From here on directions are looked at twice; parts at rest are never that deep.
constexpr double kDeep_m = 2e-4;

/// MuJoCo 2.2 looks twice at a pair of bodies when one of them has a plane and is not the world
/// itself.
void drop_repeated_contacts(const mjModel& model, mjData& data) {
  const auto bodies = [&](const mjContact& c) {
    return std::pair(model.geom_bodyid[c.geom1], model.geom_bodyid[c.geom2]);
  };
  const auto is_same = [](const mjContact& c, const mjContact& d) {
    return c.geom1 == d.geom1 && c.geom2 == d.geom2 && std::equal(c.pos, c.pos + 3, d.pos);
  };
  int kept = 0;
  for (int i = 0; i < data.ncon; ++i) {
    const mjContact& contact = data.contact[i];
    bool is_new = true;
    // contacts of two bodies follow each other
    for (int k = kept - 1; is_new && k >= 0 && bodies(data.contact[k]) == bodies(contact); --k) {
      is_new = !is_same(data.contact[k], contact);
    }
    if (is_new) {
      if (kept != i) {
        data.contact[kept] = contact;
      }
      ++kept;
    }
  }
  data.ncon = kept;
}

}  // namespace

MujocoCollision::MujocoCollision(const FlatCell& cell, mjModel& model, const MujocoNumbers& numbers,
                                 const MergedBodies& merged)
    : model_(model), numbers_(numbers), merged_(merged), filter_(cell) {
  arrange();
}

void MujocoCollision::set_pair(BodyId a, BodyId b, bool enabled) {
  filter_.set(static_cast<int>(a), static_cast<int>(b), enabled);
}

/// MuJoCo wants the list sorted; unused slots wait at its end.
void MujocoCollision::arrange() {
  // of bodies that are several of ours some may touch: their contacts are sorted out one by one
  const auto is_several = [&](std::size_t body) {
    const auto id = static_cast<BodyId>(body);
    return merged_.is_merged(id) || merged_.has_load(id);
  };
  std::fill_n(model_.exclude_signature, model_.nexclude, INT_MAX);
  int count = 0;
  for (std::size_t a = 0; a < numbers_.body.size(); ++a) {
    for (std::size_t b = 0; b < a && !is_several(a); ++b) {
      // MuJoCo itself leaves out pairs that cannot move
      const bool can_move =
          model_.body_weldid[numbers_.body[a]] != 0 || model_.body_weldid[numbers_.body[b]] != 0;
      if (!can_move || is_several(b) ||
          filter_.may_touch(static_cast<int>(a), static_cast<int>(b))) {
        continue;
      }
      check(count < model_.nexclude, "too many pairs of bodies are kept from touching");
      const auto [low, high] = std::minmax({numbers_.body[a], numbers_.body[b]});
      model_.exclude_signature[count++] = ((low + 1) << 16) + high + 1;
    }
  }
  std::sort(model_.exclude_signature, model_.exclude_signature + count);
  screen_.list_pairs(model_, numbers_, filter_, &merged_);
  sweep_.list_shapes(model_);
}

bool MujocoCollision::may_touch(const mjData& data, int geom1, int geom2) const {
  const BodyId body1 = numbers_.shapes[static_cast<std::size_t>(geom1)].body;
  const BodyId body2 = numbers_.shapes[static_cast<std::size_t>(geom2)].body;
  if (!filter_.may_touch(static_cast<int>(body1), static_cast<int>(body2))) {
    return false;
  }
  const bool has_plane =
      model_.geom_type[geom1] == mjGEOM_PLANE || model_.geom_type[geom2] == mjGEOM_PLANE;
  return has_plane || screen_.are_near(model_, data, geom1, geom2);
}

bool MujocoCollision::may_touch(const mjContact& contact) const {
  const auto body = [&](int geom) {
    return static_cast<int>(numbers_.shapes[static_cast<std::size_t>(geom)].body);
  };
  return filter_.may_touch(body(contact.geom1), body(contact.geom2));
}

/// MuJoCo's own search, and what is wrong with it.
void MujocoCollision::search(mjData& data) const {
  mj_collision(&model_, &data);
  if (data.ncon > 0) {
    drop_repeated_contacts(model_, data);
  }
  if (merged_.has_any()) {
    const auto end = std::remove_if(data.contact, data.contact + data.ncon,
                                    [&](const mjContact& c) { return !may_touch(c); });
    data.ncon = static_cast<int>(end - data.contact);
  }
}

void MujocoCollision::detect(mjData& data) const {
  if (!screen_.may_touch(data)) {
    data.ncon = 0;
    return;
  }
  if (screen_.has_too_many()) {
    sweep_.detect(model_, data, [&](int a, int b) { return may_touch(data, a, b); });
  } else {
    search(data);
  }
  // MuJoCo would take the greater friction of two surfaces; ours is the smaller
  for (int i = 0; i < data.ncon; ++i) {
    mjContact& contact = data.contact[i];
    if (contact.dist < -kDeep_m) {
      mend_deep_contact(model_, data, contact);
    }
    const model::Surface& a = surface(contact.geom1);
    const model::Surface& b = surface(contact.geom2);
    // whose cones are finite
    const double smaller =
        std::isinf(pair_friction(a, b)) ? kAsGoodAsInfiniteFriction : pair_friction(a, b);
    contact.friction[0] = contact.friction[1] = smaller;
    if (smaller <= mjMINMU) {
      contact.dim = 1;
    }
    if (is_special(a, b)) {
      set_mujoco_surface(model_, a, b, contact);
    } else if (contact.dist < -kDeepest_m) {
      contact.includemargin = contact.dist + kDeepest_m;
    }
  }
}

void MujocoCollision::save(SnapshotWriter& writer) const {
  for (const char may_touch : filter_.states()) {
    writer.write(static_cast<double>(may_touch));
  }
}

void MujocoCollision::restore(SnapshotReader& reader) {
  for (char& may_touch : filter_.states()) {
    may_touch = static_cast<char>(reader.read());
  }
}

}  // namespace longarm::physics
