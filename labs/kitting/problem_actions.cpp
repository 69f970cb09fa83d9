// SPDX-License-Identifier: Apache-2.0
// What the steps of a plan mean, and which actions anybody can carry out.
#include <fmt/format.h>

#include "labs/kitting/problem.h"

namespace longarm::kitting {

std::optional<KittingAction> read_action(const pddl::Step& step) {
  const std::vector<std::string>& terms = step.arguments;
  using Kind = KittingAction::Kind;
  // the tool that a pick needs, if there are any, comes last
  if (step.action == "pick" && (terms.size() == 4 || terms.size() == 5)) {
    return KittingAction{Kind::kPick, terms[0], terms[1], terms[2], terms[3]};
  }
  if (step.action == "pick-loose" && (terms.size() == 3 || terms.size() == 4)) {
    return KittingAction{Kind::kPickLoose, terms[0], terms[1], "", terms[2]};
  }
  if (step.action == "place" && terms.size() == 4) {
    return KittingAction{Kind::kPlace, terms[0], terms[1], terms[2], terms[3]};
  }
  if (step.action == "bring" && terms.size() == 1) {
    return KittingAction{Kind::kBring, "", "", "", terms[0]};
  }
  if ((step.action == "take-tool" || step.action == "hang-tool") && terms.size() == 3) {
    const Kind kind = step.action == "take-tool" ? Kind::kTakeTool : Kind::kHangTool;
    return KittingAction{kind, terms[0], "", "", terms[2], terms[1]};
  }
  return std::nullopt;
}

std::vector<RequestRemark> check_actions(const pddl::Domain& domain) {
  std::vector<RequestRemark> remarks;
  for (const pddl::Action& action : domain.actions) {
    pddl::Step step{action.name, {}};
    step.arguments.resize(action.parameters.size());
    if (!read_action(step)) {
      remarks.push_back(
          {"domain",
           fmt::format("unknown action '{}' with {} arguments", action.name,
                       action.parameters.size()),
           "valid actions: (pick ROBOT PART SLOT ZONE), (pick-loose ROBOT PART ZONE), (place ROBOT "
           "PART SLOT ZONE), (bring ZONE); where arms change tools also (take-tool ROBOT TOOL "
           "ZONE), (hang-tool ROBOT TOOL ZONE), and picks with the TOOL at the end"});
    }
  }
  return remarks;
}

}  // namespace longarm::kitting
