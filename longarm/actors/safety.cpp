// SPDX-License-Identifier: Apache-2.0
// The kind `safety`: hears light curtains, and stops whoever it can reach.
#include <algorithm>
#include <memory>

#include "longarm/actors/curtain.h"
#include "longarm/actors/device_messages.h"
#include "longarm/actors/kinds.h"
#include "longarm/actors/order_line.h"
#include "longarm/actors/safety_controller.h"
#include "longarm/actors/source.h"
#include "longarm/actors/stop_figures.h"
#include "longarm/actors/stop_input.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/world.h"

namespace longarm::actors {
namespace {

using cell::Stage;
using cell::World;
using devices::CurtainReport;
using Json = nlohmann::ordered_json;

struct SafetyKeys {
  std::vector<cell::Wish> curtains;
  std::vector<cell::Wish> stops;
  SafetyConfig safety;
};

struct ResetLatch {};
struct StopOrder {
  bool is_stop = false;
};

class SafetyActor final : public cell::Actor {
 public:
  SafetyActor(const SafetyKeys& keys, World& world, const std::string& name) : world_(world) {
    for (const cell::Wish& wish : keys.stops) {
      add_stop(wish, name);
    }
    for (const cell::Wish& wish : keys.curtains) {
      add_curtain(keys, wish, name);
    }
    if (world.trace() != nullptr) {
      orders_ = world.trace()->add_json("/" + name + "/orders", "longarm/SafetyOrder",
                                        {{"order", "string"}});
    }
    world.offer_diagnosis([this, name](Time, std::vector<cell::Diagnosis>& out) {
      cell::Diagnosis diagnosis;
      diagnosis.name = name;
      diagnosis.values = {{"stops", stops_}, {"stopped", is_stopped_}};
      if (is_stopped_) {
        diagnosis.health = cell::Health::kWarning;
        diagnosis.message = "it has stopped the cell";
      }
      diagnosis.troubles = stops_;
      diagnosis.trouble = "it had to stop the cell";
      out.push_back(std::move(diagnosis));
    });
    world.on(Stage::kGuard, [this](Time now) { guard(now); });
    world.on(Stage::kMeasure, [this](Time now) {
      if (figures_.is_under_way()) {
        figures_.update(now, world_.period(), controlled_points());
      }
    });
  }

  Json results() const override {
    Json out;
    std::uint64_t by_silence = 0;
    for (const std::unique_ptr<Guard>& guard : guards_) {
      by_silence += guard->controller->stops_by_silence();
    }
    out["stops"] = stops_;
    out["stops_by_silence"] = by_silence;
    out["stop_distance_m"] = figures_.largest_distance_m();
    if (intrusion_heard_) {
      out["intrusion_heard_s"] = to_seconds(*intrusion_heard_);
    }
    Json each = Json::array();
    for (const SafetyStop& stop : figures_.all()) {
      each.push_back(stop_json(stop));
    }
    out["each_stop"] = std::move(each);
    return out;
  }

 private:
  struct Guard {
    const devices::LightCurtain* curtain = nullptr;
    std::unique_ptr<OrderLine<ResetLatch>> reset;
    std::unique_ptr<SafetyController> controller;
    std::uint64_t interruptions_seen = 0;
  };
  struct Stop {
    std::string name;
    StopInput* input = nullptr;
    std::unique_ptr<OrderLine<StopOrder>> line;
  };

  void add_stop(const cell::Wish& wish, const std::string& name) {
    StopInput& input = world_.ask<StopInput>(wish);
    const auto carry_out = [&input](const StopOrder& order) {
      order.is_stop ? input.safety_stop() : input.safety_resume();
    };
    inputs_.push_back(
        {wish.name, &input, std::make_unique<OrderLine<StopOrder>>(world_, name, wish, carry_out)});
  }

  void add_curtain(const SafetyKeys& keys, const cell::Wish& wish, const std::string& name) {
    devices::LightCurtain* curtain = world_.ask<CurtainLatch>(wish).curtain;
    if (curtain == nullptr) {
      return;
    }
    Guard& guard = *guards_.emplace_back(std::make_unique<Guard>());
    guard.curtain = curtain;
    world_.ask<Source<CurtainReport>>(wish).listen(
        name, wish, [this, &guard](const CurtainReport& report, Time now) {
          if (report.is_latched && !intrusion_heard_) {
            intrusion_heard_ = now;
          }
          guard.controller->hear(report, now);
        });
    guard.reset = std::make_unique<OrderLine<ResetLatch>>(
        world_, name, wish, [curtain](const ResetLatch&) { curtain->reset(); });
    SafetyOutputs outputs;
    outputs.stop = [this](Time now) { order_stop(now); };
    outputs.resume = [this](Time) { resume_if_all_agree(); };
    outputs.reset_latch = [&guard] { guard.reset->send({}); };
    guard.controller = std::make_unique<SafetyController>(keys.safety, std::move(outputs));
  }

  void guard(Time now) {
    for (const std::unique_ptr<Guard>& guard : guards_) {
      if (guard->curtain->interruptions() != guard->interruptions_seen) {
        guard->interruptions_seen = guard->curtain->interruptions();
        figures_.begin(now, controlled_points());
      }
    }
    for (const std::unique_ptr<Guard>& guard : guards_) {
      guard->controller->update(now);
    }
  }

  void order_stop(Time now) {
    figures_.order(now, controlled_points());
    if (is_stopped_) {
      return;
    }
    is_stopped_ = true;
    ++stops_;
    send_order(true);
  }

  void resume_if_all_agree() {
    const bool is_any_stopped = std::any_of(
        guards_.begin(), guards_.end(),
        [](const std::unique_ptr<Guard>& guard) { return guard->controller->is_stopped(); });
    if (is_any_stopped) {
      return;
    }
    is_stopped_ = false;
    figures_.end();
    send_order(false);
  }

  void send_order(bool is_stop) {
    if (orders_) {
      orders_->write(world_.now(), {{"order", is_stop ? "stop" : "resume"}});
    }
    world_.note("safety", is_stop ? "stop" : "resume", is_stop ? "all stop" : "all continue");
    for (const Stop& each : inputs_) {
      each.line->send({is_stop});
    }
  }

  std::vector<model::Vector3> controlled_points() const {
    std::vector<model::Vector3> points;
    for (const Stop& each : inputs_) {
      if (const std::optional<model::Vector3> point = each.input->controlled_point()) {
        points.push_back(*point);
      }
    }
    return points;
  }

  Json stop_json(const SafetyStop& stop) const {
    Json out;
    out["broken_s"] = stop.has_broken_beam ? Json(to_seconds(stop.begun)) : Json();
    if (stop.ordered) {
      out["order_after_s"] = to_seconds(*stop.ordered - stop.begun);
    }
    if (stop.still) {
      out["still_after_s"] = to_seconds(*stop.still - stop.begun);
    }
    Json ways = Json::object();
    std::size_t i = 0;
    for (const Stop& each : inputs_) {
      if (each.input->controlled_point()) {
        ways[each.name] = stop.distance_m[i++];
      }
    }
    out["distance_m"] = std::move(ways);
    return out;
  }

  World& world_;
  std::vector<Stop> inputs_;
  std::vector<std::unique_ptr<Guard>> guards_;
  std::unique_ptr<record::JsonTrace> orders_;  ///< null: not recorded
  StopFigures figures_;
  std::optional<Time> intrusion_heard_;
  bool is_stopped_ = false;
  std::uint64_t stops_ = 0;
};

class SafetyModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    cell::list_wishes(fields, "curtains", keys_.curtains, "light curtains to monitor");
    cell::list_wishes(fields, "stops", keys_.stops, "robots and belts to stop");
    actors::list_fields(fields, keys_.safety);
  }
  std::vector<cell::WishInfo> wishes() const override {
    // without a name: what is asked for, for the reference
    std::vector<cell::WishInfo> wishes{{"curtains", "", CurtainLatch::kInterface},
                                       {"stops", "", StopInput::kInterface}};
    for (const cell::Wish& wish : keys_.curtains) {
      wishes.push_back({"curtains", wish.name, CurtainLatch::kInterface});
    }
    for (const cell::Wish& wish : keys_.stops) {
      wishes.push_back({"stops", wish.name, StopInput::kInterface});
    }
    return wishes;
  }
  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext&) override {
    if (keys_.curtains.empty()) {
      return {{"curtains", "the safety controller has no light curtain to monitor",
               "name actors of kind curtain: curtains: [NAME]"}};
    }
    return {};
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<SafetyActor>(keys_, world, name);
  }
  cell::Figures figures() const override {
    return {{},
            {{"stops", "safety stops", "", 1.0, 0},
             {"stop_distance_m", "stopping distance", "mm", 1e3, 1}},
            ""};
  }

 private:
  SafetyKeys keys_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_safety() {
  return std::make_unique<SafetyModel>();
}

}  // namespace longarm::actors
