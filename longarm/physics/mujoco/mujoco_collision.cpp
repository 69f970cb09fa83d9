// SPDX-License-Identifier: Apache-2.0
// Keeps MuJoCo's list of excluded pairs and mends what it finds.
#include "longarm/physics/mujoco/mujoco_collision.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "longarm/core/check.h"

namespace longarm::physics {
namespace {

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

MujocoCollision::MujocoCollision(const FlatCell& cell, mjModel& model, const MujocoNumbers& numbers)
    : model_(model), numbers_(numbers), filter_(cell) {
  exclude_pairs();
}

void MujocoCollision::set_pair(BodyId a, BodyId b, bool enabled) {
  filter_.set(static_cast<int>(a), static_cast<int>(b), enabled);
  exclude_pairs();
}

/// MuJoCo wants the list sorted; unused slots wait at its end.
void MujocoCollision::exclude_pairs() {
  std::fill_n(model_.exclude_signature, model_.nexclude, INT_MAX);
  int count = 0;
  for (std::size_t a = 0; a < numbers_.body.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      // MuJoCo itself leaves out pairs that cannot move
      const bool can_move =
          model_.body_weldid[numbers_.body[a]] != 0 || model_.body_weldid[numbers_.body[b]] != 0;
      if (!can_move || filter_.may_touch(static_cast<int>(a), static_cast<int>(b))) {
        continue;
      }
      check(count < model_.nexclude, "too many pairs of bodies are kept from touching");
      const auto [low, high] = std::minmax({numbers_.body[a], numbers_.body[b]});
      model_.exclude_signature[count++] = ((low + 1) << 16) + high + 1;
    }
  }
  std::sort(model_.exclude_signature, model_.exclude_signature + count);
  screen_.list_pairs(model_, numbers_, filter_);
}

void MujocoCollision::detect(mjData& data) const {
  if (!screen_.may_touch(data)) {
    data.ncon = 0;
    return;
  }
  mj_collision(&model_, &data);
  if (data.ncon > 0) {
    drop_repeated_contacts(model_, data);
  }
  // MuJoCo would take the greater friction of two surfaces; ours is the smaller
  for (int i = 0; i < data.ncon; ++i) {
    mjContact& contact = data.contact[i];
    const double smaller = std::min(friction(contact.geom1), friction(contact.geom2));
    contact.friction[0] = contact.friction[1] = smaller;
    if (smaller <= mjMINMU) {
      contact.dim = 1;
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
  exclude_pairs();
}

}  // namespace longarm::physics
