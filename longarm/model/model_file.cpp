// SPDX-License-Identifier: Apache-2.0
// Finds out which format a file is in.
#include "longarm/model/model_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "longarm/model/sdf.h"
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

/// "arm.urdf" for arm.urdf.xacro and arm.xacro; never the file itself.
std::string expanded_name(const std::string& path) {
  std::filesystem::path name(path);
  if (name.extension() == ".xacro") {
    name.replace_extension();
  }
  name.replace_extension(".urdf");
  return name == path ? name.replace_extension(".expanded.urdf") : name;
}

}  // namespace

Model read_model_file(const std::string& path, Diagnostics& diagnostics) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  // an empty file leaves nothing to copy, which the stream calls a failure
  if (!file || (file.peek() != std::ifstream::traits_type::eof() && !(content << file.rdbuf()))) {
    diagnostics.error({path, 0, 0}, "cannot read the file", "is the path right, and is it a file?");
    return {};
  }
  const std::string text = content.str();
  Diagnostics syntax;
  const XmlSource source(text, path, syntax);
  const std::string format = source.root().name();
  if (syntax.has_errors()) {
    for (const Diagnostic& problem : syntax.all()) {
      diagnostics.add(problem);
    }
    return {};
  }
  if (const pugi::xml_node xacro = first_xacro(source)) {
    diagnostics.error(source.where(xacro), "this is a xacro file, not a URDF",
                      fmt::format("expand it first: xacro {} -o {}", path, expanded_name(path)));
    return {};
  }
  if (format == "robot") {
    return read_urdf(text, path, diagnostics);
  }
  if (format == "sdf") {
    return read_sdf(text, path, diagnostics);
  }
  diagnostics.error(source.where(source.root()), fmt::format("<{}> is no robot model", format),
                    "URDF starts with <robot>, SDF with <sdf>");
  return {};
}

}  // namespace longarm::model
