// SPDX-License-Identifier: Apache-2.0
// Finds out which format a file is in.
#include "longarm/model/model_file.h"

#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "longarm/model/sdf.h"
#include "longarm/model/urdf.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {

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
