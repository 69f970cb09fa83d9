// SPDX-License-Identifier: Apache-2.0
// What stands still costs next to nothing: sizes grow with what moves.
#include "longarm/physics/flat_cell.h"
#include "longarm/physics/mujoco/mjcf.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

/// An arm among boxes that stand far away from it.
model::Cell arm_among(int boxes) {
  model::Cell cell = cell_of({six_joint_arm()});
  for (int i = 0; i < boxes; ++i) {
    cell.placements.push_back(place(make_box(1.0, {0.1, 0.1, 0.1}), {5.0 + i, 0, 0}, true));
  }
  return cell;
}

TEST(ManyObjects, PairsThatCannotMoveNeedNoPlaceInTheModel) {
  const MjcfSlots alone = count_slots(FlatCell(arm_among(0)));
  const MjcfSlots among_many = count_slots(FlatCell(arm_among(400)));
  EXPECT_EQ(among_many.excludes, alone.excludes);
  EXPECT_EQ(among_many.welds, alone.welds);
}

TEST(ManyObjects, TheFilterKeepsPairsOfWhatMovesOnly) {
  const FlatCell cell(arm_among(400));
  PairFilter filter(cell);
  // six links move, among a base, themselves and 400 boxes
  EXPECT_EQ(filter.states().size(), 6U * 407U);
  EXPECT_TRUE(filter.may_touch(3, 100));
  EXPECT_TRUE(filter.may_touch(100, 3));
  EXPECT_FALSE(filter.may_touch(100, 101));
  filter.set(100, 3, false);
  EXPECT_FALSE(filter.may_touch(3, 100));
  filter.set(100, 101, true);
  EXPECT_FALSE(filter.may_touch(100, 101));
}

class ManyObjectsOnEngines : public EngineTest {};

// The boxes are out of reach: the arm must fall as if it were alone, to the last bit.
TEST_P(ManyObjectsOnEngines, FarAwayBoxesChangeNoBit) {
  const auto alone = make(arm_among(0));
  const auto among_many = make(arm_among(400));
  run(*alone, 200);
  run(*among_many, 200);
  for (int j = 0; j < 6; ++j) {
    const auto i = static_cast<std::size_t>(j);
    EXPECT_EQ(among_many->positions()[i], alone->positions()[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, ManyObjectsOnEngines, testing::ValuesIn(all_engines()),
                         engine_name);

}  // namespace
}  // namespace longarm::physics
