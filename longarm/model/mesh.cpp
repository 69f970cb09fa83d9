// SPDX-License-Identifier: Apache-2.0
// Reads mesh files with assimp and keeps what collisions need: corners and triangles.
#include "longarm/model/mesh.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>

#include <Eigen/Eigenvalues>
#include <assimp/IOStream.hpp>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <assimp/MemoryIOWrapper.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>
#include <pugixml.hpp>

namespace longarm::model {
namespace {

// Thinner than this part of its length, a mesh has no inside that an engine could find.
constexpr double kLeastThickness = 1e-5;

/// ".stl" for arm.STL
std::string extension_of(const std::string& file) {
  std::string extension = std::filesystem::path(file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

Eigen::Affine3d to_transform(const aiMatrix4x4& m) {
  Eigen::Matrix4d matrix;
  matrix << m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4, m.c1, m.c2, m.c3, m.c4, 0, 0, 0, 1;
  return Eigen::Affine3d(matrix);
}

/// The files beside a mesh file, for assimp.
class FilesBeside final : public Assimp::IOSystem {
 public:
  FilesBeside(const std::string& file, const SideFiles& side_files)
      : folder_(std::filesystem::path(file).parent_path()), side_files_(side_files) {}

  bool Exists(const char* name) const override { return side_files_(path_of(name)).has_value(); }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* name, const char* /*mode*/) override {
    const Result<std::string> content = side_files_(path_of(name));
    if (!content) {
      missing_ = name;
      return nullptr;
    }
    auto* const copy = new std::uint8_t[content->size()];  // the stream deletes it
    std::copy(content->begin(), content->end(), copy);
    return new Assimp::MemoryIOStream(copy, content->size(), true);
  }
  void Close(Assimp::IOStream* stream) override { delete stream; }

  /// A file that should be there; empty if none is missing.
  const std::string& missing() const { return missing_; }

 private:
  std::string path_of(const char* name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
  const SideFiles& side_files_;
  std::string missing_;
};

/// Gathers the triangles of a scene, node by node.
class Gatherer {
 public:
  explicit Gatherer(const Vector3& scale) : scale_(scale) {}

  void add(const aiScene& scene, const aiNode& node, const Eigen::Affine3d& X_parent) {
    const Eigen::Affine3d X = X_parent * to_transform(node.mTransformation);
    for (unsigned i = 0; i < node.mNumMeshes; ++i) {
      const aiMesh& part = *scene.mMeshes[node.mMeshes[i]];
      const std::size_t before = mesh_.triangles.size();
      add(part, Eigen::Affine3d(Eigen::Scaling(scale_) * X));
      colours_.push_back({mesh_.triangles.size() - before, colour_of(scene, part)});
    }
    for (unsigned i = 0; i < node.mNumChildren; ++i) {
      add(scene, *node.mChildren[i], X);
    }
  }

  bool is_finite() const { return is_finite_; }
  MeshData take() { return std::move(mesh_); }
  std::vector<TriangleColour> take_colours() { return std::move(colours_); }

 private:
  static Colour colour_of(const aiScene& scene, const aiMesh& part) {
    aiColor4D colour(1, 1, 1, 1);
    if (part.mMaterialIndex < scene.mNumMaterials) {
      const aiMaterial& material = *scene.mMaterials[part.mMaterialIndex];
      material.Get(AI_MATKEY_COLOR_DIFFUSE, colour);
      float opacity = colour.a;
      material.Get(AI_MATKEY_OPACITY, opacity);
      colour.a = opacity;
    }
    return {colour.r, colour.g, colour.b, colour.a};
  }
  void add(const aiMesh& part, const Eigen::Affine3d& X) {
    const bool is_mirrored = X.linear().determinant() < 0.0;
    std::vector<int> corners;
    for (unsigned i = 0; i < part.mNumVertices; ++i) {
      const aiVector3D& v = part.mVertices[i];
      corners.push_back(corner(X * Vector3(v.x, v.y, v.z)));
    }
    for (unsigned i = 0; i < part.mNumFaces; ++i) {
      const aiFace& face = part.mFaces[i];
      // what is left of points and lines has fewer corners
      if (face.mNumIndices != 3) {
        continue;
      }
      std::array<int, 3> triangle{corners[face.mIndices[0]], corners[face.mIndices[1]],
                                  corners[face.mIndices[2]]};
      if (is_mirrored) {
        std::swap(triangle[1], triangle[2]);
      }
      if (triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0]) {
        mesh_.triangles.push_back(triangle);
      }
    }
  }

  int corner(const Vector3& p) {
    // what is not a number has no place among the sorted ones
    if (!p.allFinite()) {
      is_finite_ = false;
      return 0;
    }
    const auto [found, is_new] =
        numbers_.try_emplace({p.x(), p.y(), p.z()}, static_cast<int>(mesh_.vertices_m.size()));
    if (is_new) {
      mesh_.vertices_m.push_back(p);
    }
    return found->second;
  }

  Vector3 scale_;
  bool is_finite_ = true;
  MeshData mesh_;
  std::vector<TriangleColour> colours_;
  std::map<std::array<double, 3>, int> numbers_;
};

bool is_flat(const MeshData& mesh) {
  Vector3 centre = Vector3::Zero();
  for (const Vector3& vertex : mesh.vertices_m) {
    centre += vertex / static_cast<double>(mesh.vertices_m.size());
  }
  Matrix3 spread = Matrix3::Zero();
  for (const Vector3& vertex : mesh.vertices_m) {
    spread += (vertex - centre) * (vertex - centre).transpose();
  }
  const Vector3 squares =
      Eigen::SelfAdjointEigenSolver<Matrix3>(spread, Eigen::EigenvaluesOnly).eigenvalues();
  return std::max(squares[0], 0.0) <= kLeastThickness * kLeastThickness * squares[2];
}

/// Whether a closed surface faces inwards all over, as some programs write it. The areas of a
/// closed surface, as vectors, add up to nothing.
bool is_inside_out(const MeshData& mesh) {
  Vector3 sum = Vector3::Zero();
  double total = 0.0;
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    const Vector3& a = mesh.vertices_m[static_cast<std::size_t>(triangle[0])];
    const Vector3& b = mesh.vertices_m[static_cast<std::size_t>(triangle[1])];
    const Vector3& c = mesh.vertices_m[static_cast<std::size_t>(triangle[2])];
    const Vector3 area = (b - a).cross(c - a);
    sum += area;
    total += area.norm();
  }
  return sum.norm() < 1e-5 * total && enclosed_volume(mesh) < 0.0;
}

/// A binary STL is 80 bytes of anything, the number of triangles and 50 bytes for each, two of
/// which are zero; text has no such bytes.
std::optional<std::string> truncated_stl(std::string_view content) {
  constexpr std::size_t kHeader = 84;
  if (content.find('\0') == std::string_view::npos) {
    return std::nullopt;
  }
  if (content.size() < kHeader) {
    return fmt::format("the file ends after {} bytes, within the header of a binary STL",
                       content.size());
  }
  std::uint64_t triangles = 0;
  for (std::size_t i = 0; i < 4; ++i) {  // least byte first
    triangles |= std::uint64_t{static_cast<unsigned char>(content[80 + i])} << (8 * i);
  }
  if (content.size() >= kHeader + 50 * triangles) {
    return std::nullopt;
  }
  return fmt::format("the file is truncated: {} triangles take {} bytes, but it has {}", triangles,
                     kHeader + 50 * triangles, content.size());
}

/// Whether an accessor reads past the end of its array, which Assimp does without looking.
bool reads_past_the_end(pugi::xml_node accessor) {
  const std::string_view source = accessor.attribute("source").value();
  const pugi::xml_node array = accessor.root().find_node([&](pugi::xml_node node) {
    return std::string_view(node.name()) == "float_array" && source.starts_with('#') &&
           source.substr(1) == node.attribute("id").value();
  });
  const unsigned long long count = accessor.attribute("count").as_uint();
  const unsigned long long stride = accessor.attribute("stride").as_uint(1);
  const auto parameters = accessor.children("param");
  const auto of_one =
      static_cast<unsigned long long>(std::distance(parameters.begin(), parameters.end()));
  const unsigned long long end = accessor.attribute("offset").as_uint() +
                                 (count > 0 ? (count - 1) * stride + std::max(stride, of_one) : 0);
  return array && end > array.attribute("count").as_uint();
}

/// Assimp's COLLADA reader never ends on a list of indices with something else in it.
std::optional<std::string> broken_collada(std::string_view content) {
  pugi::xml_document document;
  if (!document.load_buffer(content.data(), content.size())) {
    return std::nullopt;  // assimp says it better
  }
  const pugi::xml_node accessor = document.find_node([](pugi::xml_node node) {
    return std::string_view(node.name()) == "accessor" && reads_past_the_end(node);
  });
  if (accessor) {
    return fmt::format("an <accessor> reads past the end of '{}'",
                       accessor.attribute("source").value());
  }
  const pugi::xml_node broken = document.find_node([](pugi::xml_node node) {
    const std::string_view name = node.name();
    const bool has_indices = name == "p" || name == "vcount" || name == "v" || name == "h";
    const std::string_view text = node.text().get();
    return has_indices && text.find_first_not_of("-0123456789 \t\r\n") != std::string_view::npos;
  });
  if (!broken) {
    return std::nullopt;
  }
  return fmt::format("<{}> contains a value that is not a number", broken.name());
}

/// What can be told without reading it as a mesh.
std::optional<std::string> plain_complaint(const std::string& extension, std::string_view content) {
  if (content.empty()) {
    return "the file is empty";
  }
  if (content.starts_with("version https://git-lfs")) {
    return "it is a Git LFS pointer, not the mesh; run git lfs pull";
  }
  if (extension == ".dae") {
    return broken_collada(content);
  }
  return extension == ".stl" ? truncated_stl(content) : std::nullopt;
}

/// Assimp's words, without the name that it gives to what it reads from memory.
std::string words_of_assimp(std::string words) {
  constexpr std::string_view kNoName = "$$$___magic___$$$";
  if (const std::size_t start = words.find(kNoName); start != std::string::npos) {
    const std::size_t end = words.find_first_of(" \"'\n", start);
    words.replace(start, end == std::string::npos ? end : end - start, "the file");
    return words_of_assimp(std::move(words));
  }
  return words;
}

}  // namespace

bool is_mesh_file(const std::string& file) {
  const std::string extension = extension_of(file);
  return extension == ".stl" || extension == ".dae" || extension == ".obj" || extension == ".ply" ||
         extension == ".glb" || extension == ".gltf";
}

bool is_empty_stl(const std::string& file, std::string_view content) {
  constexpr std::size_t kHead = 80;
  constexpr std::size_t kHeadAndCount = 84;
  if (extension_of(file) != ".stl") {
    return false;
  }
  if (content.starts_with("solid") && content.find('\0') == std::string_view::npos) {
    return content.find("endsolid") != std::string_view::npos &&
           content.find("facet") == std::string_view::npos;
  }
  const bool is_without_count = content.size() == kHead;
  const bool counts_none =
      content.size() == kHeadAndCount && content.substr(kHead) == std::string_view("\0\0\0\0", 4);
  return is_without_count || counts_none;
}

namespace {

/// What read_mesh() and colours_of() have in common; `materials` is whether any are named.
Result<Gatherer> gather(const std::string& file, std::string_view content, const Vector3& scale,
                        const SideFiles& side_files, bool* has_materials = nullptr) {
  Assimp::Importer importer;
  auto* const beside = new FilesBeside(file, side_files);  // the importer deletes it
  importer.SetIOHandler(beside);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const std::string extension = extension_of(file);
  if (const auto complaint = plain_complaint(extension, content)) {
    return Error{*complaint};
  }
  const aiScene* scene = importer.ReadFileFromMemory(content.data(), content.size(),
                                                     aiProcess_Triangulate, extension.c_str() + 1);
  if (extension == ".gltf" && !beside->missing().empty()) {
    return Error{fmt::format("it names the file '{}', which is not beside it", beside->missing())};
  }
  if (scene == nullptr || scene->mRootNode == nullptr) {
    return Error{"it cannot be read as " + extension + ": " +
                 words_of_assimp(importer.GetErrorString())};
  }
  Gatherer gatherer(scale);
  const double up_rad = extension == ".gltf" ? M_PI / 2.0 : 0.0;  // from y to z
  gatherer.add(*scene, *scene->mRootNode,
               Eigen::Affine3d(Eigen::AngleAxisd(up_rad, Vector3::UnitX())));
  if (!gatherer.is_finite()) {
    return Error{"a vertex is not finite"};
  }
  if (has_materials != nullptr) {
    // assimp gives a grey material to files that have none
    *has_materials = std::any_of(
        scene->mMaterials, scene->mMaterials + scene->mNumMaterials,
        [](const aiMaterial* one) { return one->GetName() != aiString(AI_DEFAULT_MATERIAL_NAME); });
  }
  return gatherer;
}

}  // namespace

Result<MeshData> read_mesh(const std::string& file, std::string_view content, const Vector3& scale,
                           const SideFiles& side_files) {
  Result<Gatherer> gathered = gather(file, content, scale, side_files);
  if (!gathered) {
    return gathered.error();
  }
  MeshData mesh = std::move(gathered).value().take();
  mesh.file = file;
  if (mesh.triangles.empty()) {
    return Error{"it has no triangles"};
  }
  if (is_flat(mesh)) {
    return Error{"it is flat: all its points are in one plane"};
  }
  if (is_inside_out(mesh)) {
    for (std::array<int, 3>& triangle : mesh.triangles) {
      std::swap(triangle[1], triangle[2]);
    }
  }
  return mesh;
}

std::vector<TriangleColour> colours_of(const std::string& file, std::string_view content,
                                       const SideFiles& side_files) {
  bool has_materials = false;
  Result<Gatherer> gathered = gather(file, content, Vector3::Ones(), side_files, &has_materials);
  return gathered && has_materials ? std::move(gathered).value().take_colours()
                                   : std::vector<TriangleColour>{};
}

Result<std::shared_ptr<const MeshData>> triangles_of(const Mesh& mesh, std::uintmax_t max_bytes) {
  if (mesh.data) {
    return mesh.data;
  }
  std::error_code problem;
  const std::uintmax_t size = std::filesystem::file_size(mesh.file, problem);
  if (problem) {
    return Error{fmt::format("mesh {} cannot be read: {}", mesh.uri, problem.message())};
  }
  if (size > max_bytes) {
    return Error{fmt::format("mesh {} is too large to draw: {:.0f} MB", mesh.uri,
                             static_cast<double>(size) / 1e6)};
  }
  const Result<std::string> content = read_file(mesh.file);
  Result<MeshData> data =
      content ? read_mesh(mesh.file, *content, mesh.scale) : Result<MeshData>(content.error());
  if (!data) {
    return data.error();
  }
  return std::make_shared<const MeshData>(std::move(data).value());
}

double enclosed_volume(const MeshData& mesh) {
  // tetrahedra from a point near the surface, which rounds less than the origin
  const Vector3 apex = mesh.vertices_m.empty() ? Vector3::Zero() : mesh.vertices_m.front();
  double six_times = 0.0;
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    const auto corner = [&](int i) -> Vector3 {
      return mesh.vertices_m[static_cast<std::size_t>(triangle[static_cast<std::size_t>(i)])] -
             apex;
    };
    six_times += corner(0).dot(corner(1).cross(corner(2)));
  }
  return six_times / 6.0;
}

Eigen::AlignedBox3d bounds_of(const MeshData& mesh) {
  Eigen::AlignedBox3d bounds;
  for (const Vector3& vertex : mesh.vertices_m) {
    bounds.extend(vertex);
  }
  return bounds;
}

}  // namespace longarm::model
