// SPDX-License-Identifier: Apache-2.0
// The robot of a study as its report moves it: bodies, and the joints that carry them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/load_scenario.h"
#include "longarm/study/curves.h"
#include "longarm/view/scene.h"

namespace longarm::study {

/// Name of the document in a store.
inline constexpr const char* kMotionDocument = "motion";

/// What a sweep keeps of the first point it is asked for: `scene` as the viewer has it (visuals of
/// robots and of what stands still; meshes with their bytes as base64 of raw DEFLATE), and
/// `joints`, each with its frame, whose pose in the parent is that at position 0.
nlohmann::ordered_json motion_document(const cell::PreparedScenario& prepared);

/// The document itself if curves of these joints move everything in it; else null: damaged, or of
/// an earlier version.
nlohmann::ordered_json usable_motion(nlohmann::ordered_json document,
                                     const std::vector<std::string>& joints);

/// Those of the document, each once, in the order in which they come.
std::vector<std::string> joints_in(const nlohmann::ordered_json& motion);

/// Those that curves have positions of.
std::vector<std::string> joints_in(const Curves& curves);

/// Positions of the joints for the page, columns packed as those of the viewer's one file; null if
/// the curves lack one.
nlohmann::ordered_json packed_positions(const Curves& curves,
                                        const std::vector<std::string>& joints);

/// The whole scene, loose parts included, for poses that a trace has; `joints` is empty.
nlohmann::ordered_json recorded_motion(const cell::PreparedScenario& prepared);

/// Poses of what moves in it, from a trace: `count` equally spaced instants, and `data`, columns
/// packed likewise; null if there are none.
nlohmann::ordered_json recorded_poses(const std::filesystem::path& trace,
                                      const nlohmann::ordered_json& motion);

/// The mesh, or one of about so many triangles that looks like it from some distance.
view::SceneMesh thinned(const view::SceneMesh& mesh, std::size_t most_triangles);

}  // namespace longarm::study
