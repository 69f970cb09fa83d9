// SPDX-License-Identifier: Apache-2.0
// Masses and inertias for bodies whose file has none that they could have.
#pragma once

#include <string>
#include <vector>

#include "longarm/model/body_tree.h"

namespace longarm::model {

/// What such bodies are taken to be made of: robots are metal with much air in it.
inline constexpr double kEstimatedDensity_kg_m3 = 1000.0;

struct InertiaEstimate {
  std::string body;
  double mass_kg = 0.0;
  bool has_own_mass = false;  ///< the file's mass stays; only how it is spread is estimated
};

/// The findings of lint() that an estimate mends: mass and inertia-….
const std::vector<std::string>& estimable_findings();

/// Replaces the inertial of every moving body in which lint() finds an error of one of these
/// `kinds`: a solid box the size of its collision shapes, or of its visuals if it has none. A
/// mass that the file gives stays; others are their volume times the density above. A body without
/// shapes becomes a ball of 0.1 kg. Meshes of visuals are read for this.
std::vector<InertiaEstimate> estimate_inertials(
    BodyTree& tree, const std::vector<std::string>& kinds = estimable_findings(),
    bool root_is_fixed = true);

/// "'base' (1.2 kg), 'arm' (3 kg, given)", for messages.
std::string in_words(const std::vector<InertiaEstimate>& estimates);

}  // namespace longarm::model
