// SPDX-License-Identifier: Apache-2.0
// The viewer's scene without what a report cannot move, and small enough for a page.
#include "longarm/study/report/report_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "longarm/core/base64.h"
#include "longarm/view/packed.h"
#include "longarm/view/recorded_tables.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;

/// Of all meshes together; robots of more are seen from too far away to tell.
constexpr std::size_t kMostTriangles = 60'000;
constexpr std::size_t kFewestTriangles = 500;
/// Instants of a trace, and numbers in all of them together.
constexpr std::size_t kMostPoses = 2000;
constexpr std::size_t kMostNumbers = 1'500'000;
constexpr std::size_t kRowsAtOnce = 2000;

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

/// What is to be seen, but for what is on these frames.
Json drawn_shapes(const Json& scene, const std::set<int>& left_out) {
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

/// Frames of bodies that no joint carries: curves do not have their poses.
std::set<int> loose_frames(const cell::PreparedScenario& prepared, const Json& scene) {
  std::set<int> loose;
  const std::vector<model::Placement>& placements = prepared.model.placements;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    if (!placements[i].is_fixed && !placements[i].tree.is_static) {
      const Json& frames = scene.at("models")[i].at("frames");
      loose.insert(frames.begin(), frames.end());
    }
  }
  return loose;
}

/// Puts the frames of a placement's bodies where they are at position 0; and how joints move them.
void add_joints(const model::BodyTree& tree, const std::string& prefix,
                const std::map<std::string, std::size_t>& index, Json& frames, Json& joints) {
  for (std::size_t j = 0; j < tree.joints.size(); ++j) {
    const model::TreeJoint& joint = tree.joints[j];
    const std::size_t frame = index.at(prefix + tree.bodies[j + 1].name);
    const Eigen::Quaterniond turn(joint.X_PJ.linear());
    frames[frame]["p"] = numbers(joint.X_PJ.translation());
    frames[frame]["q"] = {turn.x(), turn.y(), turn.z(), turn.w()};
    const std::string& leader =
        joint.mimic ? tree.joints[static_cast<std::size_t>(joint.mimic->joint)].name : joint.name;
    joints.push_back({{"frame", frame},
                      {"turns", joint.type == model::JointType::kRevolute},
                      {"axis", numbers(joint.axis)},
                      {"joint", prefix + leader},
                      {"multiplier", joint.mimic ? joint.mimic->multiplier : 1.0},
                      {"offset", joint.mimic ? joint.mimic->offset : 0.0}});
  }
}

Json motion_json(view::Scene& scene, Json frames, Json joints, const std::set<int>& left_out) {
  Json shapes = drawn_shapes(scene.document, left_out);
  Json meshes = packed_meshes(scene.meshes, shapes);
  return {{"scene",
           {{"frames", std::move(frames)},
            {"shapes", std::move(shapes)},
            {"meshes", std::move(meshes)},
            {"models", std::move(scene.document["models"])},
            {"tools", std::move(scene.document["tools"])}}},
          {"joints", std::move(joints)}};
}

std::size_t moving_frames(const Json& motion) {
  const Json& frames = motion.at("scene").at("frames");
  return static_cast<std::size_t>(
      std::count_if(frames.begin(), frames.end(),
                    [](const Json& frame) { return frame.at("moving").get<int>() >= 0; }));
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
  const std::map<std::string, std::size_t> index = frames_by_name(frames);
  Json joints = Json::array();
  const std::vector<model::Placement>& placements = prepared.model.placements;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    if (placements[i].is_fixed) {
      add_joints(placements[i].tree, joint_prefix(prepared, i), index, frames, joints);
    }
  }
  const std::set<int> loose = loose_frames(prepared, scene.document);
  return motion_json(scene, std::move(frames), std::move(joints), loose);
}

Json recorded_motion(const cell::PreparedScenario& prepared) {
  view::Scene scene = view::make_scene(prepared);
  Json frames = std::move(scene.document["frames"]);
  return motion_json(scene, std::move(frames), Json::array(), {});
}

Json recorded_poses(const std::filesystem::path& trace, const Json& motion) {
  const std::size_t columns = 7 * moving_frames(motion);
  const auto recorded = view::RecordedTables::open(trace.string());
  const std::optional<std::size_t> number = recorded ? recorded.value()->find("/tf") : std::nullopt;
  if (!number || columns == 0) {
    return nullptr;
  }
  const view::Table& table = recorded.value()->tables()[*number];
  if (table.rows < 2 || table.columns.size() != columns + 1) {
    return nullptr;
  }
  const std::size_t most = std::max<std::size_t>(2, std::min(kMostPoses, kMostNumbers / columns));
  const std::size_t every = (table.rows + most - 1) / most;
  std::vector<std::size_t> wanted(columns);
  std::iota(wanted.begin(), wanted.end(), std::size_t{1});  // behind the time
  std::vector<std::vector<double>> kept(columns);
  const std::size_t block = every * std::max<std::size_t>(1, kRowsAtOnce / every);
  for (std::size_t from = 0; from < table.rows; from += block) {
    const std::size_t to = std::min(table.rows, from + block);
    const std::vector<double> values = recorded.value()->columns(*number, wanted, from, to);
    if (!recorded.value()->damage().empty()) {
      return nullptr;
    }
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t row = 0; row < to - from; row += every) {
        kept[c].push_back(values[c * (to - from) + row]);
      }
    }
  }
  std::string packed;
  for (const std::vector<double>& column : kept) {
    packed += view::pack_column(column);
  }
  const double span_s = table.last_s - table.first_s;
  return {{"start_s", table.first_s},
          {"period_s", span_s * static_cast<double>(every) / static_cast<double>(table.rows - 1)},
          {"count", kept.front().size()},
          {"data", base64(view::deflated(packed))}};
}

std::vector<std::string> joints_in(const Json& motion) {
  std::vector<std::string> names;
  for (const Json& joint : motion.at("joints")) {
    const auto name = joint.at("joint").get<std::string>();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<std::string> joints_in(const Curves& curves) {
  std::vector<std::string> names;
  for (const std::string& name : curves.names) {
    if (name.starts_with(kPositionCurve)) {
      names.push_back(name.substr(kPositionCurve.size()));
    }
  }
  return names;
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
    const std::vector<float>* values = curves.find(std::string(kPositionCurve) + joint);
    if (values == nullptr) {
      return nullptr;
    }
    columns += view::pack_column(std::vector<double>(values->begin(), values->end()));
  }
  return joints.empty() ? Json() : Json(base64(view::deflated(columns)));
}

}  // namespace longarm::study
