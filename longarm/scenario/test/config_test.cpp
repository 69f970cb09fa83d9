// SPDX-License-Identifier: Apache-2.0
// Tests of reading, overriding and writing scenarios without running them.
#include <gtest/gtest.h>

#include "longarm/scenario/config_reader.h"
#include "longarm/scenario/load.h"
#include "longarm/scenario/scenario.h"

namespace longarm::scenario {
namespace {

TEST(Scenario, ReadsBackWhatItWrote) {
  const Plugins plugins = built_in_plugins();
  Scenario scenario;
  scenario.title = "a \"quoted\" title: with colon";
  scenario.gain = 0.1;
  scenario.robot.home_rad = {0.1, -1.0 / 3.0};
  scenario.task.poses_m_deg = {{1, 2, 3, 4, 5, 6}};
  scenario.link.states.model = "delay";
  const std::string yaml = to_yaml(scenario, plugins);

  Diagnostics diagnostics;
  ConfigNode root = parse_config(yaml, "s.yaml", diagnostics);
  Scenario copy;
  ConfigReader reader(root, diagnostics);
  list_fields(reader, copy, plugins);
  reader.finish();
  EXPECT_NO_THROW(diagnostics.throw_if_errors());
  EXPECT_EQ(to_yaml(copy, plugins), yaml);
}

TEST(Aliases, ThatMultiplyAreRefusedQuickly) {
  // ten lists of ten each: 10^10 values in 600 bytes
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
    for (int k = 1; k < 10; ++k) {
      text += ", " + alias;
    }
    text += "]\n";
  }
  Diagnostics diagnostics;
  parse_config(text, "cell.yaml", diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all().front().format(),
            "cell.yaml: error: this scenario has more than 100000 values\n"
            "  hint: do its aliases (*name) repeat too much?");
}

TEST(Aliases, StandForWhatTheyName) {
  Diagnostics diagnostics;
  const ConfigNode root = parse_config("p: &one [1, 2]\nd: *one\n", "cell.yaml", diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  ASSERT_NE(root.find("d"), nullptr);
  ASSERT_EQ(root.find("d")->items.size(), 2U);
  EXPECT_EQ(root.find("d")->items[1].text, "2");
}

std::vector<std::string> warnings_of(const std::string& gains) {
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
  EXPECT_EQ(warnings_of("gains: {p: 1, i: 2}\nservo: {i: 3}\n"),
            (std::vector<std::string>{
                "cell.yaml:3:18: warning: gains.i has no effect without gains.i_clamp\n"
                "  hint: set gains.i_clamp, the most that the integral may add",
                "cell.yaml:4:12: warning: servo.i has no effect without servo.i_clamp\n"
                "  hint: set servo.i_clamp, the most that the integral may add"}));
  EXPECT_EQ(warnings_of("gains: {p: 1, i: 2, i_clamp: 0.1}\nservo: {i: 0}\n"),
            std::vector<std::string>{});
}

// A stray comma at the start made the parser give empty documents without end.
TEST(ParseConfig, EndsOnAStrayComma) {
  Diagnostics diagnostics;
  parse_config(", five waypoints\nengine: ode\n", "s.yaml", diagnostics);
  EXPECT_TRUE(diagnostics.has_errors());
}

}  // namespace
}  // namespace longarm::scenario
