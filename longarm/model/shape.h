// SPDX-License-Identifier: Apache-2.0
// The shapes that bodies are made of, for contact and for drawing.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <Eigen/Geometry>

namespace longarm::model {

using Pose = Eigen::Isometry3d;
using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

/// Readers refuse larger shapes: somebody's numbers went wrong.
inline constexpr double kMostLength_m = 1e6;

/// Centred on its frame; `size_m` are full edge lengths.
struct Box {
  Vector3 size_m = Vector3::Zero();
};

struct Sphere {
  double radius_m = 0.0;
};

/// Centred, axis along z; `length_m` is the whole height.
struct Cylinder {
  double radius_m = 0.0;
  double length_m = 0.0;
};

/// Centred, axis along z; `length_m` is the distance between the centres of the two end caps.
struct Capsule {
  double radius_m = 0.0;
  double length_m = 0.0;
};

/// An infinite half space below the plane z = 0 of its frame. Only on bodies that are fixed to the
/// world.
struct HalfSpace {};

/// A surface of triangles. Corners are numbers into `vertices_m`, anticlockwise seen from outside.
struct MeshData {
  std::string file;  ///< for messages
  std::vector<Vector3> vertices_m;
  std::vector<std::array<int, 3>> triangles;
};

/// `data` is shared because cells, trees and engines are copies of each other and a mesh may be
/// large; nobody changes it. It is null on a visual, whose triangles nobody needs yet.
struct Mesh {
  std::string uri;                  ///< as the model file names it
  std::string file;                 ///< where that is; empty if it was not found
  Vector3 scale = Vector3::Ones();  ///< already in `data`
  std::shared_ptr<const MeshData> data;
};

using Shape = std::variant<Box, Sphere, Cylinder, Capsule, HalfSpace, Mesh>;

/// What a surface does on contact. The friction of a pair is the smaller of the two, and so are its
/// `min_depth_m` and `max_correction_m_s`; stiffnesses act one behind the other, dampings add up.
/// That is how Gazebo reads SDF; engines warn where they can only come near.
struct Surface {
  double friction = 1.0;
  std::optional<double> stiffness_N_m;       ///< SDF kp; absent: as hard as the engine can
  double damping_N_s_m = 1.0;                ///< SDF kd; means nothing without a stiffness
  double min_depth_m = 0.0;                  ///< overlap that nothing pushes apart
  std::optional<double> max_correction_m_s;  ///< SDF max_vel: how fast an overlap is pushed apart
};

/// Red, green, blue, opacity; 0 to 1.
using Colour = std::array<float, 4>;

/// A shape placed on a link (or, once lumped, on a body); L is that link's frame.
struct Geometry {
  std::string name;
  Pose X_LG = Pose::Identity();
  Shape shape;
  Surface surface;
  std::optional<Colour> colour{};  ///< of a visual that says so
};

}  // namespace longarm::model
