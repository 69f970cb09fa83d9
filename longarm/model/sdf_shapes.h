// SPDX-License-Identifier: Apache-2.0
// The parts of an SDF link as ours. Internal to the folder.
#pragma once

#include <optional>
#include <vector>

#include <sdf/Collision.hh>
#include <sdf/Element.hh>
#include <sdf/Geometry.hh>
#include <sdf/Mesh.hh>
#include <sdf/Visual.hh>

#include "longarm/model/model.h"
#include "longarm/model/model_resources.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {

Vector3 to_vector(const ignition::math::Vector3d& v);
Pose to_pose(const ignition::math::Pose3d& pose);

/// From the element, because libsdformat throws away what it finds impossible, and lint() wants to
/// see it.
std::optional<Inertial> read_inertial(const sdf::ElementPtr& link);

/// Reads the shapes of one link; `link` is its element in `source`.
class SdfShapeReader {
 public:
  SdfShapeReader(const XmlSource& source, pugi::xml_node link, ModelResources& resources,
                 Diagnostics& diagnostics)
      : source_(source), link_(link), resources_(resources), diagnostics_(diagnostics) {}

  void add(const sdf::Collision& collision, const Pose& X_LG, std::vector<Geometry>& shapes);
  void add(const sdf::Visual& visual, const Pose& X_LG, std::vector<Geometry>& shapes);

 private:
  /// Nothing, and a warning, for shapes that we do not have.
  std::optional<Shape> read_shape(const sdf::Geometry& geometry, pugi::xml_node element);
  std::optional<Shape> read_mesh_shape(const sdf::Mesh& mesh, pugi::xml_node element);

  const XmlSource& source_;
  pugi::xml_node link_;
  ModelResources& resources_;
  Diagnostics& diagnostics_;
};

}  // namespace longarm::model
