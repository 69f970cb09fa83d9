// SPDX-License-Identifier: Apache-2.0
// What --set does to a scenario, and that a resolved scenario stays as it is.
#include <gtest/gtest.h>

#include "longarm/actors/test/arm_fixture.h"
#include "longarm/cell/run_folder.h"
#include "longarm/config/ready.h"
#include "longarm/config/text_file.h"

namespace longarm::actors {
namespace {

PreparedScenario loaded(const std::string& text, const Changes& changes) {
  const std::string good =
      "robot: {model: one-joint, end_effector: tip}\n"
      "task: {path: step, joints_rad: [[0.1]], hold: 10ms}\n";
  const std::string gain = text.find("gain:") == std::string::npos ? "gain: 10\n" : "";
  return load_scenario_text(good + gain + text, "cell.yaml", {changes, {}}, built_in_plugins());
}

ArmConfig arm_in(const std::string& text, const Changes& changes) {
  return arm_of(loaded(text, changes)).config();
}

/// "model / model" and the links' own keys as the resolved scenario spells them.
std::string link_of(const std::string& text, const Changes& changes) {
  const std::string yaml = to_yaml(loaded(text, changes).scenario, built_in_plugins());
  const std::size_t begin = yaml.find("\nlink:") + 1;
  return yaml.substr(begin, yaml.find("on_silence", begin) - begin);
}

TEST(Override, OfAGroupInShortKeepsItsOtherKeys) {
  const PreparedScenario s = loaded("servo: {p: 100}\nengine: {name: ode, solver: quick}\n",
                                    {"servo=pid", "engine=mujoco", "engine=ode"});
  EXPECT_EQ(arm_of(s).config().servo.model, "pid");
  EXPECT_EQ(arm_of(s).config().servo.gains.p, std::vector<double>{100.0});
  EXPECT_EQ(s.scenario.engine, "ode");
  EXPECT_EQ(s.scenario.solver, "quick");
}

TEST(Override, OfAKeyInAGroupGivenInShortKeepsTheShortForm) {
  const ArmConfig s = arm_in("servo: pid\n", {"servo.p=100"});
  EXPECT_EQ(s.servo.model, "pid");
  EXPECT_EQ(s.servo.gains.p, std::vector<double>{100.0});
}

TEST(Override, TheLastOneCounts) {
  EXPECT_EQ(arm_in("gain: 1\n", {"gain=2", "gain=3"}).gain, 3.0);
}

TEST(Override, MayBeAList) {
  EXPECT_EQ(arm_in("", {"gains.p=[7]"}).gains.p, std::vector<double>{7.0});
}

TEST(Override, OfALinkWinsOverTheFilesOtherModel) {
  const std::string queue =
      "link:\n  states:\n    model: queue\n    slots: 4\n  commands:\n    model: queue\n    slots: "
      "4\n    ";
  EXPECT_EQ(link_of("link: {delay: 3ms}\n", {"link.slots=4"}), queue);
  EXPECT_EQ(link_of("link: {states: {delay: 3ms}, commands: {delay: 4ms}}\n", {"link.slots=4"}),
            queue);
  EXPECT_EQ(link_of("link: {model: delay, delay: 3ms}\n", {"link.slots=4"}), queue);
}

TEST(Override, OfOneDirectionLeavesTheOther) {
  EXPECT_EQ(
      link_of("link: {states: {delay: 3ms}, commands: {slots: 2}}\n", {"link.commands.delay=4ms"}),
      "link:\n  states:\n    model: delay\n    delay: 3ms\n  commands:\n    model: delay\n    "
      "delay: 4ms\n    ");
}

TEST(Override, OfOneDirectionWinsOverWhatStandsForBoth) {
  EXPECT_EQ(
      link_of("link: {delay: 3ms}\n", {"link.commands.delay=4ms"}),
      "link:\n  states:\n    model: delay\n    delay: 3ms\n  commands:\n    model: delay\n    "
      "delay: 4ms\n    ");
  EXPECT_EQ(
      link_of("link: {delay: 3ms}\n", {"link.commands.slots=2"}),
      "link:\n  states:\n    model: delay\n    delay: 3ms\n  commands:\n    model: queue\n    "
      "slots: 2\n    ");
}

TEST(ReadyScenarios, ResolveToThemselves) {
  const Plugins plugins = built_in_plugins();
  ASSERT_GE(config::ready_scenarios().size(), 3U);
  for (const config::Ready& ready : config::ready_scenarios()) {
    const std::string text = config::read_text_file(config::find_scenario_file(ready.name));
    if (text.find("\nactors:") != std::string::npos) {
      continue;  // of another kind, with tests of its own
    }
    const PreparedScenario once = prepare(ready.name);
    const std::string yaml = to_yaml(once.scenario, plugins);
    const TempFolder folder;
    cell::write_scenario(once, folder.file(""));
    const PreparedScenario twice = load_scenario(folder.file("scenario.yaml"), {}, plugins);
    EXPECT_EQ(to_yaml(twice.scenario, plugins), yaml) << ready.name;
    EXPECT_EQ(twice.identity, once.identity) << ready.name;
    EXPECT_FALSE(ready.title.empty()) << ready.name;
  }
}

TEST(Scenario, ReadsBackWhatItWrote) {
  const std::string text =
      "title: 'a \"quoted\" title: with colon'\ngain: 0.1\n"
      "robot: {model: one-joint, end_effector: tip, home_rad: [0.1]}\n"
      "task: {path: step, joints_rad: [[0.3333333333333333]], hold: 10ms}\n"
      "link: {states: {delay: 3ms}}\n";
  const Plugins plugins = built_in_plugins();
  const PreparedScenario once = load_scenario_text(text, "cell.yaml", {}, plugins);
  const std::string yaml = to_yaml(once.scenario, plugins);
  const PreparedScenario twice = load_scenario_text(yaml, "cell.yaml", {}, plugins);
  EXPECT_EQ(to_yaml(twice.scenario, plugins), yaml);
  EXPECT_EQ(twice.identity, once.identity);
}

std::vector<std::string> warnings_by_set(const std::string& gains) {
  const std::string text =
      "robot: {model: one-joint, end_effector: tip}\n"
      "task: {path: step, joints_rad: [[0.1]], hold: 10ms}\n" +
      gains;
  std::vector<std::string> texts;
  for (const Diagnostic& warning :
       load_scenario_text(text, "cell.yaml", {}, built_in_plugins()).warnings) {
    texts.push_back(warning.format());
  }
  return texts;
}

TEST(Warnings, OfIntegralsWithoutAClamp) {
  EXPECT_EQ(warnings_by_set("gains: {p: 1, i: 2}\nservo: {i: 3}\n"),
            (std::vector<std::string>{
                "cell.yaml:3:18: warning: gains.i has no effect without gains.i_clamp\n"
                "  hint: set gains.i_clamp, the limit of the integral term",
                "cell.yaml:4:12: warning: servo.i has no effect without servo.i_clamp\n"
                "  hint: set servo.i_clamp, the limit of the integral term"}));
  EXPECT_EQ(warnings_by_set("gains: {p: 1, i: 2, i_clamp: 0.1}\nservo: {i: 0}\n"),
            std::vector<std::string>{});
}

}  // namespace
}  // namespace longarm::actors
