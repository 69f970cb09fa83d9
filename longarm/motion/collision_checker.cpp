// SPDX-License-Identifier: Apache-2.0
// Puts the arm's joints among those of the whole cell and asks the engine.
#include "longarm/motion/collision_checker.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "longarm/core/index.h"
#include "longarm/motion/grown_cell.h"

namespace longarm::motion {
namespace {}  // namespace

std::string Collision::text() const {
  if (margin_m > 0.0) {
    return fmt::format("'{}' and '{}' are closer than {:.4g} m", a, b, margin_m);
  }
  return fmt::format("'{}' and '{}' overlap", a, b);
}

CellCollisionChecker::CellCollisionChecker(const model::Cell& cell, int placement, double margin_m,
                                           const physics::EngineRegistry& engines,
                                           const std::string& engine)
    : engine_(engines.make(engine, grown_cell(cell, placement, margin_m), {})),
      positions_(engine_->positions().begin(), engine_->positions().end()),
      first_joint_(static_cast<std::size_t>(cell.first_joint(placement))),
      names_(cell.body_names(placement)),
      margin_m_(margin_m) {
  if (!engine_->capabilities().has_collision_query) {
    throw std::invalid_argument("physics engine '" + engine + "' cannot detect collisions");
  }
  const Kinematics arm(cell.placements[static_cast<std::size_t>(placement)].tree);
  for (int joint = 0; joint < arm.joint_count(); ++joint) {
    sources_.push_back(arm.source(joint));
  }
  for (std::size_t p = 0; p < cell.placements.size(); ++p) {
    const bool is_arm = static_cast<int>(p) == placement;
    is_grown_.insert(is_grown_.end(), cell.placements[p].tree.bodies.size(), !is_arm);
  }
}

std::vector<std::pair<physics::BodyId, physics::BodyId>> CellCollisionChecker::pairs_at(
    std::span<const double> q) const {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const JointSource& from = sources_[i];
    positions_[first_joint_ + i] =
        from.multiplier * q[static_cast<std::size_t>(from.joint)] + from.offset;
  }
  return engine_->collisions_at(positions_);
}

bool CellCollisionChecker::do_is_free(std::span<const double> q) const {
  return pairs_at(q).empty();
}

std::optional<Collision> CellCollisionChecker::do_collision_at(std::span<const double> q) const {
  const auto pairs = pairs_at(q);
  if (pairs.empty()) {
    return std::nullopt;
  }
  // the arm's own body first, whatever the order of the placements
  auto [a, b] = pairs.front();
  if (is_grown_[index_of(a)]) {
    std::swap(a, b);
  }
  return Collision{names_[index_of(a)], names_[index_of(b)],
                   is_grown_[index_of(b)] ? margin_m_ : 0.0};
}

bool FreeMotion::is_free(std::span<const double> a, std::span<const double> b) const {
  if (!checker_.is_free(b)) {
    return false;
  }
  const double steps = std::ceil(sweep_.bound_m(a, b) / resolution_m_);
  const auto count = static_cast<std::size_t>(std::max(steps, 1.0));
  std::vector<double> q(a.size());
  // first the middle, then the quarters, then the eighths: what is in the way is found early
  for (std::size_t stride = std::bit_floor(count); stride > 0; stride /= 2) {
    for (std::size_t i = stride; i < count; i += 2 * stride) {
      const double fraction = static_cast<double>(i) / static_cast<double>(count);
      for (std::size_t j = 0; j < q.size(); ++j) {
        q[j] = a[j] + fraction * (b[j] - a[j]);
      }
      if (!checker_.is_free(q)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace longarm::motion
