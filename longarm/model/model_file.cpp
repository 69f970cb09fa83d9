// SPDX-License-Identifier: Apache-2.0
// Finds out which format a file is in.
#include "longarm/model/model_file.h"

#include <fmt/format.h>

#include "longarm/model/mjcf_file.h"
#include "longarm/model/parts_file.h"
#include "longarm/model/urdf.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {
namespace {

/// Whether the text is XML of a kind that is read; its root element then.
std::string format_of(const std::string& text, const std::string& path, Diagnostics& diagnostics) {
  Diagnostics syntax;
  const XmlSource source(text, path, syntax);
  for (const Diagnostic& problem : syntax.all()) {
    diagnostics.add(problem);
  }
  if (syntax.has_errors()) {
    return "";
  }
  std::string root = source.root().name();
  if (root != "robot" && root != "sdf" && root != "mujoco") {
    diagnostics.error(source.where(source.root()), fmt::format("<{}> is not a robot model", root),
                      "URDF files start with <robot>, SDF with <sdf>, MJCF with <mujoco>");
    return "";
  }
  return root;
}

std::optional<ModelParts> read_parts(const ModelText& text, const std::string& path,
                                     ModelResources& resources, const IncludeChain& around,
                                     Diagnostics& diagnostics) {
  if (text.format == "sdf") {
    return read_sdf_parts(text.text, path, resources, around, diagnostics);
  }
  Model model = text.format == "mujoco" ? read_mjcf(text.text, path, resources, diagnostics)
                                        : read_urdf(text.text, path, resources, diagnostics);
  return model.links.empty() ? std::nullopt : std::optional(parts_of(std::move(model)));
}

}  // namespace

void ModelText::hand_over(const Diagnostics& found, Diagnostics& diagnostics) const {
  for (Diagnostic each : found.all()) {
    if (xacro && each.where.path == path && each.where.line > 0) {
      each.where = xacro->origin(each.where);
    }
    diagnostics.add(each);
  }
}

void ModelText::put_right(Model& model) const {
  if (!xacro) {
    return;
  }
  const auto put = [&](SourceLocation& where) {
    where = where.path == path ? xacro->origin(where) : where;
  };
  put(model.where);
  for (Link& link : model.links) {
    put(link.where);
  }
  for (Joint& joint : model.joints) {
    put(joint.where);
  }
  for (IgnoredContact& pair : model.ignored_contacts) {
    put(pair.where);
  }
}

std::optional<ModelText> read_model_text(const std::string& name, const std::string& path,
                                         ModelResources& resources, Diagnostics& diagnostics) {
  const Result<std::string> text = resources.read(name, path);
  if (!text) {
    diagnostics.error({path, 0, 0}, "cannot read the file",
                      "check that the path is right and that it is a file");
    return std::nullopt;
  }
  ModelText result{path, format_of(*text, path, diagnostics), *text};
  if (result.format.empty()) {
    return std::nullopt;
  }
  const bool is_expanded_urdf = result.format == "robot" && !path.ends_with(".xacro");
  const std::vector<XacroCall> leftovers =
      is_expanded_urdf ? leftover_calls(*text, path) : std::vector<XacroCall>{};
  for (const XacroCall& call : leftovers) {
    diagnostics.warning(
        call.where,
        fmt::format("<xacro:{0}> is ignored: the file does not define a macro '{0}'", call.macro),
        "remove it, or expand the original xacro file again");
  }
  if (leftovers.empty() && (is_xacro(*text) || path.ends_with(".xacro"))) {
    result.xacro = expand_xacro(*text, path, resources, diagnostics);
    if (!result.xacro) {
      return std::nullopt;
    }
    result.text = result.xacro->text;
  }
  return result;
}

std::optional<ModelParts> read_parts_file(const std::string& name, const std::string& path,
                                          ModelResources& resources, const IncludeChain& around,
                                          Diagnostics& diagnostics) {
  const std::optional<ModelText> text = read_model_text(name, path, resources, diagnostics);
  if (!text) {
    return std::nullopt;
  }
  Diagnostics found;
  std::optional<ModelParts> parts = read_parts(*text, path, resources, around, found);
  text->hand_over(found, diagnostics);
  if (parts) {
    text->put_right(parts->model);
  }
  return parts;
}

std::string expanded_model_text(const std::string& path, const ModelSearch& search) {
  InputFiles files;
  ModelResources resources(search, files);
  Diagnostics ignored;
  const std::optional<ModelText> text = read_model_text(path, path, resources, ignored);
  return text ? text->text : "";
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
