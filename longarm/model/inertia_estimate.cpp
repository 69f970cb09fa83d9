// SPDX-License-Identifier: Apache-2.0
// Finds what a body could weigh from how large it is.
#include "longarm/model/inertia_estimate.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "longarm/core/input_files.h"
#include "longarm/core/suggest.h"
#include "longarm/model/lint.h"
#include "longarm/model/mesh.h"
#include "longarm/model/shape_size.h"

namespace longarm::model {
namespace {

// what is smaller than a fingertip would only make the equations stiff
constexpr double kLeastMass_kg = 0.01;
constexpr double kLeastEdge_m = 0.01;
// a body without shapes: a ball of 5 cm radius
constexpr double kBallMass_kg = 0.1;
constexpr double kBallRadius_m = 0.05;

/// Visuals with the triangles that readers leave out; those that cannot be read stay without.
std::vector<Geometry> with_triangles(std::vector<Geometry> visuals) {
  for (Geometry& visual : visuals) {
    auto* mesh = std::get_if<Mesh>(&visual.shape);
    if (mesh == nullptr || mesh->data || !is_mesh_file(mesh->file)) {
      continue;
    }
    const Result<std::string> content = read_file(mesh->file);
    Result<MeshData> data =
        content ? read_mesh(mesh->file, *content, mesh->scale) : Result<MeshData>(content.error());
    if (data) {
      mesh->data = std::make_shared<const MeshData>(std::move(data).value());
    }
  }
  return visuals;
}

Matrix3 box_tensor(double mass_kg, const Vector3& edges_m) {
  const Vector3 squares = edges_m.cwiseMax(kLeastEdge_m).cwiseAbs2();
  const Vector3 moments =
      mass_kg / 12.0 *
      Vector3(squares.y() + squares.z(), squares.z() + squares.x(), squares.x() + squares.y());
  return moments.asDiagonal();
}

Inertial estimate(const Body& body) {
  std::vector<Geometry> shapes = body.collisions;
  std::optional<Eigen::AlignedBox3d> box = box_around(shapes);
  if (!box) {
    shapes = with_triangles(body.visuals);
    box = box_around(shapes);
  }
  const double given_kg = body.inertial.mass_kg;
  const bool has_own_mass = std::isfinite(given_kg) && given_kg > 0.0;
  Inertial result;
  if (has_own_mass) {
    result.mass_kg = given_kg;
    result.X_LC.translation() = body.inertial.X_LC.translation();
  } else {
    result.mass_kg =
        box ? std::max(kEstimatedDensity_kg_m3 * volume_of(shapes), kLeastMass_kg) : kBallMass_kg;
    result.X_LC.translation() = box ? Vector3(box->center()) : Vector3::Zero();
  }
  result.inertia_kg_m2 =
      box ? box_tensor(result.mass_kg, box->sizes())
          : Matrix3(0.4 * result.mass_kg * kBallRadius_m * kBallRadius_m * Matrix3::Identity());
  return result;
}

bool needs_estimate(const BodyTree& tree, int number, const std::vector<std::string>& kinds) {
  const std::vector<LintFinding> findings = lint_body(tree, number, true);
  return std::any_of(findings.begin(), findings.end(), [&](const LintFinding& finding) {
    return finding.diagnostic.severity == Severity::kError &&
           std::find(kinds.begin(), kinds.end(), finding.name) != kinds.end();
  });
}

}  // namespace

const std::vector<std::string>& estimable_findings() {
  static const std::vector<std::string> names{"mass", "inertia-definite", "inertia-triangle",
                                              "inertia-size"};
  return names;
}

std::vector<InertiaEstimate> estimate_inertials(BodyTree& tree,
                                                const std::vector<std::string>& kinds,
                                                bool root_is_fixed) {
  std::vector<InertiaEstimate> estimates;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const bool is_moving = !tree.is_static && (i > 0 || !root_is_fixed);
    if (!is_moving || !needs_estimate(tree, static_cast<int>(i), kinds)) {
      continue;
    }
    Body& body = tree.bodies[i];
    const double given_kg = body.inertial.mass_kg;
    body.inertial = estimate(body);
    estimates.push_back(
        {body.name, body.inertial.mass_kg, std::isfinite(given_kg) && given_kg > 0.0});
  }
  return estimates;
}

std::string in_words(const std::vector<InertiaEstimate>& estimates) {
  std::vector<std::string> words;
  for (const InertiaEstimate& each : estimates) {
    words.push_back(fmt::format("'{}' ({:.3g} kg{})", each.body, each.mass_kg,
                                each.has_own_mass ? ", given" : ""));
  }
  return join(words);
}

}  // namespace longarm::model
