// SPDX-License-Identifier: Apache-2.0
// The lab's extension of a CRCL status: where every part and tray is, and what is known of it.
#include "longarm/robots/crcl/models.h"

#include <fmt/format.h>

#include "longarm/core/text.h"

namespace longarm::robots {

namespace crcl = protocols::crcl;

namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string vector_element(std::string_view name, const crcl::Vector& vector) {
  return fmt::format("<{0}><I>{1}</I><J>{2}</J><K>{3}</K></{0}>", name, format_number(vector.i),
                     format_number(vector.j), format_number(vector.k));
}

std::string pose_element(const crcl::Pose& pose) {
  return fmt::format("<Pose><Point><X>{}</X><Y>{}</Y><Z>{}</Z></Point>{}{}</Pose>",
                     format_number(pose.point.x), format_number(pose.point.y),
                     format_number(pose.point.z), vector_element("XAxis", pose.x_axis),
                     vector_element("ZAxis", pose.z_axis));
}

std::string properties_element(const CrclModelReport& model) {
  if (model.properties.empty()) {
    return {};
  }
  std::string text = "<Properties>";
  for (const auto& [key, value] : model.properties) {
    text += fmt::format("<map><key>{}</key><value>{}</value><name>{}</name></map>", escaped(key),
                        escaped(value), escaped(model.name));
  }
  return text + "</Properties>";
}

}  // namespace

std::string with_models(std::string document, std::span<const CrclModelReport> models,
                        const CrclDialect& dialect, const Pose& X_WB) {
  const std::size_t end = document.rfind("</CRCLStatus>");
  if (end == std::string::npos) {
    return document;
  }
  std::string text;
  for (const CrclModelReport& model : models) {
    text += fmt::format("<ModelStatus><Name>{}</Name>{}{}</ModelStatus>", escaped(model.name),
                        pose_element(dialect.to_client(X_WB.inverse() * model.X_WM)),
                        properties_element(model));
  }
  document.insert(end, text);
  return document;
}

}  // namespace longarm::robots
