// SPDX-License-Identifier: Apache-2.0
// What follows from the triangles of a mesh: how large it is and what it encloses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "longarm/core/result.h"
#include "longarm/model/shape.h"

namespace longarm::model {

/// Endings of the files that read_mesh() understands, with their points: .stl, .dae, .obj, .ply and
/// .glb.
bool is_mesh_file(const std::string& file);

/// The triangles in a file's `content`, whose format its name tells. All parts of the file become
/// one mesh: nodes are placed as the file says, COLLADA's unit is applied and its up axis is not,
/// as RViz, Gazebo and MoveIt do. Equal corners are merged; a mirroring scale turns the triangles
/// over, so that they still face outwards, and so is a closed surface that faces inwards. Fails on
/// what is no such file, and on meshes without thickness.
Result<MeshData> read_mesh(const std::string& file, std::string_view content,
                           const Vector3& scale = Vector3::Ones());

/// The triangles of a mesh, from its file if they are not there: those of visuals are not, as only
/// drawings need them. Fails also on files of more than so many bytes.
Result<std::shared_ptr<const MeshData>> triangles_of(const Mesh& mesh, std::uintmax_t max_bytes);

/// What the triangles enclose, m³; negative if they face inwards, meaningless if there are holes.
double enclosed_volume(const MeshData& mesh);

/// A box around it, along the axes of its frame.
Eigen::AlignedBox3d bounds_of(const MeshData& mesh);

}  // namespace longarm::model
