// SPDX-License-Identifier: Apache-2.0
// A first scenario for a robot that nobody has described yet: which joints move, where, how fast.
#pragma once

#include <string>
#include <vector>

#include "longarm/model/body_tree.h"

namespace longarm::app {

/// What of a sketch may be given up so that it runs, one after the other.
struct SketchEffort {
  double amplitude = 1.0;     ///< of the usual swing
  double speed = 1.0;         ///< of the usual speed
  bool from_middle = false;   ///< start in the middle of the limits instead of near zero
  bool is_kinematic = false;  ///< joints follow exactly, without forces
};

struct ScenarioSketch {
  std::string title;
  std::string model;                    ///< as the scenario names it
  std::vector<std::string> xacro_args;  ///< of a xacro file
  std::string end_effector;
  std::vector<std::string> other_frames;  ///< that it could be instead
  std::vector<int> joints;                ///< of the tree, that are driven
  std::vector<int> held_back;  ///< of that chain, whose followers' limits leave no motion
  std::vector<std::string> other_chains;  ///< links at the ends of those that are held
  bool drives_all = true;                 ///< all that do not follow another
  bool estimates_inertia = false;
  std::vector<double> home;                    ///< per driven joint
  std::vector<std::vector<double>> waypoints;  ///< per driven joint
  std::vector<double> velocity_limits;
  std::vector<double> acceleration_limits;
  SketchEffort effort;
  std::vector<std::string> remarks;  ///< for the head of the file
};

/// The end of the longest chain of joints, before its fingers if it has a hand (several branches at
/// the end of an arm, not longer than it); by a usual name (tool0, flange, …) where there is one.
std::string choose_end_effector(const model::BodyTree& tree);

/// The joints between the root and the end effector swing to either side, every other one at a
/// time, and return; they and what follows them stay within their limits. Without a joint that can
/// move `joints` is empty.
ScenarioSketch sketch_scenario(const model::BodyTree& tree, const SketchEffort& effort);

/// As YAML with comments.
std::string scenario_text(const ScenarioSketch& sketch, const model::BodyTree& tree);

}  // namespace longarm::app
