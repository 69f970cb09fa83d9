// SPDX-License-Identifier: Apache-2.0
// An XML text that remembers where each element stands. Internal to the folder.
#pragma once

#include <string>
#include <vector>

#include <pugixml.hpp>

#include "longarm/core/diagnostic.h"

namespace longarm::model {

class XmlSource {
 public:
  /// Reports text that is not well formed; root() is empty then.
  XmlSource(const std::string& text, std::string path, Diagnostics& diagnostics);

  pugi::xml_node root() const { return document_.document_element(); }
  const pugi::xml_document& document() const { return document_; }

  /// Of the element's '<'.
  SourceLocation where(pugi::xml_node element) const;

 private:
  SourceLocation where_offset(std::ptrdiff_t offset) const;

  std::string path_;
  std::vector<std::ptrdiff_t> line_starts_;
  pugi::xml_document document_;
};

/// The first child element of that tag whose attribute `name` is `name`; empty if there is none.
pugi::xml_node child_named(pugi::xml_node parent, const char* tag, const std::string& name);

/// "link 'arm': " for an element that is or is inside that link or joint, empty elsewhere.
std::string owner_of(pugi::xml_node element);

/// Without the white space around it.
std::string trimmed(const std::string& text);

/// Split at white space.
std::vector<std::string> words_of(const std::string& text);

}  // namespace longarm::model
