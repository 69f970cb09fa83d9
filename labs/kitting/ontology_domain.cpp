// SPDX-License-Identifier: Apache-2.0
// The planner's domain, made of the ontology's kinds.
#include "labs/kitting/ontology.h"

namespace longarm::kitting {
namespace {

using pddl::Action;
using pddl::Literal;
using pddl::TypedName;

TypedName typed(std::string name, std::string type) {
  return {std::move(name), {std::move(type)}};
}

Literal is(std::string predicate, std::vector<std::string> terms) {
  return {{std::move(predicate), std::move(terms)}, false};
}

Literal is_not(std::string predicate, std::vector<std::string> terms) {
  return {{std::move(predicate), std::move(terms)}, true};
}

pddl::CostTerm cost(std::string function, std::vector<std::string> terms) {
  return {0, pddl::Atom{std::move(function), std::move(terms)}};
}

const TypedName kRobot = typed("?r", "robot");
const TypedName kPart = typed("?p", "part");
const TypedName kSlot = typed("?s", "slot");
const TypedName kZone = typed("?z", "zone");

Action pick() {
  return {"pick",
          {kRobot, kPart, kSlot, kZone},
          {is("works", {"?r"}), is("free", {"?r"}), is("at", {"?p", "?s"}), is("in", {"?s", "?z"}),
           is("ready", {"?z"}), is("reaches", {"?r", "?s"})},
          {is("holds", {"?r", "?p"}), is("empty", {"?s"}), is_not("free", {"?r"}),
           is_not("at", {"?p", "?s"}), is_not("filled", {"?s"})},
          cost("pick-time", {"?r", "?s"})};
}

Action pick_loose() {
  return {"pick-loose",
          {kRobot, kPart, kZone},
          {is("works", {"?r"}), is("free", {"?r"}), is("loose", {"?p", "?z"}), is("ready", {"?z"}),
           is("reaches", {"?r", "?p"})},
          {is("holds", {"?r", "?p"}), is_not("free", {"?r"}), is_not("loose", {"?p", "?z"})},
          cost("pick-time", {"?r", "?p"})};
}

Action place() {
  return {"place",
          {kRobot, kPart, kSlot, kZone},
          {is("works", {"?r"}), is("holds", {"?r", "?p"}), is("meant", {"?p", "?s"}),
           is("empty", {"?s"}), is("in", {"?s", "?z"}), is("ready", {"?z"}),
           is("reaches", {"?r", "?s"})},
          {is("at", {"?p", "?s"}), is("filled", {"?s"}), is("free", {"?r"}),
           is_not("holds", {"?r", "?p"}), is_not("empty", {"?s"})},
          cost("place-time", {"?r", "?s"})};
}

Action bring() {
  return {"bring",
          {kZone},
          {is("movable", {"?z"}), is_not("ready", {"?z"})},
          {is("ready", {"?z"})},
          cost("bring-time", {"?z"})};
}

const TypedName kTool = typed("?t", "tool");

/// A pick that needs a tool which handles the part.
Action with_tool(Action pick) {
  pick.parameters.push_back(kTool);
  pick.preconditions.push_back(is("carries", {"?r", "?t"}));
  pick.preconditions.push_back(is("handles", {"?t", "?p"}));
  return pick;
}

Action take_tool() {
  return {"take-tool",
          {kRobot, kTool, kZone},
          {is("works", {"?r"}), is("free", {"?r"}), is("bare", {"?r"}), is("fits", {"?t", "?r"}),
           is("hangs", {"?t", "?z"}), is("ready", {"?z"})},
          {is("carries", {"?r", "?t"}), is_not("bare", {"?r"}), is_not("hangs", {"?t", "?z"})},
          cost("change-time", {"?r"})};
}

Action hang_tool() {
  return {"hang-tool",
          {kRobot, kTool, kZone},
          {is("works", {"?r"}), is("free", {"?r"}), is("carries", {"?r", "?t"}),
           is("place-of", {"?t", "?z"}), is("ready", {"?z"})},
          {is("hangs", {"?t", "?z"}), is("bare", {"?r"}), is_not("carries", {"?r", "?t"})},
          cost("change-time", {"?r"})};
}

void add_tools(pddl::Domain& domain) {
  domain.types.push_back(typed("tool", "object"));
  for (const pddl::Symbol& predicate : {pddl::Symbol{"carries", {kRobot, kTool}},
                                        {"bare", {kRobot}},
                                        {"fits", {kTool, kRobot}},
                                        {"hangs", {kTool, kZone}},
                                        {"place-of", {kTool, kZone}},
                                        {"handles", {kTool, kPart}}}) {
    domain.predicates.push_back(predicate);
  }
  domain.functions.push_back({"change-time", {kRobot}});
  domain.actions = {with_tool(pick()), with_tool(pick_loose()), place(), bring(), take_tool(),
                    hang_tool()};
}

}  // namespace

pddl::Domain make_domain(const Ontology& ontology) {
  pddl::Domain domain;
  domain.name = "kitting";
  domain.requirements = {":strips", ":typing", ":negative-preconditions", ":action-costs"};
  for (const char* type : {"robot", "zone", "slot", "part", "tray"}) {
    domain.types.push_back(typed(type, "object"));
  }
  domain.types.push_back(typed("vessel", "tray"));
  domain.types.push_back(typed("kit", "tray"));
  for (const PartKind& part : ontology.parts) {
    domain.types.push_back(typed(part.name, "part"));
  }
  for (const TrayKind& tray : ontology.trays) {
    domain.types.push_back(typed(tray.name, tray.is_kit() ? "kit" : "vessel"));
  }
  const TypedName spot = typed("?x", "object");
  domain.predicates = {{"works", {kRobot}},
                       {"free", {kRobot}},
                       {"holds", {kRobot, kPart}},
                       {"at", {kPart, kSlot}},
                       {"loose", {kPart, kZone}},
                       {"in", {kSlot, kZone}},
                       {"of", {kSlot, typed("?t", "tray")}},
                       {"meant", {kPart, kSlot}},
                       {"empty", {kSlot}},
                       {"filled", {kSlot}},
                       {"reaches", {kRobot, spot}},
                       {"ready", {kZone}},
                       {"movable", {kZone}}};
  domain.functions = {
      {"pick-time", {kRobot, spot}}, {"place-time", {kRobot, kSlot}}, {"bring-time", {kZone}}};
  domain.actions = {pick(), pick_loose(), place(), bring()};
  if (!ontology.tools.empty()) {
    add_tools(domain);
  }
  return domain;
}

}  // namespace longarm::kitting
