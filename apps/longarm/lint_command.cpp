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
#include "longarm/experiments/run_experiment.h"
#include "longarm/model/lint.h"
#include "longarm/model/model_file.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/load.h"
#include "longarm/scenario/ready.h"

namespace longarm::app {
namespace {

struct LintArguments {
  std::string target;
  scenario::LoadOptions load;
};

bool is_model_file(const std::string& target) {
  const std::string ending = std::filesystem::path(target).extension();
  return ending == ".urdf" || ending == ".sdf" || ending == ".xml" || ending == ".xacro";
}

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void print(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    fmt::print("{}\n", diagnostic.format());
  }
}

/// What the reader warned of counts as found too.
int report(const std::vector<model::LintFinding>& findings, const std::vector<Diagnostic>& warnings,
           const LintArguments& arguments) {
  const std::vector<std::string>& allow = arguments.load.allow;
  print(warnings);
  std::size_t errors = 0;
  for (const model::LintFinding& finding : findings) {
    const bool is_allowed = std::find(allow.begin(), allow.end(), finding.name) != allow.end();
    errors += finding.diagnostic.severity == Severity::kError && !is_allowed ? 1U : 0U;
    fmt::print("{} [{}{}]\n", finding.diagnostic.format(), finding.name,
               is_allowed ? ", allowed" : "");
  }
  fmt::print("{}: {}, {}\n", arguments.target,
             counted(findings.size() + warnings.size(), "finding"), counted(errors, "error"));
  return errors == 0 ? kDone : kCheckFailed;
}

int lint_model(const LintArguments& arguments) {
  Diagnostics diagnostics;
  InputFiles files;
  const model::Model model =
      model::read_model_file(arguments.target, scenario::model_search(), files, diagnostics);
  diagnostics.throw_if_errors();
  const model::BodyTree tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  return report(model::lint(tree), diagnostics.all(), arguments);
}

/// Loading a scenario runs every check.
int lint_scenario(const LintArguments& arguments) {
  try {
    const scenario::PreparedScenario prepared =
        scenario::load_scenario(arguments.target, arguments.load, scenario::built_in_plugins());
    print(prepared.warnings);
    fmt::print("{}: {}, no errors; the plan takes {:.3f} s\n", arguments.target,
               counted(prepared.warnings.size(), "warning"), to_seconds(prepared.plan.end));
    return kDone;
  } catch (const scenario::LintError& found) {
    print(found.warnings());
    print(found.diagnostics());
    fmt::print("{}: {}, {}\n", arguments.target, counted(found.warnings().size(), "warning"),
               counted(found.diagnostics().size(), "error"));
    return kCheckFailed;
  }
}

/// Loading judges every key, and making the run shows what the engine refuses; the bodies are
/// looked at as those of any other model.
int lint_experiment(const LintArguments& arguments) {
  const experiments::PreparedExperiment prepared =
      experiments::load_experiment(arguments.target, arguments.load, scenario::built_in_plugins());
  const experiments::ExperimentRun run(prepared);
  std::vector<model::LintFinding> findings;
  std::vector<std::string> seen;
  for (const model::Placement& placement : run.experiment().cell().placements) {
    for (model::LintFinding& finding : model::lint(placement.tree)) {
      // ten trays of one kind have one fault
      const std::string text = finding.diagnostic.format();
      if (std::find(seen.begin(), seen.end(), text) == seen.end()) {
        seen.push_back(text);
        findings.push_back(std::move(finding));
      }
    }
  }
  return report(findings, prepared.warnings, arguments);
}

int lint(const LintArguments& arguments) {
  if (is_model_file(arguments.target)) {
    return lint_model(arguments);
  }
  // a world may have the name of the experiment in it
  if (experiments::is_experiment(arguments.target)) {
    return lint_experiment(arguments);
  }
  const std::string ready = scenario::find_model_file(arguments.target, "");
  if (!ready.empty() && is_model_file(ready)) {
    LintArguments with_file = arguments;
    with_file.target = ready;
    return lint_model(with_file);
  }
  return lint_scenario(arguments);
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
  add_plugin_option(word, arguments->load.plugins);
  word.add_option("--allow", arguments->load.allow, "do not count this finding as an error")
      ->type_name("NAME")
      ->allow_extra_args(false);
  word.footer(
      "Findings: " + join(model::lint_names()) +
      "\nExit code 0: no errors; 1: a finding is an error; 2: the input is bad or cannot be read.");
  return [arguments] { return lint(*arguments); };
}

}  // namespace longarm::app
