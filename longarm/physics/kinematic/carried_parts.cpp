// SPDX-License-Identifier: Apache-2.0
// Finds what lies on what and what is between fingers by the overlap of shapes.
#include "longarm/physics/kinematic/carried_parts.h"

#include <algorithm>
#include <cmath>

namespace longarm::physics {
namespace {

using model::Pose;
using model::Vector3;

constexpr int kNothing = -1;
constexpr int kUnknown = -2;

// what is no further below than this carries
constexpr double kNear_m = 0.002;
constexpr double kDeepestFall_m = 3.0;
constexpr double kFallStep_m = 0.001;
constexpr int kHalvings = 20;
// fingers that close more slowly than this per step stand
constexpr double kCloses_m = 1e-9;
// fingers so much further apart than when they took a part have let it go
constexpr double kLetsGo_m = 2e-4;
// after so much of a way a part looks again at what it lies on: belts end
constexpr double kLookEvery_m = 0.001;

/// A slider that is fixed to the world and has no other joint.
bool is_belt(const FlatCell& cell, const FlatBody& body) {
  const model::Placement& placement =
      cell.cell().placements[static_cast<std::size_t>(body.placement)];
  return body.parent >= 0 && placement.is_fixed && placement.tree.joints.size() == 1 &&
         placement.tree.joints[0].type == model::JointType::kPrismatic;
}

Pose lowered(const Pose& X, double way_m) {
  Pose lower = X;
  lower.translation().z() -= way_m;
  return lower;
}

Twist twist_between(const Pose& from, const Pose& to, double period_s) {
  const Eigen::AngleAxisd turn(model::Matrix3(to.linear() * from.linear().transpose()));
  return {(to.translation() - from.translation()) / period_s,
          turn.axis() * turn.angle() / period_s};
}

/// The joints between a body and its root, with the joints that those mimic.
std::vector<int> joints_above(const FlatCell& cell, int body) {
  std::vector<int> joints;
  for (int b = body; cell.bodies()[static_cast<std::size_t>(b)].parent >= 0;
       b = cell.bodies()[static_cast<std::size_t>(b)].parent) {
    joints.push_back(cell.bodies()[static_cast<std::size_t>(b)].joint);
  }
  return joints;
}

}  // namespace

CarriedParts::CarriedParts(const FlatCell& cell)
    : cell_(cell),
      bodies_(cell.body_count()),
      supports_(cell.body_count(), kUnknown),
      came_m_(cell.body_count(), 0.0),
      carriers_(cell.body_count(), kNothing),
      has_moved_(cell.body_count(), 0) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const FlatBody& flat = cell.bodies()[b];
    Body& body = bodies_[b];
    for (const model::Geometry& geometry : flat.body->collisions) {
      body.forms.push_back({geometry.X_LG, ConvexShape(geometry.shape)});
      body.is_endless = body.is_endless || body.forms.back().shape.is_half_space();
      body.middle_B += geometry.X_LG * body.forms.back().shape.middle();
    }
    body.middle_B /= std::max<double>(1.0, static_cast<double>(body.forms.size()));
    for (const Form& form : body.forms) {
      const Vector3 middle_B = form.X_BG * form.shape.middle();
      body.reach_m =
          std::max(body.reach_m, (middle_B - body.middle_B).norm() + form.shape.reach_m());
    }
    body.is_part = flat.is_single;
    body.is_moving = flat.is_single || is_belt(cell, flat);
    body.carries = flat.is_static || body.is_moving;
    if (body.is_part) {
      parts_.push_back(static_cast<int>(b));
    }
  }
}

void CarriedParts::set_gripping(BodyId body) {
  const int b = static_cast<int>(body);
  if (std::find(gripping_.begin(), gripping_.end(), b) != gripping_.end()) {
    return;
  }
  for (const int a : gripping_) {
    if (cell_.body(body).placement != cell_.bodies()[static_cast<std::size_t>(a)].placement) {
      continue;
    }
    // what moves both moves neither against the other
    Fingers fingers{a, b, {}};
    std::vector<int> above_a = joints_above(cell_, a);
    std::vector<int> above_b = joints_above(cell_, b);
    std::sort(above_a.begin(), above_a.end());
    std::sort(above_b.begin(), above_b.end());
    std::set_symmetric_difference(above_a.begin(), above_a.end(), above_b.begin(), above_b.end(),
                                  std::back_inserter(fingers.joints));
    for (std::size_t i = 0; i < fingers.joints.size(); ++i) {
      const int leader = cell_.joints()[static_cast<std::size_t>(fingers.joints[i])].leader;
      if (leader >= 0 &&
          std::find(fingers.joints.begin(), fingers.joints.end(), leader) == fingers.joints.end()) {
        fingers.joints.push_back(leader);
      }
    }
    fingers_.push_back(std::move(fingers));
  }
  gripping_.push_back(b);
}

void CarriedParts::forget(BodyId body) {
  const int b = static_cast<int>(body);
  supports_[static_cast<std::size_t>(b)] = kUnknown;
  carriers_[static_cast<std::size_t>(b)] = kNothing;
  std::replace(supports_.begin(), supports_.end(), b, kUnknown);
  std::erase_if(grasps_, [&](const Grasp& grasp) { return grasp.part == b; });
}

bool CarriedParts::is_held(int part) const {
  return std::any_of(grasps_.begin(), grasps_.end(),
                     [&](const Grasp& grasp) { return grasp.part == part; });
}

double CarriedParts::gap(const Fingers& fingers, std::span<const Pose> X_WB) const {
  const auto middle = [&](int body) -> Vector3 {
    const auto b = static_cast<std::size_t>(body);
    return X_WB[b] * bodies_[b].middle_B;
  };
  return (middle(fingers.a) - middle(fingers.b)).norm();
}

bool CarriedParts::do_touch(int a, const Pose& X_WA, int b, const Pose& X_WB) const {
  const Body& first = bodies_[static_cast<std::size_t>(a)];
  const Body& second = bodies_[static_cast<std::size_t>(b)];
  const auto is_far = [](const Vector3& p, double reach_p, const Vector3& q, double reach_q) {
    return (p - q).squaredNorm() > (reach_p + reach_q) * (reach_p + reach_q);
  };
  if (!first.is_endless && !second.is_endless &&
      is_far(X_WA * first.middle_B, first.reach_m, X_WB * second.middle_B, second.reach_m)) {
    return false;
  }
  for (const Form& f : first.forms) {
    const Pose X_WF = X_WA * f.X_BG;
    for (const Form& g : second.forms) {
      const Pose X_WG = X_WB * g.X_BG;
      const bool is_endless = f.shape.is_half_space() || g.shape.is_half_space();
      if (!is_endless && is_far(X_WF * f.shape.middle(), f.shape.reach_m(), X_WG * g.shape.middle(),
                                g.shape.reach_m())) {
        continue;
      }
      if (do_overlap(f.shape, X_WF, g.shape, X_WG)) {
        return true;
      }
    }
  }
  return false;
}

bool CarriedParts::find_blocked(std::span<const Pose> X_WB, std::span<const Pose> X_WN,
                                std::span<char> is_blocked) const {
  bool is_any = false;
  for (const Grasp& grasp : grasps_) {
    const Fingers& fingers = fingers_[grasp.fingers];
    if (gap(fingers, X_WN) < gap(fingers, X_WB) - kCloses_m) {
      for (const int joint : fingers.joints) {
        is_blocked[static_cast<std::size_t>(joint)] = 1;
      }
      is_any = true;
    }
  }
  return is_any;
}

void CarriedParts::carry(std::span<const Pose> X_WB, std::span<Pose> X_WN, std::span<Twist> twists,
                         double period_s) {
  if (parts_.empty()) {
    return;
  }
  std::fill(has_moved_.begin(), has_moved_.end(), 0);
  move_held(X_WB, X_WN, twists, period_s);
  for (const int part : parts_) {
    move_along(part, X_WB, X_WN, twists, period_s);
  }
  let_go(X_WN, twists);
  take(X_WB, X_WN);
  tell_contacts(X_WN);
}

void CarriedParts::move_held(std::span<const Pose> X_WB, std::span<Pose> X_WN,
                             std::span<Twist> twists, double period_s) {
  for (const Grasp& grasp : grasps_) {
    const auto part = static_cast<std::size_t>(grasp.part);
    const auto finger = static_cast<std::size_t>(fingers_[grasp.fingers].a);
    X_WN[part] = X_WN[finger] * grasp.X_AP;
    twists[part] = twist_between(X_WB[part], X_WN[part], period_s);
    carriers_[part] = fingers_[grasp.fingers].a;
    has_moved_[part] = 1;
  }
}

/// After what carries it, however deep the stack.
void CarriedParts::move_along(int part, std::span<const Pose> X_WB, std::span<Pose> X_WN,
                              std::span<Twist> twists, double period_s) {
  const auto p = static_cast<std::size_t>(part);
  if (has_moved_[p] != 0) {
    return;
  }
  has_moved_[p] = 1;
  if (supports_[p] == kUnknown) {
    supports_[p] = look_below(part, kNear_m, X_WB).body;
    came_m_[p] = 0.0;
  }
  const int support = supports_[p];
  const bool can_move = support >= 0 && bodies_[static_cast<std::size_t>(support)].is_moving;
  const auto s = static_cast<std::size_t>(std::max(support, 0));
  if (can_move && bodies_[s].is_part) {
    move_along(support, X_WB, X_WN, twists, period_s);
  }
  const bool moves = can_move && X_WN[s].matrix() != X_WB[s].matrix();
  if (!moves) {
    if (carriers_[p] >= 0) {  // it stood still with its support
      carriers_[p] = kNothing;
      twists[p] = Twist{};
    }
    return;
  }
  carriers_[p] = support;
  X_WN[p] = X_WN[s] * X_WB[s].inverse() * X_WB[p];
  twists[p] = twist_between(X_WB[p], X_WN[p], period_s);
  came_m_[p] += (X_WN[p].translation() - X_WB[p].translation()).norm();
  if (came_m_[p] > kLookEvery_m && !bodies_[s].is_part) {
    came_m_[p] = 0.0;
    supports_[p] = look_below(part, kNear_m, X_WN).body;
    if (supports_[p] == kNothing) {
      drop(part, X_WN);
    }
  }
}

CarriedParts::Below CarriedParts::look_below(int part, double way_m,
                                             std::span<const Pose> X_WB) const {
  const Pose& X_WP = X_WB[static_cast<std::size_t>(part)];
  Below below;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const int body = static_cast<int>(b);
    if (!bodies_[b].carries || body == part) {
      continue;
    }
    const auto touches_at = [&](double lower_m) {
      return do_touch(part, lowered(X_WP, lower_m), body, X_WB[b]);
    };
    // those that are touched later than the first found so far need not be looked at
    double touched = below.body < 0 ? way_m : below.way_m;
    if (!touches_at(touched)) {
      continue;
    }
    double clear = 0.0;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (clear + touched) / 2.0;
      (touches_at(middle) ? touched : clear) = middle;
    }
    if (below.body < 0 || touched < below.way_m) {
      below = {body, touched};
    }
  }
  return below;
}

void CarriedParts::let_go(std::span<Pose> X_WB, std::span<Twist> twists) {
  for (std::size_t i = 0; i < grasps_.size();) {
    const Grasp grasp = grasps_[i];
    if (gap(fingers_[grasp.fingers], X_WB) <= grasp.gap_m + kLetsGo_m) {
      ++i;
      continue;
    }
    grasps_.erase(grasps_.begin() + static_cast<std::ptrdiff_t>(i));
    const auto part = static_cast<std::size_t>(grasp.part);
    carriers_[part] = kNothing;
    twists[part] = Twist{};
    drop(grasp.part, X_WB);
  }
}

/// In steps, as a shape that is thinner than its way would be missed.
void CarriedParts::drop(int part, std::span<Pose> X_WB) {
  Pose& X_WP = X_WB[static_cast<std::size_t>(part)];
  const Pose from = X_WP;
  for (double way = 0.0; way < kDeepestFall_m; way += kFallStep_m) {
    X_WP = lowered(from, way);
    if (const Below below = look_below(part, kFallStep_m, X_WB); below.body >= 0) {
      X_WP = lowered(from, way + below.way_m);
      supports_[static_cast<std::size_t>(part)] = below.body;
      came_m_[static_cast<std::size_t>(part)] = 0.0;
      return;
    }
  }
  // nothing is below it
  X_WP = from;
  supports_[static_cast<std::size_t>(part)] = kNothing;
}

void CarriedParts::take(std::span<const Pose> X_WB, std::span<const Pose> X_WN) {
  for (std::size_t f = 0; f < fingers_.size(); ++f) {
    const Fingers& fingers = fingers_[f];
    if (!(gap(fingers, X_WN) < gap(fingers, X_WB) - kCloses_m)) {
      continue;
    }
    for (const int part : parts_) {
      const Pose& X_WP = X_WN[static_cast<std::size_t>(part)];
      const Pose& X_WA = X_WN[static_cast<std::size_t>(fingers.a)];
      if (is_held(part) || !do_touch(fingers.a, X_WA, part, X_WP) ||
          !do_touch(fingers.b, X_WN[static_cast<std::size_t>(fingers.b)], part, X_WP)) {
        continue;
      }
      grasps_.push_back({part, f, gap(fingers, X_WN), X_WA.inverse() * X_WP});
      supports_[static_cast<std::size_t>(part)] = kNothing;
    }
  }
}

void CarriedParts::tell_contacts(std::span<const Pose> X_WB) {
  contacts_.clear();
  for (const int part : parts_) {
    const auto p = static_cast<std::size_t>(part);
    if (supports_[p] >= 0) {
      contacts_.push_back({.a = static_cast<BodyId>(supports_[p]),
                           .b = static_cast<BodyId>(part),
                           .p_W = X_WB[p] * bodies_[p].middle_B,
                           .normal_W = Vector3::UnitZ()});
    }
  }
  for (const Grasp& grasp : grasps_) {
    const Fingers& fingers = fingers_[grasp.fingers];
    const auto part = static_cast<std::size_t>(grasp.part);
    const Vector3 p_W = X_WB[part] * bodies_[part].middle_B;
    for (const int finger : {fingers.a, fingers.b}) {
      const auto f = static_cast<std::size_t>(finger);
      const Vector3 towards = p_W - X_WB[f] * bodies_[f].middle_B;
      contacts_.push_back({.a = static_cast<BodyId>(finger),
                           .b = static_cast<BodyId>(grasp.part),
                           .p_W = p_W,
                           .normal_W = towards.normalized()});
    }
  }
}

void CarriedParts::save(SnapshotWriter& writer) const {
  writer.write(static_cast<double>(grasps_.size()));
  for (const Grasp& grasp : grasps_) {
    writer.write(static_cast<double>(grasp.part));
    writer.write(static_cast<double>(grasp.fingers));
    writer.write(grasp.gap_m);
    writer.write(grasp.X_AP.data(), 16);
  }
  for (const int part : parts_) {
    const auto p = static_cast<std::size_t>(part);
    writer.write(static_cast<double>(supports_[p]));
    writer.write(came_m_[p]);
    writer.write(static_cast<double>(carriers_[p]));
  }
  writer.write(static_cast<double>(contacts_.size()));
  for (const Contact& contact : contacts_) {
    writer.write(contact);
  }
}

void CarriedParts::restore(SnapshotReader& reader) {
  grasps_.resize(static_cast<std::size_t>(reader.read()));
  for (Grasp& grasp : grasps_) {
    grasp.part = static_cast<int>(reader.read());
    grasp.fingers = static_cast<std::size_t>(reader.read());
    grasp.gap_m = reader.read();
    reader.read(grasp.X_AP.data(), 16);
  }
  for (const int part : parts_) {
    const auto p = static_cast<std::size_t>(part);
    supports_[p] = static_cast<int>(reader.read());
    came_m_[p] = reader.read();
    carriers_[p] = static_cast<int>(reader.read());
  }
  contacts_.resize(static_cast<std::size_t>(reader.read()));
  for (Contact& contact : contacts_) {
    reader.read(contact);
  }
}

}  // namespace longarm::physics
