// SPDX-License-Identifier: Apache-2.0
// One walk over the words of a program that collects heads of functions and assigned variables.
#include "longarm/protocols/ur/script/scopes.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "longarm/protocols/ur/script/builtins.h"

namespace longarm::protocols::ur::script {

namespace {

/// What a function assigns to, before it is known which of it is global.
struct Assigned {
  std::set<std::string_view> declared_local;
  std::vector<std::string_view> any;
};

class Walk {
 public:
  Walk(std::span<const Token> tokens, Scopes& scopes, SyntaxError& error)
      : tokens_(tokens), scopes_(scopes), error_(error) {}

  bool walk(bool is_bare) {
    if (is_bare) {
      scopes_.functions.emplace_back();
      assigned_.emplace_back();
      open_.push_back(0);
    }
    for (at_ = 0; tokens_[at_].word != Word::kEndOfText; ++at_) {
      if (!look_at(tokens_[at_])) {
        return false;
      }
    }
    return place_locals();
  }

 private:
  bool fail(const Token& token, std::string message, std::string hint) {
    error_ = {token.line, token.column, std::move(message), std::move(hint)};
    return false;
  }

  Word word(std::size_t ahead) const {
    const std::size_t wanted = at_ + ahead;
    return wanted < tokens_.size() ? tokens_[wanted].word : Word::kEndOfText;
  }

  bool look_at(const Token& token) {
    switch (token.word) {
      case Word::kDef:
      case Word::kSec:
      case Word::kThread:
        return read_head(token);
      case Word::kIf:
      case Word::kWhile:
        open_.push_back(kBlock);
        return true;
      case Word::kEnd:
        if (open_.size() > 1) {
          open_.pop_back();
        }
        return true;
      case Word::kName:
        return word(1) != Word::kAssign || brackets_ > 0 || assign(token);
      case Word::kOpen:
      case Word::kOpenList:
        ++brackets_;
        return true;
      case Word::kClose:
      case Word::kCloseList:
        brackets_ = std::max(0, brackets_ - 1);
        return true;
      default:
        return true;
    }
  }

  std::size_t function() const {
    for (auto entry = open_.rbegin(); entry != open_.rend(); ++entry) {
      if (*entry != kBlock) {
        return static_cast<std::size_t>(*entry);
      }
    }
    return 0;
  }

  bool assign(const Token& token) {
    if (open_.empty()) {
      return true;
    }
    const std::size_t owner = function();
    const Word before = at_ == 0 ? Word::kNewline : tokens_[at_ - 1].word;
    if (owner == 0 || before == Word::kGlobal) {
      return add_global(token);
    }
    auto& assigned = assigned_[owner];
    if (before == Word::kLocal) {
      assigned.declared_local.insert(token.text);
    }
    assigned.any.push_back(token.text);
    return true;
  }

  bool add_global(const Token& token) {
    scopes_.globals.try_emplace(token.text, static_cast<int>(scopes_.globals.size()));
    if (scopes_.globals.size() <= kMaximumVariables) {
      return true;
    }
    return fail(token, fmt::format("more than {} global variables", kMaximumVariables),
                "keep numbers in a list");
  }

  bool read_head(const Token& begin) {
    FunctionScope scope;
    scope.is_thread = begin.word == Word::kThread;
    const Token& name = tokens_[++at_];
    if (name.word != Word::kName) {
      return fail(name, fmt::format("'{}' needs a name", begin.text),
                  fmt::format("write '{} name():'; reserved words cannot be names", begin.text));
    }
    scope.name = name.text;
    if (!scopes_.functions.empty() && find_builtin(name.text) != nullptr) {
      return fail(name, fmt::format("'{}' is a function of the robot", name.text),
                  "choose another name");
    }
    const auto number = static_cast<int>(scopes_.functions.size());
    if (number > 0 && !scopes_.function_numbers.try_emplace(name.text, number).second) {
      return fail(name, fmt::format("a function '{}' already exists", name.text),
                  "choose another name");
    }
    if (!read_parameters(scope)) {
      return false;
    }
    if (!scope.parameters.empty() && (number == 0 || scope.is_thread)) {
      return fail(name, fmt::format("a {} takes no parameters", number == 0 ? "program" : "thread"),
                  "use global variables");
    }
    scope.body = at_ + 1;
    scopes_.functions.push_back(std::move(scope));
    assigned_.emplace_back();
    open_.push_back(number);
    return true;
  }

  // Leaves at_ on the closing bracket.
  bool read_parameters(FunctionScope& scope) {
    if (tokens_[++at_].word != Word::kOpen) {
      return fail(tokens_[at_], fmt::format("'(' is missing after '{}'", scope.name),
                  "write () even without parameters");
    }
    if (word(1) == Word::kClose) {
      ++at_;
      return true;
    }
    do {
      const Token& name = tokens_[++at_];
      if (name.word != Word::kName) {
        return fail(name, "the name of a parameter is missing", "write (a, b) or (a, b=0.5)");
      }
      const auto slot = static_cast<int>(scope.parameters.size());
      if (!scope.locals.try_emplace(name.text, slot).second) {
        return fail(name, fmt::format("there are two parameters '{}'", name.text), "rename one");
      }
      scope.parameters.push_back({name.text, std::nullopt});
      if (word(1) == Word::kAssign && !read_default(scope.parameters.back())) {
        return false;
      }
      ++at_;
    } while (tokens_[at_].word == Word::kComma);
    if (tokens_[at_].word == Word::kClose) {
      return true;
    }
    return fail(tokens_[at_], "')' is missing after the parameters", "write (a, b) or (a, b=0.5)");
  }

  bool read_default(DeclaredParameter& parameter) {
    at_ += 2;
    const bool is_negative = tokens_[at_].word == Word::kMinus;
    if (is_negative) {
      ++at_;
    }
    const Token& token = tokens_[at_];
    const double sign = is_negative ? -1.0 : 1.0;
    if (token.word == Word::kInteger) {
      parameter.value = Value{static_cast<std::int64_t>(sign * token.number)};
    } else if (token.word == Word::kFloat) {
      parameter.value = Value{sign * token.number};
    } else if (!is_negative && token.word == Word::kText) {
      parameter.value = Value{std::string(token.text)};
    } else if (!is_negative && (token.word == Word::kTrue || token.word == Word::kFalse)) {
      parameter.value = Value{token.word == Word::kTrue};
    } else {
      return fail(token, fmt::format("the default of '{}' is not a constant", parameter.name),
                  "write a number, True, False or a string");
    }
    return true;
  }

  // Now that all globals are known.
  bool place_locals() {
    for (std::size_t i = 1; i < scopes_.functions.size(); ++i) {
      auto& scope = scopes_.functions[i];
      for (const auto name : assigned_[i].any) {
        const bool is_local = assigned_[i].declared_local.contains(name);
        if (!is_local && scopes_.globals.contains(name)) {
          continue;
        }
        scope.locals.try_emplace(name, static_cast<int>(scope.locals.size()));
      }
      if (scope.locals.size() > kMaximumVariables) {
        return fail(tokens_[scope.body],
                    fmt::format("'{}' has more than {} variables", scope.name, kMaximumVariables),
                    "keep numbers in a list");
      }
    }
    return true;
  }

  static constexpr int kBlock = -1;

  std::span<const Token> tokens_;
  Scopes& scopes_;
  SyntaxError& error_;
  std::size_t at_ = 0;
  int brackets_ = 0;       ///< inside of a call a name in front of '=' is a parameter's
  std::vector<int> open_;  ///< functions and blocks around
  std::vector<Assigned> assigned_;
};

}  // namespace

std::optional<Scopes::Place> Scopes::find(std::size_t function, std::string_view name) const {
  const auto& locals = functions[function].locals;
  if (const auto found = locals.find(name); found != locals.end()) {
    return Place{false, found->second};
  }
  if (const auto found = globals.find(name); found != globals.end()) {
    return Place{true, found->second};
  }
  return std::nullopt;
}

bool find_scopes(std::span<const Token> tokens, bool is_bare, Scopes& scopes, SyntaxError& error) {
  return Walk(tokens, scopes, error).walk(is_bare);
}

}  // namespace longarm::protocols::ur::script
