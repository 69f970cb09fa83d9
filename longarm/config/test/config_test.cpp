// SPDX-License-Identifier: Apache-2.0
// Tests of reading, overriding and writing scenarios without running them.
#include <gtest/gtest.h>

#include "longarm/config/config_reader.h"

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

// A stray comma at the start made the parser give empty documents without end.
TEST(ParseConfig, EndsOnAStrayComma) {
  Diagnostics diagnostics;
  parse_config(", five waypoints\nengine: ode\n", "s.yaml", diagnostics);
  EXPECT_TRUE(diagnostics.has_errors());
}

}  // namespace
}  // namespace longarm::config
