// SPDX-License-Identifier: Apache-2.0
// XML that we wrote on behalf of the user's own, and where each of its elements comes from.
// Internal to the folder.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <pugixml.hpp>

#include "longarm/core/diagnostic.h"

namespace longarm::model {

struct RewrittenXml {
  std::string text;
  /// From line and column in `text`, of each element in it.
  std::map<std::pair<int, int>, SourceLocation> origins;

  /// Of the element at or before a place in `text`.
  SourceLocation origin(const SourceLocation& where) const;
};

/// `origins` has one place for each element, in the order of the document.
RewrittenXml write_xml(const pugi::xml_document& document,
                       const std::vector<SourceLocation>& origins);

}  // namespace longarm::model
