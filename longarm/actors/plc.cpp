// SPDX-License-Identifier: Apache-2.0
// The kind `plc`: a belt's controller behind Modbus TCP.
#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "longarm/actors/belt.h"
#include "longarm/actors/door_interface.h"
#include "longarm/actors/kinds.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/world.h"
#include "longarm/protocols/modbus/plc_door.h"

namespace longarm::actors {
namespace {

using cell::World;
using protocols::modbus::PlcDoor;

struct PlcKeys {
  cell::Wish belt;
  protocols::modbus::PlcConfig plc;
};

protocols::modbus::BeltPort port_of(BeltBody& body) {
  mechanisms::Belt* belt = &body.belt();
  protocols::modbus::BeltPort port;
  port.command = [belt](double velocity) { belt->command(velocity); };
  port.velocity_m_s = [belt] { return belt->velocity_m_s(); };
  port.encoder_m = [belt] { return belt->encoder_m(); };
  port.is_jammed = [belt] { return belt->is_jammed(); };
  port.is_stopped = [belt] { return belt->is_stopped(); };
  port.is_safety_stopped = [&body] { return body.is_safety_stopped(); };
  return port;
}

class PlcActor final : public cell::Actor {
 public:
  PlcActor(const PlcKeys& keys, World& world, const std::string& name)
      : door_(name, keys.plc, port_of(world.ask<BeltBody>(keys.belt))), served_{&door_} {
    if (world.trace() != nullptr) {
      writes_ = world.trace()->add_json(
          "/" + name + "/writes", "longarm/PlcWrite",
          {{"address", "integer"}, {"value", "integer"}, {"client", "integer"}});
    }
    world.on(cell::Stage::kServe, [this](Time now) {
      record_writes();
      door_.before_step(now);
    });
    world.offer_door(name, door_);
    world.offer<ModbusDoor>(name, served_);
  }

  nlohmann::ordered_json results() const override {
    const protocols::modbus::PlcCounters& said = door_.counters();
    return {{"requests", said.requests},
            {"answers", said.answers},
            {"exceptions", said.exceptions},
            {"writes", said.writes},
            {"commands", said.commands}};
  }

 private:
  /// What clients have written since the last step, as far as it is remembered.
  void record_writes() {
    const std::uint64_t written = door_.counters().writes;
    const std::size_t more = std::min<std::size_t>(written - recorded_, door_.log().size());
    recorded_ = written;
    if (!writes_) {
      return;
    }
    for (auto each = door_.log().end() - static_cast<std::ptrdiff_t>(more);
         each != door_.log().end(); ++each) {
      writes_->write(each->at, {{"address", each->address},
                                {"value", each->value},
                                {"client", static_cast<std::uint32_t>(each->client)}});
    }
  }

  std::unique_ptr<record::JsonTrace> writes_;  ///< null: not recorded
  std::uint64_t recorded_ = 0;
  PlcDoor door_;
  ModbusDoor served_;
};

class PlcModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    cell::list_wish(fields, "belt", keys_.belt, "belt to drive");
    protocols::modbus::list_fields(fields, keys_.plc);
  }
  std::vector<cell::Interface> offers() const override { return {ModbusDoor::kInterface}; }
  std::vector<cell::WishInfo> wishes() const override {
    return {{"belt", keys_.belt.name, BeltBody::kInterface}};
  }
  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext&) override {
    if (keys_.belt.is_empty()) {
      return {{"belt", "the PLC has no belt to drive", "name an actor of kind belt: belt: NAME"}};
    }
    return {};
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<PlcActor>(keys_, world, name);
  }

 private:
  PlcKeys keys_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_plc() {
  return std::make_unique<PlcModel>();
}

}  // namespace longarm::actors
