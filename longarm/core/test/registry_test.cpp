// SPDX-License-Identifier: Apache-2.0
// Tests of named parts and of the help given when a name is wrong.
#include "longarm/core/registry.h"

#include <gtest/gtest.h>

namespace longarm {
namespace {

TEST(Registry, ListsTheValidNamesWhenOneIsUnknown) {
  Registry<int> registry("physics engine");
  registry.add("mujoco", "fast", [] { return std::make_unique<int>(1); });
  registry.add("kinematic", "trivial", [] { return std::make_unique<int>(2); });
  EXPECT_EQ(*registry.make("mujoco"), 1);
  EXPECT_EQ(registry.summary("kinematic"), "trivial");
  try {
    registry.make("mujico");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "unknown physics engine 'mujico'; valid names are: kinematic, mujoco");
  }
}

TEST(Registry, RefusesTheSameNameTwice) {
  Registry<int> registry("part");
  registry.add("a", "", [] { return std::make_unique<int>(1); });
  EXPECT_THROW(registry.add("a", "", [] { return std::make_unique<int>(1); }), std::logic_error);
}

TEST(Suggest, OffersTheNearestNameOrTheWholeList) {
  const std::vector<std::string> names{"delay", "model", "slots"};
  EXPECT_EQ(suggest("dealy", names), "did you mean 'delay'?");
  EXPECT_EQ(suggest("slot", names), "did you mean 'slots'?");
  EXPECT_EQ(suggest("bandwidth", names), "valid names are: delay, model, slots");
  EXPECT_EQ(suggest("bandwidth", {}), "there are none to choose from");
}

}  // namespace
}  // namespace longarm
