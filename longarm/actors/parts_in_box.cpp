// SPDX-License-Identifier: Apache-2.0
// The kind `parts-in-box`: an observer that counts what lies in a box.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "longarm/actors/kinds.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/contact_watch.h"
#include "longarm/cell/world.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/model/mesh.h"

namespace longarm::actors {
namespace {

using cell::World;
using Json = nlohmann::ordered_json;
using model::Vector3;

// a part that wanders less than this is at rest
constexpr double kStill_m = 1e-3;

struct BoxKeys {
  std::string box;
  std::vector<std::string> parts;
  Duration settle{500'000'000};
};

Eigen::AlignedBox3d bounds_of_shape(const model::Shape& shape) {
  Vector3 half = Vector3::Zero();
  if (const auto* box = std::get_if<model::Box>(&shape)) {
    half = box->size_m / 2.0;
  } else if (const auto* sphere = std::get_if<model::Sphere>(&shape)) {
    half.setConstant(sphere->radius_m);
  } else if (const auto* cylinder = std::get_if<model::Cylinder>(&shape)) {
    half = {cylinder->radius_m, cylinder->radius_m, cylinder->length_m / 2.0};
  } else if (const auto* capsule = std::get_if<model::Capsule>(&shape)) {
    half = {capsule->radius_m, capsule->radius_m, capsule->length_m / 2.0 + capsule->radius_m};
  } else if (const auto* mesh = std::get_if<model::Mesh>(&shape); mesh != nullptr && mesh->data) {
    return model::bounds_of(*mesh->data);
  }
  return {-half, half};
}

/// Around all shapes of a body, along the axes of its frame.
Eigen::AlignedBox3d bounds_of_body(const model::Body& body) {
  Eigen::AlignedBox3d all;
  for (const model::Geometry& geometry : body.collisions) {
    const Eigen::AlignedBox3d own = bounds_of_shape(geometry.shape);
    for (int corner = 0; corner < 8; ++corner) {
      all.extend(geometry.X_LG * own.corner(static_cast<Eigen::AlignedBox3d::CornerType>(corner)));
    }
  }
  return all;
}

class PartsInBoxActor final : public cell::Actor {
 public:
  PartsInBoxActor(const BoxKeys& keys, World& world) : world_(world), settle_(keys.settle) {
    const model::Cell& cell = world.model();
    const int box = *cell::find_placement(cell, keys.box);
    box_ = static_cast<physics::BodyId>(cell.first_body(box));
    bounds_ = bounds_of_body(cell.placements[static_cast<std::size_t>(box)].tree.bodies.front());
    for (std::size_t i = 0; i < cell.placements.size(); ++i) {
      const model::Placement& placement = cell.placements[i];
      const bool is_asked = keys.parts.empty() || std::find(keys.parts.begin(), keys.parts.end(),
                                                            placement.name) != keys.parts.end();
      if (static_cast<int>(i) != box && cell::is_loose(placement) && is_asked) {
        parts_.push_back({placement.name,
                          static_cast<physics::BodyId>(cell.first_body(static_cast<int>(i))),
                          placement.tree.bodies.front().inertial.X_LC.translation()});
      }
    }
    world.on(cell::Stage::kMeasure, [this](Time now) { look(now); });
  }

  void sample(std::span<double> out) const override { out[0] = static_cast<double>(count()); }

  Json results() const override {
    Json out;
    Json names = Json::array();
    for (const Part& part : parts_) {
      if (part.is_counted) {
        names.push_back(part.name);
      }
    }
    const double minutes = to_seconds(world_.now().time_since_epoch()) / 60.0;
    const auto came = static_cast<double>(count()) - static_cast<double>(at_start_);
    out["count"] = count();
    out["at_start"] = at_start_;
    out["parts_per_minute"] = minutes > 0.0 ? came / minutes : 0.0;
    out["last_s"] = last_ ? Json(to_seconds(*last_)) : Json();
    out["parts"] = std::move(names);
    return out;
  }

 private:
  struct Part {
    std::string name;
    physics::BodyId body{};
    Vector3 p_LC;  ///< centre of mass
    std::optional<Time> since{};
    Vector3 p_B = Vector3::Zero();  ///< in the box, where it came to rest
    bool is_counted = false;
  };

  std::int64_t count() const {
    return std::count_if(parts_.begin(), parts_.end(),
                         [](const Part& part) { return part.is_counted; });
  }

  void look(Time now) {
    const model::Pose X_BW = world_.engine().pose(box_).inverse();
    for (Part& part : parts_) {
      const Vector3 p_B = X_BW * (world_.engine().pose(part.body) * part.p_LC);
      if (!bounds_.contains(p_B)) {
        part.since.reset();
        part.is_counted = false;
        continue;
      }
      if (!part.since || (p_B - part.p_B).norm() > kStill_m) {
        part.since = now;
        part.p_B = p_B;
      }
      // what was there before the first step has come to rest before
      const bool is_first = now <= Time(world_.period());
      if (!part.is_counted && (is_first || now - *part.since >= settle_)) {
        part.is_counted = true;
        if (is_first) {
          ++at_start_;
        } else {
          last_ = part.since;
        }
      }
    }
  }

  World& world_;
  Duration settle_;
  physics::BodyId box_{};
  Eigen::AlignedBox3d bounds_;
  std::vector<Part> parts_;
  std::int64_t at_start_ = 0;
  std::optional<Time> last_;
};

class PartsInBoxModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    fields.field("box", keys_.box, "the model that parts lie in: all within its shapes counts");
    fields.field("parts", keys_.parts, "which parts count; default: all that are loose");
    fields.field("settle", keys_.settle,
                 "a part counts when it has lain there so long; one that is carried over does not");
  }
  std::vector<cell::KeyRemark> plan(const model::Cell& cell, const cell::LoadContext&) override {
    std::vector<std::string> models;
    for (const model::Placement& placement : cell.placements) {
      models.push_back(placement.name);
    }
    if (std::find(models.begin(), models.end(), keys_.box) == models.end()) {
      return {{"box", fmt::format("there is no '{}' in this world", keys_.box),
               suggest(keys_.box, models)}};
    }
    const std::vector<std::string> loose = cell::LooseParts::names(cell);
    for (const std::string& part : keys_.parts) {
      if (std::find(loose.begin(), loose.end(), part) == loose.end()) {
        return {{"parts", fmt::format("there is no loose part '{}'", part), suggest(part, loose)}};
      }
    }
    return {};
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string&) const override {
    return std::make_unique<PartsInBoxActor>(keys_, world);
  }
  cell::Figures figures() const override {
    return {{{"count", "parts in the box", ""}},
            {{"count", "parts in the box", "", 1.0, 0},
             {"parts_per_minute", "parts per minute", "1/min", 1.0, 2}},
            ""};
  }

 private:
  BoxKeys keys_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_parts_in_box() {
  return std::make_unique<PartsInBoxModel>();
}

}  // namespace longarm::actors
