// SPDX-License-Identifier: Apache-2.0
// `longarm inspect`: what a robot's file says: joints, limits, links, masses, and what is odd.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "apps/longarm/robot_argument.h"
#include "longarm/core/alike.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/model/lint.h"

namespace longarm::app {
namespace {

using Row = std::vector<std::string>;

/// Columns as wide as they need to be, two spaces between them.
void print_table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], character_count(row[i]));
    }
  }
  for (const Row& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += " " + row[i] + std::string(widths[i] - character_count(row[i]) + 1, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  }
}

/// "90deg", "0.5m", "–" where nothing limits it.
std::string in_units(double value, bool turns, const char* after = "") {
  if (!std::isfinite(value)) {
    return "–";
  }
  return turns ? fmt::format("{:.5g}deg{}", value * 180.0 / M_PI, after)
               : fmt::format("{:.5g}m{}", value, after);
}

std::string type_of(const model::TreeJoint& joint) {
  const bool turns = joint.type == model::JointType::kRevolute;
  const bool is_endless = std::isinf(joint.limits.lower) && std::isinf(joint.limits.upper);
  return !turns ? "prismatic" : is_endless ? "continuous" : "revolute";
}

Row joint_row(const model::BodyTree& tree, std::size_t number) {
  const model::TreeJoint& joint = tree.joints[number];
  const bool turns = joint.type == model::JointType::kRevolute;
  const model::JointLimits& limits = joint.limits;
  const std::string effort = std::isfinite(limits.effort)
                                 ? fmt::format("{:.5g} {}", limits.effort, turns ? "N·m" : "N")
                                 : "–";
  std::string follows;
  if (joint.mimic) {
    follows = tree.joints[static_cast<std::size_t>(joint.mimic->joint)].name;
    follows = fmt::format("follows {} × {}", follows, format_number(joint.mimic->multiplier));
  }
  return {joint.name,
          type_of(joint),
          in_units(limits.lower, turns),
          in_units(limits.upper, turns),
          in_units(limits.velocity, turns, "/s"),
          effort,
          tree.bodies[static_cast<std::size_t>(joint.parent_body)].name,
          tree.bodies[number + 1].name,
          follows};
}

/// Links that are lumped into that body.
std::vector<std::string> links_of(const model::BodyTree& tree, std::size_t body) {
  std::vector<std::string> names;
  for (const model::Frame& frame : tree.frames) {
    if (static_cast<std::size_t>(frame.body) == body && frame.name != tree.bodies[body].name) {
      names.push_back(frame.name);
    }
  }
  return names;
}

std::string shapes_of(const model::Body& body) {
  std::size_t meshes = 0;
  for (const model::Geometry& shape : body.collisions) {
    meshes += std::holds_alternative<model::Mesh>(shape.shape) ? 1U : 0U;
  }
  const std::size_t plain = body.collisions.size() - meshes;
  std::vector<std::string> words;
  if (plain > 0) {
    words.push_back(fmt::format("{} shape{}", plain, plain == 1 ? "" : "s"));
  }
  if (meshes > 0) {
    words.push_back(fmt::format("{} mesh{}", meshes, meshes == 1 ? "" : "es"));
  }
  return words.empty() ? "none" : join(words);
}

void print_joints(const model::BodyTree& tree) {
  if (tree.joints.empty()) {
    fmt::print(
        "\n"
        "Joints: none of them moves\n");
    return;
  }
  fmt::print("\nJoints, in the order of home_rad and of a task's joints_rad:\n");
  std::vector<Row> rows{
      {"joint", "type", "lower", "upper", "velocity", "effort", "from", "moves", ""}};
  for (std::size_t i = 0; i < tree.joints.size(); ++i) {
    rows.push_back(joint_row(tree, i));
  }
  print_table(rows);
}

void print_bodies(const model::BodyTree& tree) {
  fmt::print("\nBodies, with the links that are fixed to them:\n");
  std::vector<Row> rows{{"body", "mass", "collisions", "links"}};
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const model::Body& body = tree.bodies[i];
    rows.push_back({body.name, fmt::format("{:.5g} kg", body.inertial.mass_kg), shapes_of(body),
                    join(links_of(tree, i))});
  }
  print_table(rows);
}

void print_odd(const ReadRobot& robot) {
  std::vector<Diagnostic> odd = robot.warnings;
  for (const model::LintFinding& finding : lint_robot(robot.tree)) {
    odd.push_back(with_name(finding));
  }
  if (odd.empty()) {
    fmt::print(
        "\n"
        "No findings.\n");
    return;
  }
  fmt::print("\nOdd:\n");
  for (const Diagnostic& each : group_alike(odd)) {
    fmt::print("{}\n", each.format());
  }
}

int inspect(const RobotArgument& argument) {
  const ReadRobot robot = read_robot_argument(argument);
  double mass_kg = 0.0;
  for (const model::Body& body : robot.tree.bodies) {
    mass_kg += body.inertial.mass_kg;
  }
  fmt::print("{}: robot '{}', {} links, {} moving joints, {:.5g} kg\n", robot.path,
             robot.model.name, robot.model.links.size(), robot.tree.joints.size(), mass_kg);
  print_joints(robot.tree);
  print_bodies(robot.tree);
  print_odd(robot);
  fmt::print("\nNext: longarm new {}\n", argument.text());
  return kDone;
}

}  // namespace

Command add_inspect_command(CLI::App& word) {
  const auto argument = std::make_shared<RobotArgument>();
  add_robot_argument(word, *argument);
  word.footer(
      "  longarm inspect ur5\n"
      "  longarm inspect ur.urdf.xacro ur_type:=ur5e name:=ur");
  return [argument] { return inspect(*argument); };
}

}  // namespace longarm::app
