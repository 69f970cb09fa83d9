// SPDX-License-Identifier: Apache-2.0
// Which functions a URScript program has, and which variables belong to whom.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "longarm/protocols/ur/script/lexer.h"
#include "longarm/protocols/ur/script/value.h"

namespace longarm::protocols::ur::script {

struct DeclaredParameter {
  std::string_view name;
  std::optional<Value> value;  ///< its default
};

/// Variables by name: parameters first, in order.
using Slots = std::map<std::string_view, int>;

struct FunctionScope {
  std::string_view name;
  std::vector<DeclaredParameter> parameters;
  bool is_thread = false;
  std::size_t body = 0;  ///< the token after the closing bracket of the parameters
  Slots locals;
};

/// Found before compiling, so that functions and variables may be used before the line that makes
/// them. Variables of the program itself are global, whatever they are declared as; a variable of
/// a function is local if it is a parameter or declared so, else global if there is a global of
/// that name, else local.
struct Scopes {
  std::vector<FunctionScope> functions;  ///< in order of their text; the first is the program
  std::map<std::string_view, int> function_numbers;
  Slots globals;

  struct Place {
    bool is_global = false;
    int slot = 0;
  };
  std::optional<Place> find(std::size_t function, std::string_view name) const;
};

/// False with `error` filled in if a head is wrong or a function is there twice.
bool find_scopes(std::span<const Token> tokens, bool is_bare, Scopes& scopes, SyntaxError& error);

}  // namespace longarm::protocols::ur::script
