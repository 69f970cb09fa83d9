// SPDX-License-Identifier: Apache-2.0
// A <plugin> of an SDF model: a wish for a piece of software, and what it is to know.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longarm/core/diagnostic.h"

namespace longarm::model {

struct Plugin {
  std::string name;
  std::string filename;  ///< of the shared object elsewhere, which says what is meant
  /// Tags and texts of its elements, in order, white space around the texts left out.
  std::vector<std::pair<std::string, std::string>> elements;
  SourceLocation where;

  /// All texts of one tag.
  std::vector<std::string> texts(const std::string& tag) const {
    std::vector<std::string> found;
    for (const auto& [element, text] : elements) {
      if (element == tag) {
        found.push_back(text);
      }
    }
    return found;
  }
};

}  // namespace longarm::model
