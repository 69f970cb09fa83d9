// SPDX-License-Identifier: Apache-2.0
// Tests of old names: they are refused, and the hint has the present one.
#include "longarm/config/renamed.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "longarm/config/config_node.h"
#include "longarm/config/config_reader.h"

namespace longarm::config {
namespace {

/// What is said about a file whose group `executor` has one key, `max_attempts`.
std::string complaint(const std::string& text) {
  Diagnostics diagnostics;
  const ConfigNode root = parse_config(text, "cell.yaml", diagnostics);
  ConfigReader reader(root, diagnostics);
  Fields& fields = reader;
  std::int64_t attempts = 3;
  std::string preset;
  fields.section("executor", "", [&](Fields& group) { group.field("max_attempts", attempts, ""); });
  fields.choice("preset", preset, {"urllc-required", "wifi"}, "");
  reader.finish();
  return diagnostics.all().empty() ? "" : diagnostics.all()[0].format();
}

TEST(Renamed, KeysAreRefusedWithTheirPresentName) {
  EXPECT_EQ(complaint("executor: {tries: 2}"),
            "cell.yaml:1:12: error: unknown key 'executor.tries'\n"
            "  hint: renamed to 'executor.max_attempts'");
  EXPECT_EQ(complaint("executor: {max_attempts: 2}"), "");
}

TEST(Renamed, ValuesAreRefusedWithTheirPresentName) {
  EXPECT_EQ(complaint("preset: urllc"),
            "cell.yaml:1:9: error: unknown preset 'urllc'\n"
            "  hint: renamed to 'urllc-required'");
}

TEST(Renamed, KeysMatchByWholePartsAtTheirEnd) {
  EXPECT_EQ(renamed_key_hint("actors.kitting.executor.hope"),
            "renamed to 'actors.kitting.executor.blocked_kit_timeout'");
  EXPECT_EQ(renamed_key_hint("is_outside"), "renamed to 'external_executor'");
  EXPECT_EQ(renamed_key_hint("executor.hopes"), "");
  EXPECT_EQ(renamed_key_hint("this_is_outside"), "");
  EXPECT_EQ(renamed_key_hint("executor.hope.more"), "");
}

TEST(Renamed, ValuesMatchWithTheirKey) {
  EXPECT_EQ(renamed_value_hint("preset", "embb"), "renamed to 'embb-required'");
  EXPECT_EQ(renamed_value_hint("profile", "embb"), "");
}

}  // namespace
}  // namespace longarm::config
