// SPDX-License-Identifier: Apache-2.0
// Finds out which format a file is in.
#include "longarm/model/model_file.h"

#include <filesystem>

#include <fmt/format.h>

#include "longarm/model/parts_file.h"
#include "longarm/model/urdf.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {
namespace {

bool is_xacro(const char* name) {
  return std::string_view(name).starts_with("xacro:");
}

/// The first element that only the xacro program understands. The namespace alone says nothing:
/// expanded files keep it.
pugi::xml_node first_xacro(const XmlSource& source) {
  return source.document().find_node([](pugi::xml_node element) {
    return is_xacro(element.name()) ||
           element.find_attribute([](pugi::xml_attribute a) { return is_xacro(a.name()); });
  });
}

/// "arm.urdf" for arm.urdf.xacro and arm.xacro, "arm.sdf" for arm.sdf.xacro; never the file itself.
std::string expanded_name(const std::string& path, bool is_sdf) {
  std::filesystem::path name(path);
  if (name.extension() == ".xacro") {
    name.replace_extension();
  }
  const std::string extension = is_sdf ? ".sdf" : ".urdf";
  name.replace_extension(extension);
  return name == path ? name.replace_extension(".expanded" + extension) : name;
}

}  // namespace

std::string format_of(const std::string& text, const std::string& path, Diagnostics& diagnostics) {
  Diagnostics syntax;
  const XmlSource source(text, path, syntax);
  for (const Diagnostic& problem : syntax.all()) {
    diagnostics.add(problem);
  }
  if (syntax.has_errors()) {
    return "";
  }
  const std::string root = source.root().name();
  if (const pugi::xml_node xacro = first_xacro(source)) {
    const bool is_sdf = root == "sdf";
    diagnostics.error(
        source.where(xacro),
        is_sdf ? "this is a xacro file, not an SDF" : "this is a xacro file, not a URDF",
        fmt::format("expand it first: xacro {} -o {}", path, expanded_name(path, is_sdf)));
    return "";
  }
  if (root != "robot" && root != "sdf") {
    diagnostics.error(source.where(source.root()), fmt::format("<{}> is no robot model", root),
                      "URDF starts with <robot>, SDF with <sdf>");
    return "";
  }
  return root;
}

std::optional<ModelParts> read_parts_file(const std::string& name, const std::string& path,
                                          ModelResources& resources, const IncludeChain& around,
                                          Diagnostics& diagnostics) {
  const Result<std::string> text = resources.read(name, path);
  if (!text) {
    diagnostics.error({path, 0, 0}, "cannot read the file", "is the path right, and is it a file?");
    return std::nullopt;
  }
  const std::string format = format_of(*text, path, diagnostics);
  if (format == "sdf") {
    return read_sdf_parts(*text, path, resources, around, diagnostics);
  }
  if (format == "robot") {
    Model model = read_urdf(*text, path, resources, diagnostics);
    return model.links.empty() ? std::nullopt : std::optional(parts_of(std::move(model)));
  }
  return std::nullopt;
}

Model read_model_file(const std::string& path, const ModelSearch& search, InputFiles& files,
                      Diagnostics& diagnostics) {
  ModelResources resources(search, files);
  std::optional<ModelParts> parts = read_parts_file(path, path, resources, {}, diagnostics);
  return parts ? stand_alone(std::move(*parts), diagnostics) : Model{};
}

Model read_model_file(const std::string& path, Diagnostics& diagnostics) {
  InputFiles files;
  return read_model_file(path, {}, files, diagnostics);
}

}  // namespace longarm::model
