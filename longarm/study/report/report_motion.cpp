// SPDX-License-Identifier: Apache-2.0
// The viewer's scene without what a report cannot move, and small enough for a page.
#include "longarm/study/report/report_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "longarm/core/base64.h"
#include "longarm/view/packed.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;

/// Of all meshes together; robots of more are seen from too far away to tell.
constexpr std::size_t kMostTriangles = 60'000;
constexpr std::size_t kFewestTriangles = 500;

Json numbers(const model::Vector3& v) {
  return {v.x(), v.y(), v.z()};
}

std::map<std::string, std::size_t> frames_by_name(const Json& frames) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    index.emplace(frames[i].at("name").get<std::string>(), i);
  }
  return index;
}

/// What is to be seen, but for bodies that move without a joint of the robot: nobody recorded them.
Json drawn_shapes(const Json& scene) {
  std::set<int> left_out;
  for (std::size_t i = 1; i < scene.at("models").size(); ++i) {
    const Json& model = scene["models"][i];
    if (model.at("is_moving").get<bool>()) {
      left_out.insert(model.at("frames").begin(), model.at("frames").end());
    }
  }
  Json shapes = Json::array();
  for (const Json& shape : scene.at("shapes")) {
    if (shape.at("role") == "visual" && shape.at("kind") != "plane" &&
        !left_out.contains(shape.at("frame").get<int>())) {
      shapes.push_back(shape);
    }
  }
  return shapes;
}

/// Those that shapes use, numbered anew.
Json packed_meshes(const std::vector<view::SceneMesh>& meshes, Json& shapes) {
  std::map<std::size_t, std::size_t> number;
  for (Json& shape : shapes) {
    if (const auto mesh = shape.find("mesh"); mesh != shape.end()) {
      *mesh = number.try_emplace(mesh->get<std::size_t>(), number.size()).first->second;
    }
  }
  std::vector<std::size_t> used(number.size());
  for (const auto& [from, to] : number) {
    used[to] = from;
  }
  const std::size_t share =
      std::max(kFewestTriangles, kMostTriangles / std::max<std::size_t>(1, used.size()));
  Json out = Json::array();
  for (const std::size_t i : used) {
    const view::SceneMesh mesh = thinned(meshes[i], share);
    out.push_back({{"vertices", mesh.vertices_m.size() / 3},
                   {"triangles", mesh.triangles.size() / 3},
                   {"data", base64(view::deflated(mesh.bytes()))}});
  }
  return out;
}

/// Puts the frames of the robot's bodies where they are at position 0; and how joints move them.
Json joints_of(const model::BodyTree& tree, Json& frames) {
  const std::map<std::string, std::size_t> index = frames_by_name(frames);
  Json joints = Json::array();
  for (std::size_t j = 0; j < tree.joints.size(); ++j) {
    const model::TreeJoint& joint = tree.joints[j];
    const std::size_t frame = index.at(tree.bodies[j + 1].name);
    const Eigen::Quaterniond turn(joint.X_PJ.linear());
    frames[frame]["p"] = numbers(joint.X_PJ.translation());
    frames[frame]["q"] = {turn.x(), turn.y(), turn.z(), turn.w()};
    const std::string& leader =
        joint.mimic ? tree.joints[static_cast<std::size_t>(joint.mimic->joint)].name : joint.name;
    joints.push_back({{"frame", frame},
                      {"turns", joint.type == model::JointType::kRevolute},
                      {"axis", numbers(joint.axis)},
                      {"joint", leader},
                      {"multiplier", joint.mimic ? joint.mimic->multiplier : 1.0},
                      {"offset", joint.mimic ? joint.mimic->offset : 0.0}});
  }
  return joints;
}

/// Corners in one cell of a grid become one in their middle.
view::SceneMesh clustered(const view::SceneMesh& mesh, double cell_m) {
  struct Corner {
    std::uint32_t number = 0;
    std::array<double, 3> sum{};
    std::size_t count = 0;
  };
  std::map<std::array<std::int64_t, 3>, Corner> corners;
  std::vector<std::uint32_t> corner_of(mesh.vertices_m.size() / 3);
  for (std::size_t v = 0; v < corner_of.size(); ++v) {
    std::array<std::int64_t, 3> cell{};
    for (std::size_t k = 0; k < 3; ++k) {
      cell[k] = std::llround(static_cast<double>(mesh.vertices_m[3 * v + k]) / cell_m);
    }
    const auto next = static_cast<std::uint32_t>(corners.size());
    Corner& corner = corners.try_emplace(cell, Corner{next, {}, 0}).first->second;
    for (std::size_t k = 0; k < 3; ++k) {
      corner.sum[k] += static_cast<double>(mesh.vertices_m[3 * v + k]);
    }
    ++corner.count;
    corner_of[v] = corner.number;
  }
  view::SceneMesh out;
  out.vertices_m.resize(3 * corners.size());
  for (const auto& [cell, corner] : corners) {
    for (std::size_t k = 0; k < 3; ++k) {
      out.vertices_m[3 * corner.number + k] =
          static_cast<float>(corner.sum[k] / static_cast<double>(corner.count));
    }
  }
  std::set<std::array<std::uint32_t, 3>> seen;
  for (std::size_t t = 0; t + 2 < mesh.triangles.size(); t += 3) {
    std::array<std::uint32_t, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      triangle[k] = corner_of[mesh.triangles[t + k]];
    }
    std::array<std::uint32_t, 3> turned = triangle;
    std::rotate(turned.begin(), std::min_element(turned.begin(), turned.end()), turned.end());
    const bool is_flat = turned[0] == turned[1] || turned[1] == turned[2] || turned[2] == turned[0];
    if (!is_flat && seen.insert(turned).second) {
      out.triangles.insert(out.triangles.end(), triangle.begin(), triangle.end());
    }
  }
  return out;
}

}  // namespace

view::SceneMesh thinned(const view::SceneMesh& mesh, std::size_t most_triangles) {
  if (mesh.triangles.size() / 3 <= most_triangles) {
    return mesh;
  }
  std::array<float, 3> low{};
  std::array<float, 3> high{};
  for (std::size_t i = 0; i < mesh.vertices_m.size(); ++i) {
    const std::size_t k = i % 3;
    low[k] = i < 3 ? mesh.vertices_m[i] : std::min(low[k], mesh.vertices_m[i]);
    high[k] = i < 3 ? mesh.vertices_m[i] : std::max(high[k], mesh.vertices_m[i]);
  }
  double longest_m = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    longest_m = std::max(longest_m, static_cast<double>(high[k]) - static_cast<double>(low[k]));
  }
  view::SceneMesh out = mesh;
  for (double cells = 256.0; cells >= 4.0 && out.triangles.size() / 3 > most_triangles;
       cells /= 1.4) {
    out = clustered(mesh, longest_m / cells);
  }
  return out;
}

Json motion_document(const cell::PreparedScenario& prepared) {
  view::Scene scene = view::make_scene(prepared);
  Json frames = std::move(scene.document["frames"]);
  Json joints = joints_of(prepared.model.placements.front().tree, frames);
  Json shapes = drawn_shapes(scene.document);
  Json meshes = packed_meshes(scene.meshes, shapes);
  return {{"scene",
           {{"frames", std::move(frames)},
            {"shapes", std::move(shapes)},
            {"meshes", std::move(meshes)},
            {"models", std::move(scene.document["models"])},
            {"tools", std::move(scene.document["tools"])}}},
          {"joints", std::move(joints)}};
}

Json usable_motion(Json document, const std::vector<std::string>& joints) {
  try {
    const Json& moved = document.at("joints");
    const bool is_driven =
        !document.at("scene").at("shapes").empty() && !moved.empty() &&
        std::all_of(moved.begin(), moved.end(), [&](const Json& joint) {
          return std::find(joints.begin(), joints.end(), joint.at("joint")) != joints.end();
        });
    return is_driven ? document : Json();
  } catch (const Json::exception&) {
    return nullptr;
  }
}

Json packed_positions(const Curves& curves, const std::vector<std::string>& joints) {
  std::string columns;
  for (const std::string& joint : joints) {
    const std::vector<float>* values = curves.find("position." + joint);
    if (values == nullptr) {
      return nullptr;
    }
    columns += view::pack_column(std::vector<double>(values->begin(), values->end()));
  }
  return joints.empty() ? Json() : Json(base64(view::deflated(columns)));
}

}  // namespace longarm::study
