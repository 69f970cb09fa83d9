// SPDX-License-Identifier: Apache-2.0
// The sections of domains and problems.
#include "longarm/pddl/read.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/input_files.h"
#include "longarm/core/suggest.h"
#include "longarm/pddl/read_parts.h"

namespace longarm::pddl {
namespace {

const std::vector<std::string> kRequirements{":strips", ":typing", ":negative-preconditions",
                                             ":equality", ":action-costs"};

class DomainReader {
 public:
  explicit DomainReader(Diagnostics& diagnostics) : parts_(diagnostics) {}

  Domain read(const Tree& root) {
    if (!parts_.open(root, "domain", domain_.name)) {
      return {};
    }
    for (std::size_t i = 2; i < root.items.size(); ++i) {
      read_section(root.items[i]);
    }
    return std::move(domain_);
  }

 private:
  void read_section(const Tree& section) {
    const std::string_view head = section.head();
    if (head == ":requirements") {
      read_requirements(section);
    } else if (head == ":types") {
      read_types(section);
    } else if (head == ":constants") {
      domain_.constants = parts_.typed_names(section, 1, false);
    } else if (head == ":predicates") {
      read_symbols(section, domain_.predicates);
    } else if (head == ":functions") {
      read_symbols(section, domain_.functions);
      std::erase_if(domain_.functions, [](const Symbol& s) { return s.name == "total-cost"; });
    } else if (head == ":action") {
      read_action(section);
    } else {
      parts_.error(section, fmt::format("unknown section {} of a domain", glimpse(section)),
                   suggest(head, {":requirements", ":types", ":constants", ":predicates",
                                  ":functions", ":action"}));
    }
  }

  /// What others are kinds of is a type too, declared or not; many domains leave that out.
  void read_types(const Tree& section) {
    domain_.types = parts_.typed_names(section, 1, false);
    std::erase_if(domain_.types, [](const TypedName& type) { return type.name == "object"; });
    const std::vector<TypedName> declared = domain_.types;
    for (const TypedName& type : declared) {
      for (const std::string& parent : type.types) {
        const bool is_there =
            parent == "object" ||
            std::any_of(domain_.types.begin(), domain_.types.end(),
                        [&](const TypedName& other) { return other.name == parent; });
        if (!is_there) {
          domain_.types.push_back({parent, {"object"}, type.where});
        }
      }
    }
  }

  void read_requirements(const Tree& section) {
    for (std::size_t i = 1; i < section.items.size(); ++i) {
      const Tree& item = section.items[i];
      domain_.requirements.push_back(item.word);
      if (std::find(kRequirements.begin(), kRequirements.end(), item.word) == kRequirements.end()) {
        parts_.error(item, fmt::format("the planner does not support '{}'", glimpse(item)),
                     "supported: " + join(kRequirements));
      }
    }
  }

  void read_symbols(const Tree& section, std::vector<Symbol>& out) {
    for (std::size_t i = 1; i < section.items.size(); ++i) {
      const Tree& item = section.items[i];
      // functions may say that they are numbers: (f ?x) - number
      if (item.word == "-" && i + 1 < section.items.size() &&
          section.items[i + 1].word == "number") {
        ++i;
        continue;
      }
      if (item.head().empty()) {
        parts_.error(item, fmt::format("expected (name ?argument - type …), not {}", glimpse(item)),
                     "for example: (holds ?r - robot ?p - part)");
        continue;
      }
      out.push_back({item.items[0].word, parts_.typed_names(item, 1, true), item.where});
    }
  }

  void read_action(const Tree& section) {
    if (section.items.size() < 2 || section.items[1].is_list) {
      parts_.error(section, "an action needs a name", "write: (:action name :parameters (…) …)");
      return;
    }
    Action action;
    action.name = section.items[1].word;
    action.where = section.where;
    for (std::size_t i = 2; i < section.items.size(); i += 2) {
      const Tree& key = section.items[i];
      if (i + 1 == section.items.size() || !section.items[i + 1].is_list) {
        parts_.error(key, fmt::format("{} must be followed by a list", glimpse(key)),
                     "write: :parameters (…) :precondition (…) :effect (…)");
        return;
      }
      const Tree& value = section.items[i + 1];
      if (key.word == ":parameters") {
        action.parameters = parts_.typed_names(value, 0, true);
      } else if (key.word == ":precondition") {
        parts_.literals(value, "a precondition", action.preconditions);
      } else if (key.word == ":effect") {
        read_effect(value, action);
      } else {
        parts_.error(key, fmt::format("unknown part {} of an action", glimpse(key)),
                     suggest(key.word, {":parameters", ":precondition", ":effect"}));
      }
    }
    domain_.actions.push_back(std::move(action));
  }

  void read_effect(const Tree& tree, Action& action) {
    if (tree.head() == "and") {
      for (std::size_t i = 1; i < tree.items.size(); ++i) {
        read_effect(tree.items[i], action);
      }
      return;
    }
    if (tree.head() != "increase") {
      parts_.literals(tree, "an effect", action.effects);
      return;
    }
    if (tree.items.size() != 3 || tree.items[1].head() != "total-cost" || action.cost) {
      parts_.error(tree, "an action increases the total cost, once",
                   "write: (increase (total-cost) 3) or (increase (total-cost) (function ?x))");
      return;
    }
    CostTerm cost;
    if (tree.items[2].is_list) {
      cost.function = parts_.atom(tree.items[2]);
    } else {
      cost.constant = parts_.number(tree.items[2]).value_or(0);
    }
    action.cost = cost;
  }

  PartReader parts_;
  Domain domain_;
};

class ProblemReader {
 public:
  ProblemReader(const Domain& domain, Diagnostics& diagnostics)
      : domain_(domain), parts_(diagnostics) {}

  Problem read(const Tree& root) {
    if (!parts_.open(root, "problem", problem_.name)) {
      return {};
    }
    for (std::size_t i = 2; i < root.items.size(); ++i) {
      read_section(root.items[i]);
    }
    parts_.check_types(domain_, problem_.objects);
    std::vector<TypedName> scope = domain_.constants;
    scope.insert(scope.end(), problem_.objects.begin(), problem_.objects.end());
    parts_.check_twice(scope, "object");
    for (const Atom& atom : problem_.initial) {
      parts_.check_atom(domain_, atom, domain_.predicates, "predicate", scope);
    }
    for (const FunctionValue& value : problem_.values) {
      parts_.check_atom(domain_, value.function, domain_.functions, "function", scope);
    }
    for (const Literal& literal : problem_.goal) {
      parts_.check_atom(domain_, literal.atom, domain_.predicates, "predicate", scope);
    }
    if (!has_goal_) {
      parts_.error(root, "the problem has no goal", "write: (:goal (and …))");
    }
    return std::move(problem_);
  }

 private:
  void read_section(const Tree& section) {
    const std::string_view head = section.head();
    if (head == ":domain") {
      read_domain_name(section);
    } else if (head == ":objects") {
      problem_.objects = parts_.typed_names(section, 1, false);
    } else if (head == ":init") {
      read_init(section);
    } else if (head == ":goal" && section.items.size() == 2) {
      has_goal_ = true;
      parts_.literals(section.items[1], "a goal", problem_.goal);
    } else if (head == ":metric") {
      read_metric(section);
    } else if (head != ":requirements") {
      parts_.error(section, fmt::format("unknown section {} of a problem", glimpse(section)),
                   suggest(head, {":domain", ":objects", ":init", ":goal", ":metric"}));
    }
  }

  void read_domain_name(const Tree& section) {
    problem_.domain = section.items.size() == 2 ? section.items[1].word : "";
    if (problem_.domain != domain_.name) {
      parts_.error(
          section,
          fmt::format("the problem is of domain '{}', not '{}'", problem_.domain, domain_.name),
          "give the domain that it was written for");
    }
  }

  void read_init(const Tree& section) {
    for (std::size_t i = 1; i < section.items.size(); ++i) {
      const Tree& item = section.items[i];
      if (item.head() == "=" && item.items.size() == 3 && item.items[1].is_list) {
        const std::optional<Atom> function = parts_.atom(item.items[1]);
        const std::optional<Cost> value = parts_.number(item.items[2]);
        if (function && value && function->predicate != "total-cost") {
          problem_.values.push_back({*function, *value});
        }
        continue;
      }
      if (item.head() == "not" || item.head() == "=" || item.head() == "and") {
        parts_.error(item, fmt::format("{} cannot be in :init", glimpse(item)),
                     "list only what is true; everything else is false");
        continue;
      }
      if (const std::optional<Atom> atom = parts_.atom(item)) {
        problem_.initial.push_back(*atom);
      }
    }
  }

  void read_metric(const Tree& section) {
    problem_.minimizes_cost = section.items.size() == 3 && section.items[1].word == "minimize" &&
                              section.items[2].head() == "total-cost";
    if (!problem_.minimizes_cost) {
      parts_.error(section, "the planner supports one metric only",
                   "write: (:metric minimize (total-cost))");
    }
  }

  const Domain& domain_;
  PartReader parts_;
  Problem problem_;
  bool has_goal_ = false;
};

std::string content_of(const std::string& path) {
  Result<std::string> text = read_file(path);
  if (!text) {
    throw InputError(Diagnostic{{path}, text.error().message, "give a PDDL file"});
  }
  return std::move(text).value();
}

}  // namespace

Domain read_domain(std::string_view text, const std::string& path, Diagnostics& diagnostics) {
  Domain domain = DomainReader(diagnostics).read(parse_tree(text, path, diagnostics));
  check_domain(domain, diagnostics);
  return domain;
}

Problem read_problem(std::string_view text, const std::string& path, const Domain& domain,
                     Diagnostics& diagnostics) {
  return ProblemReader(domain, diagnostics).read(parse_tree(text, path, diagnostics));
}

Domain load_domain(const std::string& path) {
  Diagnostics diagnostics;
  Domain domain = read_domain(content_of(path), path, diagnostics);
  diagnostics.throw_if_errors();
  return domain;
}

Problem load_problem(const std::string& path, const Domain& domain) {
  Diagnostics diagnostics;
  Problem problem = read_problem(content_of(path), path, domain, diagnostics);
  diagnostics.throw_if_errors();
  return problem;
}

}  // namespace longarm::pddl
