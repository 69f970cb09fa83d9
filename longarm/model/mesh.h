// SPDX-License-Identifier: Apache-2.0
// What follows from the triangles of a mesh: how large it is and what it encloses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/input_files.h"
#include "longarm/core/result.h"
#include "longarm/model/shape.h"

namespace longarm::model {

/// Endings of the files that read_mesh() understands, with their points: .stl, .dae, .obj, .ply,
/// .glb and .gltf.
bool is_mesh_file(const std::string& file);

/// Whether it is an STL file without a single facet, as some programs export an empty part: text,
/// or a binary head and nothing else.
bool is_empty_stl(const std::string& file, std::string_view content);

/// Reads a file that a mesh file names (a .gltf's .bin), by its path.
using SideFiles = std::function<Result<std::string>(const std::string& path)>;

/// The triangles in a file's `content`, whose format its name tells. All parts of the file become
/// one mesh: nodes are placed as the file says, COLLADA's unit is applied and its up axis is not,
/// as RViz, Gazebo and MoveIt do. A .gltf file has y up and is turned, as its standard and Drake
/// have it; a .glb file is not turned, as RViz and SAPIEN do. Equal corners are merged; a mirroring
/// scale turns the triangles over, so that they still face outwards, and so is a closed surface
/// that faces inwards. Fails on what is no such file, and on meshes without thickness.
Result<MeshData> read_mesh(const std::string& file, std::string_view content,
                           const Vector3& scale = Vector3::Ones(),
                           const SideFiles& side_files = read_file);

/// So many triangles that stand together, and the colour that they have.
struct TriangleColour {
  std::size_t triangles = 0;
  Colour rgba{};
};

/// What the materials in a file say of the triangles that read_mesh() gives, in their order. Empty
/// if it has none, as STL, or cannot be read.
std::vector<TriangleColour> colours_of(const std::string& file, std::string_view content,
                                       const SideFiles& side_files = read_file);

/// The triangles of a mesh, from its file if they are not there: those of visuals are not, as only
/// drawings need them. Fails also on files of more than so many bytes.
Result<std::shared_ptr<const MeshData>> triangles_of(const Mesh& mesh, std::uintmax_t max_bytes);

/// What the triangles enclose, m³; negative if they face inwards, meaningless if there are holes.
double enclosed_volume(const MeshData& mesh);

/// A box around it, along the axes of its frame.
Eigen::AlignedBox3d bounds_of(const MeshData& mesh);

}  // namespace longarm::model
