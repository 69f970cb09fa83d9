// SPDX-License-Identifier: Apache-2.0
// The kind `part-drift`: watches how far loose parts wander on what carries them.
#include "longarm/actors/belt.h"
#include "longarm/actors/kinds.h"
#include "longarm/actors/part_drift.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/world.h"

namespace longarm::actors {
namespace {

using cell::World;
using Json = nlohmann::ordered_json;

struct DriftKeys {
  cell::Wish belt;
  Duration settle{200'000'000};
};

class PartDriftActor final : public cell::Actor {
 public:
  PartDriftActor(const DriftKeys& keys, World& world)
      : drift_(world.engine(), world.model(),
               keys.belt.is_empty() ? nullptr : &world.ask<BeltBody>(keys.belt).belt()) {
    if (keys.settle == Duration::zero()) {
      drift_.start();
    }
    world.on(cell::Stage::kMeasure, [this, settle = Time(keys.settle)](Time now) {
      if (now <= settle) {
        drift_.find_supports();
      }
      if (!drift_.has_started() && now >= settle) {
        drift_.start();
      }
    });
  }

  Json results() const override {
    // of parts that still fall into place there is no displacement
    const bool counts = drift_.has_started();
    Json out;
    out["parts"] = drift_.parts().size();
    out["sum_m"] = counts ? Json(drift_.sum_m()) : Json();
    out["max_m"] = counts ? Json(drift_.largest_m()) : Json();
    Json each = Json::object();
    for (const DriftingPart& part : drift_.parts()) {
      each[part.name] = counts ? Json(drift_.displacement_m(part)) : Json();
    }
    out["each_m"] = std::move(each);
    return out;
  }

 private:
  PartDrift drift_;
};

class PartDriftModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    cell::list_wish(fields, "belt", keys_.belt, "drift is measured relative to this body");
    fields.field("settle", keys_.settle, "time from which displacements are counted");
    if (keys_.settle < Duration::zero()) {
      fields.reject("settle", "a time must not be negative", "200ms is usual");
    }
  }
  std::vector<cell::WishInfo> wishes() const override {
    return {{"belt", keys_.belt.name, BeltBody::kInterface}};
  }
  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext& context) override {
    if (context.length && keys_.settle >= *context.length) {
      return {{"settle", "the run would end before displacements are counted",
               "reduce settle, or increase length"}};
    }
    return {};
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string&) const override {
    return std::make_unique<PartDriftActor>(keys_, world);
  }
  cell::Figures figures() const override {
    return {{},
            {{"sum_m", "displacement on supports, sum", "mm", 1e3, 4},
             {"max_m", "largest displacement", "mm", 1e3, 4}},
            ""};
  }

 private:
  DriftKeys keys_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_part_drift() {
  return std::make_unique<PartDriftModel>();
}

}  // namespace longarm::actors
