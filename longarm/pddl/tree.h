// SPDX-License-Identifier: Apache-2.0
// PDDL text as nested lists of words, each with its place in the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/diagnostic.h"

namespace longarm::pddl {

/// A word or a list. Words are in lower case.
struct Tree {
  bool is_list = false;
  std::string word;
  std::vector<Tree> items;
  SourceLocation where;

  /// The first word of a list; empty if it does not begin with one.
  std::string_view head() const {
    return is_list && !items.empty() && !items[0].is_list ? std::string_view(items[0].word)
                                                          : std::string_view();
  }
};

/// The one list of a file; comments run from ';' to the end of a line. After an error the tree is
/// empty.
Tree parse_tree(std::string_view text, const std::string& path, Diagnostics& diagnostics);

/// "(pick ?r …" for messages: the beginning of what it is.
std::string glimpse(const Tree& tree);

}  // namespace longarm::pddl
