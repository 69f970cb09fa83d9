// SPDX-License-Identifier: Apache-2.0
// The files that model files refer to, each found and read once. Internal to the folder.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "longarm/core/diagnostic.h"
#include "longarm/core/input_files.h"
#include "longarm/model/model_search.h"
#include "longarm/model/shape.h"

namespace longarm::model {

/// A mesh as a model file names it.
struct MeshReference {
  std::string uri;
  Vector3 scale = Vector3::Ones();
  std::string owner;  ///< "link 'arm': ", for messages
  SourceLocation where;
};

/// What to do about a file that is nowhere.
std::string search_hint(const std::string& uri);

class ModelResources {
 public:
  /// Borrows `search` and `files`; everything that is read is remembered in the latter.
  ModelResources(const ModelSearch& search, InputFiles& files) : search_(search), files_(files) {}

  const ModelSearch& search() const { return search_; }

  /// The content of a file that was found.
  Result<std::string> read(const std::string& name, const std::string& path);

  /// With its triangles. Reports what is wrong; nothing then.
  std::optional<Mesh> collision_mesh(const MeshReference& mesh, Diagnostics& diagnostics);
  /// Without triangles. A file that is missing is worth a warning only.
  Mesh visual_mesh(const MeshReference& mesh, Diagnostics& diagnostics) const;

 private:
  using MeshKey = std::tuple<std::string, double, double, double>;

  /// Where it is; with a warning where only the end of its path says so.
  Result<std::string> find(const MeshReference& mesh, Diagnostics& diagnostics) const;
  std::shared_ptr<const MeshData> load(const MeshReference& mesh, const std::string& file,
                                       Diagnostics& diagnostics);

  const ModelSearch& search_;
  InputFiles& files_;
  std::map<MeshKey, std::shared_ptr<const MeshData>> meshes_;
};

}  // namespace longarm::model
