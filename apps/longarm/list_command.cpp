// SPDX-License-Identifier: Apache-2.0
// `longarm list` and `longarm keys`: what there is to choose from.
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/longarm/actors_page.h"
#include "apps/longarm/commands.h"
#include "labs/labs.h"
#include "longarm/cell/cell_config.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/cell/plugin.h"
#include "longarm/config/config_writer.h"
#include "longarm/config/ready.h"
#include "longarm/control/config.h"
#include "longarm/core/suggest.h"
#include "longarm/network/preset/preset_link.h"

namespace longarm::app {
namespace {

void line(const std::string& name, const std::string& text) {
  fmt::print("  {:<26} {}\n", name, text);
}

template <typename Registry>
void section(const char* heading, const Registry& registry) {
  fmt::print("{}\n", heading);
  for (const std::string& name : registry.names()) {
    line(name, registry.summary(name));
  }
}

int list(const std::vector<std::string>& files) {
  const cell::Plugins plugins = cell::plugins_with(labs::built_in_plugins(), files);
  fmt::print("scenarios\n");
  for (const config::Ready& ready : config::ready_scenarios()) {
    line(ready.name, ready.title);
  }
  fmt::print("studies\n");
  for (const config::Ready& ready : config::ready_studies()) {
    line(ready.name, ready.title);
  }
  section("kinds of actors (keys: longarm keys NAME)", plugins.kinds());
  fmt::print("models\n  {}\n", join(config::ready_models(), "  "));
  section("engines", plugins.engines);
  section("link models", plugins.link_models);
  fmt::print("link presets\n");
  for (const network::Preset& preset : network::presets()) {
    line(preset.name, preset.netem);
  }
  fmt::print("link profiles\n");
  line("darpa", "alternates 60s rate 1mbit delay 50ms and 60s rate 100kbit delay 500ms");
  fmt::print("watchdogs\n");
  line("generic", "link.on_silence after link.silence_after (default)");
  line("ur", "stops permanently after 20 ms without a command");
  line("franka", "extrapolates missing commands, stops permanently after 20 missed cycles");
  fmt::print("task paths\n");
  line("cartesian", "straight lines of the end effector through poses (default)");
  line("joint", "straight lines in joint space");
  line("rrt-connect", "planned around the obstacles of the world");
  line("lemniscate", "figures of eight");
  line("step", "jumps to the last configuration");
  section("controllers", plugins.controllers);
  fmt::print("servos\n");
  line("position servo", "beside the joints, for cut position: v = gain (q_cmd - q)");
  line("ideal", "velocity loop as the engine's motor, or computed torque when remote");
  line("pid", "velocity loop as PID to effort (servo.p, servo.rotor_inertia_kg_m2)");
  fmt::print("cuts\n");
  line("none", "the whole controller runs at the robot");
  line("trajectory", "the whole plan crosses; all loops close at the robot");
  line("position", "joint positions cross; position and velocity loops close at the robot");
  line("velocity", "joint velocities cross; the position loop closes over the link (default)");
  line("effort", "joint efforts cross; both loops close over the link");
  line("stale-servo", "joint velocities cross; the robot's servo sees delayed states");
  return kDone;
}

/// The keys that only one of the models of a kind has.
template <typename Registry>
void print_keys_of(const std::string& group, const Registry& registry) {
  for (const std::string& model : registry.names()) {
    config::ConfigWriter of_model;
    registry.make(model)->list_fields(of_model);
    for (const config::ConfigWriter::Line& key : of_model.lines()) {
      fmt::print("{:<32} {} {}: {}; default {}\n", group + "." + key.key, registry.kind(), model,
                 key.doc, key.value);
    }
  }
}

void print_keys(const std::vector<config::ConfigWriter::Line>& keys) {
  for (const config::ConfigWriter::Line& key : keys) {
    fmt::print("{:<32} {}{}{}\n", key.key, key.doc,
               key.value.empty() || key.value == "\"\"" || key.value == "[]"
                   ? ""
                   : "; default " + key.value,
               key.choices.empty() ? "" : "; one of " + key.choices);
  }
}

/// What may stand in a cable beside its own keys.
void print_cable_keys(const config::ConfigWriter& writer, const cell::Plugins& plugins) {
  const bool has_cables =
      std::any_of(writer.lines().begin(), writer.lines().end(), [](const auto& key) {
        return key.key.starts_with("network.links.") && key.key.ends_with(".forward.model");
      });
  if (!has_cables) {
    return;
  }
  print_keys_of("network.links.NAME", plugins.link_models);
  fmt::print(
      "\n"
      "Keys of link models go under network.links.NAME (both directions),\n"
      "network.links.NAME.forward (first end to second) or network.links.NAME.backward.\n");
}

void print_arm_keys(const cell::Plugins& plugins) {
  const cell::ActorRegistry kinds = plugins.kinds();
  cell::Scenario defaults = cell::empty_scenario(true, kinds);
  config::ConfigWriter writer;
  list_fields(writer, defaults, plugins, kinds);
  print_keys(writer.lines());
  print_keys_of("link", plugins.link_models);
  print_keys_of("controller", plugins.controllers);
  fmt::print(
      "\n"
      "link.model and the keys of link models go under link (both directions),\n"
      "link.states (robot to controller) or link.commands (controller to robot), and likewise "
      "under\n"
      "network.links.NAME, network.links.NAME.forward (first end to second) or .backward.\n");
}

void print_failures(const std::vector<cell::FailureVerb>& verbs, const std::string& subject,
                    const std::string& of) {
  for (const cell::FailureVerb& verb : verbs) {
    fmt::print("{:<48} {}{}\n", failure_usage(verb, subject), of, verb.meaning);
  }
}

/// Everything that can befall somebody or something in a cell.
void print_all_failures(const cell::Plugins& plugins) {
  const cell::ActorRegistry kinds = plugins.kinds();
  for (const std::string& kind : kinds.names()) {
    print_failures(kinds.make(kind)->failures(), "NAME", fmt::format("{}: ", kind));
  }
  print_failures(cell::link_failures(), "link NAME", "");
  print_failures(cell::part_failures(), "part NAME", "");
  for (const cell::WorldFailure& each : plugins.failures) {
    print_failures({each.verb}, fmt::format("{} NAME", cell::subject_word(each.of)), "");
  }
  fmt::print("\nFor example: failures: [\"20s fanuc breaks\", \"30s link edge down for 5s\"]\n");
}

/// The defaults of a kind of actor, as they stand in a scenario.
void print_actor_keys(const std::string& kind, const cell::Plugins& plugins) {
  const cell::ActorRegistry kinds = plugins.kinds();
  cell::CellConfig config;
  config.actors.push_back({"NAME", kind, "", kinds.make(kind)});
  config::ConfigWriter writer;
  cell::list_fields(writer, config, kinds, network::built_in_link_models());
  std::vector<config::ConfigWriter::Line> own;
  std::copy_if(writer.lines().begin(), writer.lines().end(), std::back_inserter(own),
               [](const auto& line) { return line.key.starts_with("actors."); });
  print_keys(own);
  const std::vector<cell::FailureVerb> verbs = config.actors.front().model->failures();
  if (!verbs.empty()) {
    fmt::print("\nfailures\n");
    print_failures(verbs, "NAME", "");
  }
}

int keys(const std::string& name, const std::vector<std::string>& files) {
  const cell::Plugins plugins = cell::plugins_with(labs::built_in_plugins(), files);
  if (name.empty()) {
    print_arm_keys(plugins);
    fmt::print(
        "\n"
        "Each kind of actor has its own keys: longarm keys KIND, where KIND is {}.\n",
        join(plugins.kinds().names()));
    return kDone;
  }
  // benches have ready scenarios of their kind's name
  if (!config::is_ready_scenario(name) && plugins.kinds().has(name)) {
    print_actor_keys(name, plugins);
    return kDone;
  }
  if (name == "actors") {
    fmt::print("{}", actors_page(plugins.kinds()));
    return kDone;
  }
  if (name == "failures") {
    print_all_failures(plugins);
    return kDone;
  }
  cell::Scenario scenario = cell::load_scenario(name, {}, plugins).scenario;
  if (scenario.cell.is_short) {
    print_arm_keys(plugins);
    return kDone;
  }
  config::ConfigWriter writer;
  list_fields(writer, scenario, plugins, plugins.kinds());
  print_keys(writer.lines());
  print_cable_keys(writer, plugins);
  return kDone;
}

}  // namespace

Command add_list_command(CLI::App& word) {
  const auto files = std::make_shared<std::vector<std::string>>();
  add_plugin_option(word, *files);
  word.footer("Run one with: longarm run NAME");
  return [files] { return list(*files); };
}

Command add_keys_command(CLI::App& word) {
  struct Arguments {
    std::string name;
    std::vector<std::string> plugins;
  };
  const auto arguments = std::make_shared<Arguments>();
  word.add_option("scenario", arguments->name,
                  "a scenario, a kind of actor, or failures; default: the keys of an arm scenario");
  add_plugin_option(word, arguments->plugins);
  word.footer("Set a key with: longarm run NAME --set KEY=VALUE, or in a scenario file.");
  return [arguments] { return keys(arguments->name, arguments->plugins); };
}

}  // namespace longarm::app
