// SPDX-License-Identifier: Apache-2.0
// What RTDE clients write: recipes of inputs, whose they are, and what is wrong with data.
#include <limits>

#include <gmock/gmock.h>

#include "longarm/protocols/test/ur_rtde_talk.h"

namespace longarm::protocols::ur {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;

class RtdeInputRecipes : public RtdeTalk {};

TEST_F(RtdeInputRecipes, LetsAnInputBelongToOneClient) {
  RtdeClient mine = client_of_version_2();
  RtdeClient others = client_of_version_2(kOther);
  const std::vector<std::string> names{"speed_slider_mask", "speed_slider_fraction"};
  EXPECT_EQ(ask<RtdeClient::InputsAnswer>(mine, mine.set_up_inputs(names)).recipe, 1);
  const auto refused = ask<RtdeClient::InputsAnswer>(
      others, others.set_up_inputs({"input_int_register_1", "speed_slider_mask", "no"}), kOther);
  EXPECT_EQ(refused.recipe, 0);
  EXPECT_THAT(refused.types, ElementsAre("INT32", "IN_USE", "NOT_FOUND"));
  EXPECT_EQ(words, "IN_USE speed_slider_mask, NOT_FOUND no");
  // a refused recipe holds nothing, not even what was free
  EXPECT_EQ(
      ask<RtdeClient::InputsAnswer>(mine, mine.set_up_inputs({"input_int_register_1"})).recipe, 2);
  door.close(kClient, Time{});
  EXPECT_EQ(ask<RtdeClient::InputsAnswer>(others, others.set_up_inputs(names), kOther).recipe, 1)
      << "free again";
}

TEST_F(RtdeInputRecipes, LetsOneClientNameAnInputInSeveralRecipesButTwiceInNone) {
  RtdeClient client = client_of_version_2();
  const std::string one = client.set_up_inputs({"input_int_register_0"});
  EXPECT_EQ(ask<RtdeClient::InputsAnswer>(client, one).recipe, 1);
  EXPECT_EQ(ask<RtdeClient::InputsAnswer>(client, one).recipe, 2);
  const auto twice = ask<RtdeClient::InputsAnswer>(
      client, client.set_up_inputs({"input_int_register_0", "input_int_register_0"}));
  EXPECT_EQ(twice.recipe, 0);
  EXPECT_THAT(twice.types, ElementsAre("INT32", "IN_USE"));
}

TEST_F(RtdeInputRecipes, ForgetsMasksOfAClientThatIsGone) {
  RtdeClient mine = client_of_version_2();
  ask<RtdeClient::InputsAnswer>(mine, mine.set_up_inputs({"standard_digital_output_mask"}));
  say(mine.write(1, {std::uint8_t{0xFF}}));
  door.close(kClient, Time{});
  RtdeClient others = client_of_version_2(kOther);
  ask<RtdeClient::InputsAnswer>(others, others.set_up_inputs({"standard_digital_output"}), kOther);
  say(others.write(1, {std::uint8_t{0x0F}}), kOther);
  ASSERT_EQ(controller.written.size(), 2U);
  EXPECT_EQ(controller.written[1].digital_output_mask, 0U);
}

TEST_F(RtdeInputRecipes, HasRoomFor255RecipesOfInputs) {
  RtdeClient client = client_of_version_2();
  for (int i = 1; i <= 255; ++i) {
    EXPECT_EQ(ask<RtdeClient::InputsAnswer>(client, client.set_up_inputs({"input_int_register_0"}))
                  .recipe,
              i);
  }
  EXPECT_EQ(
      ask<RtdeClient::InputsAnswer>(client, client.set_up_inputs({"input_int_register_0"})).recipe,
      0);
  EXPECT_EQ(words, "255 recipes are set up already");
  say(client.write(255, {std::int32_t{255}}));
  EXPECT_EQ(controller.written.at(0).registers.integers[0], 255);
}

TEST_F(RtdeInputRecipes, RefusesDataThatFitsNoRecipe) {
  RtdeClient client = client_of_version_2();
  ask<RtdeClient::InputsAnswer>(client, client.set_up_inputs({"input_double_register_0"}));
  const auto words_to = [&](const std::string& bytes) {
    const std::vector<Heard> heard = client.hear(say(bytes));
    return heard.size() == 1 ? std::get<RtdeText>(heard[0]).message : "?";
  };
  EXPECT_EQ(words_to(client.write(0, {1.0})), "data of recipe 0, which is not set up");
  EXPECT_EQ(words_to(client.write(2, {1.0})), "data of recipe 2, which is not set up");
  EXPECT_EQ(words_to("\x00\x03U"s), "data without a recipe");
  EXPECT_EQ(words_to("\x00\x04U\x01"s), "values of 0 bytes, 8 expected");
  EXPECT_EQ(words_to(client.write(1, {1.0, 1.0})), "values of 16 bytes, 8 expected");
  EXPECT_TRUE(controller.written.empty());
  EXPECT_EQ(say(client.write(1, {1.0})), "");
  EXPECT_EQ(controller.written.size(), 1U);
}

TEST_F(RtdeInputRecipes, PassesOverNumbersThatAreNoneAndSaysSoOnce) {
  RtdeClient client = client_of_version_2();
  ask<RtdeClient::InputsAnswer>(
      client, client.set_up_inputs({"input_int_register_0", "input_double_register_0"}));
  const std::string bytes =
      client.write(1, {std::int32_t{1}, std::numeric_limits<double>::quiet_NaN()});
  const std::vector<Heard> heard = client.hear(say(bytes));
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(std::get<RtdeText>(heard[0]).level, RtdeLevel::kWarning);
  EXPECT_EQ(say(bytes), "");
  EXPECT_TRUE(controller.written.empty());
}

}  // namespace
}  // namespace longarm::protocols::ur
