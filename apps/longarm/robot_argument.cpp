// SPDX-License-Identifier: Apache-2.0
// Finds and reads the robot.
#include "apps/longarm/robot_argument.h"

#include <algorithm>
#include <filesystem>

#include "longarm/config/data_files.h"
#include "longarm/config/ready.h"
#include "longarm/core/suggest.h"
#include "longarm/model/inertia_estimate.h"
#include "longarm/model/model_file.h"

namespace longarm::app {

void add_robot_argument(CLI::App& word, RobotArgument& robot) {
  word.add_option("robot", robot.target,
                  "a URDF, SDF, MJCF or xacro file, or the name of a built-in model")
      ->required();
  word.add_option("arguments", robot.xacro_args, "arguments of a xacro file")
      ->type_name("NAME:=VALUE");
}

std::string RobotArgument::text() const {
  std::vector<std::string> words{target};
  words.insert(words.end(), xacro_args.begin(), xacro_args.end());
  return join(words, " ");
}

std::vector<model::LintFinding> lint_robot(const model::BodyTree& tree) {
  const std::vector<std::string>& estimable = model::estimable_findings();
  std::vector<model::LintFinding> findings = model::lint(tree);
  for (model::LintFinding& finding : findings) {
    Diagnostic& found = finding.diagnostic;
    if (found.severity == Severity::kError &&
        std::find(estimable.begin(), estimable.end(), finding.name) != estimable.end()) {
      found.severity = Severity::kWarning;
      found.hint += "; a scenario needs robot.inertia: estimate, or engine: kinematic";
    }
  }
  return findings;
}

Diagnostic with_name(const model::LintFinding& finding, const std::string& remark) {
  Diagnostic diagnostic = finding.diagnostic;
  std::string& last = diagnostic.hint.empty() ? diagnostic.message : diagnostic.hint;
  last += " [" + finding.name + remark + "]";
  return diagnostic;
}

ReadRobot read_robot_argument(const RobotArgument& robot) {
  const std::vector<std::string> ready = config::ready_models();
  ReadRobot result;
  result.is_ready = !std::filesystem::exists(robot.target) &&
                    std::find(ready.begin(), ready.end(), robot.target) != ready.end();
  result.path = result.is_ready ? config::find_model_file(robot.target, "") : robot.target;
  if (!std::filesystem::is_regular_file(result.path)) {
    refuse("there is no model '" + robot.target + "'",
           "it is neither a file nor a built-in model; " + suggest(robot.target, ready));
  }
  model::ModelSearch search = config::model_search();
  for (const std::string& argument : robot.xacro_args) {
    const auto pair = model::parse_xacro_argument(argument);
    if (!pair) {
      refuse("'" + argument + "' is not name:=value",
             "write xacro arguments after the file, as name:=value");
    }
    search.xacro_arguments.insert(*pair);
  }
  Diagnostics diagnostics;
  InputFiles files;
  result.model = model::read_model_file(result.path, search, files, diagnostics);
  diagnostics.throw_if_errors();
  result.tree = model::make_body_tree(result.model, diagnostics);
  diagnostics.throw_if_errors();
  result.warnings = diagnostics.all();
  return result;
}

}  // namespace longarm::app
