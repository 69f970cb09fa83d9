// SPDX-License-Identifier: Apache-2.0
// Small things the tests of this folder share.
#pragma once

#include <string>

#include "longarm/core/diagnostic.h"
#include "longarm/model/body_tree.h"
#include "longarm/model/lint.h"

namespace longarm::model {

/// Everything that was reported, one after the other.
inline std::string all_text(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    text += diagnostic.format() + "\n";
  }
  return text;
}

inline std::string all_text(const std::vector<LintFinding>& findings) {
  std::string text;
  for (const LintFinding& finding : findings) {
    text += finding.name + ": " + finding.diagnostic.format() + "\n";
  }
  return text;
}

inline Pose shifted(double x, double y, double z) {
  return Pose(Eigen::Translation3d(x, y, z));
}

}  // namespace longarm::model
