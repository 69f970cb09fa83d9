// SPDX-License-Identifier: Apache-2.0
// What stands in a cell, as a viewer draws it: frames, the shapes on them, and what actors show
// beside their bodies.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/load_scenario.h"

namespace longarm::view {

/// A surface for the graphics card: three floats a corner, three numbers a triangle.
struct SceneMesh {
  std::vector<float> vertices_m;
  std::vector<std::uint32_t> triangles;

  std::string bytes() const;
};

struct Scene {
  nlohmann::ordered_json document;  ///< as docs/how-to/viewer.md has it
  std::vector<SceneMesh> meshes;
  std::vector<std::string> warnings;  ///< of meshes that could not be read
};

/// Nothing but the world's own frame.
Scene empty_scene();
Scene make_scene(const cell::PreparedScenario& prepared);

}  // namespace longarm::view
