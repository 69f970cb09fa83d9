// SPDX-License-Identifier: Apache-2.0
// Says everything once that a problem could say, and listens to what the domain makes of it.
#include "labs/kitting/domain_check.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "longarm/pddl/read.h"
#include "longarm/pddl/write.h"

namespace longarm::kitting {
namespace {

/// The types of things that there are: those that have no kinds of their own.
std::vector<std::string> kinds_of(const pddl::Domain& domain, const pddl::TypedName& parameter) {
  std::vector<std::string> kinds;
  for (const pddl::TypedName& type : domain.types) {
    const bool has_kinds = std::ranges::any_of(domain.types, [&](const pddl::TypedName& other) {
      return std::ranges::find(other.types, type.name) != other.types.end();
    });
    if (!has_kinds && domain.is_any_of(type.name, parameter.types)) {
      kinds.push_back(type.name);
    }
  }
  return kinds;
}

std::string thing_of(const std::string& type) {
  return "any-" + type;
}

/// As often as it takes until each parameter was of each kind.
std::vector<pddl::Atom> uses_of(const pddl::Domain& domain, const pddl::Symbol& symbol) {
  std::vector<std::vector<std::string>> kinds;
  std::size_t most = 1;
  for (const pddl::TypedName& parameter : symbol.parameters) {
    kinds.push_back(kinds_of(domain, parameter));
    most = std::max(most, kinds.back().size());
  }
  std::vector<pddl::Atom> uses;
  for (std::size_t i = 0; i < most; ++i) {
    pddl::Atom atom{symbol.name, {}};
    for (const std::vector<std::string>& each : kinds) {
      atom.terms.push_back(each.empty() ? "nothing" : thing_of(each[i % each.size()]));
    }
    uses.push_back(std::move(atom));
  }
  return uses;
}

pddl::Problem everything(const pddl::Domain& ours, const std::string& name) {
  pddl::Problem problem;
  problem.name = "everything";
  problem.domain = name;
  problem.minimizes_cost = true;
  for (const std::string& kind : kinds_of(ours, {"?any", {"object"}})) {
    problem.objects.push_back({thing_of(kind), {kind}});
  }
  for (const pddl::Symbol& predicate : ours.predicates) {
    for (pddl::Atom& atom : uses_of(ours, predicate)) {
      problem.initial.push_back(std::move(atom));
    }
  }
  for (const pddl::Symbol& function : ours.functions) {
    for (pddl::Atom& atom : uses_of(ours, function)) {
      problem.values.push_back({std::move(atom), pddl::kCostUnit});
    }
  }
  return problem;
}

}  // namespace

std::vector<Diagnostic> what_domain_lacks(const pddl::Domain& domain, const Ontology& ontology) {
  Diagnostics heard;
  pddl::read_problem(pddl::write_problem(everything(make_domain(ontology), domain.name)),
                     "problem.pddl", domain, heard);
  std::vector<Diagnostic> lacks;
  for (const Diagnostic& each : heard.all()) {
    const bool is_said = std::ranges::any_of(
        lacks, [&](const Diagnostic& other) { return other.message == each.message; });
    if (!is_said) {
      lacks.push_back({{}, each.message, each.hint, each.severity});
    }
  }
  return lacks;
}

}  // namespace longarm::kitting
