// SPDX-License-Identifier: Apache-2.0
// Tests of the presets: each is a correct netem line, is documented, and does what it says.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/input_files.h"
#include "longarm/network/netem/netem_link.h"
#include "longarm/network/preset/preset_link.h"
#include "longarm/network/test/link_fixture.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Outcome> run(const std::string& name, int count) {
  const std::unique_ptr<LinkModel> model = built_in_link_models().make("preset");
  KeyFields fields(Keys{{"preset", name}});
  model->list_fields(fields);
  EXPECT_THAT(fields.rejections, ElementsAre());
  return send_stream(*model->make({7, "link.test"}), count, 1ms);
}

TEST(Presets, AreCanonicalNetemLinesThatNeedNoRemark) {
  for (const Preset& preset : presets()) {
    const Result<NetemConfig> config = parse_netem(preset.netem);
    ASSERT_TRUE(config) << preset.name << ": " << config.error().message;
    EXPECT_EQ(format_netem(*config), preset.netem);
    EXPECT_TRUE(remarks_on_netem("preset", *config).empty()) << preset.name;
  }
}

TEST(Presets, AreNamedAfterTheNetworksPeopleAskFor) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    names.push_back(preset.name);
  }
  EXPECT_THAT(names, ElementsAre("urllc", "embb", "private-lte", "lte", "3g", "wifi", "wan"));
}

TEST(Presets, StandInTheManualWithTheirLines) {
  const Result<std::string> manual = read_file(std::string(LONGARM_SOURCE_DIR) + "/docs/links.md");
  ASSERT_TRUE(manual) << manual.error().message;
  for (const Preset& preset : presets()) {
    EXPECT_THAT(*manual, HasSubstr("| `" + preset.name + "` | `" + preset.netem + "` |"));
  }
}

TEST(Presets, GiveTheDelaysTheyAreMadeFor) {
  EXPECT_EQ(run("urllc", 1)[0].delays, std::vector<Duration>{500us});
  // 100 bytes at 50 Mbit/s: 16 us
  EXPECT_EQ(run("embb", 1)[0].delays, std::vector<Duration>{4016us});

  // fitted to half the round trips measured: Wi-Fi at least 0.09 and hardly ever above 4 ms, 0.35 %
  // lost (± √(p/n) = 0.019 %)
  double lost = 0.0;
  Duration least = 1s;
  Duration most{0};
  for (const Outcome& outcome : run("wifi", 100'000)) {
    lost += outcome.dropped ? 1.0 : 0.0;
    if (!outcome.dropped) {
      least = std::min(least, outcome.delays[0]);
      most = std::max(most, outcome.delays[0]);
    }
  }
  EXPECT_NEAR(lost / 100'000, 0.0035, 3.0 * 0.00019);
  EXPECT_NEAR(static_cast<double>(least.count()), 90'000.0, 1000.0);
  EXPECT_EQ(most, Duration(650us + 4 * 840us));
}

TEST(Presets, MustBeNamed) {
  KeyFields fields(Keys{});
  built_in_link_models().make("preset")->list_fields(fields);
  EXPECT_THAT(fields.rejections, ElementsAre("link model 'preset' needs the key 'preset' / for "
                                             "example preset: wifi"));
}

}  // namespace
}  // namespace longarm::network
