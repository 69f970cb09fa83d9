// SPDX-License-Identifier: Apache-2.0
// The robot of a study as its report moves it: bodies, and the joints that carry them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/load_scenario.h"
#include "longarm/study/curves.h"
#include "longarm/view/scene.h"

namespace longarm::study {

/// Name of the document in a store.
inline constexpr const char* kMotionDocument = "motion";

/// What a sweep keeps of the first point it is asked for, of an arm: `scene` as the viewer has it
/// (visuals of the robot and of what stands still; meshes with their bytes as base64 of raw
/// DEFLATE), and `joints`, each with its frame, whose pose in the parent is that at position 0.
nlohmann::ordered_json motion_document(const cell::PreparedScenario& prepared);

/// The document itself if curves of these joints move everything in it; else null: damaged, of an
/// earlier version, or of a robot with joints that nothing drives.
nlohmann::ordered_json usable_motion(nlohmann::ordered_json document,
                                     const std::vector<std::string>& joints);

/// Positions of the joints for the page, columns packed as those of the viewer's one file; null if
/// the curves lack one.
nlohmann::ordered_json packed_positions(const Curves& curves,
                                        const std::vector<std::string>& joints);

/// The mesh, or one of about so many triangles that looks like it from some distance.
view::SceneMesh thinned(const view::SceneMesh& mesh, std::size_t most_triangles);

}  // namespace longarm::study
