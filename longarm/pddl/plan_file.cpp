// SPDX-License-Identifier: Apache-2.0
// Plans to text and back.
#include "longarm/pddl/plan_file.h"

#include <fmt/format.h>

#include "longarm/pddl/tree.h"

namespace longarm::pddl {

std::string write_plan(const Plan& plan) {
  std::string text;
  for (const Step& step : plan.steps) {
    text += text_of(step) + "\n";
  }
  return text + fmt::format("; cost = {} ({})\n; {}, found by {}\n", cost_text(plan.cost),
                            "general cost", plan.is_optimal ? "optimal" : "not proven optimal",
                            plan.method);
}

std::vector<Step> read_plan(std::string_view text, const std::string& path,
                            Diagnostics& diagnostics) {
  // a pair of parentheses around it, on its first line, makes a file a tree
  const Tree tree = parse_tree("(" + std::string(text) + "\n)", path, diagnostics);
  std::vector<Step> steps;
  for (const Tree& item : tree.items) {
    Step step;
    bool is_right = item.is_list && !item.items.empty();
    for (const Tree& word : item.items) {
      is_right = is_right && !word.is_list;
      step.arguments.push_back(word.word);
    }
    if (!is_right) {
      SourceLocation where = item.where;
      where.column -= where.line == 1 ? 1 : 0;
      diagnostics.error(where, fmt::format("{} is not an action", glimpse(item)),
                        "write: (action argument …)");
      continue;
    }
    step.action = step.arguments.front();
    step.arguments.erase(step.arguments.begin());
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace longarm::pddl
