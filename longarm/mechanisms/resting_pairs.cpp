// SPDX-License-Identifier: Apache-2.0
// Sums contacts up by pairs of bodies and counts how long each pair has been at rest.
#include "longarm/mechanisms/resting_pairs.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace longarm::mechanisms {
namespace {

using model::Vector3;

// time constants of low-passes, as parts of the hold time: after it nothing is left of its start
constexpr double kSlowerPart = 0.5;
constexpr double kSlowPart = 0.2;
constexpr double kQuickPart = 0.1;
// a load is known once both low-passes agree to within this part of the force that releases
constexpr double kConverged = 0.04;
// a body that trembles may leave its support for so many steps
constexpr int kMostLostSteps = 5;
// what leans rather than rests is not carried: cosine of 60 degrees
constexpr double kLeastUpward = 0.5;

double share(double period_s, double time_constant_s) {
  return period_s / (period_s + time_constant_s);
}

void low_pass(Vector3& value, const Vector3& next, double share_of_next, bool is_first) {
  value += (is_first ? 1.0 : share_of_next) * (next - value);
}

}  // namespace

RestingPairs::RestingPairs(std::span<const BodyRole> roles, const Vector3& gravity_m_s2,
                           const SimplifierConfig& config, double period_s)
    : roles_(roles),
      up_(gravity_m_s2.isZero() ? Vector3(Vector3::Zero()) : Vector3(-gravity_m_s2.normalized())),
      config_(config),
      period_s_(period_s),
      hold_steps_(std::max(2, static_cast<int>(std::ceil(to_seconds(config.hold) / period_s)))),
      slower_(share(period_s, kSlowerPart * to_seconds(config.hold))),
      slow_(share(period_s, kSlowPart * to_seconds(config.hold))),
      quick_(share(period_s, kQuickPart * to_seconds(config.hold))) {}

bool RestingPairs::may_join(int a, int b) const {
  const BodyRole& first = roles_[static_cast<std::size_t>(a)];
  const BodyRole& second = roles_[static_cast<std::size_t>(b)];
  return (first.is_part || second.is_part) && first.is_support && second.is_support;
}

RestingPair& RestingPairs::pair_of(int a, int b) {
  const auto [first, second] = std::minmax(a, b);
  const auto is_before = [](const RestingPair& pair, const std::pair<int, int>& key) {
    return std::pair(pair.first, pair.second) < key;
  };
  const auto found =
      std::lower_bound(pairs_.begin(), pairs_.end(), std::pair(first, second), is_before);
  if (found != pairs_.end() && found->first == first && found->second == second) {
    return *found;
  }
  RestingPair pair;
  pair.first = first;
  pair.second = second;
  pair.carried = roles_[static_cast<std::size_t>(second)].is_part ? second : first;
  return *pairs_.insert(found, pair);
}

void RestingPairs::gather(std::span<const physics::Contact> contacts, PartMotions& motions) {
  for (const physics::Contact& contact : contacts) {
    const int a = static_cast<int>(contact.a);
    const int b = static_cast<int>(contact.b);
    if (!may_join(a, b)) {
      continue;
    }
    RestingPair& pair = pair_of(a, b);
    pair.touches = true;
    pair.force_on_second_W += pair.second == b ? contact.force_on_b_W : -contact.force_on_b_W;
    const Vector3 origin_W = motions.pose(pair.second).translation();
    pair.reach_m = std::max(pair.reach_m, (contact.p_W - origin_W).norm());
  }
}

void RestingPairs::update(std::span<const physics::Contact> contacts, PartMotions& motions,
                          std::span<const Vector3> carried_force_W) {
  has_settled_ = false;
  if (contacts.empty() && pairs_.empty()) {
    return;
  }
  for (RestingPair& pair : pairs_) {
    pair.touches = false;
    pair.reach_m = 0.0;
    pair.force_on_second_W.setZero();
  }
  gather(contacts, motions);
  for (RestingPair& pair : pairs_) {
    pair.lost_steps = pair.touches ? 0 : pair.lost_steps + 1;
  }
  std::erase_if(pairs_, [](const RestingPair& pair) { return pair.lost_steps > kMostLostSteps; });
  for (RestingPair& pair : pairs_) {
    judge(pair, motions, carried_force_W);
    has_settled_ = has_settled_ || is_settled(pair);
  }
}

int RestingPairs::choose_carried(const RestingPair& pair) const {
  const BodyRole& first = roles_[static_cast<std::size_t>(pair.first)];
  const BodyRole& second = roles_[static_cast<std::size_t>(pair.second)];
  if (!first.is_part || !second.is_part) {
    return first.is_part ? pair.first : pair.second;
  }
  const double upward = pair.force_on_second_W.dot(up_);
  if (upward == 0.0) {
    return first.mass_kg < second.mass_kg ? pair.first : pair.second;
  }
  return upward > 0.0 ? pair.second : pair.first;
}

void RestingPairs::judge(RestingPair& pair, PartMotions& motions,
                         std::span<const Vector3> carried_force_W) {
  const int carried = choose_carried(pair);
  const auto i = static_cast<std::size_t>(carried);
  const bool is_first = pair.is_new || carried != pair.carried;
  pair.carried = carried;
  const Vector3 force =
      carried == pair.second ? pair.force_on_second_W : Vector3(-pair.force_on_second_W);
  const Vector3 load =
      load_of(roles_[i], force, motions.acceleration_W(carried), carried_force_W[i]);
  low_pass(pair.contact_W, force, slow_, is_first);
  low_pass(pair.load_W, load, slow_, is_first);
  low_pass(pair.quick_load_W, load, quick_, is_first);

  follow_motion(pair, motions, is_first);
  pair.rest_steps = !is_first && is_at_rest(pair) ? pair.rest_steps + 1 : 0;
  pair.is_new = false;
}

void RestingPairs::follow_motion(RestingPair& pair, PartMotions& motions, bool is_first) const {
  const Vector3 origin_W = motions.pose(pair.second).translation();
  const Vector3 velocity =
      motions.twist(pair.second).linear_W - motions.velocity_at(pair.first, origin_W);
  const Vector3 spin = motions.twist(pair.second).angular_W - motions.twist(pair.first).angular_W;
  const Vector3 before = pair.velocity_W;
  low_pass(pair.velocity_W, velocity, slow_, is_first);
  low_pass(pair.spin_W, spin, slow_, is_first);
  const Vector3 acceleration = (pair.velocity_W - before) / period_s_;
  low_pass(pair.acceleration_W, is_first ? Vector3(Vector3::Zero()) : acceleration, slower_,
           is_first);
}

bool RestingPairs::is_at_rest(const RestingPair& pair) const {
  // as rigid bodies, so that a part which spins in its place is not at rest; bodies that part by
  // less than the speed of rest stay near enough for `reach_m` of the last contact
  const double speed = pair.velocity_W.norm() + pair.reach_m * pair.spin_W.norm();
  // and a load that changes is no rest, e.g. under a tray whose gears still fall into place
  return speed < config_.speed_m_s && pair.acceleration_W.norm() < config_.acceleration_m_s2 &&
         (pair.load_W - pair.quick_load_W).norm() < kConverged * config_.release_N;
}

bool RestingPairs::is_settled(const RestingPair& pair) const {
  const bool is_carried =
      up_.isZero() || pair.contact_W.dot(up_) > kLeastUpward * pair.contact_W.norm();
  return pair.touches && pair.rest_steps >= hold_steps_ && is_carried;
}

std::vector<RestingPair> RestingPairs::settled() const {
  std::vector<RestingPair> found;
  std::copy_if(pairs_.begin(), pairs_.end(), std::back_inserter(found),
               [this](const RestingPair& pair) { return is_settled(pair); });
  return found;
}

void RestingPairs::forget(int first, int second) {
  const auto [low, high] = std::minmax(first, second);
  std::erase_if(pairs_, [low = low, high = high](const RestingPair& pair) {
    return pair.first == low && pair.second == high;
  });
}

void RestingPairs::shift_load(int part, const Vector3& change_W) {
  for (RestingPair& pair : pairs_) {
    if (pair.carried == part) {
      pair.load_W += change_W;
      pair.quick_load_W += change_W;
    }
  }
}

}  // namespace longarm::mechanisms
