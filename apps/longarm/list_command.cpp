// SPDX-License-Identifier: Apache-2.0
// `longarm list` and `longarm keys`: what there is to choose from.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "longarm/control/config.h"
#include "longarm/scenario/config_writer.h"
#include "longarm/scenario/load.h"

namespace longarm::app {
namespace {

void line(const std::string& name, const std::string& text) {
  fmt::print("  {:<20} {}\n", name, text);
}

template <typename Registry>
void section(const char* heading, const Registry& registry) {
  fmt::print("{}\n", heading);
  for (const std::string& name : registry.names()) {
    line(name, registry.summary(name));
  }
}

int list() {
  const scenario::Plugins plugins = scenario::built_in_plugins();
  fmt::print("scenarios\n");
  for (const scenario::ReadyScenario& ready : scenario::ready_scenarios()) {
    line(ready.name, ready.title);
  }
  section("engines", plugins.engines);
  section("link models", plugins.link_models);
  fmt::print("controllers\n");
  line("joint trajectory",
       "follows the plan: PID on position, velocity feed-forward (gains, feed_forward)");
  line("position servo", "beside the joints, for cut position: v = gain (q_cmd - q)");
  line("servo ideal", "velocity loop as the engine's motor, or computed torque when remote");
  line("servo pid", "velocity loop as PID to effort (servo.p, servo.rotor_inertia_kg_m2)");
  fmt::print("cuts\n");
  line("none", "everything at the robot");
  line("trajectory", "the whole plan crosses; all loops close at the robot");
  line("position", "joint positions cross; position and velocity loops close at the robot");
  line("velocity", "joint velocities cross; the position loop closes over the link (default)");
  line("effort", "joint efforts cross; both loops close over the link");
  line("stale-servo", "joint velocities cross; the robot's servo sees delayed states");
  return kDone;
}

int keys() {
  const scenario::Plugins plugins = scenario::built_in_plugins();
  scenario::Scenario defaults;
  scenario::ConfigWriter writer;
  list_fields(writer, defaults, plugins);
  for (const scenario::ConfigWriter::Line& key : writer.lines()) {
    fmt::print("{:<32} {}{}{}\n", key.key, key.doc,
               key.value.empty() || key.value == "\"\"" || key.value == "[]"
                   ? ""
                   : "; default " + key.value,
               key.choices.empty() ? "" : "; one of " + key.choices);
  }
  for (const std::string& model : plugins.link_models.names()) {
    scenario::ConfigWriter of_model;
    plugins.link_models.make(model)->list_fields(of_model);
    for (const scenario::ConfigWriter::Line& key : of_model.lines()) {
      fmt::print("{:<32} link model {}: {}; default {}\n", "link." + key.key, model, key.doc,
                 key.value);
    }
  }
  fmt::print(
      "\nlink.model and the keys of link models may stand under link (both directions),\n"
      "link.states (robot to controller) or link.commands (controller to robot).\n");
  return kDone;
}

}  // namespace

Command add_list_command(CLI::App& word) {
  word.footer("Run one with: longarm run NAME");
  return [] { return list(); };
}

Command add_keys_command(CLI::App& word) {
  word.footer("Set one with: longarm run NAME --set KEY=VALUE, or in a scenario file.");
  return [] { return keys(); };
}

}  // namespace longarm::app
