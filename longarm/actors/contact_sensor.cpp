// SPDX-License-Identifier: Apache-2.0
// The kind `contact-sensor`: says what touches the shapes it watches.
#include "longarm/devices/contact_sensor.h"

#include <optional>

#include "longarm/actors/device_lines.h"
#include "longarm/actors/device_messages.h"
#include "longarm/actors/kinds.h"
#include "longarm/actors/outlet.h"
#include "longarm/actors/source.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/actor_error.h"
#include "longarm/cell/world.h"
#include "longarm/core/suggest.h"

namespace longarm::actors {
namespace {

using cell::World;
using devices::TouchReport;

struct TouchKeys {
  std::vector<std::string> collisions;
  std::string sensor;
  devices::DeviceLinkConfig link;
  OutletKeys outlet;
};

// it speaks only while something touches
constexpr Duration kRepeatEvery = std::chrono::milliseconds(100);

class ContactSensorActor final : public cell::Actor {
 public:
  ContactSensorActor(const TouchKeys& keys, World& world, const std::string& name)
      : period_(world.period()),
        sensor_(cell::about_key("collisions",
                                [&] {
                                  return devices::ContactSensor(world.engine(), world.model(),
                                                                keys.collisions);
                                })),
        touches_(world, name, keys.link, Duration(0)),
        outlet_(world, name, keys.outlet, TraceOf<TouchReport>::kTopic) {
    sensor_.connect(world.kernel(), world.period(),
                    [this](const TouchReport& report, std::size_t size_bytes) {
                      touches_.send(report, size_bytes);
                    });
    // it looked right before this step
    world.on(cell::Stage::kMeasure,
             [this](Time) { touched_steps_ += sensor_.touches().empty() ? 0 : 1; });
    world.offer<Source<TouchReport>>(name, touches_);
    if (outlet_.is_open()) {
      touches_.open_server(
          [this, name, bodies = world.body_names()](const TouchReport& report, Time) {
            outlet_.say(touch_line(name, report, bodies));
          });
      outlet_.repeat_every(kRepeatEvery);
    }
  }

  nlohmann::ordered_json results() const override {
    nlohmann::ordered_json out = touches_.results();
    out["touched_s"] = static_cast<double>(touched_steps_) * to_seconds(period_);
    return out;
  }

 private:
  Duration period_;
  devices::ContactSensor sensor_;
  Source<TouchReport> touches_;
  Outlet outlet_;
  std::uint64_t touched_steps_ = 0;
};

class ContactSensorModel final : public cell::ActorModel, public OutletDescription {
 public:
  void list_fields(Fields& fields) override {
    fields.field("collisions", keys_.collisions, "shapes, bodies or models to watch");
    fields.field("sensor", keys_.sensor,
                 "name of a `<sensor type=\"contact\">` in the world file, instead of collisions");
    list_link(fields, keys_.link);
    actors::list_fields(fields, keys_.outlet);
  }
  std::vector<cell::Interface> offers() const override {
    return {Source<TouchReport>::kInterface, LinesServer::kInterface};
  }
  std::vector<cell::KeyRemark> load(InputFiles& files, const cell::LoadContext& context) override {
    if (!keys_.sensor.empty()) {
      if (std::optional<cell::KeyRemark> remark = find_sensor(*context.world_file)) {
        return {*remark};
      }
    }
    if (keys_.collisions.empty() && watched_.empty()) {
      return {{"collisions", "a contact sensor needs something to watch",
               "set collisions: [table], or sensor: to the name of a sensor in the world file"}};
    }
    return load_link(keys_.link, files, context.host);
  }
  std::shared_ptr<cell::ActorModel> without_link() const override {
    return without_link_of<ContactSensorModel>(
        *this, [](auto& model) -> auto& { return model.keys_.link; });
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    TouchKeys keys = keys_;
    keys.collisions.insert(keys.collisions.end(), watched_.begin(), watched_.end());
    return std::make_unique<ContactSensorActor>(keys, world, name);
  }
  bool has_port() const override { return keys_.outlet.port.has_value(); }
  cell::Figures figures() const override {
    return {{}, {{"touched_s", "contact duration", "s", 1.0, 3}}, ""};
  }

 private:
  /// Takes the collisions of the sensor that is named; otherwise says what is wrong.
  std::optional<cell::KeyRemark> find_sensor(const model::World& world) {
    if (!keys_.collisions.empty()) {
      return cell::KeyRemark{"sensor", "collisions and sensor exclude each other",
                             "keep one of them"};
    }
    std::vector<std::string> known;
    for (const model::WorldModel& item : world.models) {
      for (const model::ContactSensorWish& wish : item.contact_sensors) {
        known.push_back(wish.name);
        if (wish.name != keys_.sensor) {
          continue;
        }
        for (const std::string& collision : wish.collisions) {
          watched_.push_back(item.name + "::" + collision);
        }
      }
    }
    if (!watched_.empty()) {
      return std::nullopt;
    }
    return cell::KeyRemark{
        "sensor",
        "the world has no <sensor type=\"contact\"> '" + keys_.sensor + "' with collisions",
        known.empty() ? "the world file has no contact sensor" : suggest(keys_.sensor, known)};
  }

  TouchKeys keys_;
  std::vector<std::string> watched_;  ///< of the world file's sensor
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_contact_sensor() {
  return std::make_unique<ContactSensorModel>();
}

}  // namespace longarm::actors
