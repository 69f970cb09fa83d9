// SPDX-License-Identifier: Apache-2.0
// Frames with their parents first, as whoever walks the list once needs them; each mesh file once.
#include "longarm/view/scene.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "longarm/cell/cell_frames.h"
#include "longarm/model/mesh.h"

namespace longarm::view {
namespace {

using Json = nlohmann::ordered_json;

// of a half space, something must be drawn
constexpr double kGroundSize_m = 10.0;
// browsers stop before that
constexpr std::uintmax_t kMostMeshBytes = 100'000'000;

Json numbers(const Eigen::Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}
Json numbers(const Eigen::Quaterniond& q) {
  return {q.x(), q.y(), q.z(), q.w()};
}
void put_pose(Json& out, const record::FramePose& pose) {
  out["p"] = numbers(pose.translation_m);
  out["q"] = numbers(pose.rotation);
}

/// A mesh of the scene, and the colour that its file gives it.
struct MeshPart {
  int number = 0;
  std::optional<model::Colour> colour{};
};

class SceneMaker {
 public:
  explicit SceneMaker(const cell::PreparedScenario& prepared)
      : prepared_(prepared),
        frames_(prepared.model, prepared.cell().is_short ? 0 : -1),
        scene_(empty_scene()) {}

  Scene make() {
    add_frames();
    for (const cell::BodyFrame& body : frames_.bodies()) {
      add_body(body);
    }
    add_models();
    add_what_actors_show();
    for (const SceneMesh& mesh : scene_.meshes) {
      scene_.document["meshes"].push_back(
          {{"vertices", mesh.vertices_m.size() / 3}, {"triangles", mesh.triangles.size() / 3}});
    }
    return std::move(scene_);
  }

 private:
  void add_frames() {
    Json& out = scene_.document["frames"];
    const auto add = [&](const std::string& name, int parent, const record::FramePose& pose,
                         int moving) {
      Json frame{{"name", name}, {"parent", parent}};
      put_pose(frame, pose);
      frame["moving"] = moving;
      index_.emplace(name, static_cast<int>(out.size()));
      out.push_back(std::move(frame));
    };
    index_.emplace("world", 0);
    // those of bodies come parents first; places on bodies after them
    int moving = 0;
    std::vector<std::pair<const record::FramePlace*, int>> waiting;
    for (const record::FramePlace& place : frames_.fixed()) {
      waiting.emplace_back(&place, -1);
    }
    for (const record::FramePlace& place : frames_.moving()) {
      waiting.emplace_back(&place, moving++);
    }
    for (bool is_going_on = true; is_going_on && !waiting.empty();) {
      is_going_on = false;
      std::vector<std::pair<const record::FramePlace*, int>> rest;
      for (const auto& [place, number] : waiting) {
        const auto parent = index_.find(place->parent);
        if (parent == index_.end()) {
          rest.emplace_back(place, number);
          continue;
        }
        is_going_on = true;
        add(place->child, parent->second, place->X_PC, number);
      }
      waiting = std::move(rest);
    }
  }

  void add_body(const cell::BodyFrame& place) {
    const model::Body& body = prepared_.model.placements[static_cast<std::size_t>(place.placement)]
                                  .tree.bodies[static_cast<std::size_t>(place.body)];
    std::size_t drawn = 0;
    for (const model::Geometry& geometry : body.visuals) {
      drawn += add_shape(place, geometry, "visual") ? 1 : 0;
    }
    for (const model::Geometry& geometry : body.collisions) {
      add_shape(place, geometry, "collision");
      // who has nothing to be seen by is seen by what it is touched with
      if (drawn == 0) {
        add_shape(place, geometry, "visual");
      }
    }
  }

  bool add_shape(const cell::BodyFrame& place, const model::Geometry& geometry, const char* role) {
    Json shape{{"frame", index_.at(place.frame)}, {"name", geometry.name}};
    put_pose(shape, record::FramePose(geometry.X_LG));
    if (const auto* mesh = std::get_if<model::Mesh>(&geometry.shape)) {
      const std::vector<MeshPart>& parts = parts_of(*mesh);
      for (const MeshPart& part : parts) {
        put(shape, "mesh", model::Vector3::Ones());
        shape["mesh"] = part.number;
        add_shape(shape, geometry.colour ? geometry.colour : part.colour, role);
      }
      return !parts.empty();
    }
    std::visit([&](const auto& kind) { put_kind(shape, kind); }, geometry.shape);
    add_shape(std::move(shape), geometry.colour, role);
    return true;
  }

  void add_shape(Json shape, const std::optional<model::Colour>& colour, const char* role) {
    shape["colour"] = colour ? Json(*colour) : Json();
    shape["role"] = role;
    scene_.document["shapes"].push_back(std::move(shape));
  }

  static void put(Json& out, const char* kind, const Eigen::Vector3d& size_m) {
    out["kind"] = kind;
    out["size"] = numbers(size_m);
  }
  static void put_kind(Json& out, const model::Box& box) { put(out, "box", box.size_m); }
  static void put_kind(Json& out, const model::Sphere& sphere) {
    put(out, "sphere", model::Vector3::Constant(2.0 * sphere.radius_m));
  }
  static void put_kind(Json& out, const model::Cylinder& cylinder) {
    put(out, "cylinder", {2.0 * cylinder.radius_m, 2.0 * cylinder.radius_m, cylinder.length_m});
  }
  static void put_kind(Json& out, const model::Capsule& capsule) {
    put(out, "capsule",
        {2.0 * capsule.radius_m, 2.0 * capsule.radius_m,
         capsule.length_m + 2.0 * capsule.radius_m});
  }
  static void put_kind(Json& out, const model::HalfSpace&) {
    put(out, "plane", {kGroundSize_m, kGroundSize_m, 0.0});
  }
  static void put_kind(Json&, const model::Mesh&) {}  // see parts_of()

  /// Visuals are not read for a simulation; here they are needed. A file whose own materials have
  /// several colours makes as many parts. Empty: it cannot be drawn.
  const std::vector<MeshPart>& parts_of(const model::Mesh& mesh) {
    const std::string key = fmt::format("{} {} {} {}", mesh.file.empty() ? mesh.uri : mesh.file,
                                        mesh.scale.x(), mesh.scale.y(), mesh.scale.z());
    const auto [known, is_new] = mesh_parts_.try_emplace(key);
    if (is_new) {
      known->second = make_parts(mesh);
    }
    return known->second;
  }

  std::vector<MeshPart> make_parts(const model::Mesh& mesh) {
    const auto data = model::triangles_of(mesh, kMostMeshBytes);
    if (!data) {
      scene_.warnings.push_back(data.error().message);
      return {};
    }
    const Result<std::string> content = read_file(mesh.file);
    const std::vector<model::TriangleColour> colours =
        content ? model::colours_of(mesh.file, *content) : std::vector<model::TriangleColour>{};
    std::map<model::Colour, std::vector<std::array<int, 3>>> triangles;
    auto next = (*data)->triangles.begin();
    for (const model::TriangleColour& run : colours) {
      auto& same = triangles[run.rgba];
      same.insert(same.end(), next, next + static_cast<std::ptrdiff_t>(run.triangles));
      next += static_cast<std::ptrdiff_t>(run.triangles);
    }
    if (triangles.empty()) {
      return {{add_mesh(**data), std::nullopt}};
    }
    std::vector<MeshPart> parts;
    for (const auto& [colour, own] : triangles) {
      if (!own.empty()) {
        parts.push_back({add_mesh(part_of(**data, own)), colour});
      }
    }
    return parts;
  }

  /// These triangles, and the corners that they have.
  static model::MeshData part_of(const model::MeshData& whole,
                                 const std::vector<std::array<int, 3>>& triangles) {
    model::MeshData part;
    std::map<int, int> numbers;
    for (std::array<int, 3> triangle : triangles) {
      for (int& corner : triangle) {
        const auto [known, is_new] =
            numbers.try_emplace(corner, static_cast<int>(part.vertices_m.size()));
        if (is_new) {
          part.vertices_m.push_back(whole.vertices_m[static_cast<std::size_t>(corner)]);
        }
        corner = known->second;
      }
      part.triangles.push_back(triangle);
    }
    return part;
  }

  int add_mesh(const model::MeshData& data) {
    SceneMesh mesh;
    for (const model::Vector3& vertex : data.vertices_m) {
      for (int i = 0; i < 3; ++i) {
        mesh.vertices_m.push_back(static_cast<float>(vertex[i]));
      }
    }
    for (const std::array<int, 3>& triangle : data.triangles) {
      for (const int corner : triangle) {
        mesh.triangles.push_back(static_cast<std::uint32_t>(corner));
      }
    }
    scene_.meshes.push_back(std::move(mesh));
    return static_cast<int>(scene_.meshes.size()) - 1;
  }

  void add_models() {
    const std::vector<model::Placement>& placements = prepared_.model.placements;
    Json out = Json::array();
    for (const model::Placement& placement : placements) {
      out.push_back({{"name", placement.name},
                     {"frames", Json::array()},
                     // a belt has one joint
                     {"is_robot", placement.tree.joints.size() > 1},
                     {"is_moving", !placement.tree.is_static &&
                                       (!placement.is_fixed || !placement.tree.joints.empty())}});
    }
    for (const cell::BodyFrame& body : frames_.bodies()) {
      out[static_cast<std::size_t>(body.placement)]["frames"].push_back(index_.at(body.frame));
    }
    scene_.document["models"] = std::move(out);
  }

  /// Who drives a robot without saying where its tool is: at the end of it.
  void add_tool(const std::string& actor, const std::string& model, Json& tools) const {
    const std::vector<model::Placement>& placements = prepared_.model.placements;
    const auto placement = std::find_if(placements.begin(), placements.end(),
                                        [&](const auto& each) { return each.name == model; });
    if (placement == placements.end()) {
      return;
    }
    std::string frame = placement->tree.bodies.back().name;
    for (const char* usual : {"tcp", "tool0", "tool", "flange"}) {
      if (placement->tree.find_frame(usual)) {
        frame = usual;
        break;
      }
    }
    const auto found = index_.find(model + "/" + frame);
    if (found != index_.end()) {
      tools.push_back({{"name", actor}, {"frame", found->second}, {"topic", ""}});
    }
  }

  void add_what_actors_show() {
    Json devices = Json::array();
    Json tools = Json::array();
    for (const cell::ActorEntry& actor : prepared_.cell().actors) {
      const cell::ShowContext context{actor.name, prepared_.cell().is_short, prepared_.model};
      for (Json& shown : actor.model->shows(context)) {
        shown["name"] = actor.name;
        for (const char* key : {"frame", "base"}) {
          if (const auto frame = shown.find(key); frame != shown.end() && frame->is_string()) {
            const auto found = index_.find(frame->get<std::string>());
            *frame = found == index_.end() ? 0 : found->second;
          }
        }
        (shown.value("kind", "") == "tool" ? tools : devices).push_back(std::move(shown));
      }
      for (const std::string& model : actor.model->drives()) {
        add_tool(actor.name, model, tools);
      }
    }
    scene_.document["devices"] = std::move(devices);
    scene_.document["tools"] = std::move(tools);
  }

  const cell::PreparedScenario& prepared_;
  cell::CellFrames frames_;
  Scene scene_;
  std::map<std::string, int> index_;  ///< of frames, by name
  std::map<std::string, std::vector<MeshPart>> mesh_parts_;
};

}  // namespace

Scene empty_scene() {
  Scene scene;
  Json world{{"name", "world"}, {"parent", -1}};
  put_pose(world, {});
  world["moving"] = -1;
  scene.document = {{"frames", Json::array({std::move(world)})},
                    {"shapes", Json::array()},
                    {"meshes", Json::array()},
                    {"models", Json::array()},
                    {"tools", Json::array()},
                    {"devices", Json::array()}};
  return scene;
}

std::string SceneMesh::bytes() const {
  std::string out(sizeof(float) * vertices_m.size() + sizeof(std::uint32_t) * triangles.size(),
                  '\0');
  const std::size_t vertices_size = sizeof(float) * vertices_m.size();
  std::memcpy(out.data(), vertices_m.data(), vertices_size);
  std::memcpy(out.data() + vertices_size, triangles.data(),
              sizeof(std::uint32_t) * triangles.size());
  return out;
}

Scene make_scene(const cell::PreparedScenario& prepared) {
  return SceneMaker(prepared).make();
}

}  // namespace longarm::view
