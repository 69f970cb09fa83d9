// SPDX-License-Identifier: Apache-2.0
// A robot that the command line names: `ur5`, `arm.urdf`, `arm.urdf.xacro prefix:=left_`.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "longarm/core/diagnostic.h"
#include "longarm/model/body_tree.h"
#include "longarm/model/lint.h"
#include "longarm/model/model.h"

namespace longarm::app {

struct RobotArgument {
  std::string target;
  std::vector<std::string> xacro_args;

  /// As on the command line.
  std::string text() const;
};

void add_robot_argument(CLI::App& word, RobotArgument& robot);

struct ReadRobot {
  std::string path;
  bool is_ready = false;  ///< comes with the program and goes by its name
  model::Model model;
  model::BodyTree tree;
  std::vector<Diagnostic> warnings;
};

/// What is odd about a robot's file by itself: what a scenario can mend (`inertia: estimate`) is
/// only a warning, which says so.
std::vector<model::LintFinding> lint_robot(const model::BodyTree& tree);

/// A finding as it is printed: with its name in brackets at the end.
Diagnostic with_name(const model::LintFinding& finding, const std::string& remark = {});

/// Throws InputError with everything that is wrong.
ReadRobot read_robot_argument(const RobotArgument& robot);

}  // namespace longarm::app
