// SPDX-License-Identifier: Apache-2.0
// Tests of reading, overriding and writing scenarios without running them.
#include <gtest/gtest.h>

#include "longarm/scenario/config_reader.h"
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

}  // namespace
}  // namespace longarm::scenario
