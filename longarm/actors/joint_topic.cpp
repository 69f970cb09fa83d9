// SPDX-License-Identifier: Apache-2.0
// The kind `joint-topic`: joint commands and states on a topic, as a plug-in of the world file asks
// for it.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "longarm/actors/crcl.h"
#include "longarm/actors/engine_joints.h"
#include "longarm/actors/kinds.h"
#include "longarm/actors/stop_input.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/world.h"
#include "longarm/core/index.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::actors {
namespace {

using cell::World;
using protocols::jointcmd::DoorConfig;

// what Gazebo would load there
constexpr const char* kPlugin = "libgzjointcmdplugin.so";

struct TopicKeys {
  std::string drives;
  cell::Wish robot;
  Duration states_period{20'000'000};
};

class JointTopicActor final : public cell::Actor, public StopInput {
 public:
  JointTopicActor(const TopicKeys& keys, const DoorConfig& config, World& world,
                  const std::string& name)
      : robot_(keys.robot.is_empty() ? nullptr : &world.ask<RobotBody>(keys.robot)),
        joints_(world.engine(), world.model(), config.model, [this] { return fault(); }),
        door_(config, joints_) {
    world.on(cell::Stage::kOverride, [this](Time now) { door_.step(now); });
    world.offer_door(name, door_);
    world.offer<StopInput>(name, *this);
  }

  void safety_stop() override { is_stopped_ = true; }
  void safety_resume() override { is_stopped_ = false; }

  nlohmann::ordered_json results() const override {
    return {{"topic", door_.config().topic},
            {"accepted", door_.accepted()},
            {"refused", door_.refused()},
            {"last_refusal", door_.last_refusal()}};
  }

 private:
  std::string fault() const {
    if (is_stopped_) {
      return kStoppedBySafety;
    }
    return robot_ != nullptr ? robot_->fault() : "";
  }

  const RobotBody* robot_;  ///< whose joints they are; null: nobody's
  bool is_stopped_ = false;
  EngineJoints joints_;
  protocols::jointcmd::JointCommandDoor door_;
};

class JointTopicModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    fields.field("drives", keys_.drives,
                 "model whose plug-in defines the topic; default: the actor's name");
    cell::list_wish(fields, "robot", keys_.robot, "robot that owns the joints, if any");
    fields.field("states_period", keys_.states_period, "how often joint states are published");
    if (keys_.states_period <= Duration::zero()) {
      fields.reject("states_period", "a period must be longer than zero", "20ms is usual");
    }
  }
  std::vector<cell::Interface> offers() const override { return {StopInput::kInterface}; }
  std::vector<cell::WishInfo> wishes() const override {
    return {{"robot", keys_.robot.name, RobotBody::kInterface}};
  }

  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext& context) override {
    keys_.drives = keys_.drives.empty() ? context.name : keys_.drives;
    std::vector<std::string> known;
    for (const model::WorldModel& model : context.world_file->models) {
      for (const model::Plugin& plugin : model.plugins) {
        if (plugin.filename == kPlugin) {
          known.push_back(model.name);
        }
        if (plugin.filename == kPlugin && model.name == keys_.drives) {
          return take(plugin);
        }
      }
    }
    return {{"drives",
             fmt::format("the world has no model '{}' with a plug-in {}", keys_.drives, kPlugin),
             known.empty() ? "the world file says which topics there are"
                           : suggest(keys_.drives, known)}};
  }

  std::vector<cell::KeyRemark> place(model::Cell& cell, const cell::LoadContext&) override {
    const std::optional<int> placement = cell::find_placement(cell, keys_.drives);
    const std::vector<std::string> joints =
        names_of(cell.placements[index_of(*placement)].tree.joints);
    // Gazebo's models may leave out the names of models inside
    const auto is_joint = [&](const std::string& finger) {
      const auto ends_so = [&](const std::string& joint) { return joint.ends_with("::" + finger); };
      return std::find(joints.begin(), joints.end(), finger) != joints.end() ||
             std::count_if(joints.begin(), joints.end(), ends_so) == 1;
    };
    for (const std::string& finger : config_.finger_joints) {
      if (!is_joint(finger)) {
        return {{"drives", fmt::format("model '{}' has no joint '{}'", keys_.drives, finger),
                 suggest(finger, joints)}};
      }
    }
    return {};
  }

  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<JointTopicActor>(keys_, config_, world, name);
  }

 private:
  std::vector<cell::KeyRemark> take(const model::Plugin& plugin) {
    const std::vector<std::string> topics = plugin.texts("topic");
    if (topics.size() != 1 || topics[0].empty()) {
      return {{"drives",
               fmt::format("{}:{}: plugin '{}' needs one <topic>", plugin.where.path,
                           plugin.where.line, plugin.name),
               "for example <topic>~/fanuc/joints</topic>"}};
    }
    config_ = {topics[0], keys_.drives, plugin.texts("finger_joint"), keys_.states_period};
    const std::vector<std::string> updates = plugin.texts("Force_update");
    if (!updates.empty()) {
      const std::string word = to_lower(updates[0]);
      const bool is_yes = word == "true" || word == "1";
      if (updates.size() > 1 || (!is_yes && word != "false" && word != "0")) {
        return {{"drives",
                 fmt::format("{}:{}: plugin '{}': <Force_update> is true or false, once",
                             plugin.where.path, plugin.where.line, plugin.name),
                 "true, the default, repeats the last command in every step"}};
      }
      config_.forces_update = is_yes;
    }
    return {};
  }

  TopicKeys keys_;
  DoorConfig config_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_joint_topic() {
  return std::make_unique<JointTopicModel>();
}

}  // namespace longarm::actors
