// SPDX-License-Identifier: Apache-2.0
// The kind `parts-in-box`: an observer that counts what lies in a box.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "longarm/actors/box_watch.h"
#include "longarm/actors/kinds.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/world.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::actors {
namespace {

using cell::World;
using Json = nlohmann::ordered_json;

struct BoxKeys {
  std::string box;
  std::vector<std::string> parts;
  Duration settle{500'000'000};
};

class PartsInBoxActor final : public cell::Actor {
 public:
  PartsInBoxActor(const BoxKeys& keys, World& world)
      : world_(world), watch_(world, keys.box, keys.settle) {
    const model::Cell& cell = world.model();
    for (const std::string& name : cell::LooseParts::names(cell)) {
      const bool is_asked = keys.parts.empty() || std::ranges::count(keys.parts, name) > 0;
      if (name != keys.box && is_asked) {
        watch_.add(*cell::find_placement(cell, name));
        names_.push_back(name);
      }
    }
    world.on(cell::Stage::kMeasure, [this](Time now) { look(now); });
  }

  void sample(std::span<double> out) const override { out[0] = static_cast<double>(count()); }

  Json results() const override {
    Json out;
    Json names = Json::array();
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (watch_.has(i)) {
        names.push_back(names_[i]);
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
  std::int64_t count() const {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      count += watch_.has(i) ? 1 : 0;
    }
    return count;
  }

  void look(Time now) {
    const std::int64_t before = count();
    watch_.look(now);
    // what was there before the first step has come to rest before
    if (now <= Time(world_.period())) {
      at_start_ = count();
    } else if (count() > before) {
      last_ = watch_.newest();
    }
  }

  World& world_;
  BoxWatch watch_;
  std::vector<std::string> names_;
  std::int64_t at_start_ = 0;
  std::optional<Time> last_;
};

class PartsInBoxModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    fields.field("box", keys_.box, "model of the box: parts within its shapes count");
    fields.field("parts", keys_.parts, "parts that count; default: all loose parts");
    fields.field("settle", keys_.settle,
                 "a part counts after this time in the box, so that parts carried past do not");
  }
  std::vector<cell::KeyRemark> plan(const model::Cell& cell, const cell::LoadContext&) override {
    if (std::optional<cell::KeyRemark> remark = judge_box(keys_.box, cell)) {
      return {*remark};
    }
    if (std::optional<cell::KeyRemark> remark = judge_parts(keys_.parts, cell)) {
      return {*remark};
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
