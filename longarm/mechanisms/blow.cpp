// SPDX-License-Identifier: Apache-2.0
// Momentum of the last step's contacts, shared by masses.
#include "longarm/mechanisms/blow.h"

namespace longarm::mechanisms {
namespace {

using model::Vector3;
using physics::BodyId;

class Sharing {
 public:
  Sharing(physics::Engine& engine, std::span<const BodyRole> roles, const HeldParts& held)
      : engine_(engine), roles_(roles), held_(held) {}

  bool is_free(int body) const { return role(body).is_part && held_.find(body) == nullptr; }
  double own_mass(int body) const { return role(body).mass_kg; }

  /// With all that is joined to it.
  double mass(int body) const {
    double sum = own_mass(body);
    for (const HeldPart& each : held_.all()) {
      sum += each.support == body ? mass(each.part) : 0.0;
    }
    return sum;
  }

  /// The body and all that is joined to it; what is merged moves with it anyway.
  void change_velocity(int body, const Vector3& change_W) {
    const auto id = static_cast<BodyId>(body);
    physics::Twist twist = engine_.twist(id);
    twist.linear_W += change_W;
    engine_.reset_body(id, engine_.pose(id), twist);
    for (const HeldPart& each : held_.all()) {
      if (each.support == body && each.is_welded) {
        change_velocity(each.part, change_W);
      }
    }
  }

 private:
  const BodyRole& role(int body) const { return roles_[static_cast<std::size_t>(body)]; }

  physics::Engine& engine_;
  std::span<const BodyRole> roles_;
  const HeldParts& held_;
};

}  // namespace

void pass_on_blow(physics::Engine& engine, std::span<const BodyRole> roles, const HeldParts& held,
                  int part, int support, double period_s) {
  Sharing sharing(engine, roles, held);
  const double mass = sharing.mass(part);
  Vector3 taken = Vector3::Zero();   // by the joint
  Vector3 passed = Vector3::Zero();  // on to the part
  // contacts stay as they were during the step, whatever is moved meanwhile
  for (const physics::Contact& contact : engine.contacts()) {
    const int a = static_cast<int>(contact.a);
    const int b = static_cast<int>(contact.b);
    const int striker = a == part ? b : a;
    if ((a != part && b != part) || striker == support || !sharing.is_free(striker)) {
      continue;
    }
    const Vector3 impulse = (b == part ? period_s : -period_s) * contact.force_on_b_W;
    const double striker_mass = sharing.mass(striker);
    const double share = mass / (mass + striker_mass);
    taken += impulse;
    passed += share * impulse;
    sharing.change_velocity(striker, (1.0 - share) / striker_mass * impulse);
  }
  if (taken.isZero(0.0)) {
    return;
  }
  sharing.change_velocity(part, passed / mass);
  if (sharing.is_free(support)) {
    sharing.change_velocity(support, -taken / sharing.mass(support));
  }
}

}  // namespace longarm::mechanisms
