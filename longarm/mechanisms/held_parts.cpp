// SPDX-License-Identifier: Apache-2.0
// Compares what joints exert with what contacts did, and could have.
#include "longarm/mechanisms/held_parts.h"

#include <algorithm>
#include <cmath>

namespace longarm::mechanisms {
namespace {

using model::Vector3;
using physics::BodyId;

// of the force that releases: contacts are known no better, and solvers are no more exact
constexpr double kConeTolerance = 0.1;
// forces shorter than this are noise of the solver: a gear that trembles on the same tray, say
constexpr double kTimeConstant_s = 0.005;
// unless they are so many times what releases
constexpr double kBlow = 5.0;
// what needs more of its friction than this may be sliding, however slowly
constexpr double kRestingFriction = 0.9;
// of the force that holds it
constexpr double kRestingTolerance = 0.02;
// for so long solvers that iterate have not got used to a new joint: its torque means nothing
constexpr double kFresh_s = 0.01;

/// Whether the contacts could exert the wrench with some friction to spare.
bool is_held_well(std::span<const HoldingContact> contacts, const FrictionCone::Wrench6& exerted) {
  std::vector<HoldingContact> weaker(contacts.begin(), contacts.end());
  for (HoldingContact& contact : weaker) {
    contact.friction *= kRestingFriction;
  }
  return FrictionCone(weaker).contains(exerted, kRestingTolerance * exerted.head<3>().norm());
}

}  // namespace

HeldParts::HeldParts(physics::Engine& engine, std::span<const BodyRole> roles, bool merges,
                     double release_N, double period_s)
    : engine_(engine),
      roles_(roles),
      merges_(merges),
      release_N_(release_N),
      fresh_steps_(static_cast<int>(std::ceil(kFresh_s / period_s))),
      share_(period_s / (period_s + kTimeConstant_s)),
      place_(roles.size(), -1),
      carried_force_W_(roles.size(), Vector3::Zero()) {}

HeldPart* HeldParts::held(int part) {
  const int place = place_[static_cast<std::size_t>(part)];
  return place < 0 ? nullptr : &held_[static_cast<std::size_t>(place)];
}

const HeldPart* HeldParts::find(int part) const {
  const int place = place_[static_cast<std::size_t>(part)];
  return place < 0 ? nullptr : &held_[static_cast<std::size_t>(place)];
}

void HeldParts::read_reactions() {
  for (const HeldPart& held : held_) {
    carried_force_W_[static_cast<std::size_t>(held.support)].setZero();
  }
  for (HeldPart& held : held_) {
    held.reaction = engine_.attachment_reaction(held.attachment);
    carried_force_W_[static_cast<std::size_t>(held.support)] += held.reaction.force_W;
  }
}

std::vector<int> HeldParts::find_released(PartMotions& motions) {
  std::vector<int> released;
  for (HeldPart& held : held_) {
    if (must_release(held, motions)) {
      released.push_back(held.part);
    }
  }
  return released;
}

bool HeldParts::must_release(HeldPart& held, PartMotions& motions) const {
  const auto i = static_cast<std::size_t>(held.part);
  const Vector3 load = load_of(roles_[i], held.reaction.force_W, motions.acceleration_W(held.part),
                               carried_force_W_[i]);
  const Vector3 change = load - held.load_W;
  held.is_struck = held.age_steps > 0 && change.norm() > kBlow * release_N_;
  held.change_W += (held.is_struck ? 1.0 : share_) * (change - held.change_W);
  const model::Matrix3 R_SW = motions.pose(held.support).linear().transpose();
  FrictionCone::Wrench6 demanded;
  demanded << R_SW * held.reaction.force_W, R_SW * held.reaction.torque_W;
  held.demanded_S += share_ * (demanded - held.demanded_S);
  ++held.age_steps;
  return held.change_W.squaredNorm() > release_N_ * release_N_ ||
         (held.age_steps > fresh_steps_ &&
          !held.cone.contains(held.demanded_S, kConeTolerance * release_N_));
}

bool HeldParts::rests_on(int body, int part) const {
  for (const HeldPart* held = find(body); held != nullptr; held = find(held->support)) {
    if (held->support == part) {
      return true;
    }
  }
  return false;
}

void HeldParts::attach(HeldPart& held) {
  const auto a = static_cast<BodyId>(held.support);
  const auto b = static_cast<BodyId>(held.part);
  held.is_welded = !merges_ || !engine_.can_merge(a, b);
  held.X_SP = engine_.pose(a).inverse() * engine_.pose(b);
  held.attachment = engine_.attach(
      a, b, held.is_welded ? physics::Joining::kConstraint : physics::Joining::kMerged);
}

bool HeldParts::join(const RestingPair& pair, std::span<const HoldingContact> contacts,
                     const FrictionCone::Wrench6& exerted_S, bool& was_welded) {
  const int support = pair.support();
  if (find(pair.carried) != nullptr || rests_on(support, pair.carried) ||
      !is_held_well(contacts, exerted_S)) {
    return false;
  }
  HeldPart held;
  held.support = support;
  held.part = pair.carried;
  held.load_W = pair.load_W;
  held.cone = FrictionCone(contacts);
  held.demanded_S = exerted_S;
  attach(held);
  was_welded = held.is_welded;
  engine_.set_pair_collision(static_cast<BodyId>(support), static_cast<BodyId>(pair.carried),
                             false);
  place_[static_cast<std::size_t>(pair.carried)] = static_cast<int>(held_.size());
  held_.push_back(std::move(held));
  // the support now carries by a joint what it carried by contact
  shift_load(support, -pair.contact_W);
  return true;
}

Vector3 HeldParts::release(int part) {
  const auto place = static_cast<std::size_t>(place_[static_cast<std::size_t>(part)]);
  const HeldPart held = held_[place];
  engine_.detach(held.attachment);
  engine_.set_pair_collision(static_cast<BodyId>(held.support), static_cast<BodyId>(part), true);
  place_[static_cast<std::size_t>(part)] = -1;
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(place));
  for (std::size_t i = place; i < held_.size(); ++i) {
    place_[static_cast<std::size_t>(held_[i].part)] = static_cast<int>(i);
  }
  carried_force_W_[static_cast<std::size_t>(held.support)] -= held.reaction.force_W;
  shift_load(held.support, held.reaction.force_W);
  return held.reaction.force_W;
}

void HeldParts::let_go(int support) {
  for (HeldPart& held : held_) {
    if (held.support == support && !held.is_welded && !held.is_away) {
      engine_.detach(held.attachment);
      held.is_away = true;
    }
  }
}

void HeldParts::hold_again(int support, const Vector3& moved_S) {
  for (HeldPart& held : held_) {
    if (held.support != support) {
      continue;
    }
    if (held.is_away) {
      attach(held);
      held.is_away = false;
    } else if (held.is_welded) {
      // not where it is: its weight bends the weld, and would bend it anew each time
      held.X_SP.translation() -= moved_S;
      engine_.move_attachment(held.attachment, held.X_SP);
    }
  }
}

void HeldParts::shift_load(int part, const Vector3& change_W) {
  if (HeldPart* found = held(part); found != nullptr) {
    found->load_W += change_W;
  }
}

}  // namespace longarm::mechanisms
