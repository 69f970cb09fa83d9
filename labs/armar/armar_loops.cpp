// SPDX-License-Identifier: Apache-2.0
// The two loops around the hand: from target to target, and from the hand's velocity to those of
// the joints.
#include <chrono>
#include <optional>
#include <utility>

#include "labs/armar/armar_programs.h"
#include "longarm/actors/component_cycles.h"
#include "longarm/actors/component_own_method.h"
#include "longarm/actors/component_statechart.h"
#include "longarm/core/suggest.h"

namespace longarm::armar {
namespace {

using components::Bytes;
using components::LoopCall;
using namespace std::chrono_literals;

// who wants the hand to move says so at least this often
constexpr Duration kTargetLastsFor = 500ms;

/// The positions that a reply tells, if it does.
void note_state(const Result<Bytes>& reply, std::vector<double>& positions) {
  if (!reply) {
    return;
  }
  const Result<JointMap> map = components::decode<JointMap>(*reply);
  if (map && map->values.size() == positions.size()) {
    positions = map->values;
  }
}

/// From the velocity of the hand to those of the joints.
class HandControl final : public CyclicProgram {
 public:
  explicit HandControl(const ProgramContext& context)
      : CyclicProgram(context, {"setTCPVelocity"}),
        arm_(arm_of(context)),
        names_(names_of(arm_.tree().joints)),
        positions_(arm_.positions().begin(), arm_.positions().end()),
        set_velocity_(context, "setTCPVelocity") {
    node_.serve_raw(set_velocity_.method.name,
                    [this](Bytes request) { return set_velocity(std::move(request)); });
    start();
  }

 private:
  static bool is_command(const LoopCall& call) {
    return method_of(call) == "setJointVelocities" || method_of(call) == "switchControlMode";
  }

  std::vector<const LoopCall*> begin_cycle() override {
    std::vector<const LoopCall*> calls;
    for (const LoopCall& call : config_.calls) {
      calls.push_back(&call);
    }
    return calls;
  }
  void replied(const LoopCall&, const Result<Bytes>& reply) override {
    note_state(reply, positions_);
  }

  bool wants(const LoopCall& call) const override {
    const bool is_active = target_at_ && node_.now() - *target_at_ <= kTargetLastsFor;
    return is_active || !is_command(call);
  }

  Bytes request(const LoopCall& call) override {
    if (method_of(call) != "setJointVelocities") {
      return Bytes(static_cast<std::size_t>(call.request_bytes));
    }
    JointMap map{names_, {}, {}};
    map.values =
        joint_velocities(arm_.kinematics(), arm_.tree(), arm_.hand(), positions_, target_m_s_);
    return encode_padded(std::move(map), call.request_bytes);
  }

  sim::Task<Bytes> set_velocity(Bytes request) {
    co_await compute(node_, set_velocity_.execution());
    if (const Result<HandVelocity> wanted = components::decode<HandVelocity>(request)) {
      target_m_s_ = Eigen::Map<const model::Vector3>(wanted->linear_m_s.data());
      target_at_ = node_.now();
    }
    co_return Bytes(static_cast<std::size_t>(set_velocity_.method.reply_bytes));
  }

  ArmPort& arm_;  // its model only: the joints themselves are elsewhere
  std::vector<std::string> names_;
  std::vector<double> positions_;  ///< as last replied
  OwnMethod set_velocity_;
  model::Vector3 target_m_s_ = model::Vector3::Zero();
  std::optional<Time> target_at_;
};

/// A statechart that leads the hand: setTCPVelocity in a state with a target carries the velocity
/// towards it. Guards may ask how far the hand is from there.
class HandStatechart final : public Statechart {
 public:
  explicit HandStatechart(const ProgramContext& context)
      : Statechart(context),
        arm_(arm_of(context)),
        positions_(arm_.positions().begin(), arm_.positions().end()) {
    start();
  }

 private:
  std::optional<double> value(const std::string& name) const override {
    return name == kDistance && !state().target.empty() ? std::optional(way_left().norm())
                                                        : std::nullopt;
  }

  Bytes request(const LoopCall& call) override {
    if (method_of(call) != "setTCPVelocity" || state().target.empty()) {
      return Statechart::request(call);
    }
    const ArmModel& arm = arm_.model();
    HandVelocity wanted;
    Eigen::Map<model::Vector3>(wanted.linear_m_s.data()) =
        velocity_along(way_left(), arm.speed_m_s, arm.gain);
    return encode_padded(std::move(wanted), call.request_bytes);
  }

  void replied(const LoopCall& call, const Result<Bytes>& reply) override {
    note_state(reply, positions_);
    Statechart::replied(call, reply);
  }

  model::Vector3 way_left() const {
    return Eigen::Map<const model::Vector3>(state().target.data()) -
           arm_.kinematics().position_of(arm_.hand(), positions_);
  }

  ArmPort& arm_;                   // its model only
  std::vector<double> positions_;  ///< as last replied
};

}  // namespace

std::unique_ptr<Program> make_hand_control(const ProgramContext& context) {
  return std::make_unique<HandControl>(context);
}

std::unique_ptr<Program> make_hand_statechart(const ProgramContext& context) {
  return std::make_unique<HandStatechart>(context);
}

}  // namespace longarm::armar
