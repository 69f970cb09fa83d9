// SPDX-License-Identifier: Apache-2.0
// What --set does to a scenario, and that a resolved scenario stays as it is.
#include <gtest/gtest.h>

#include "longarm/scenario/ready.h"
#include "longarm/scenario/run.h"
#include "longarm/scenario/test/scenario_fixture.h"
#include "longarm/scenario/text_file.h"

namespace longarm::scenario {
namespace {

Scenario loaded(const std::string& text, const Changes& changes) {
  const std::string good =
      "robot: {model: one-joint, end_effector: tip}\n"
      "task: {path: step, joints_rad: [[0.1]], hold: 10ms}\n";
  const std::string gain = text.find("gain:") == std::string::npos ? "gain: 10\n" : "";
  return load_scenario_text(good + gain + text, "cell.yaml", {changes, {}}, built_in_plugins())
      .scenario;
}

/// "model / model" and the links' own keys as the resolved scenario spells them.
std::string link_of(const std::string& text, const Changes& changes) {
  const std::string yaml = to_yaml(loaded(text, changes), built_in_plugins());
  const std::size_t begin = yaml.find("\nlink:") + 1;
  return yaml.substr(begin, yaml.find("on_silence", begin) - begin);
}

TEST(Override, OfAGroupInShortKeepsItsOtherKeys) {
  const Scenario s = loaded("servo: {p: 100}\nengine: {name: ode, solver: quick}\n",
                            {"servo=pid", "engine=mujoco", "engine=ode"});
  EXPECT_EQ(s.servo.model, "pid");
  EXPECT_EQ(s.servo.gains.p, std::vector<double>{100.0});
  EXPECT_EQ(s.engine, "ode");
  EXPECT_EQ(s.solver, "quick");
}

TEST(Override, OfAKeyInAGroupGivenInShortKeepsTheShortForm) {
  const Scenario s = loaded("servo: pid\n", {"servo.p=100"});
  EXPECT_EQ(s.servo.model, "pid");
  EXPECT_EQ(s.servo.gains.p, std::vector<double>{100.0});
}

TEST(Override, TheLastOneCounts) {
  EXPECT_EQ(loaded("gain: 1\n", {"gain=2", "gain=3"}).gain, 3.0);
}

TEST(Override, MayBeAList) {
  EXPECT_EQ(loaded("", {"gains.p=[7]"}).gains.p, std::vector<double>{7.0});
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
  ASSERT_GE(ready_scenarios().size(), 3U);
  for (const Ready& ready : ready_scenarios()) {
    const std::string text = read_text_file(find_scenario_file(ready.name));
    if (text.find("\nexperiment:") != std::string::npos ||
        text.find("\nactors:") != std::string::npos) {
      continue;  // of another kind, with tests of its own
    }
    const PreparedScenario once = prepare(ready.name);
    const std::string yaml = to_yaml(once.scenario, plugins);
    const TempFolder folder;
    write_scenario(once, folder.file(""));
    const PreparedScenario twice = load_scenario(folder.file("scenario.yaml"), {}, plugins);
    EXPECT_EQ(to_yaml(twice.scenario, plugins), yaml) << ready.name;
    EXPECT_EQ(twice.identity, once.identity) << ready.name;
    EXPECT_FALSE(ready.title.empty()) << ready.name;
  }
}

}  // namespace
}  // namespace longarm::scenario
