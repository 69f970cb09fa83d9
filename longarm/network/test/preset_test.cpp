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

std::vector<Outcome> run_preset(const std::string& name, int count, bool overtaking = false) {
  const std::unique_ptr<LinkModel> model = built_in_link_models().make("preset");
  KeyFields fields(Keys{{"preset", name}});
  if (overtaking) {
    fields = KeyFields(Keys{{"preset", name}, {"overtaking", true}});
  }
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
  EXPECT_THAT(names, ElementsAre("urllc-required", "embb-required", "private-5g", "private-lte",
                                 "lte", "3g", "wifi", "wan"));
}

TEST(Presets, StandInTheManualWithTheirLines) {
  const Result<std::string> manual =
      read_file(std::string(LONGARM_SOURCE_DIR) + "/docs/how-to/links.md");
  ASSERT_TRUE(manual) << manual.error().message;
  for (const Preset& preset : presets()) {
    EXPECT_THAT(*manual, HasSubstr("| `" + preset.name + "` | `" + preset.netem + "` |"));
  }
}

TEST(Presets, GiveTheDelaysTheyAreMadeFor) {
  EXPECT_EQ(run_preset("urllc-required", 1)[0].delays, std::vector<Duration>{500us});
  // 100 bytes at 50 Mbit/s: 16 us
  EXPECT_EQ(run_preset("embb-required", 1)[0].delays, std::vector<Duration>{4016us});

  // 95 % of the private 5G network's packets take 4 to 10 ms (± √(p(1-p)/n) = 0.07 %)
  int within = 0;
  for (const Outcome& outcome : run_preset("private-5g", 100'000, true)) {
    within += outcome.delays[0] >= 4ms && outcome.delays[0] <= 10ms ? 1 : 0;
  }
  EXPECT_NEAR(within / 1e5, 0.95, 0.003);

  // fitted to half the round trips measured: Wi-Fi at least 0.09 and hardly ever above 4 ms, 0.35 %
  // lost (± √(p/n) = 0.019 %)
  double lost = 0.0;
  Duration least = 1s;
  Duration most{0};
  for (const Outcome& outcome : run_preset("wifi", 100'000, true)) {
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

/// Of packets 1 ms apart: how many arrive before one that was sent earlier, and the mean delay.
std::pair<int, double> overtaken_and_mean_ms(const std::vector<Outcome>& outcomes) {
  int overtaken = 0;
  int arrived = 0;
  double sum_ms = 0.0;
  Duration latest{0};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].dropped) {
      const Duration arrival = static_cast<std::int64_t>(i) * 1ms + outcomes[i].delays.at(0);
      overtaken += arrival < latest ? 1 : 0;
      latest = std::max(latest, arrival);
      sum_ms += static_cast<double>(outcomes[i].delays[0].count()) * 1e-6;
      ++arrived;
    }
  }
  return {overtaken, sum_ms / arrived};
}

TEST(Presets, KeepTheOrderUnlessOvertakingIsAllowed) {
  for (const Preset& preset : presets()) {
    EXPECT_EQ(overtaken_and_mean_ms(run_preset(preset.name, 10'000)).first, 0) << preset.name;
  }
  EXPECT_GT(overtaken_and_mean_ms(run_preset("wan", 10'000, true)).first, 5000);
}

TEST(Presets, HoldUpPacketsBehindALateOne) {
  // wan at 1 kHz: a packet arrives with the latest of itself and those j ms before it, D_j - j with
  // D uniform on [75, 125]. P(delay < 125 - x) = Π over j < x of (1 - (x - j)/50), so the mean is
  // 125 minus the integral of that product over x; without order it is 100
  double below = 0.0;
  constexpr double kStep = 0.001;
  for (double x = kStep / 2; x < 50.0; x += kStep) {
    double product = 1.0;
    for (int j = 0; j < x; ++j) {
      product *= 1.0 - (x - j) / 50.0;
    }
    below += product * kStep;
  }
  EXPECT_NEAR(125.0 - below, 117.0, 0.5);  // what docs/how-to/links.md says
  // neighbours share their latest one, some 10 packets long: sigma 4.5 ms over 100 000/10
  EXPECT_NEAR(overtaken_and_mean_ms(run_preset("wan", 100'000)).second, 125.0 - below, 0.15);
  EXPECT_NEAR(overtaken_and_mean_ms(run_preset("wan", 100'000, true)).second, 100.0, 0.15);
}

TEST(Presets, MustBeNamed) {
  KeyFields fields(Keys{});
  built_in_link_models().make("preset")->list_fields(fields);
  EXPECT_THAT(fields.rejections, ElementsAre("link model 'preset' needs the key 'preset' / for "
                                             "example preset: wifi"));
}

}  // namespace
}  // namespace longarm::network
