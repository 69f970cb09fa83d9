// SPDX-License-Identifier: Apache-2.0
// A robot that the command line names: `ur5`, `arm.urdf`, `arm.urdf.xacro prefix:=left_`.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "longarm/core/diagnostic.h"
#include "longarm/model/body_tree.h"
#include "longarm/model/model.h"

namespace longarm::app {

struct RobotArgument {
  std::string target;
  std::vector<std::string> xacro_args;
};

void add_robot_argument(CLI::App& word, RobotArgument& robot);

struct ReadRobot {
  std::string path;
  bool is_ready = false;  ///< comes with the program and goes by its name
  model::Model model;
  model::BodyTree tree;
  std::vector<Diagnostic> warnings;
};

/// Throws InputError with everything that is wrong.
ReadRobot read_robot_argument(const RobotArgument& robot);

}  // namespace longarm::app
