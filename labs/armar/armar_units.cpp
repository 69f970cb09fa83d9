// SPDX-License-Identifier: Apache-2.0
// The unit that drives the joints, and components that know their positions. How long their methods
// take, and how large messages are, stands in the scenario.
#include <algorithm>
#include <deque>
#include <utility>

#include "labs/armar/armar_programs.h"
#include "longarm/actors/component_own_method.h"
#include "longarm/core/suggest.h"

namespace longarm::armar {
namespace {

using components::Bytes;
using components::LoopCycle;
using components::LoopMethod;
using components::LoopPublication;

/// Drives and encoders of the arm.
class KinematicUnit final : public Program {
 public:
  explicit KinematicUnit(const ProgramContext& context)
      : node_(context.node),
        arm_(arm_of(context)),
        names_(names_of(arm_.tree().joints)),
        set_velocities_(context, "setJointVelocities"),
        plain_(context, false, {"setJointVelocities"},
               [this](const LoopPublication& publication) { return report(publication); }) {
    node_.serve_raw(set_velocities_.method.name,
                    [this](Bytes request) { return set_velocities(std::move(request)); });
  }

  const std::vector<LoopCycle>& cycles() const override { return plain_.loop().cycles(); }
  std::uint64_t overruns() const override { return 0; }
  std::string last_failure() const override { return plain_.last_failure(); }

 private:
  Bytes report(const LoopPublication& publication) const {
    const std::string& topic = publication.topic.empty() ? publication.name : publication.topic;
    JointMap map{names_, {}, {}};
    const std::span<const double> values = topic == "JointAngles"       ? arm_.positions()
                                           : topic == "JointVelocities" ? arm_.velocities()
                                                                        : arm_.efforts();
    map.values.assign(values.begin(), values.end());
    return encode_padded(std::move(map), publication.bytes);
  }

  sim::Task<Bytes> set_velocities(Bytes request) {
    co_await compute(node_, set_velocities_.execution());
    if (const Result<JointMap> map = components::decode<JointMap>(request)) {
      const std::size_t count = std::min(map->names.size(), map->values.size());
      for (std::size_t i = 0; i < count; ++i) {
        arm_.command(map->names[i], map->values[i]);
      }
    }
    co_return Bytes(static_cast<std::size_t>(set_velocities_.method.reply_bytes));
  }

  components::Node& node_;
  ArmPort& arm_;
  std::vector<std::string> names_;
  OwnMethod set_velocities_;
  PlainPart plain_;
};

/// The newest joint positions that were published.
class RobotState final : public Program {
 public:
  explicit RobotState(const ProgramContext& context)
      : node_(context.node),
        state_(start_state(arm_of(context))),
        plain_(context, false, method_names(context), {},
               [this](const std::string& topic, const Bytes& message) { hear(topic, message); }) {
    for (const LoopMethod& method : context.config.serves) {
      OwnMethod& own = methods_.emplace_back(context, method.name);
      node_.serve_raw(method.name, [this, &own](Bytes) { return reply(own); });
    }
  }

  const std::vector<LoopCycle>& cycles() const override { return plain_.loop().cycles(); }
  std::uint64_t overruns() const override { return 0; }
  std::string last_failure() const override { return plain_.last_failure(); }

 private:
  static std::vector<std::string> method_names(const ProgramContext& context) {
    std::vector<std::string> names;
    for (const LoopMethod& method : context.config.serves) {
      names.push_back(method.name);
    }
    return names;
  }

  static JointMap start_state(const ArmPort& arm) {
    return {names_of(arm.tree().joints), {arm.positions().begin(), arm.positions().end()}, {}};
  }

  void hear(const std::string& topic, const Bytes& message) {
    if (topic != "JointAngles") {
      return;
    }
    if (const Result<JointMap> map = components::decode<JointMap>(message)) {
      state_.names = map->names;
      state_.values = map->values;
    }
  }

  sim::Task<Bytes> reply(OwnMethod& own) {
    co_await compute(node_, own.execution());
    co_return encode_padded(state_, own.method.reply_bytes);
  }

  components::Node& node_;
  JointMap state_;
  std::deque<OwnMethod> methods_;  // a deque: handlers keep references
  PlainPart plain_;
};

}  // namespace

ArmPort& arm_of(const ProgramContext& context) {
  return context.world.ask<ArmPort>(context.arm);
}

void add_armar_programs(actors::ProgramKinds& programs) {
  const cell::Interface arm = ArmPort::kInterface;
  programs["kinematic-unit"] = {"drives the joints of an arm",
                                make_kinematic_unit,
                                false,
                                false,
                                {"setJointVelocities"},
                                arm};
  programs["robot-state"] = {
      "receives the joint states from a topic", make_robot_state, false, false, {}, arm};
  programs["hand-control"] = {"converts hand velocity to joint velocities",
                              make_hand_control,
                              true,
                              true,
                              {"setTCPVelocity"},
                              arm};
  programs["hand-statechart"] = {"a statechart that guides the hand from target to target",
                                 make_hand_statechart,
                                 true,
                                 true,
                                 {},
                                 arm,
                                 actors::StatechartVocabulary{{kDistance}, 3}};
}

std::unique_ptr<Program> make_kinematic_unit(const ProgramContext& context) {
  return std::make_unique<KinematicUnit>(context);
}

std::unique_ptr<Program> make_robot_state(const ProgramContext& context) {
  return std::make_unique<RobotState>(context);
}

}  // namespace longarm::armar
