// SPDX-License-Identifier: Apache-2.0
// The two loops around the hand: along a path, and from the hand's velocity to those of the joints.
#include <chrono>
#include <optional>
#include <utility>

#include "labs/armar/armar_programs.h"
#include "longarm/actors/component_own_method.h"
#include "longarm/core/suggest.h"

namespace longarm::armar {
namespace {

using components::Bytes;
using components::LoopCall;
using components::LoopCycle;
using namespace std::chrono_literals;

// who wants the hand to move says so at least this often
constexpr Duration kTargetLastsFor = 500ms;

const std::string& method_of(const LoopCall& call) {
  return call.method.empty() ? call.name : call.method;
}

/// What both loops around the hand have in common: cycles of calls, replies that hold the state.
class HandLoop : public Program {
 public:
  HandLoop(const ProgramContext& context, const std::vector<std::string>& own_methods)
      : node_(context.node),
        config_(context.config),
        arm_(arm_of(context)),
        names_(names_of(arm_.tree().joints)),
        positions_(arm_.positions().begin(), arm_.positions().end()),
        compute_draws_(context.seed, context.config.name + ".compute"),
        plain_(context, false, own_methods) {}

  const std::vector<LoopCycle>& cycles() const override { return cycles_; }
  std::uint64_t overruns() const override { return overruns_; }
  std::string last_failure() const override {
    return last_failure_.empty() ? plain_.last_failure() : last_failure_;
  }

 protected:
  void start() { node_.spawn(run()); }
  /// Whether a call is made in this cycle.
  virtual bool wants(const LoopCall& call) const = 0;
  virtual Bytes request(const LoopCall& call) = 0;

  components::Node& node_;
  ComponentConfig config_;
  ArmPort& arm_;  // its model only: the joints themselves are elsewhere
  std::vector<std::string> names_;
  std::vector<double> positions_;  ///< as last replied

 private:
  bool is_due(const LoopCall& call, std::int64_t number) const {
    const Duration since_start = node_.now().time_since_epoch();
    return number % call.every == 0 && since_start >= call.from &&
           (!call.until || since_start < *call.until) && wants(call);
  }

  void note_state(const Bytes& reply) {
    const Result<JointMap> map = components::decode<JointMap>(reply);
    if (map && map->values.size() == positions_.size()) {
      positions_ = map->values;
    }
  }

  sim::Task<void> make_calls(std::int64_t number) {
    LoopCycle cycle;
    for (const LoopCall& call : config_.calls) {
      if (!is_due(call, number)) {
        continue;
      }
      if (cycle.calls++ == 0) {
        cycle.started = node_.now();
      }
      components::CallOptions options;
      options.timeout = call.timeout;
      // a variable of its own: g++ 12 destroys temporaries twice where they are awaited
      sim::Task<Result<Bytes>> asked =
          node_.call_raw(call.to, method_of(call), request(call), std::move(options));
      const Result<Bytes> reply = co_await std::move(asked);
      cycle.ended = node_.now();
      if (reply) {
        note_state(*reply);
      } else {
        cycle.has_failed = true;
        last_failure_ = call.to + "." + method_of(call) + ": " + reply.error().message;
      }
    }
    if (cycle.calls > 0) {
      cycles_.push_back(cycle);
    }
  }

  sim::Task<void> run() {
    Time next{config_.phase};
    for (std::int64_t number = 0; config_.cycles == 0 || number < config_.cycles; ++number) {
      co_await node_.sleep_until(next);
      co_await compute(node_, config_.compute.at(0, compute_draws_.uniform()));
      co_await make_calls(number);
      next += config_.period;
      if (next < node_.now()) {
        ++overruns_;
        next = node_.now();
      }
    }
  }

  RandomStream compute_draws_;
  std::vector<LoopCycle> cycles_;
  std::uint64_t overruns_ = 0;
  std::string last_failure_;
  PlainPart plain_;
};

/// From the velocity of the hand to those of the joints.
class HandControl final : public HandLoop {
 public:
  explicit HandControl(const ProgramContext& context)
      : HandLoop(context, {"setTCPVelocity"}), set_velocity_(context, "setTCPVelocity") {
    node_.serve_raw(set_velocity_.method.name,
                    [this](Bytes request) { return set_velocity(std::move(request)); });
    start();
  }

 private:
  static bool is_command(const LoopCall& call) {
    return method_of(call) == "setJointVelocities" || method_of(call) == "switchControlMode";
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

  OwnMethod set_velocity_;
  model::Vector3 target_m_s_ = model::Vector3::Zero();
  std::optional<Time> target_at_;
};

/// From the hand's place to its velocity along the path.
class PathFollower final : public HandLoop {
 public:
  PathFollower(const ProgramContext& context, PathLeader leader)
      : HandLoop(context, {}), leader_(std::move(leader)) {
    start();
  }

 private:
  bool wants(const LoopCall&) const override { return true; }

  Bytes request(const LoopCall& call) override {
    if (method_of(call) != "setTCPVelocity") {
      return Bytes(static_cast<std::size_t>(call.request_bytes));
    }
    const model::Vector3 hand = arm_.kinematics().position_of(arm_.hand(), positions_);
    HandVelocity wanted;
    Eigen::Map<model::Vector3>(wanted.linear_m_s.data()) = leader_.velocity(hand);
    return encode_padded(std::move(wanted), call.request_bytes);
  }

  PathLeader leader_;
};

}  // namespace

std::unique_ptr<Program> make_hand_control(const ProgramContext& context) {
  return std::make_unique<HandControl>(context);
}

std::unique_ptr<Program> make_path_follower(const ProgramContext& context) {
  const ArmModel& arm = arm_of(context).model();
  return std::make_unique<PathFollower>(context, PathLeader(arm.path_m, arm.speed_m_s, arm.gain));
}

}  // namespace longarm::armar
