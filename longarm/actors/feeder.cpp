// SPDX-License-Identifier: Apache-2.0
// The kind `feeder`: lays parts on a belt, one after the other, and sees what became of each.
#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "longarm/actors/belt.h"
#include "longarm/actors/box_watch.h"
#include "longarm/actors/kinds.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/world.h"

namespace longarm::actors {
namespace {

using cell::World;
using Json = nlohmann::ordered_json;
using model::Vector3;

struct FeederKeys {
  cell::Wish belt;
  std::vector<std::string> parts;
  std::vector<double> at_m;
  double spread_m = 0.0;
  Duration every{5'000'000'000};
  Duration jitter{0};
  double until_m = 2.0;
  double floor_m = 0.1;
  std::string box;
  Duration settle{300'000'000};
};

/// Parts go round: who was delivered, missed or dropped is laid on the belt again.
class FeederActor final : public cell::Actor {
 public:
  FeederActor(const FeederKeys& keys, World& world, const std::string& name)
      : world_(world),
        keys_(keys),
        stream_(world.stream(name, "feed")),
        box_(world, keys.box, keys.settle),
        belt_(world.ask<BeltBody>(keys.belt).belt()) {
    const model::Cell& cell = world.model();
    const std::vector<std::string> names =
        keys.parts.empty() ? cell::LooseParts::names(cell) : keys.parts;
    for (const std::string& each : names) {
      const int placement = *cell::find_placement(cell, each);
      box_.add(placement);
      waiting_.push_back(parts_.size());
      parts_.push_back({placement, static_cast<physics::BodyId>(cell.first_body(placement))});
      world.parts().take_away(placement);
    }
    if (world.trace() != nullptr) {
      events_ = world.trace()->add_json("/" + name + "/parts", "longarm/FeederEvent",
                                        {{"part", "string"}, {"event", "string"}});
    }
    world.on(cell::Stage::kMeasure, [this](Time now) { look(now); });
  }

  void sample(std::span<double> out) const override {
    out[0] = static_cast<double>(delivered_);
    out[1] = static_cast<double>(missed_);
    out[2] = static_cast<double>(dropped_);
  }

  Json results() const override {
    const double minutes = to_seconds(world_.now().time_since_epoch()) / 60.0;
    Json out;
    out["fed"] = fed_;
    out["delivered"] = delivered_;
    out["missed"] = missed_;
    out["dropped"] = dropped_;
    out["on_the_way"] = parts_.size() - waiting_.size();
    out["delayed"] = delayed_;
    out["delivered_per_minute"] = minutes > 0.0 ? static_cast<double>(delivered_) / minutes : 0.0;
    return out;
  }

 private:
  struct Part {
    int placement = 0;
    physics::BodyId body{};
    bool is_waiting = true;
  };

  void look(Time now) {
    box_.look(now);
    const model::Pose X_WS = world_.engine().pose(belt_.surface());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i].is_waiting) {
        judge(i, X_WS);
      }
    }
    if (now >= next_) {
      feed(now);
    }
  }

  void judge(std::size_t i, const model::Pose& X_WS) {
    const Vector3 p_W = world_.engine().pose(parts_[i].body).translation();
    const Vector3 along_W = X_WS.linear() * belt_.axis_S();
    const double way_m = (p_W - Vector3(keys_.at_m[0], keys_.at_m[1], keys_.at_m[2])).dot(along_W);
    if (box_.has(i)) {
      take_back(i, delivered_, "delivered");
    } else if (box_.contains(i)) {
      // still rolling about
    } else if (way_m > keys_.until_m) {
      take_back(i, missed_, "missed");
    } else if (p_W.z() < keys_.floor_m) {
      take_back(i, dropped_, "dropped");
    }
  }

  void take_back(std::size_t i, std::uint64_t& count, const char* event) {
    ++count;
    parts_[i].is_waiting = true;
    waiting_.push_back(i);
    world_.parts().take_away(parts_[i].placement);
    tell(i, event);
  }

  void feed(Time now) {
    if (waiting_.empty()) {
      ++delayed_;
      next_ = now + keys_.every;
      return;
    }
    const std::size_t i = waiting_.front();
    waiting_.pop_front();
    parts_[i].is_waiting = false;
    const model::Pose X_WS = world_.engine().pose(belt_.surface());
    const Vector3 along_W = X_WS.linear() * belt_.axis_S();
    const Vector3 across_W = Vector3::UnitZ().cross(along_W);
    const double aside_m = keys_.spread_m * (2.0 * stream_.uniform_at(3 * fed_) - 1.0);
    model::Pose X_WP = model::Pose::Identity();
    X_WP.translation() = Vector3(keys_.at_m[0], keys_.at_m[1], keys_.at_m[2]) + aside_m * across_W;
    X_WP.linear() =
        Eigen::AngleAxisd(2.0 * M_PI * stream_.uniform_at(3 * fed_ + 1), Vector3::UnitZ())
            .toRotationMatrix();
    world_.parts().put(parts_[i].placement, X_WP);
    tell(i, "fed");
    const double shift_s =
        to_seconds(keys_.jitter) * (2.0 * stream_.uniform_at(3 * fed_ + 2) - 1.0);
    next_ = now + keys_.every + Duration(std::llround(1e9 * shift_s));
    ++fed_;
  }

  void tell(std::size_t i, const char* event) {
    if (events_) {
      const auto number = static_cast<std::size_t>(parts_[i].placement);
      events_->write(world_.now(),
                     {{"part", world_.model().placements[number].name}, {"event", event}});
    }
  }

  World& world_;
  FeederKeys keys_;
  RandomStream stream_;
  BoxWatch box_;
  mechanisms::Belt& belt_;
  std::vector<Part> parts_;
  std::deque<std::size_t> waiting_;
  std::unique_ptr<record::JsonTrace> events_;
  Time next_{};
  std::uint64_t fed_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t missed_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t delayed_ = 0;  ///< so often there was no part to lay down
};

class FeederModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    cell::list_wish(fields, "belt", keys_.belt, "belt that it feeds");
    fields.field("parts", keys_.parts,
                 "loose parts to feed, in this order; default: all loose parts");
    fields.field("at_m", keys_.at_m, "[x, y, z] in the world at which parts are placed");
    fields.field("spread_m", keys_.spread_m, "largest random offset to either side of that point");
    fields.field("every", keys_.every, "time between parts");
    fields.field("jitter", keys_.jitter,
                 "largest random deviation from that time, drawn for each part");
    fields.field("until_m", keys_.until_m, "a part that the belt has carried this far was missed");
    fields.field("floor_m", keys_.floor_m, "a part below this height has fallen");
    fields.field("box", keys_.box, "model of the box that parts belong in");
    fields.field("settle", keys_.settle, "a part counts as delivered after this time in the box");
    if (!keys_.at_m.empty() && keys_.at_m.size() != 3) {
      fields.reject("at_m", "a point is three numbers: x, y, z in m", "for example: [-1, 0, 0.95]");
    }
    if (keys_.spread_m < 0.0 || !std::isfinite(keys_.spread_m)) {
      fields.reject("spread_m", "must not be negative", "0.05 is five centimetres");
    }
    if (keys_.jitter < Duration{0} || keys_.jitter >= keys_.every) {
      fields.reject("jitter", "must be less than 'every'",
                    "otherwise parts could arrive in another order");
    }
    if (!(keys_.until_m > 0.0)) {
      fields.reject("until_m", "must be greater than zero", "the length of the belt is usual");
    }
  }
  std::vector<cell::WishInfo> wishes() const override {
    return {{"belt", keys_.belt.name, BeltBody::kInterface, true}};
  }
  std::vector<cell::KeyRemark> plan(const model::Cell& cell, const cell::LoadContext&) override {
    if (keys_.at_m.empty()) {
      return {{"at_m", "at_m is missing: where to place parts", "for example: [-1, 0, 0.95]"}};
    }
    if (std::optional<cell::KeyRemark> remark = judge_box(keys_.box, cell)) {
      return {*remark};
    }
    if (std::optional<cell::KeyRemark> remark = judge_parts(keys_.parts, cell)) {
      return {*remark};
    }
    if (keys_.parts.empty() && cell::LooseParts::names(cell).empty()) {
      return {{"parts", "this world has no loose parts", "add some to its file"}};
    }
    return {};
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<FeederActor>(keys_, world, name);
  }
  cell::Figures figures() const override {
    return {{{"delivered", "parts delivered", ""},
             {"missed", "parts missed", ""},
             {"dropped", "parts dropped", ""}},
            {{"delivered_per_minute", "parts delivered per minute", "1/min", 1.0, 2},
             {"delivered", "parts delivered", "", 1.0, 0},
             {"missed", "parts missed", "", 1.0, 0},
             {"dropped", "parts dropped", "", 1.0, 0}},
            ""};
  }

 private:
  FeederKeys keys_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_feeder() {
  return std::make_unique<FeederModel>();
}

}  // namespace longarm::actors
