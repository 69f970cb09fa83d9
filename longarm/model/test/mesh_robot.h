// SPDX-License-Identifier: Apache-2.0
// Writes a user's robot with meshes in every format and by every kind of address, into a folder.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "longarm/model/shape.h"

namespace longarm::model {

/// A folder that is gone with its owner.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = std::filesystem::temp_directory_path() / "longarm-model-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file, with the folders that it needs; returns its whole path.
  std::string write(const std::string& name, const std::string& content) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

/// A closed box between two corners: eight vertices, twelve triangles that face outwards.
inline MeshData box_mesh(const Vector3& low, const Vector3& high) {
  MeshData mesh;
  mesh.file = "box.stl";
  for (int i = 0; i < 8; ++i) {
    mesh.vertices_m.emplace_back((i & 1) != 0 ? high.x() : low.x(),
                                 (i & 2) != 0 ? high.y() : low.y(),
                                 (i & 4) != 0 ? high.z() : low.z());
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

inline std::string ascii_stl(const MeshData& mesh) {
  std::string text = "solid part\n";
  for (const auto& triangle : mesh.triangles) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (const int corner : triangle) {
      const Vector3& p = mesh.vertices_m[static_cast<std::size_t>(corner)];
      text += fmt::format("  vertex {} {} {}\n", p.x(), p.y(), p.z());
    }
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid part\n";
}

inline std::string binary_stl(const MeshData& mesh) {
  std::string bytes(80, ' ');
  const auto append = [&](auto value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  append(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& triangle : mesh.triangles) {
    for (int i = 0; i < 3; ++i) {
      append(0.0f);
    }
    for (const int corner : triangle) {
      for (const double x : mesh.vertices_m[static_cast<std::size_t>(corner)]) {
        append(static_cast<float>(x));
      }
    }
    append(std::uint16_t{0});
  }
  return bytes;
}

inline std::string obj(const MeshData& mesh) {
  std::string text = "o part\n";
  for (const Vector3& p : mesh.vertices_m) {
    text += fmt::format("v {} {} {}\n", p.x(), p.y(), p.z());
  }
  for (const auto& t : mesh.triangles) {
    text += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  }
  return text;
}

/// The mesh once at each of `places`, in units of `unit_m`.
inline std::string collada(const MeshData& mesh, const std::vector<Vector3>& places,
                           double unit_m = 1.0, const std::string& up_axis = "Z_UP") {
  std::string positions;
  std::string corners;
  for (const Vector3& p : mesh.vertices_m) {
    positions += fmt::format("{} {} {} ", p.x(), p.y(), p.z());
  }
  for (const auto& t : mesh.triangles) {
    corners += fmt::format("{} {} {} ", t[0], t[1], t[2]);
  }
  std::string nodes;
  for (std::size_t i = 0; i < places.size(); ++i) {
    nodes += fmt::format(
        "<node id=\"node{0}\"><matrix>1 0 0 {1} 0 1 0 {2} 0 0 1 {3} 0 0 0 1</matrix>"
        "<instance_geometry url=\"#part\"/></node>\n",
        i, places[i].x(), places[i].y(), places[i].z());
  }
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n"
      "<asset><unit name=\"own\" meter=\"{}\"/><up_axis>{}</up_axis></asset>\n"
      "<library_geometries><geometry id=\"part\"><mesh>\n"
      "<source id=\"corners\"><float_array id=\"numbers\" count=\"{}\">{}</float_array>\n"
      "<technique_common><accessor source=\"#numbers\" count=\"{}\" stride=\"3\">"
      "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>"
      "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source>\n"
      "<vertices id=\"vertices\"><input semantic=\"POSITION\" source=\"#corners\"/></vertices>\n"
      "<triangles count=\"{}\"><input semantic=\"VERTEX\" source=\"#vertices\" offset=\"0\"/>"
      "<p>{}</p></triangles>\n</mesh></geometry></library_geometries>\n"
      "<library_visual_scenes><visual_scene id=\"scene\">\n{}</visual_scene>"
      "</library_visual_scenes>\n"
      "<scene><instance_visual_scene url=\"#scene\"/></scene>\n</COLLADA>\n",
      unit_m, up_axis, 3 * mesh.vertices_m.size(), positions, mesh.vertices_m.size(),
      mesh.triangles.size(), corners, nodes);
}

/// The numbers of a mesh as a .gltf file's buffer has them: corners, then triangles.
inline std::string gltf_buffer(const MeshData& mesh) {
  std::string bytes;
  const auto append = [&](auto value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  for (const Vector3& p : mesh.vertices_m) {
    for (const double x : p) {
      append(static_cast<float>(x));
    }
  }
  for (const auto& triangle : mesh.triangles) {
    for (const int corner : triangle) {
      append(static_cast<std::uint16_t>(corner));
    }
  }
  return bytes;
}

/// A .gltf file whose buffer is the file `buffer` beside it.
inline std::string gltf(const MeshData& mesh, const std::string& buffer) {
  const std::size_t corners = 12 * mesh.vertices_m.size();
  const std::size_t triangles = 6 * mesh.triangles.size();
  return fmt::format(
      R"({{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
"nodes": [{{"mesh": 0}}],
"meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
"accessors": [{{"bufferView": 0, "componentType": 5126, "count": {}, "type": "VEC3"}},
{{"bufferView": 1, "componentType": 5123, "count": {}, "type": "SCALAR"}}],
"bufferViews": [{{"buffer": 0, "byteOffset": 0, "byteLength": {}}},
{{"buffer": 0, "byteOffset": {}, "byteLength": {}}}],
"buffers": [{{"byteLength": {}, "uri": "{}"}}]}})",
      mesh.vertices_m.size(), 3 * mesh.triangles.size(), corners, corners, triangles,
      corners + triangles, buffer);
}

struct MeshRobot {
  std::string urdf;           ///< the robot's file
  std::string search_folder;  ///< must be searched to find the turret's mesh
};

/// A base and three links on revolute joints `waist` (z), `shoulder` (y) and `elbow` (y):
///   base    ascii STL, package://, box 0.2 × 0.2 × 0.1 m standing on the ground
///   turret  binary STL in millimetres, model://, box 0.1 × 0.1 × 0.2 m
///   arm     COLLADA in centimetres, file://, two boxes of 0.1 × 0.04 × 0.04 m end to end along x
///   hand    OBJ, relative, mirrored by its scale: y from -0.06 to 0
/// Straight up at zero; frame `tip` on the hand.
inline MeshRobot write_mesh_robot(const ScratchFolder& folder) {
  const std::string package = "workspace/src/picker/picker_description/";
  folder.write(package + "package.xml", "<package><name>picker_description</name></package>");
  folder.write(package + "meshes/base.stl", ascii_stl(box_mesh({-0.1, -0.1, 0}, {0.1, 0.1, 0.1})));
  folder.write("gazebo/picker_turret/meshes/turret.STL",
               binary_stl(box_mesh({-50, -50, 0}, {50, 50, 200})));
  const std::string arm = folder.write(
      "elsewhere/arm.dae",
      collada(box_mesh({-5, -2, -2}, {5, 2, 2}), {{7, 0, 0}, {17, 0, 0}}, 0.01, "Y_UP"));
  folder.write(package + "meshes/hand.obj", obj(box_mesh({0.02, 0, -0.02}, {0.12, 0.06, 0.02})));
  const auto link = [](const std::string& name, const std::string& mesh, double mass_kg,
                       const std::string& centre) {
    return fmt::format(
        "  <link name=\"{0}\">\n"
        "    <inertial><origin xyz=\"{3}\"/><mass value=\"{2}\"/>\n"
        "      <inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" iyz=\"0\" izz=\"0.01\"/>"
        "</inertial>\n"
        "    <visual><geometry><mesh {1}/></geometry></visual>\n"
        "    <collision><geometry><mesh {1}/></geometry></collision>\n  </link>\n",
        name, mesh, mass_kg, centre);
  };
  const auto joint = [](const std::string& name, const std::string& parent,
                        const std::string& child, const std::string& origin,
                        const std::string& axis) {
    return fmt::format(
        "  <joint name=\"{}\" type=\"revolute\"><parent link=\"{}\"/><child link=\"{}\"/>\n"
        "    <origin {}/><axis xyz=\"{}\"/>\n"
        "    <limit lower=\"-3\" upper=\"3\" effort=\"200\" velocity=\"3\"/></joint>\n",
        name, parent, child, origin, axis);
  };
  const std::string urdf =
      "<?xml version=\"1.0\"?>\n<robot name=\"picker\">\n" +
      link("base", "filename=\"package://picker_description/meshes/base.stl\"", 5, "0 0 0.05") +
      link("turret",
           "filename=\"model://picker_turret/meshes/turret.STL\" scale=\"0.001 0.001 0.001\"", 3,
           "0 0 0.1") +
      link("arm", "filename=\"file://" + arm + "\"", 2, "0.12 0 0") +
      link("hand", "filename=\"../meshes/hand.obj\" scale=\"1 -1 1\"", 1, "0.07 -0.03 0") +
      "  <link name=\"tip\"/>\n" + joint("waist", "base", "turret", "xyz=\"0 0 0.11\"", "0 0 1") +
      joint("shoulder", "turret", "arm", "xyz=\"0 0 0.2\" rpy=\"0 -1.5707963267948966 0\"",
            "0 1 0") +
      joint("elbow", "arm", "hand", "xyz=\"0.24 0 0\"", "0 1 0") +
      "  <joint name=\"to_tip\" type=\"fixed\"><parent link=\"hand\"/><child link=\"tip\"/>"
      "<origin xyz=\"0.12 -0.03 0\"/></joint>\n</robot>\n";
  return {folder.write(package + "urdf/picker.urdf", urdf), (folder.path() / "gazebo").string()};
}

}  // namespace longarm::model
