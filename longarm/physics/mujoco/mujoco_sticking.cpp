// SPDX-License-Identifier: Apache-2.0
// Carries friction forces from step to step, by pairs of shapes.
#include "longarm/physics/mujoco/mujoco_sticking.h"

#include <algorithm>

namespace longarm::physics {
namespace {

using model::Vector3;

// How much of a force is kept. The rest lets fingers that pull at a part against each other relax
// within a fifth of a second; what is held creeps at so much less of MuJoCo's own speed.
constexpr double kKept = 0.995;
// points of a pair that are nearer to their middle than this hold no moment (m²)
constexpr double kPoint_m2 = 1e-12;

Vector3 at(const mjContact& contact) {
  return Eigen::Map<const Vector3>(contact.pos);
}

Vector3 axis(const mjContact& contact, int number) {
  return Eigen::Map<const Vector3>(contact.frame + 3 * number);
}

RowMajor3 turn(const mjData& data, int geom) {
  return Eigen::Map<const RowMajor3>(data.geom_xmat + 9 * geom);
}

Vector3 origin(const mjData& data, int geom) {
  return Eigen::Map<const Vector3>(data.geom_xpos + 3 * geom);
}

}  // namespace

MujocoSticking::MujocoSticking(const mjModel& model, const MujocoNumbers& numbers)
    : numbers_(numbers), is_needed_(model.opt.noslip_iterations == 0) {
  holds_.reserve(static_cast<std::size_t>(model.nconmax));
  for (int geom = 0; geom < model.ngeom; ++geom) {
    is_loose_.push_back(model.body_weldid[model.geom_bodyid[geom]] != 0 ? 1 : 0);
  }
}

void MujocoSticking::set(BodyId body, bool is_gripping) {
  if (!is_needed_) {
    return;
  }
  grips_.resize(numbers_.body.size(), 0);
  grips_[static_cast<std::size_t>(body)] = is_gripping ? 1 : 0;
}

bool MujocoSticking::is_gripping(const mjContact& contact) const {
  const auto grips = [&](int geom) {
    return grips_[static_cast<std::size_t>(shape(geom).body)] != 0;
  };
  const auto is_loose = [&](int geom) { return is_loose_[static_cast<std::size_t>(geom)] != 0; };
  return contact.efc_address >= 0 && contact.dim == 3 && is_loose(contact.geom1) &&
         is_loose(contact.geom2) && (grips(contact.geom1) || grips(contact.geom2));
}

/// All contacts of a pair follow each other.
template <typename Action>
void MujocoSticking::each_pair(const mjData& data, const Action& action) const {
  for (int first = 0; first < data.ncon && !grips_.empty();) {
    const mjContact& contact = data.contact[first];
    int end = first + 1;
    while (end < data.ncon && data.contact[end].geom1 == contact.geom1 &&
           data.contact[end].geom2 == contact.geom2) {
      ++end;
    }
    if (is_gripping(contact)) {
      action(std::span(data.contact + first, data.contact + end));
    }
    first = end;
  }
}

MujocoSticking::Spread MujocoSticking::spread_of(std::span<const mjContact> contacts) {
  Spread spread;
  for (const mjContact& contact : contacts) {
    spread.middle_W += at(contact) / static_cast<double>(contacts.size());
    spread.normal_W += axis(contact, 0);
  }
  spread.normal_W.normalize();
  for (const mjContact& contact : contacts) {
    spread.square_m2 += spread.normal_W.cross(at(contact) - spread.middle_W).squaredNorm();
  }
  return spread;
}

/// The smallest forces with that sum and moment: of what else there was in the points of a pair
/// nothing is kept, for contacts come and go, and it would shake the part.
void MujocoSticking::prepare(mjData& data) const {
  each_pair(data, [&](std::span<const mjContact> contacts) {
    const int geom1 = contacts.front().geom1;
    const auto hold = std::find_if(holds_.begin(), holds_.end(), [&](const Hold& each) {
      return each.geom1 == shape(geom1).compiled &&
             each.geom2 == shape(contacts.front().geom2).compiled;
    });
    if (hold == holds_.end()) {
      return;
    }
    const Spread spread = spread_of(contacts);
    const Vector3 force_W = turn(data, geom1) * hold->force;
    const Vector3 from_W = origin(data, geom1) + turn(data, geom1) * hold->p - spread.middle_W;
    const double moment = hold->moment + spread.normal_W.dot(from_W.cross(force_W));
    for (const mjContact& contact : contacts) {
      if (contact.efc_address < 0 || contact.dim != 3) {
        continue;
      }
      Vector3 share_W = force_W / static_cast<double>(contacts.size());
      if (spread.square_m2 > kPoint_m2) {
        share_W += moment / spread.square_m2 * spread.normal_W.cross(at(contact) - spread.middle_W);
      }
      for (int number = 1; number < 3; ++number) {
        const int row = contact.efc_address + number;
        data.efc_aref[row] += data.efc_R[row] * axis(contact, number).dot(share_W);
      }
    }
  });
}

void MujocoSticking::remember(const mjModel& model, const mjData& data) {
  holds_.clear();
  each_pair(data, [&](std::span<const mjContact> contacts) {
    const Spread spread = spread_of(contacts);
    Vector3 force_W = Vector3::Zero();
    double moment = 0.0;
    for (const mjContact& contact : contacts) {
      mjtNum force[6];
      mj_contactForce(&model, &data, static_cast<int>(&contact - data.contact), force);
      const Vector3 friction_W = force[1] * axis(contact, 1) + force[2] * axis(contact, 2);
      force_W += friction_W;
      moment += spread.normal_W.dot((at(contact) - spread.middle_W).cross(friction_W));
    }
    const int geom1 = contacts.front().geom1;
    const RowMajor3 back = turn(data, geom1).transpose();
    holds_.push_back({shape(geom1).compiled, shape(contacts.front().geom2).compiled,
                      back * (spread.middle_W - origin(data, geom1)), kKept * (back * force_W),
                      kKept * moment});
  });
}

void MujocoSticking::save(SnapshotWriter& writer) const {
  writer.write(static_cast<double>(holds_.size()));
  for (const Hold& hold : holds_) {
    writer.write(static_cast<double>(hold.geom1));
    writer.write(static_cast<double>(hold.geom2));
    writer.write(hold.p);
    writer.write(hold.force);
    writer.write(hold.moment);
  }
}

void MujocoSticking::restore(SnapshotReader& reader) {
  holds_.resize(static_cast<std::size_t>(reader.read()));
  for (Hold& hold : holds_) {
    hold.geom1 = static_cast<int>(reader.read());
    hold.geom2 = static_cast<int>(reader.read());
    reader.read(hold.p);
    reader.read(hold.force);
    hold.moment = reader.read();
  }
}

}  // namespace longarm::physics
