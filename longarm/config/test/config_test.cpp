// SPDX-License-Identifier: Apache-2.0
// Tests of reading, overriding and writing scenarios without running them.
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/config/config_reader.h"
#include "longarm/config/config_writer.h"

namespace longarm::config {
namespace {

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
            "  hint: check whether aliases (*name) expand too often");
}

TEST(Aliases, StandForWhatTheyName) {
  Diagnostics diagnostics;
  const ConfigNode root = parse_config("p: &one [1, 2]\nd: *one\n", "cell.yaml", diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  ASSERT_NE(root.find("d"), nullptr);
  ASSERT_EQ(root.find("d")->items.size(), 2U);
  EXPECT_EQ(root.find("d")->items[1].text, "2");
}

// A stray comma at the start made the parser give empty documents without end.
TEST(ParseConfig, EndsOnAStrayComma) {
  Diagnostics diagnostics;
  parse_config(", five waypoints\nengine: ode\n", "s.yaml", diagnostics);
  EXPECT_TRUE(diagnostics.has_errors());
}

struct Pose {
  JointPositions home;
  std::vector<JointPositions> way;
  std::vector<std::vector<std::string>> pairs;
};

void list_pose(Fields& fields, Pose& pose) {
  fields.field("home", pose.home, "");
  fields.field("way", pose.way, "");
  fields.rare("pairs", pose.pairs, "[]", "");
}

Pose read_pose(const std::string& text, Diagnostics& diagnostics) {
  Pose pose;
  const ConfigNode root = parse_config(text, "cell.yaml", diagnostics);
  ConfigReader reader(root, diagnostics);
  list_pose(reader, pose);
  reader.finish();
  return pose;
}

TEST(JointPositions, HaveUnitsAndNames) {
  Diagnostics diagnostics;
  const Pose pose = read_pose(
      "home: {elbow: 30deg, finger: 20 mm}\nway: [[0.5, 1rad, 0.1m], {elbow: -90deg}]\n"
      "pairs: [[a, b]]\n",
      diagnostics);
  ASSERT_TRUE(diagnostics.all().empty()) << diagnostics.all().front().format();
  const double pi = std::numbers::pi;
  EXPECT_EQ(pose.home.names, (std::vector<std::string>{"elbow", "finger"}));
  EXPECT_DOUBLE_EQ(pose.home.values[0], pi / 6.0);
  EXPECT_DOUBLE_EQ(pose.home.values[1], 0.02);
  EXPECT_EQ(pose.way[0].values, (std::vector<double>{0.5, 1.0, 0.1}));
  EXPECT_TRUE(pose.way[0].names.empty());
  EXPECT_DOUBLE_EQ(pose.way[1].values[0], -pi / 2.0);
  EXPECT_EQ(pose.pairs[0], (std::vector<std::string>{"a", "b"}));
}

TEST(JointPositions, AreReadBackAsTheyWereWritten) {
  Diagnostics diagnostics;
  Pose pose = read_pose("home: {elbow: 30deg}\nway: [[0.1, 0.2], {elbow: 1}]\n", diagnostics);
  ConfigWriter writer;
  list_pose(writer, pose);
  EXPECT_EQ(writer.yaml(), "home: {elbow: 0.5235987755982988}\nway: [[0.1, 0.2], {elbow: 1}]\n");
  const Pose again = read_pose(writer.yaml(), diagnostics);
  EXPECT_EQ(again.home.values, pose.home.values);
  EXPECT_EQ(again.way[1].names, pose.way[1].names);
}

TEST(JointPositions, OfOtherUnitsAreRefused) {
  Diagnostics diagnostics;
  read_pose("home: [30grad]\nway: 5\n", diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 2U);
  EXPECT_EQ(diagnostics.all()[0].format(),
            "cell.yaml:1:8: error: expected a joint position, found '30grad'\n"
            "  hint: write a number in rad or m, or one with its unit, such as 30deg or 20mm");
  EXPECT_EQ(diagnostics.all()[1].format(),
            "cell.yaml:2:6: error: expected a list of joint positions, found '5'\n"
            "  hint: for example: [[0.1, 30deg], {elbow: 45deg}]");
}

}  // namespace
}  // namespace longarm::config
