// SPDX-License-Identifier: Apache-2.0
// Couples tools by the engine's rigid joint, as they stand at the flange.
#include "longarm/robots/arm/robot_tool.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/index.h"
#include "longarm/core/suggest.h"

namespace longarm::robots {
namespace {

/// `tcp`, or the frame of that name in a model that includes the tool.
std::optional<std::string> tcp_of(const model::BodyTree& tree) {
  for (const model::Frame& frame : tree.frames) {
    if (frame.body == 0 && (frame.name == "tcp" || frame.name.ends_with("::tcp"))) {
      return frame.name;
    }
  }
  return std::nullopt;
}

}  // namespace

int find_placement(const model::Cell& cell, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < cell.placements.size(); ++i) {
    if (cell.placements[i].name == name) {
      return static_cast<int>(i);
    }
    known.push_back(cell.placements[i].name);
  }
  throw InputError(
      Diagnostic{{}, fmt::format("there is no '{}' in this world", name), suggest(name, known)});
}

void set_first_controlled_point(RobotArm& arm, const model::BodyTree& tree,
                                const RobotConfig& config) {
  const bool has_changer = !config.tool_changer.tools.empty();
  const auto frame = has_changer ? std::nullopt : tree.find_frame(config.tool_frame);
  const bool has_tool = frame && tree.frames[index_of(*frame)].body == arm.last_tree_body();
  arm.set_controlled_point(has_tool ? tree.frames[index_of(*frame)].X_BF : arm.X_LF());
}

RobotTool::RobotTool(physics::Engine& engine, const model::Cell& cell, int placement, RobotArm& arm,
                     const RobotConfig& config, Duration period)
    : engine_(engine), arm_(arm), config_(config) {
  set_first_controlled_point(arm, cell.placements[index_of(placement)].tree, config);
  built_in_ = make_gripper(engine, cell,
                           {placement, arm.last_tree_body(), config.tool_frame, config.placement},
                           config, period);
  bodies_.push_back(arm.last_body());
  for (const physics::BodyId body : built_in_->bodies()) {
    bodies_.push_back(body);
  }
  for (const std::string& name : config.tool_changer.tools) {
    add_tool(cell, name, period);
  }
  for (std::size_t i = 0; i < tools_.size(); ++i) {
    if (tools_[i].name == config.tool_changer.mounted) {
      engine_.reset_body(tools_[i].root, engine_.pose(arm.last_body()) * arm.X_LF(), {});
      couple(i);
    }
  }
}

void RobotTool::add_tool(const model::Cell& cell, const std::string& name, Duration period) {
  const int placement = find_placement(cell, name);
  const model::BodyTree& tree = cell.placements[index_of(placement)].tree;
  const std::optional<std::string> tcp = tcp_of(tree);
  Tool tool;
  tool.name = name;
  tool.root = static_cast<physics::BodyId>(cell.first_body(placement));
  for (int b = 0; b < static_cast<int>(tree.bodies.size()); ++b) {
    tool.bodies.push_back(static_cast<physics::BodyId>(cell.first_body(placement) + b));
  }
  if (tcp) {
    tool.X_RT = tree.frames[index_of(*tree.find_frame(*tcp))].X_BF;
  }
  tool.gripper =
      make_gripper(engine_, cell, {placement, 0, tcp.value_or(""), name}, config_, period);
  tools_.push_back(std::move(tool));
}

RobotGripper& RobotTool::gripper() {
  return mounted_ ? *tools_[*mounted_].gripper : *built_in_;
}

const RobotGripper& RobotTool::gripper() const {
  return mounted_ ? *tools_[*mounted_].gripper : *built_in_;
}

/// The tool's root in the flange.
Pose RobotTool::X_FR(const Tool& tool) const {
  return (engine_.pose(arm_.last_body()) * arm_.X_LF()).inverse() * engine_.pose(tool.root);
}

bool RobotTool::is_within_reach(const Tool& tool) const {
  const Pose X = X_FR(tool);
  const double turn = Eigen::AngleAxisd(model::Matrix3(X.linear())).angle();
  return X.translation().norm() <= config_.tool_changer.reach_m &&
         turn <= config_.tool_changer.reach_rad;
}

void RobotTool::set_collisions(const Tool& tool, std::span<const physics::BodyId> own,
                               bool enabled) {
  for (const physics::BodyId each : own) {
    for (const physics::BodyId body : tool.bodies) {
      engine_.set_pair_collision(each, body, enabled);
    }
  }
}

void RobotTool::couple(std::size_t number) {
  const Tool& tool = tools_[number];
  set_collisions(tool, arm_.bodies(), false);
  coupling_ = engine_.attach(arm_.last_body(), tool.root);
  mounted_ = number;
  bodies_.insert(bodies_.end(), tool.bodies.begin(), tool.bodies.end());
  arm_.set_controlled_point(arm_.X_LF() * X_FR(tool) * tool.X_RT);
}

Result<bool> RobotTool::take() {
  if (tools_.empty()) {
    return Error{
        fmt::format("'{}' has no tool changer: its gripper is part of the arm", config_.placement)};
  }
  if (mounted_) {
    return Error{
        fmt::format("'{}' already carries '{}'", config_.placement, tools_[*mounted_].name)};
  }
  double nearest_m = 1e9;
  for (std::size_t i = 0; i < tools_.size(); ++i) {
    if (is_within_reach(tools_[i])) {
      couple(i);
      return true;
    }
    nearest_m = std::min(nearest_m, X_FR(tools_[i]).translation().norm());
  }
  return Error{fmt::format(
      "no tool at the flange: the nearest is {:.1f} mm away, the limits are {:g} mm and {:g}°",
      1e3 * nearest_m, 1e3 * config_.tool_changer.reach_m,
      config_.tool_changer.reach_rad * 180.0 / M_PI)};
}

Result<bool> RobotTool::release() {
  if (tools_.empty()) {
    return Error{
        fmt::format("'{}' has no tool changer: its gripper is part of the arm", config_.placement)};
  }
  if (!mounted_) {
    return Error{fmt::format("'{}' carries no tool", config_.placement)};
  }
  Tool& tool = tools_[*mounted_];
  tool.gripper->stop();
  engine_.detach(coupling_);
  // the flange still stands in its coupling
  const std::span<const physics::BodyId> own(arm_.bodies());
  set_collisions(tool, own.first(own.size() - 2), true);
  bodies_.resize(bodies_.size() - tool.bodies.size());
  mounted_.reset();
  arm_.set_controlled_point(arm_.X_LF());
  return true;
}

void RobotTool::before_step() {
  built_in_->before_step();
  for (const Tool& tool : tools_) {
    tool.gripper->before_step();
  }
}

void RobotTool::after_step() {
  built_in_->after_step();
  for (const Tool& tool : tools_) {
    tool.gripper->after_step();
  }
}

}  // namespace longarm::robots
