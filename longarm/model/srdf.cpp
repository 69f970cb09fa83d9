// SPDX-License-Identifier: Apache-2.0
// Reads the pairs and checks their names.
#include "longarm/model/srdf.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "longarm/model/xml_source.h"

namespace longarm::model {

std::vector<IgnoredContact> read_srdf(const std::string& text, const std::string& path,
                                      const Model& model, Diagnostics& diagnostics) {
  const XmlSource source(text, path, diagnostics);
  if (diagnostics.has_errors()) {
    return {};
  }
  if (source.root().name() != std::string("robot")) {
    diagnostics.error(source.where(source.root()),
                      fmt::format("<{}> is not an SRDF", source.root().name()),
                      "an SRDF starts with <robot>");
    return {};
  }
  const auto is_link = [&](const std::string& name) {
    return std::any_of(model.links.begin(), model.links.end(),
                       [&](const Link& link) { return link.name == name; });
  };
  std::vector<IgnoredContact> pairs;
  std::size_t strangers = 0;
  SourceLocation first;
  for (const pugi::xml_node pair : source.root().children("disable_collisions")) {
    IgnoredContact contact{pair.attribute("link1").value(), pair.attribute("link2").value(),
                           source.where(pair)};
    if (is_link(contact.a) && is_link(contact.b)) {
      pairs.push_back(std::move(contact));
    } else if (strangers++ == 0) {
      first = contact.where;
    }
  }
  if (strangers > 0) {
    diagnostics.warning(first,
                        fmt::format("{} of {} pairs of <disable_collisions> name links that the "
                                    "robot does not have",
                                    strangers, strangers + pairs.size()),
                        "check that this SRDF belongs to this robot");
  }
  return pairs;
}

std::string srdf_beside(const std::string& model_path) {
  std::filesystem::path path(model_path);
  path.replace_extension(".srdf");
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) ? path.string() : "";
}

}  // namespace longarm::model
