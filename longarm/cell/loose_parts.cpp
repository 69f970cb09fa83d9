// SPDX-License-Identifier: Apache-2.0
// Moves parts, with what lies in them.
#include "longarm/cell/loose_parts.h"

#include <algorithm>

#include "longarm/cell/contact_watch.h"
#include "longarm/cell/put_down.h"
#include "longarm/cell/world.h"
#include "longarm/core/check.h"

namespace longarm::cell {
namespace {

// where what was taken away is: nobody sees it there
const model::Vector3 kElsewhere_m(30.0, 30.0, 1.0);

model::Pose elsewhere(std::size_t slot) {
  model::Pose X_WP = model::Pose::Identity();
  X_WP.translation() = kElsewhere_m + static_cast<double>(slot) * model::Vector3::UnitX();
  return X_WP;
}

}  // namespace

std::vector<std::string> LooseParts::names(const model::Cell& cell) {
  std::vector<std::string> names;
  for (const model::Placement& placement : cell.placements) {
    if (is_loose(placement)) {
      names.push_back(placement.name);
    }
  }
  return names;
}

physics::BodyId LooseParts::root(int placement) const {
  return static_cast<physics::BodyId>(cell_.first_body(placement));
}

void LooseParts::fail(const Failure& failure) {
  const std::optional<int> placement = find_placement(cell_, failure.name);
  check(placement.has_value(), "a part that read_failures() refused");
  if (failure.verb == "misplaced") {
    misplace(*placement, {failure.values[0], failure.values[1], 0.0});
  } else {
    take_away(*placement);
  }
}

/// What lies in or on it.
std::vector<int> LooseParts::load_of(physics::BodyId body) const {
  std::vector<int> load;
  for (std::size_t p = 0; p < cell_.placements.size(); ++p) {
    const physics::BodyId other = root(static_cast<int>(p));
    const auto touches = [&](const physics::Contact& contact) {
      return (contact.a == body && contact.b == other) || (contact.a == other && contact.b == body);
    };
    const bool rests = simplifier_.is_joined(body, other) ||
                       std::any_of(engine_.contacts().begin(), engine_.contacts().end(), touches);
    const bool is_above =
        engine_.pose(other).translation().z() > engine_.pose(body).translation().z();
    if (is_loose(cell_.placements[p]) && other != body && rests && is_above) {
      load.push_back(static_cast<int>(p));
    }
  }
  return load;
}

void LooseParts::misplace(int placement, const model::Vector3& by_m) {
  const physics::BodyId body = root(placement);
  const std::vector<int> load = load_of(body);
  const model::Pose X_WB = engine_.pose(body);
  std::vector<model::Pose> X_BL;
  simplifier_.release(body);
  // out of the way first, so that it is put down on what is below all of it
  for (const int each : load) {
    const physics::BodyId other = root(each);
    X_BL.push_back(X_WB.inverse() * engine_.pose(other));
    simplifier_.release(other);
    model::Pose aside = engine_.pose(other);
    aside.translation().z() += kElsewhere_m.x();
    engine_.reset_body(other, aside, physics::Twist{});
  }
  model::Pose X_WN = X_WB;
  X_WN.translation() += by_m;
  put_down(engine_, cell_.placements[static_cast<std::size_t>(placement)].tree.bodies[0], body,
           X_WN);
  for (std::size_t i = 0; i < load.size(); ++i) {
    engine_.reset_body(root(load[i]), engine_.pose(body) * X_BL[i], physics::Twist{});
  }
}

void LooseParts::take_away(int placement) {
  const physics::BodyId body = root(placement);
  simplifier_.release(body);
  Taken taken{body, 0};
  while (std::ranges::count(taken_, taken.slot, &Taken::slot) > 0) {
    ++taken.slot;
  }
  taken_.push_back(taken);
  engine_.reset_body(body, elsewhere(taken.slot), physics::Twist{});
}

void LooseParts::put(int placement, const model::Pose& X_WP) {
  const physics::BodyId body = root(placement);
  std::erase_if(taken_, [&](const Taken& taken) { return taken.part == body; });
  simplifier_.release(body);
  put_down(engine_, cell_.placements[static_cast<std::size_t>(placement)].tree.bodies[0], body,
           X_WP);
}

void LooseParts::before_step() {
  for (const Taken& taken : taken_) {
    engine_.reset_body(taken.part, elsewhere(taken.slot), physics::Twist{});
  }
}

std::vector<std::pair<std::string, model::Pose>> LooseParts::poses() const {
  std::vector<std::pair<std::string, model::Pose>> poses;
  for (std::size_t p = 0; p < cell_.placements.size(); ++p) {
    if (is_loose(cell_.placements[p])) {
      poses.emplace_back(cell_.placements[p].name, engine_.pose(root(static_cast<int>(p))));
    }
  }
  return poses;
}

}  // namespace longarm::cell
