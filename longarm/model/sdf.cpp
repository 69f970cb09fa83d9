// SPDX-License-Identifier: Apache-2.0
// The one model of an SDF text.
#include "longarm/model/sdf.h"

#include <fmt/format.h>
#include <sdf/World.hh>

#include "longarm/model/sdf_document.h"

namespace longarm::model {
namespace {

/// The only model of the file, wherever it stands; null after an error.
const sdf::Model* only_model(const SdfDocument& document, Diagnostics& diagnostics) {
  const sdf::Root& root = document.root();
  if (root.Model() != nullptr) {
    return root.Model();
  }
  const sdf::World* world = root.WorldCount() > 0 ? root.WorldByIndex(0) : nullptr;
  const std::uint64_t count = world == nullptr ? 0 : world->ModelCount();
  if (count == 1) {
    return world->ModelByIndex(0);
  }
  if (root.Light() == nullptr) {
    diagnostics.error(
        document.source().where(document.source().root()),
        count == 0 ? "the file has no model" : fmt::format("the world has {} models", count),
        "a model file describes one model; a scenario puts several into a cell");
  }
  return nullptr;
}

}  // namespace

std::optional<ModelParts> read_sdf_parts(const std::string& text, const std::string& path,
                                         ModelResources& resources, const IncludeChain& around,
                                         Diagnostics& diagnostics) {
  const SdfDocument document(text, path, resources, around, diagnostics);
  if (!document.is_readable()) {
    return std::nullopt;
  }
  const sdf::Model* model = only_model(document, diagnostics);
  if (model == nullptr) {
    return std::nullopt;
  }
  if (const auto included = document.included().find(model->Name());
      included != document.included().end()) {
    return included->second;
  }
  const XmlSource& source = document.source();
  const pugi::xml_node parent =
      document.root().Model() != nullptr ? source.root() : source.root().child("world");
  return SdfModelReader(source, document.included(), resources, diagnostics)
      .read(*model, parent.child("model"), model->Name());
}

Model read_sdf(const std::string& text, const std::string& path, Diagnostics& diagnostics) {
  const ModelSearch nowhere_else;
  InputFiles files;
  ModelResources resources(nowhere_else, files);
  return read_sdf(text, path, resources, diagnostics);
}

Model read_sdf(const std::string& text, const std::string& path, ModelResources& resources,
               Diagnostics& diagnostics) {
  std::optional<ModelParts> parts = read_sdf_parts(text, path, resources, {}, diagnostics);
  if (!parts) {
    return {};
  }
  return stand_alone(std::move(*parts), diagnostics);
}

}  // namespace longarm::model
