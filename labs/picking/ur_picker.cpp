// SPDX-License-Identifier: Apache-2.0
// The kind `ur-picker`: takes parts off a belt with a UR arm and its gripper, from another host.
#include "labs/picking/ur_picker.h"

#include <string>

#include <fmt/format.h>

#include "labs/kitting/world_dial.h"
#include "labs/picking/picker.h"
#include "longarm/actors/device_messages.h"
#include "longarm/actors/door_interface.h"
#include "longarm/actors/robot_file.h"
#include "longarm/actors/source.h"
#include "longarm/actors/ur.h"
#include "longarm/cell/cell_config.h"
#include "longarm/cell/world.h"
#include "longarm/core/check.h"
#include "longarm/robots/ur/joints.h"

namespace longarm::picking {
namespace {

using actors::ModbusDoor;
using actors::UrServer;
using cell::Wish;
using cell::World;
using Frames = actors::Source<devices::CameraFrame>;
using Json = nlohmann::ordered_json;
using Remarks = std::vector<cell::KeyRemark>;

struct UrPickerKeys {
  Wish robot;
  Wish camera;
  Wish plc;
  PickerConfig picker;
};

class UrPickerActor final : public cell::Actor {
 public:
  UrPickerActor(const UrPickerKeys& keys, const model::Pose& X_WB, World& world,
                const std::string& name)
      : world_(world),
        name_(name),
        keys_(keys),
        picker_(world.kernel(), name, keys.picker, X_WB,
                {kitting::dial_in(world, name, keys.robot, keys.robot.name + ".realtime"),
                 kitting::dial_in(world, name, keys.robot, keys.robot.name + ".gripper"),
                 kitting::dial_in(world, name, keys.robot, keys.robot.name + ".dashboard"),
                 kitting::dial_in(world, name, keys.plc,
                                  world.ask<ModbusDoor>(keys.plc).door->name())}) {
    world.ask<Frames>(keys_.camera)
        .listen(name, keys_.camera,
                [this](const devices::CameraFrame& frame, Time now) { picker_.see(frame, now); });
    picker_.start();
  }

  void sample(std::span<double> out) const override {
    out[0] = static_cast<double>(picker_.counts().placed);
  }

  Json results() const override {
    const PickerCounts& counts = picker_.counts();
    const double minutes = to_seconds(world_.now().time_since_epoch()) / 60.0;
    Json out;
    out["method"] = keys_.picker.method;
    out["tries"] = counts.tries;
    out["grasps"] = counts.grasps;
    out["empty"] = counts.empty;
    out["drops"] = counts.lost;
    out["unseen"] = counts.unseen;
    out["placed"] = counts.placed;
    out["parts_per_minute"] = minutes > 0.0 ? static_cast<double>(counts.placed) / minutes : 0.0;
    out["stops"] = counts.stops;
    out["frames"] = counts.frames;
    out["packets"] = counts.packets;
    out["gripper_round_trip_mean_s"] = picker_.gripper_round_trips().mean_s();
    out["gripper_round_trip_max_s"] = to_seconds(picker_.gripper_round_trips().longest);
    out["plc_round_trip_mean_s"] = picker_.plc_round_trips().mean_s();
    return out;
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> warnings;
    if (!picker_.trouble().empty()) {
      warnings.push_back("the picker cannot read the status stream: " + picker_.trouble());
    }
    if (picker_.counts().frames == 0) {
      warnings.push_back("no camera frame ever reached the picker");
    } else if (picker_.counts().tries == 0) {
      warnings.push_back("the picker never tried to take a part");
    }
    return warnings;
  }

 private:
  World& world_;
  std::string name_;
  UrPickerKeys keys_;
  Picker picker_;
};

class UrPickerModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    cell::list_wish(fields, "robot", keys_.robot, "robot to move, with a Robotiq gripper");
    cell::list_wish(fields, "camera", keys_.camera, "camera that sees parts on the belt");
    cell::list_wish(fields, "plc", keys_.plc, "PLC that reports the belt's speed");
    picking::list_fields(fields, keys_.picker);
  }
  std::vector<cell::WishInfo> wishes() const override {
    return {{"robot", keys_.robot.name, UrServer::kInterface, true},
            {"camera", keys_.camera.name, Frames::kInterface, true},
            {"plc", keys_.plc.name, ModbusDoor::kInterface, true}};
  }
  Remarks load(InputFiles&, const cell::LoadContext&) override {
    if (keys_.picker.place_m.size() != 3) {
      return {{"place_m", "place_m is missing: where to release parts",
               "[x, y, z] in the world, over the box, for example: [0.4, -0.8, 0.95]"}};
    }
    return {};
  }
  Remarks plan(const model::Cell& cell, const cell::LoadContext& context) override {
    const cell::ActorEntry* robot = context.cell.find(keys_.robot.name);
    const auto* arm = dynamic_cast<const actors::ArmDescription*>(robot->model.get());
    check(arm != nullptr, "a robot that nobody described");
    const model::Placement& placement =
        cell.placements[static_cast<std::size_t>(*cell::find_placement(cell, arm->placement()))];
    X_WB_ = placement.X_WR * robots::ur_base_on_root(placement, arm->base());
    return {};
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    const UrServer& server = world.ask<UrServer>(keys_.robot);
    if (server.robot == nullptr || server.robot->controller().gripper() == nullptr) {
      throw InputError(Diagnostic{
          {},
          fmt::format("robot '{}' has no Robotiq gripper behind a UR controller", keys_.robot.name),
          fmt::format("actors.{}: {{model: ur5-2f85, base_frame: \"arm::base\", flange: "
                      "\"arm::tool0\"}}",
                      keys_.robot.name)});
    }
    return std::make_unique<UrPickerActor>(keys_, X_WB_, world, name);
  }
  cell::Figures figures() const override {
    return {{{"placed", "parts placed", ""}},
            {{"parts_per_minute", "parts placed per minute", "1/min", 1.0, 2},
             {"placed", "parts placed", "", 1.0, 0},
             {"drops", "parts lost in motion", "", 1.0, 0},
             {"empty", "empty grasps", "", 1.0, 0},
             {"unseen", "released before the arm was seen to arrive", "", 1.0, 0},
             {"stops", "protective stops", "", 1.0, 0},
             {"gripper_round_trip_mean_s", "gripper's round trip, mean", "ms", 1e3, 3}},
            ""};
  }

 private:
  UrPickerKeys keys_;
  model::Pose X_WB_ = model::Pose::Identity();
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_ur_picker() {
  return std::make_unique<UrPickerModel>();
}

}  // namespace longarm::picking
