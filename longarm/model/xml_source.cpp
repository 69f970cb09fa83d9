// SPDX-License-Identifier: Apache-2.0
// Turns offsets in XML text into lines and columns.
#include "longarm/model/xml_source.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/format.h>

namespace longarm::model {

XmlSource::XmlSource(const std::string& text, std::string path, Diagnostics& diagnostics)
    : path_(std::move(path)), line_starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      line_starts_.push_back(static_cast<std::ptrdiff_t>(i) + 1);
    }
  }
  const pugi::xml_parse_result result =
      document_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (result) {
    return;
  }
  document_.reset();
  std::string problem = result.description();
  if (!problem.empty()) {
    problem[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(problem[0])));
  }
  const std::ptrdiff_t last = std::max<std::ptrdiff_t>(0, std::ssize(text) - 1);
  diagnostics.error(where_offset(std::clamp<std::ptrdiff_t>(result.offset, 0, last)),
                    "the XML is not well formed: " + problem,
                    "every <tag> needs its </tag>, every attribute its quotes");
}

SourceLocation XmlSource::where(pugi::xml_node element) const {
  // pugixml points at the tag's name, one after '<'
  const std::ptrdiff_t offset = element.offset_debug();
  return offset <= 0 ? SourceLocation{path_, 0, 0} : where_offset(offset - 1);
}

SourceLocation XmlSource::where_offset(std::ptrdiff_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = std::distance(line_starts_.begin(), after);
  return {path_, static_cast<int>(line), static_cast<int>(offset - *std::prev(after)) + 1};
}

pugi::xml_node child_named(pugi::xml_node parent, const char* tag, const std::string& name) {
  return parent.find_child_by_attribute(tag, "name", name.c_str());
}

std::string owner_of(pugi::xml_node element) {
  for (pugi::xml_node at = element; at; at = at.parent()) {
    const std::string tag = at.name();
    if ((tag == "link" || tag == "joint") && at.attribute("name")) {
      return fmt::format("{} '{}': ", tag, at.attribute("name").value());
    }
  }
  return {};
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos
             ? ""
             : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

}  // namespace longarm::model
