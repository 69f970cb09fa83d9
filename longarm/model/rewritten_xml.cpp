// SPDX-License-Identifier: Apache-2.0
// Writes a document and finds its elements again in the text.
#include "longarm/model/rewritten_xml.h"

#include <iterator>
#include <sstream>

#include "longarm/model/xml_source.h"

namespace longarm::model {

SourceLocation RewrittenXml::origin(const SourceLocation& where) const {
  const auto after = origins.upper_bound({where.line, where.column});
  return after == origins.begin() ? SourceLocation{where.path, 0, 0} : std::prev(after)->second;
}

RewrittenXml write_xml(const pugi::xml_document& document,
                       const std::vector<SourceLocation>& origins) {
  RewrittenXml rewritten;
  std::ostringstream text;
  document.save(text, "  ");
  rewritten.text = text.str();
  Diagnostics none;
  const XmlSource written(rewritten.text, "", none);
  std::size_t next = 0;
  written.document().find_node([&](pugi::xml_node node) {
    if (node.type() == pugi::node_element) {
      const SourceLocation at = written.where(node);
      rewritten.origins[{at.line, at.column}] = origins[next++];
    }
    return false;
  });
  return rewritten;
}

}  // namespace longarm::model
