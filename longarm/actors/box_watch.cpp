// SPDX-License-Identifier: Apache-2.0
// Bounds of a box, and who stays within them.
#include "longarm/actors/box_watch.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/model/mesh.h"

namespace longarm::actors {
namespace {

using model::Vector3;

// a part that wanders less than this is at rest
constexpr double kStill_m = 1e-3;

Eigen::AlignedBox3d bounds_of_shape(const model::Shape& shape) {
  Vector3 half = Vector3::Zero();
  if (const auto* box = std::get_if<model::Box>(&shape)) {
    half = box->size_m / 2.0;
  } else if (const auto* sphere = std::get_if<model::Sphere>(&shape)) {
    half.setConstant(sphere->radius_m);
  } else if (const auto* cylinder = std::get_if<model::Cylinder>(&shape)) {
    half = {cylinder->radius_m, cylinder->radius_m, cylinder->length_m / 2.0};
  } else if (const auto* capsule = std::get_if<model::Capsule>(&shape)) {
    half = {capsule->radius_m, capsule->radius_m, capsule->length_m / 2.0 + capsule->radius_m};
  } else if (const auto* mesh = std::get_if<model::Mesh>(&shape); mesh != nullptr && mesh->data) {
    return model::bounds_of(*mesh->data);
  }
  return {-half, half};
}

/// Around all shapes of a body, along the axes of its frame.
Eigen::AlignedBox3d bounds_of_body(const model::Body& body) {
  Eigen::AlignedBox3d all;
  for (const model::Geometry& geometry : body.collisions) {
    const Eigen::AlignedBox3d own = bounds_of_shape(geometry.shape);
    for (int corner = 0; corner < 8; ++corner) {
      all.extend(geometry.X_LG * own.corner(static_cast<Eigen::AlignedBox3d::CornerType>(corner)));
    }
  }
  return all;
}

}  // namespace

std::optional<cell::KeyRemark> judge_box(const std::string& box, const model::Cell& cell) {
  const std::vector<std::string> models = names_of(cell.placements);
  if (std::ranges::count(models, box) > 0) {
    return std::nullopt;
  }
  return cell::KeyRemark{"box", fmt::format("there is no '{}' in this world", box),
                         suggest(box, models)};
}

std::optional<cell::KeyRemark> judge_parts(const std::vector<std::string>& parts,
                                           const model::Cell& cell) {
  const std::vector<std::string> loose = cell::LooseParts::names(cell);
  for (const std::string& part : parts) {
    if (std::ranges::count(loose, part) == 0) {
      return cell::KeyRemark{"parts", fmt::format("there is no loose part '{}'", part),
                             suggest(part, loose)};
    }
  }
  return std::nullopt;
}

BoxWatch::BoxWatch(const cell::World& world, const std::string& box, Duration settle)
    : world_(world), settle_(settle) {
  const model::Cell& cell = world.model();
  const int placement = *cell::find_placement(cell, box);
  box_ = static_cast<physics::BodyId>(cell.first_body(placement));
  bounds_ =
      bounds_of_body(cell.placements[static_cast<std::size_t>(placement)].tree.bodies.front());
}

void BoxWatch::add(int placement) {
  const model::Cell& cell = world_.model();
  const model::Body& body =
      cell.placements[static_cast<std::size_t>(placement)].tree.bodies.front();
  parts_.push_back({.body = static_cast<physics::BodyId>(cell.first_body(placement)),
                    .p_LC = body.inertial.X_LC.translation()});
}

void BoxWatch::look(Time now) {
  const model::Pose X_BW = world_.engine().pose(box_).inverse();
  for (Part& part : parts_) {
    const Vector3 p_B = X_BW * (world_.engine().pose(part.body) * part.p_LC);
    if (!bounds_.contains(p_B)) {
      part.since.reset();
      part.is_at_rest = false;
      continue;
    }
    if (!part.since || (p_B - part.p_B).norm() > kStill_m) {
      part.since = now;
      part.p_B = p_B;
    }
    if (!part.is_at_rest && (is_first_ || now - *part.since >= settle_)) {
      part.is_at_rest = true;
      newest_ = part.since;
    }
  }
  is_first_ = false;
}

}  // namespace longarm::actors
