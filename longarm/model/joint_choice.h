// SPDX-License-Identifier: Apache-2.0
// Which joints of a robot are driven, which are free, and which are held; and where they are to be.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/model/body_tree.h"

namespace longarm::model {

/// Names of joints; `*` stands for any text.
struct JointChoice {
  std::vector<std::string> driven;  ///< empty: all that neither mimic nor are free
  std::vector<std::string> free;    ///< they move without a drive
};

/// What is wrong with names or numbers that a user gave for joints.
struct JointFlaw {
  enum class In { kDriven, kFree, kPositions };
  In in = In::kPositions;
  std::string message;
  std::string hint;
};

/// Fixes every joint that is neither driven nor free at its position in `home`, or where
/// usual_position() has it; what mimics it is fixed accordingly. Nothing is changed if there are
/// flaws: names of joints that there are not or that mimic others, positions beyond limits.
std::vector<JointFlaw> hold_other_joints(const JointChoice& choice, const JointPositions& home,
                                         Model& model);

/// The joints with a drive, of a tree made of what is left; in order.
std::vector<int> driven_joints(const BodyTree& tree, const JointChoice& choice);

/// 0, or the limit nearest to it.
double usual_position(const JointLimits& limits);

/// One number per joint of the tree: `before`, with `positions` in it. They are by name, or in the
/// order of `driven`, where one number stands for all; joints that mimic others follow.
std::vector<double> put_positions(const JointPositions& positions, const BodyTree& tree,
                                  const std::vector<int>& driven, std::vector<double> before,
                                  std::vector<JointFlaw>& flaws);

}  // namespace longarm::model
