// SPDX-License-Identifier: Apache-2.0
// Counts lines and columns while it splits; nesting is bounded, so that no file overflows a stack.
#include "longarm/pddl/tree.h"

#include <cctype>

#include <fmt/format.h>

namespace longarm::pddl {
namespace {

constexpr std::size_t kDeepest = 200;

class TreeParser {
 public:
  TreeParser(std::string_view text, const std::string& path, Diagnostics& diagnostics)
      : text_(text), path_(path), diagnostics_(diagnostics) {}

  Tree parse() {
    skip_space();
    if (at_end()) {
      diagnostics_.error(place(), "the file is empty", "it begins with (define …");
      return {};
    }
    if (text_[next_] != '(') {
      diagnostics_.error(place(), fmt::format("expected '(', not '{}'", take_word()),
                         "the file begins with (define …");
      return {};
    }
    Tree tree;
    if (!read_list(tree, 1)) {
      return {};
    }
    skip_space();
    if (!at_end()) {
      diagnostics_.error(place(), "there is more after the end of the definition",
                         "a parenthesis may close too early");
      return {};
    }
    return tree;
  }

 private:
  bool at_end() const { return next_ >= text_.size(); }
  SourceLocation place() const { return {path_, line_, column_}; }

  void advance() {
    if (text_[next_] == '\n') {
      ++line_;
      column_ = 0;
    }
    ++column_;
    ++next_;
  }

  void skip_space() {
    while (!at_end()) {
      if (text_[next_] == ';') {
        while (!at_end() && text_[next_] != '\n') {
          advance();
        }
      } else if (std::isspace(static_cast<unsigned char>(text_[next_])) != 0) {
        advance();
      } else {
        return;
      }
    }
  }

  std::string take_word() {
    std::string word;
    while (!at_end() && text_[next_] != '(' && text_[next_] != ')' && text_[next_] != ';' &&
           std::isspace(static_cast<unsigned char>(text_[next_])) == 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(text_[next_])));
      advance();
    }
    return word;
  }

  /// At a '('; false after an error.
  bool read_list(Tree& list, std::size_t depth) {
    list.is_list = true;
    list.where = place();
    if (depth > kDeepest) {
      diagnostics_.error(place(), fmt::format("lists are nested more than {} deep", kDeepest),
                         "close some parentheses");
      return false;
    }
    advance();
    for (;;) {
      skip_space();
      if (at_end()) {
        diagnostics_.error(list.where, "this '(' is never closed", "add a ')'");
        return false;
      }
      if (text_[next_] == ')') {
        advance();
        return true;
      }
      Tree& item = list.items.emplace_back();
      if (text_[next_] == '(') {
        if (!read_list(item, depth + 1)) {
          return false;
        }
      } else {
        item.where = place();
        item.word = take_word();
      }
    }
  }

  std::string_view text_;
  const std::string& path_;
  Diagnostics& diagnostics_;
  std::size_t next_ = 0;
  int line_ = 1;
  int column_ = 1;
};

}  // namespace

Tree parse_tree(std::string_view text, const std::string& path, Diagnostics& diagnostics) {
  return TreeParser(text, path, diagnostics).parse();
}

std::string glimpse(const Tree& tree) {
  if (!tree.is_list) {
    return tree.word;
  }
  if (tree.items.empty()) {
    return "()";
  }
  return fmt::format("({}{}", tree.items[0].is_list ? "(…" : tree.items[0].word,
                     tree.items.size() > 1 ? " …)" : ")");
}

}  // namespace longarm::pddl
