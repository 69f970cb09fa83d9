// SPDX-License-Identifier: Apache-2.0
// `longarm lint`: what is unphysical about a model, or about a scenario's model and servo.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "longarm/core/suggest.h"
#include "longarm/model/lint.h"
#include "longarm/model/model_file.h"
#include "longarm/scenario/load.h"

namespace longarm::app {
namespace {

struct LintArguments {
  std::string target;
  scenario::LoadOptions load;
};

bool is_model_file(const std::string& target) {
  const std::string ending = std::filesystem::path(target).extension();
  return ending == ".urdf" || ending == ".sdf" || ending == ".xml";
}

int report(const std::vector<model::LintFinding>& findings, const std::vector<std::string>& allow,
           const std::string& target) {
  int errors = 0;
  for (const model::LintFinding& finding : findings) {
    const bool is_allowed = std::find(allow.begin(), allow.end(), finding.name) != allow.end();
    errors += finding.diagnostic.severity == Severity::kError && !is_allowed ? 1 : 0;
    fmt::print("{} [{}{}]\n", finding.diagnostic.format(), finding.name,
               is_allowed ? ", allowed" : "");
  }
  fmt::print("{}: {} finding{}, {} error{}\n", target, findings.size(),
             findings.size() == 1 ? "" : "s", errors, errors == 1 ? "" : "s");
  return errors == 0 ? kDone : kCheckFailed;
}

int lint_model(const LintArguments& arguments) {
  Diagnostics diagnostics;
  const model::Model model = model::read_model_file(arguments.target, diagnostics);
  diagnostics.throw_if_errors();
  const model::BodyTree tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  for (const Diagnostic& warning : diagnostics.all()) {
    fmt::print("{}\n", warning.format());
  }
  return report(model::lint(tree), arguments.load.allow, arguments.target);
}

int lint(const LintArguments& arguments) {
  if (is_model_file(arguments.target)) {
    return lint_model(arguments);
  }
  const std::string ready = scenario::find_model_file(arguments.target, "");
  if (!ready.empty() && is_model_file(ready)) {
    LintArguments with_file = arguments;
    with_file.target = ready;
    return lint_model(with_file);
  }

  // a scenario: loading it runs every check
  const scenario::PreparedScenario prepared =
      scenario::load_scenario(arguments.target, arguments.load, scenario::built_in_plugins());
  for (const Diagnostic& warning : prepared.warnings) {
    fmt::print("{}\n", warning.format());
  }
  fmt::print("{}: {} warning{}, no errors; the plan takes {:.3f} s\n", arguments.target,
             prepared.warnings.size(), prepared.warnings.size() == 1 ? "" : "s",
             to_seconds(prepared.plan.end));
  return kDone;
}

}  // namespace

Command add_lint_command(CLI::App& word) {
  const auto arguments = std::make_shared<LintArguments>();
  word.add_option("target", arguments->target,
                  "a URDF or SDF file, a ready model's name, or a scenario")
      ->required();
  word.add_option("--set", arguments->load.overrides, "change a scenario's key first")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  word.add_option("--allow", arguments->load.allow, "do not count this finding as an error")
      ->type_name("NAME")
      ->allow_extra_args(false);
  word.footer("Findings: " + join(model::lint_names()) +
              "\nExit code 0: no errors; 1: the model is unphysical; 2: it could not be read.");
  return [arguments] { return lint(*arguments); };
}

}  // namespace longarm::app
