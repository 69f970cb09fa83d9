// SPDX-License-Identifier: Apache-2.0
// Runs an arm's loop on an engine, as a scenario does, and keeps what happened in every step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longarm/control/arm_loop.h"
#include "longarm/control/test/arm_fixture.h"
#include "longarm/core/test/ignoring_fields.h"
#include "longarm/core/text.h"

namespace longarm::control::test {

/// Says how long the packet of that number takes; nothing drops it.
using Script = std::function<std::optional<Duration>(std::uint64_t index)>;

class ScriptedLink final : public network::Link {
 public:
  explicit ScriptedLink(Script script) : script_(std::move(script)) {}

 private:
  void do_send(Time now, const network::Packet& packet, network::LinkOutput& output) override {
    if (const std::optional<Duration> delay = script_(packet.index)) {
      output.arrive(packet, now + *delay);
    } else {
      output.drop(packet, network::DropReason::kLoss);
    }
  }

  Script script_;
};

/// A script, or a link model with one of its keys set: the smallest user of a field list.
class LinkSetting final : public IgnoringFields {
 public:
  LinkSetting() = default;
  explicit LinkSetting(Duration delay) : model_("delay"), value_(delay.count()) {}
  explicit LinkSetting(Script script) : script_(std::move(script)) {}
  static LinkSetting queue(std::int64_t slots) {
    LinkSetting setting;
    setting.model_ = "queue";
    setting.value_ = slots;
    return setting;
  }

  std::unique_ptr<network::Link> make(const std::string& name) const {
    if (script_) {
      return std::make_unique<ScriptedLink>(script_);
    }
    const auto made = network::built_in_link_models().make(model_);
    LinkSetting fields = *this;
    made->list_fields(fields);
    return made->make({1, name});
  }

  void reject(std::string_view, std::string message, std::string) override {
    ADD_FAILURE() << message;
  }

 private:
  void do_field(const Field& field) override {
    if (Duration* const* duration = std::get_if<Duration*>(&field.value)) {
      **duration = Duration(value_);
    } else if (std::int64_t* const* number = std::get_if<std::int64_t*>(&field.value)) {
      **number = value_;
    }
  }

  Script script_;
  std::string model_ = "none";
  std::int64_t value_ = 0;
};

/// One joint, gain 10 1/s, at 0 and told to be at 1 rad; change what the test is about.
struct LoopSetup {
  model::Cell cell = cell_of(one_joint_tree(), {0.0});
  int placement = 0;
  std::string engine = "kinematic";
  LoopConfig config;
  LinkSetting states;
  LinkSetting commands;
  motion::Trajectory plan = stay_at(1.0);
  LoopOptions options;  ///< its trace is the fixture's

  LoopSetup() {
    config.gains.p = {10.0};
    config.servo.model = "ideal";
  }
};

/// Of the arm's first joint. Index k is the step that starts at k periods: positions and velocities
/// are those at its start, the rest what was used or done in it.
struct LoopRecord {
  std::vector<double> positions;
  std::vector<double> velocities;
  std::vector<double> errors;
  std::vector<double> commands;
  std::vector<double> applied;
  std::vector<double> limited;
  std::vector<bool> was_cut;       ///< by the actuators
  std::vector<double> plan;        ///< at the step's end
  std::vector<std::string> calls;  ///< as "2ms: controllers updated"
  std::vector<std::string> log;
  std::string hash;
  network::LinkReport states_report;
  network::LinkReport commands_report;
  /// Positions, velocities and applied values of all joints after each step.
  std::vector<std::vector<double>> world;
  std::string world_hash;
  bool has_tripped = false;
  Time tripped_at{};
};

inline LoopRecord run_loop(LoopSetup setup, Duration duration) {
  LoopRecord record;
  sim::Kernel kernel;
  const auto engine = physics::built_in_engines().make(
      setup.engine, setup.cell, {.period = setup.config.physics_period, .solver = ""});
  const Log log([&](LogLevel, const std::string& line) { record.log.push_back(line); });
  const auto trace = [&](Time now, std::string_view call) {
    record.calls.push_back(format_duration(now.time_since_epoch()) + ": " + std::string(call));
  };
  setup.options.trace = trace;
  ArmLoop loop(kernel, *engine, setup.cell, setup.placement, setup.config,
               {setup.states.make("link.states"), setup.commands.make("link.commands")},
               std::move(setup.plan), log, setup.options);
  sim::Probes probes;
  loop.offer_probes(probes);
  const auto read = [&](const std::string& name, std::vector<double>& into) {
    std::vector<double> values(loop.positions().size());
    probes.find(name)->read(values);
    into.push_back(values[0]);
  };

  Hash hash;
  Hash world_hash;
  record.positions.push_back(loop.positions()[0]);
  record.velocities.push_back(loop.velocities()[0]);
  const sim::SourceId source = kernel.add_source("test");
  kernel.every(setup.config.physics_period, Time{}, sim::Phase::kStep, source, [&](Time now) {
    trace(now, "engine steps");
    engine->step();
  });
  kernel.every(setup.config.physics_period, Time{}, sim::Phase::kRecord, source, [&](Time) {
    loop.add_to(hash);
    loop.add_world_to(world_hash);
    std::vector<double>& world = record.world.emplace_back();
    for (const std::span<const double> part :
         {loop.positions(), loop.velocities(), std::span(loop.actuators().applied())}) {
      world.insert(world.end(), part.begin(), part.end());
    }
    read("position", record.positions);
    read("velocity", record.velocities);
    read("pid_error", record.errors);
    read("velocity_command", record.commands);
    read("applied", record.applied);
    read("limited", record.limited);
    read("plan", record.plan);
    record.was_cut.push_back(loop.actuators().was_limited(0));
  });
  EXPECT_TRUE(kernel.run_until(Time(duration)).has_value());
  record.hash = hash.text();
  record.world_hash = world_hash.text();
  record.states_report = loop.states_report(kernel.now());
  record.commands_report = loop.commands_report(kernel.now());
  record.has_tripped = loop.actuators().watchdog().has_tripped();
  record.tripped_at = loop.actuators().watchdog().tripped_at();
  return record;
}

}  // namespace longarm::control::test
