// SPDX-License-Identifier: Apache-2.0
// Typed lists, atoms, conjunctions and numbers, and whether they fit what is declared.
#include "longarm/pddl/read_parts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::pddl {
namespace {

/// Connectives of larger dialects than ours.
bool is_foreign(std::string_view word) {
  static const std::vector<std::string_view> kForeign{
      "or",     "imply",    "forall",   "exists", "when", "increase", "decrease", "assign",
      "at-end", "at-start", "over-all", ">",      "<",    ">=",       "<="};
  return std::find(kForeign.begin(), kForeign.end(), word) != kForeign.end();
}

}  // namespace

std::vector<TypedName> PartReader::typed_names(const Tree& list, std::size_t first,
                                               bool are_variables) {
  std::vector<TypedName> names;
  std::size_t untyped = 0;  // those since the last type
  for (std::size_t i = first; i < list.items.size(); ++i) {
    const Tree& item = list.items[i];
    if (item.is_list) {
      error(item, fmt::format("expected a name, not {}", glimpse(item)), "write: name name - type");
      continue;
    }
    if (item.word != "-") {
      if (are_variables != item.word.starts_with("?")) {
        error(
            item, fmt::format("'{}' is {} variable", item.word, are_variables ? "no" : "a"),
            are_variables ? "variables begin with '?'" : "names of objects do not begin with '?'");
      }
      names.push_back({item.word, {"object"}, item.where});
      continue;
    }
    if (i + 1 == list.items.size() || untyped == names.size()) {
      error(item, "expected '-' between names and their type", "write: name name - type");
      continue;
    }
    const Tree& type = list.items[++i];
    std::vector<std::string> types;
    if (!type.is_list) {
      types.push_back(type.word);
    } else if (type.head() == "either" && type.items.size() > 1) {
      for (std::size_t j = 1; j < type.items.size(); ++j) {
        types.push_back(type.items[j].word);
      }
    } else {
      error(type, fmt::format("{} is not a type", glimpse(type)), "write: (either type type)");
      types.push_back("object");
    }
    for (; untyped < names.size(); ++untyped) {
      names[untyped].types = types;
    }
  }
  return names;
}

std::optional<Atom> PartReader::atom(const Tree& tree) {
  if (tree.head().empty()) {
    error(tree, fmt::format("expected (predicate argument …), not {}", glimpse(tree)), "");
    return std::nullopt;
  }
  if (is_foreign(tree.head())) {
    error(
        tree, fmt::format("'{}' is not supported here", tree.head()),
        "only atoms, (not atom) and (and …) of these are supported: write several actions instead");
    return std::nullopt;
  }
  Atom out{tree.items[0].word, {}, tree.where};
  for (std::size_t i = 1; i < tree.items.size(); ++i) {
    if (tree.items[i].is_list) {
      error(tree.items[i],
            fmt::format("expected a name or a variable, not {}", glimpse(tree.items[i])),
            "arguments cannot be lists");
      return std::nullopt;
    }
    out.terms.push_back(tree.items[i].word);
  }
  return out;
}

void PartReader::literals(const Tree& tree, const char* what, std::vector<Literal>& out) {
  if (tree.is_list && tree.items.empty()) {
    return;  // () is true
  }
  if (tree.head() == "and") {
    for (std::size_t i = 1; i < tree.items.size(); ++i) {
      literals(tree.items[i], what, out);
    }
    return;
  }
  const bool is_negated = tree.head() == "not";
  if (is_negated &&
      (tree.items.size() != 2 || tree.items[1].head() == "not" || tree.items[1].head() == "and")) {
    error(tree, fmt::format("(not …) in {} takes one atom", what), "write: (not (predicate …))");
    return;
  }
  if (const std::optional<Atom> read = atom(is_negated ? tree.items[1] : tree)) {
    out.push_back({*read, is_negated});
  }
}

std::optional<Cost> PartReader::number(const Tree& tree) {
  const std::optional<double> value = tree.is_list ? std::nullopt : parse_number(tree.word);
  if (!value || !std::isfinite(*value)) {
    error(tree, fmt::format("expected a number, not {}", glimpse(tree)), "for example: 2.5");
    return std::nullopt;
  }
  const double scaled = *value * static_cast<double>(kCostUnit);
  if (*value < 0.0 || *value > 1e9 || std::abs(scaled - std::round(scaled)) > 1e-6) {
    error(tree, fmt::format("{} is not a cost", tree.word),
          "costs are from 0 to 1e9, with at most three decimal places");
    return std::nullopt;
  }
  return static_cast<Cost>(std::llround(scaled));
}

bool PartReader::open(const Tree& root, const std::string& kind, std::string& name) {
  if (!root.is_list) {
    return false;  // the tree's own error
  }
  if (root.head() != "define" || root.items.size() < 2 || root.items[1].head() != kind ||
      root.items[1].items.size() != 2 || root.items[1].items[1].is_list) {
    error(root, fmt::format("this is not a PDDL {}", kind),
          fmt::format("it begins with (define ({} name)", kind));
    return false;
  }
  name = root.items[1].items[1].word;
  return true;
}

void PartReader::check_types(const Domain& domain, const std::vector<TypedName>& names) {
  std::vector<std::string> known = names_of(domain.types);
  known.push_back("object");
  for (const TypedName& name : names) {
    for (const std::string& type : name.types) {
      if (std::find(known.begin(), known.end(), type) == known.end()) {
        diagnostics_.error(name.where, fmt::format("unknown type '{}' of '{}'", type, name.name),
                           suggest(type, known));
      }
    }
  }
}

void PartReader::check_twice(const std::vector<TypedName>& names, const char* what) {
  std::vector<std::string> sorted;
  for (const TypedName& name : names) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), name.name);
    if (place != sorted.end() && *place == name.name) {
      diagnostics_.error(name.where, fmt::format("{} '{}' is declared twice", what, name.name),
                         "remove one");
      continue;
    }
    sorted.insert(place, name.name);
  }
}

bool PartReader::check_atom(const Domain& domain, const Atom& atom,
                            const std::vector<Symbol>& symbols, const char* what,
                            const std::vector<TypedName>& scope) {
  const auto symbol = std::find_if(symbols.begin(), symbols.end(),
                                   [&](const Symbol& s) { return s.name == atom.predicate; });
  const bool is_equality = atom.predicate == "=";
  if (symbol == symbols.end() && !is_equality) {
    diagnostics_.error(atom.where, fmt::format("unknown {} '{}'", what, atom.predicate),
                       suggest(atom.predicate, names_of(symbols)));
    return false;
  }
  const std::size_t count = is_equality ? 2 : symbol->parameters.size();
  if (atom.terms.size() != count) {
    diagnostics_.error(atom.where,
                       fmt::format("'{}' takes {} argument{}, not {}", atom.predicate, count,
                                   count == 1 ? "" : "s", atom.terms.size()),
                       is_equality ? "write: (= ?a ?b)" : "see its declaration");
    return false;
  }
  bool is_right = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto term = std::find_if(scope.begin(), scope.end(),
                                   [&](const TypedName& n) { return n.name == atom.terms[i]; });
    if (term == scope.end()) {
      diagnostics_.error(atom.where,
                         fmt::format("unknown {} '{}' in {}",
                                     atom.terms[i].starts_with("?") ? "variable" : "object",
                                     atom.terms[i], text_of(atom)),
                         suggest(atom.terms[i], names_of(scope)));
      is_right = false;
      continue;
    }
    if (is_equality) {
      continue;
    }
    const TypedName& parameter = symbol->parameters[i];
    const bool fits = std::all_of(term->types.begin(), term->types.end(), [&](const auto& type) {
      return domain.is_any_of(type, parameter.types);
    });
    if (!fits) {
      diagnostics_.error(atom.where,
                         fmt::format("'{}' in {} is a {}, not a {}", atom.terms[i], text_of(atom),
                                     join(term->types, " or "), join(parameter.types, " or ")),
                         fmt::format("see the declaration of '{}'", atom.predicate));
      is_right = false;
    }
  }
  return is_right;
}

void check_domain(const Domain& domain, Diagnostics& diagnostics) {
  PartReader reader(diagnostics);
  reader.check_types(domain, domain.types);
  reader.check_types(domain, domain.constants);
  reader.check_twice(domain.types, "type");
  reader.check_twice(domain.constants, "constant");
  for (const std::vector<Symbol>* symbols : {&domain.predicates, &domain.functions}) {
    std::vector<TypedName> names;
    for (const Symbol& symbol : *symbols) {
      names.push_back({symbol.name, {}, symbol.where});
      reader.check_types(domain, symbol.parameters);
    }
    reader.check_twice(names, symbols == &domain.predicates ? "predicate" : "function");
  }
  std::vector<TypedName> action_names;
  for (const Action& action : domain.actions) {
    action_names.push_back({action.name, {}, action.where});
    reader.check_types(domain, action.parameters);
    reader.check_twice(action.parameters, "parameter");
    std::vector<TypedName> scope = action.parameters;
    scope.insert(scope.end(), domain.constants.begin(), domain.constants.end());
    for (const Literal& literal : action.preconditions) {
      reader.check_atom(domain, literal.atom, domain.predicates, "predicate", scope);
    }
    for (const Literal& literal : action.effects) {
      if (literal.atom.predicate == "=") {
        diagnostics.error(literal.atom.where, "'=' cannot be an effect",
                          "only predicates can change");
        continue;
      }
      reader.check_atom(domain, literal.atom, domain.predicates, "predicate", scope);
    }
    if (action.cost && action.cost->function) {
      reader.check_atom(domain, *action.cost->function, domain.functions, "function", scope);
    }
  }
  reader.check_twice(action_names, "action");
}

}  // namespace longarm::pddl
