// SPDX-License-Identifier: Apache-2.0
// Finds meshes, says what is wrong with them, and shares those that are used twice.
#include "longarm/model/model_resources.h"

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/model/mesh.h"

namespace longarm::model {
namespace {

// Robots and their cells are smaller; drawings in millimetres are not.
constexpr double kLargest_m = 20.0;

/// Whether a name still has what only the xacro program replaces: $(find package) or ${property}.
bool is_unexpanded(const std::string& uri) {
  return uri.find("$(") != std::string::npos || uri.find("${") != std::string::npos;
}

std::string unexpanded_words(const std::string& uri) {
  return fmt::format("the file name of mesh '{}' contains an unexpanded xacro expression", uri);
}

void warn_if_huge(const MeshReference& mesh, const MeshData& data, Diagnostics& diagnostics) {
  const double size = bounds_of(data).sizes().maxCoeff();
  if (size > kLargest_m) {
    diagnostics.warning(
        mesh.where, fmt::format("{}mesh '{}' is {:.6g} m long", mesh.owner, mesh.uri, size),
        "lengths are in metres; a drawing in millimetres needs a scale of 0.001 0.001 0.001");
  }
}

}  // namespace

std::string search_hint(const std::string& uri) {
  if (is_unexpanded(uri)) {
    return "expand it first: xacro robot.urdf.xacro -o robot.urdf";
  }
  const std::size_t start = uri.find("://");
  if (start == std::string::npos || uri.starts_with("file://")) {
    return "a plain path is relative to the model file";
  }
  if (!uri.starts_with("package://") && !uri.starts_with("model://")) {
    return "use package://, model://, file:// or a plain path to a copy of it";
  }
  const std::string name = uri.substr(start + 3, uri.find('/', start + 3) - start - 3);
  return fmt::format("put the folder that holds '{}' into robot.search_path or LONGARM_MODEL_PATH",
                     name);
}

Result<std::string> ModelResources::read(const std::string& name, const std::string& path) {
  Result<std::string> content = read_file(path);
  if (content) {
    files_.remember(name, path, *content);
  }
  return content;
}

Result<std::string> ModelResources::find(const MeshReference& mesh,
                                         Diagnostics& diagnostics) const {
  Result<std::string> file = find_resource("mesh", mesh.uri, mesh.where.path, search_);
  if (file || is_unexpanded(mesh.uri)) {
    return file;
  }
  const std::vector<std::string> similar = find_by_end(mesh.uri, mesh.where.path);
  if (similar.size() == 1) {
    diagnostics.warning(mesh.where,
                        fmt::format("{}mesh '{}' not found; using {} instead", mesh.owner, mesh.uri,
                                    similar.front()),
                        "only the end of its path matches: check that it is the right file");
    return similar.front();
  }
  if (similar.size() > 1) {
    return Error{file.error().message +
                 "; several files match the end of its path: " + join(similar)};
  }
  return file;
}

std::optional<Mesh> ModelResources::collision_mesh(const MeshReference& mesh,
                                                   Diagnostics& diagnostics) {
  const auto fail = [&](const std::string& message, const std::string& hint) {
    diagnostics.error(mesh.where, mesh.owner + message, hint);
    return std::nullopt;
  };
  if (!mesh.scale.allFinite() || mesh.scale.cwiseAbs().minCoeff() == 0.0) {
    return fail(fmt::format("the scale of mesh '{}' has a 0", mesh.uri), "for example 1 1 1");
  }
  if (is_unexpanded(mesh.uri)) {
    return fail(unexpanded_words(mesh.uri), search_hint(mesh.uri));
  }
  if (!is_mesh_file(mesh.uri)) {
    return fail(fmt::format("mesh '{}' has an unsupported format", mesh.uri),
                "supported are .stl, .dae, .obj, .ply, .glb and .gltf");
  }
  const Result<std::string> file = find(mesh, diagnostics);
  if (!file) {
    return fail(file.error().message, search_hint(mesh.uri));
  }
  std::shared_ptr<const MeshData> data = load(mesh, *file, diagnostics);
  if (data == nullptr) {
    return std::nullopt;
  }
  return Mesh{mesh.uri, *file, mesh.scale, std::move(data)};
}

std::shared_ptr<const MeshData> ModelResources::load(const MeshReference& mesh,
                                                     const std::string& file,
                                                     Diagnostics& diagnostics) {
  const MeshKey key{file, mesh.scale.x(), mesh.scale.y(), mesh.scale.z()};
  if (const auto known = meshes_.find(key); known != meshes_.end()) {
    return known->second;
  }
  const Result<std::string> content = read(mesh.uri, file);
  if (content && is_empty_stl(file, *content)) {
    diagnostics.warning(mesh.where,
                        fmt::format("{}mesh '{}' has NO TRIANGLES: this collision shape is ignored",
                                    mesh.owner, mesh.uri),
                        "export it again, or remove the <collision>; the file is " + file);
    return nullptr;
  }
  const auto side_files = [&](const std::string& path) { return read(path, path); };
  Result<MeshData> data = content ? read_mesh(file, *content, mesh.scale, side_files)
                                  : Result<MeshData>(content.error());
  if (!data) {
    diagnostics.error(
        mesh.where,
        fmt::format("{}mesh '{}' cannot be used: {}", mesh.owner, mesh.uri, data.error().message),
        "the file is " + file);
    return nullptr;
  }
  warn_if_huge(mesh, *data, diagnostics);
  auto shared = std::make_shared<const MeshData>(std::move(data).value());
  meshes_.emplace(key, shared);
  return shared;
}

Mesh ModelResources::visual_mesh(const MeshReference& mesh, Diagnostics& diagnostics) const {
  const Result<std::string> file = find(mesh, diagnostics);
  if (!file) {
    diagnostics.warning(
        mesh.where,
        mesh.owner + (is_unexpanded(mesh.uri) ? unexpanded_words(mesh.uri) : file.error().message),
        "it is a visual and affects drawings only; " + search_hint(mesh.uri));
  }
  return {mesh.uri, file ? *file : "", mesh.scale, nullptr};
}

}  // namespace longarm::model
