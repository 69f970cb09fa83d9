// SPDX-License-Identifier: Apache-2.0
// `longarm lint`: what is unphysical about a model, or about a scenario's model and servo.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "apps/longarm/robot_argument.h"
#include "labs/labs.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/cell/run_folder.h"
#include "longarm/config/data_files.h"
#include "longarm/config/ready.h"
#include "longarm/config/text_file.h"
#include "longarm/core/alike.h"
#include "longarm/core/suggest.h"
#include "longarm/model/lint.h"
#include "longarm/model/model_file.h"
#include "longarm/model/world.h"

namespace longarm::app {
namespace {

struct LintArguments {
  std::string target;
  cell::LoadOptions load;
  bool is_strict = false;
  bool prints_all = false;
};

bool is_model_file(const std::string& target) {
  const std::string ending = std::filesystem::path(target).extension();
  return ending == ".urdf" || ending == ".sdf" || ending == ".xml" || ending == ".xacro";
}

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void print(const std::vector<Diagnostic>& diagnostics, const LintArguments& arguments) {
  for (const Diagnostic& diagnostic :
       arguments.prints_all ? diagnostics : group_alike(diagnostics)) {
    fmt::print("{}\n", diagnostic.format());
  }
}

/// What the reader warned of counts as found too.
int report(const std::vector<model::LintFinding>& findings, const std::vector<Diagnostic>& warnings,
           const LintArguments& arguments) {
  const std::vector<std::string>& allow = arguments.load.allow;
  std::vector<Diagnostic> lines = warnings;
  std::size_t errors = 0;
  for (const model::LintFinding& finding : findings) {
    const bool is_allowed = std::find(allow.begin(), allow.end(), finding.name) != allow.end();
    errors += finding.diagnostic.severity == Severity::kError && !is_allowed ? 1U : 0U;
    lines.push_back(with_name(finding, is_allowed ? ", allowed" : ""));
  }
  print(lines, arguments);
  fmt::print("{}: {}, {}\n", arguments.target,
             counted(findings.size() + warnings.size(), "finding"), counted(errors, "error"));
  return errors == 0 ? kDone : kCheckFailed;
}

/// Findings of several models, each once: ten trays of one kind have one fault.
void add_findings(std::vector<model::LintFinding> found,
                  std::vector<model::LintFinding>& findings) {
  for (model::LintFinding& finding : found) {
    const bool is_new =
        std::none_of(findings.begin(), findings.end(), [&](const model::LintFinding& other) {
          return other.diagnostic.format() == finding.diagnostic.format();
        });
    if (is_new) {
      findings.push_back(std::move(finding));
    }
  }
}

/// A file that cannot be read is left to whoever reads it next.
bool is_world_file(const std::string& path) {
  if (std::filesystem::path(path).extension() != ".sdf" || !std::filesystem::exists(path)) {
    return false;
  }
  const std::string text = config::read_text_file(path);
  return text.find("<world ") != std::string::npos || text.find("<world>") != std::string::npos;
}

int lint_world(const LintArguments& arguments) {
  Diagnostics diagnostics;
  InputFiles files;
  const model::World world =
      model::read_world_file(arguments.target, config::model_search(), files, diagnostics);
  diagnostics.throw_if_errors();
  const std::vector<model::Placement> placements = model::make_placements(world, diagnostics);
  diagnostics.throw_if_errors();
  std::vector<model::LintFinding> findings;
  for (const model::Placement& placement : placements) {
    // nothing moves what is static, whatever its masses are
    if (!placement.tree.is_static) {
      add_findings(model::lint(placement.tree, placement.is_fixed), findings);
    }
  }
  return report(findings, diagnostics.all(), arguments);
}

int lint_model(const LintArguments& arguments) {
  if (is_world_file(arguments.target)) {
    return lint_world(arguments);
  }
  Diagnostics diagnostics;
  InputFiles files;
  const model::Model model =
      model::read_model_file(arguments.target, config::model_search(), files, diagnostics);
  diagnostics.throw_if_errors();
  const model::BodyTree tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  return report(arguments.is_strict ? model::lint(tree) : lint_robot(tree), diagnostics.all(),
                arguments);
}

/// Loading a scenario runs every check.
int lint_scenario(const LintArguments& arguments) {
  try {
    const cell::PreparedScenario prepared =
        cell::load_scenario(arguments.target, arguments.load, labs::built_in_plugins());
    print(prepared.warnings, arguments);
    fmt::print("{}: {}, no errors; a run takes {:.3f} s\n", arguments.target,
               counted(prepared.warnings.size(), "warning"), to_seconds(prepared.length));
    return kDone;
  } catch (const cell::LintError& found) {
    print(found.warnings(), arguments);
    print(found.diagnostics(), arguments);
    fmt::print("{}: {}, {}\n", arguments.target, counted(found.warnings().size(), "warning"),
               counted(found.diagnostics().size(), "error"));
    return kCheckFailed;
  }
}

int lint(const LintArguments& arguments) {
  if (is_model_file(arguments.target)) {
    return lint_model(arguments);
  }
  // a world may have the name of the scenario that it stands in
  const std::string ready = config::find_model_file(arguments.target, "");
  if (!config::is_ready_scenario(arguments.target) && !ready.empty() && is_model_file(ready)) {
    LintArguments with_file = arguments;
    with_file.target = ready;
    return lint_model(with_file);
  }
  return lint_scenario(arguments);
}

}  // namespace

Command add_lint_command(CLI::App& word) {
  const auto arguments = std::make_shared<LintArguments>();
  word.add_option(
          "target", arguments->target,
          "a URDF or SDF file (robot or world), the name of a built-in model, or a scenario")
      ->required();
  word.add_option("--set", arguments->load.overrides, "override a key of the scenario")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_plugin_option(word, arguments->load.plugins);
  word.add_option("--allow", arguments->load.allow, "do not count this finding as an error")
      ->type_name("NAME")
      ->allow_extra_args(false);
  word.add_flag("--strict", arguments->is_strict,
                "report masses and inertias that robot.inertia: estimate would replace as errors");
  word.add_flag("--all", arguments->prints_all,
                "print every warning; by default similar ones are counted");
  word.footer(
      "Findings: " + join(model::lint_names()) +
      "\n"
      "Exit code 0: no errors; 1: at least one finding is an error; 2: bad or unreadable input.");
  return [arguments] { return lint(*arguments); };
}

}  // namespace longarm::app
