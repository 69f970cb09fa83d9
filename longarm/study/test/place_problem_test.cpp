// SPDX-License-Identifier: Apache-2.0
// Constraints: how they are read, which contradict each other, and what they leave.
#include <set>

#include <gmock/gmock.h>

#include "longarm/core/diagnostic.h"
#include "longarm/study/place/space.h"

namespace longarm::study {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> letters(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    names.push_back(std::string(1, static_cast<char>('A' + i)));
  }
  return names;
}

std::vector<std::string> computers(int count) {
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) {
    names.push_back("pc" + std::to_string(i));
  }
  return names;
}

std::string complaint(int components, int hosts, const PlacementWords& words) {
  try {
    make_problem(letters(components), computers(hosts), words);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

PlacementSpace space_of(int components, int hosts, const PlacementWords& words) {
  return PlacementSpace(make_problem(letters(components), computers(hosts), words));
}

std::set<Placement> all_of(const PlacementSpace& space) {
  std::set<Placement> all;
  EXPECT_TRUE(space.visit_all([&](const Placement& each) {
    EXPECT_TRUE(space.allows(each));
    EXPECT_EQ(space.canonical(each), each);
    EXPECT_TRUE(all.insert(each).second);
    return true;
  }));
  return all;
}

TEST(PlaceProblem, UnknownNamesComeWithASuggestion) {
  PlacementWords words;
  words.pins = {"A=pc3"};
  words.together = {"A,Quite"};
  EXPECT_EQ(complaint(2, 2, words),
            "--pin A=pc3: error: unknown host 'pc3'\n  hint: did you mean 'pc1'?\n"
            "--together A,Quite: error: unknown component 'Quite'\n  hint: valid names are: A, B");
}

TEST(PlaceProblem, WordsThatCannotBeReadSayWhatTheyShouldBe) {
  PlacementWords words;
  words.pins = {"A"};
  words.apart = {"A", "B,B"};
  words.capacities = {"pc1=2.5", "pc1=-1", "pc1"};
  const std::string text = complaint(2, 2, words);
  EXPECT_THAT(text, HasSubstr("--pin A: error: expected a component and its host"));
  EXPECT_THAT(text, HasSubstr("--apart A: error: expected two or more components"));
  EXPECT_THAT(text, HasSubstr("--apart B,B: error: 'B' is named twice"));
  EXPECT_THAT(text, HasSubstr("--capacity pc1=2.5: error: expected a host and a whole number"));
  EXPECT_THAT(text, HasSubstr("--capacity pc1=-1: error"));
  EXPECT_THAT(text, HasSubstr("--capacity pc1: error"));
}

TEST(PlaceProblem, PinsOfThoseTogetherMustAgree) {
  PlacementWords words;
  words.pins = {"A=pc1", "C=pc2"};
  words.together = {"A,B", "B,C"};
  EXPECT_EQ(complaint(3, 2, words),
            "error: 'A' and 'C' must be together but are pinned to 'pc1' and 'pc2'\n"
            "  hint: pin them to one host, or remove a --together");
}

TEST(PlaceProblem, ApartAndTogetherContradict) {
  PlacementWords words;
  words.together = {"A,B", "B,C"};
  words.apart = {"A,C"};
  EXPECT_THAT(complaint(3, 2, words), HasSubstr("'A' and 'C' must be apart but together"));
}

TEST(PlaceProblem, ApartAndOnePinContradict) {
  PlacementWords words;
  words.pins = {"A=pc1", "B=pc1"};
  words.apart = {"A,B"};
  EXPECT_THAT(complaint(3, 2, words),
              HasSubstr("'A' and 'B' must be apart but are pinned to one host"));
}

TEST(PlaceProblem, TooLittleRoomIsNamed) {
  PlacementWords words;
  words.capacities = {"pc1=1", "pc2=1"};
  EXPECT_THAT(complaint(3, 2, words), HasSubstr("the hosts have room for 2 of 3 components"));
  words.capacities = {"pc1=1"};
  words.is_balanced = true;  // 4 on 2: two each
  EXPECT_THAT(complaint(4, 2, words), HasSubstr("but the capacity of 'pc1' is 1"));
  words.capacities = {};
  words.pins = {"A=pc1", "B=pc1", "C=pc1"};
  EXPECT_THAT(complaint(4, 2, words),
              HasSubstr("3 components are pinned to 'pc1', which may have 2"));
  words.pins = {};
  words.together = {"A,B,C"};
  EXPECT_THAT(complaint(4, 2, words), HasSubstr("no host may have more than 2: A, B, C"));
  words.together = {};
  words.apart = {"A,B,C"};
  EXPECT_THAT(complaint(4, 2, words), HasSubstr("3 components must be apart on 2 hosts"));
}

TEST(PlaceSpace, HasAsManyPlacementsAsCountingSays) {
  PlacementWords balanced;
  balanced.is_balanced = true;
  // six on two alike: C(6,3) / 2
  EXPECT_EQ(all_of(space_of(6, 2, balanced)).size(), 10U);
  // seven on three: one has three, 7!/(3!2!2!) ways, the two of two are alike: /2
  EXPECT_EQ(all_of(space_of(7, 3, balanced)).size(), 105U);
  // four on at most three alike: Stirling numbers 1 + 7 + 6
  EXPECT_EQ(all_of(space_of(4, 3, {})).size(), 14U);
  // a pin tells two hosts apart: the other three are free, 2^3
  PlacementWords pinned;
  pinned.pins = {"B=pc2"};
  EXPECT_EQ(all_of(space_of(4, 2, pinned)).size(), 8U);
  // A, B together and apart from C, D anywhere, two hosts alike: D has two choices
  PlacementWords groups;
  groups.together = {"A,B"};
  groups.apart = {"B,C"};
  EXPECT_EQ(all_of(space_of(4, 2, groups)).size(), 2U);
  // room for one on pc1: none or one of three there
  PlacementWords narrow;
  narrow.capacities = {"pc1=1"};
  EXPECT_EQ(all_of(space_of(3, 2, narrow)).size(), 4U);
}

TEST(PlaceSpace, HostsThatDifferAreNotExchanged) {
  PlacementProblem problem = make_problem(letters(3), computers(3), {});
  problem.host_kind = {0, 1, 1};
  const PlacementSpace space(problem);
  EXPECT_EQ(space.canonical({2, 0, 1}), (Placement{1, 0, 2}));
  problem.host_kind = {0, 1, 2};
  EXPECT_EQ(PlacementSpace(problem).canonical({2, 0, 1}), (Placement{2, 0, 1}));
}

TEST(PlaceSpace, RandomPlacementsAreAllowedUnderEveryKindOfConstraint) {
  PlacementWords words;
  words.is_balanced = true;
  words.pins = {"A=pc2", "K=pc3"};
  words.together = {"B,C"};
  words.apart = {"E,F,G"};
  words.capacities = {"pc1=3"};
  const PlacementSpace space = space_of(11, 3, words);
  RandomStream stream(7, "test");
  std::set<Placement> found;
  for (int i = 0; i < 50; ++i) {
    const std::optional<Placement> any = space.random(stream);
    ASSERT_TRUE(any);
    EXPECT_TRUE(space.allows(*any));
    found.insert(space.canonical(*any));
  }
  EXPECT_GT(found.size(), 10U);
}

TEST(PlaceSpace, RepairGivesNothingWhereNothingIsAllowed) {
  // three pairs apart on two hosts: A-B, B-C, A-C is an odd ring
  PlacementWords words;
  words.apart = {"A,B", "B,C", "A,C"};
  const PlacementSpace space = space_of(3, 2, words);
  EXPECT_FALSE(space.repair({0, 0, 0}, [](const Placement&) { return 0.0; }));
}

TEST(PlaceSpace, RepairMendsBalanceWithTheCheapestMove) {
  // A-B 9, B-C 1, C-D 9 bytes/s, all four on pc1 of two: C and D together are cheapest to lose
  PlacementWords words;
  words.is_balanced = true;
  PlacementProblem problem = make_problem(letters(4), computers(2), words);
  problem.edges = {{0, 1, 0, 9}, {1, 2, 0, 1}, {2, 3, 0, 9}};
  const PlacementSpace space(problem);
  const auto cost = [&](const Placement& p) { return cut_bytes_per_s(problem, p); };
  const std::optional<Placement> mended = space.repair({0, 0, 0, 0}, cost);
  ASSERT_TRUE(mended);
  EXPECT_EQ(cut_bytes_per_s(problem, *mended), 1.0);
}

}  // namespace
}  // namespace longarm::study
