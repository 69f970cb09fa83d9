// SPDX-License-Identifier: Apache-2.0
// Roots, then what their joints carry, then places on bodies; and a marker for each shape.
#include "longarm/cell/cell_frames.h"

#include <algorithm>
#include <array>
#include <optional>
#include <variant>

#include "longarm/model/mesh.h"

namespace longarm::cell {
namespace {

using record::ShapeMarker;

constexpr const char* kWorld = "world";
// viewers choke on more, and a hull says as much
constexpr std::size_t kMostTriangles = 20'000;
// each run that is recorded reads them
constexpr std::uintmax_t kMostMeshBytes = 2'000'000;
// of a half space, something must be drawn
constexpr double kGroundSize_m = 10.0;
constexpr double kGroundDepth_m = 0.001;
constexpr std::array<float, 4> kStill{0.55F, 0.57F, 0.60F, 1.0F};
constexpr std::array<float, 4> kMoves{0.16F, 0.43F, 0.69F, 1.0F};

struct MarkerOf {
  ShapeMarker marker;

  std::optional<ShapeMarker> operator()(const model::Box& box) {
    return of(ShapeMarker::Kind::kBox, box.size_m);
  }
  std::optional<ShapeMarker> operator()(const model::Sphere& sphere) {
    return of(ShapeMarker::Kind::kSphere, model::Vector3::Constant(2.0 * sphere.radius_m));
  }
  std::optional<ShapeMarker> operator()(const model::Cylinder& cylinder) {
    return of(ShapeMarker::Kind::kCylinder,
              {2.0 * cylinder.radius_m, 2.0 * cylinder.radius_m, cylinder.length_m});
  }
  // markers know no capsules; a cylinder of the same whole length comes near
  std::optional<ShapeMarker> operator()(const model::Capsule& capsule) {
    return of(ShapeMarker::Kind::kCylinder, {2.0 * capsule.radius_m, 2.0 * capsule.radius_m,
                                             capsule.length_m + 2.0 * capsule.radius_m});
  }
  std::optional<ShapeMarker> operator()(const model::HalfSpace&) {
    marker.X_FS = marker.X_FS * record::FramePose({0.0, 0.0, -kGroundDepth_m / 2.0},
                                                  Eigen::Quaterniond::Identity());
    return of(ShapeMarker::Kind::kBox, {kGroundSize_m, kGroundSize_m, kGroundDepth_m});
  }
  std::optional<ShapeMarker> operator()(const model::Mesh& mesh) {
    const auto data = model::triangles_of(mesh, kMostMeshBytes);
    if (!data || (*data)->triangles.size() > kMostTriangles) {
      return std::nullopt;
    }
    for (const std::array<int, 3>& triangle : (*data)->triangles) {
      for (const int corner : triangle) {
        marker.corners_m.push_back((*data)->vertices_m[static_cast<std::size_t>(corner)]);
      }
    }
    return of(ShapeMarker::Kind::kTriangles, model::Vector3::Ones());
  }

  std::optional<ShapeMarker> of(ShapeMarker::Kind kind, const model::Vector3& size_m) {
    marker.kind = kind;
    marker.size_m = size_m;
    return marker;
  }
};

void add_shapes(const std::vector<model::Geometry>& geometries, const BodyFrame& frame,
                std::vector<ShapeMarker>& shapes) {
  for (const model::Geometry& geometry : geometries) {
    MarkerOf visitor{{.frame = frame.frame,
                      .name = geometry.name,
                      .X_FS = record::FramePose(geometry.X_LG),
                      .colour = geometry.colour.value_or(frame.is_moving ? kMoves : kStill)}};
    if (std::optional<ShapeMarker> marker = std::visit(visitor, geometry.shape)) {
      shapes.push_back(std::move(*marker));
    }
  }
}

}  // namespace

CellFrames::CellFrames(const model::Cell& cell, int arm) {
  for (std::size_t p = 0; p < cell.placements.size(); ++p) {
    add_placement(cell, static_cast<int>(p), static_cast<int>(p) == arm);
  }
  poses_.resize(movers_.size());
}

void CellFrames::add_placement(const model::Cell& cell, int number, bool is_arm) {
  const model::Placement& placement = cell.placements[static_cast<std::size_t>(number)];
  const model::BodyTree& tree = placement.tree;
  const int first_body = cell.first_body(number);
  const auto frame_name = [&](const std::string& name) {
    return is_arm ? name : placement.name + "/" + name;
  };
  const auto name_of = [&](int body) {
    return frame_name(tree.bodies[static_cast<std::size_t>(body)].name);
  };

  const record::FramePlace root{kWorld, name_of(0), record::FramePose(placement.X_WR)};
  (placement.is_fixed ? fixed_ : moving_).push_back(root);
  if (!placement.is_fixed) {
    movers_.push_back({first_body, -1});
  }
  for (std::size_t j = 0; j < tree.joints.size(); ++j) {
    const int parent = tree.joints[j].parent_body;
    const int child = static_cast<int>(j) + 1;
    moving_.push_back({name_of(parent), name_of(child), {}});
    movers_.push_back({first_body + child, first_body + parent});
  }
  for (const model::Frame& frame : tree.frames) {
    if (frame.name != tree.bodies[static_cast<std::size_t>(frame.body)].name) {
      fixed_.push_back(
          {name_of(frame.body), frame_name(frame.name), record::FramePose(frame.X_BF)});
    }
  }
  for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
    const bool is_moving = !tree.is_static && (b > 0 || !placement.is_fixed);
    bodies_.push_back({name_of(static_cast<int>(b)), number, static_cast<int>(b), is_moving});
  }
}

std::vector<ShapeMarker> CellFrames::shapes(const model::Cell& cell) const {
  std::vector<ShapeMarker> shapes;
  for (const BodyFrame& frame : bodies_) {
    const model::Body& body = cell.placements[static_cast<std::size_t>(frame.placement)]
                                  .tree.bodies[static_cast<std::size_t>(frame.body)];
    const std::size_t before = shapes.size();
    for (const std::vector<model::Geometry>* geometries : {&body.visuals, &body.collisions}) {
      if (shapes.size() == before) {  // who has no visuals, or none that can be drawn
        add_shapes(*geometries, frame, shapes);
      }
    }
  }
  return shapes;
}

std::span<const record::FramePose> CellFrames::poses(const physics::Engine& engine) {
  for (std::size_t i = 0; i < movers_.size(); ++i) {
    const model::Pose X_WB = engine.pose(physics::BodyId(movers_[i].body));
    poses_[i] = record::FramePose(
        movers_[i].parent < 0 ? X_WB
                              : engine.pose(physics::BodyId(movers_[i].parent)).inverse() * X_WB);
  }
  return poses_;
}

}  // namespace longarm::cell
