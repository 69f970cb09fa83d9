// SPDX-License-Identifier: Apache-2.0
// Runs compared with runs, bit by bit: what must not change a result, and what must.
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "longarm/actors/test/arm_fixture.h"

namespace longarm::actors {
namespace {

/// The UR5 task cut down to its first waypoint, fast: every joint moves and comes to rest.
const Changes kFirstWaypoint{"task.poses_m_deg=[[0.5, 0.3, 0.3, 180, 0, -90]]",
                             "task.acceleration_limit_rad_s2=5", "task.hold=300ms"};

std::string hash_of(const Changes& changes) {
  return state_hash("ur5-waypoints", kFirstWaypoint + changes);
}

class Cuts : public testing::TestWithParam<const char*> {
 protected:
  Changes cut() const { return {std::string("cut=") + GetParam()}; }
};

TEST_P(Cuts, GiveTheSameBitsForQueueZeroDelayZeroAndNone) {
  const std::string none = hash_of(cut() + Changes{"link.model=none"});
  EXPECT_EQ(hash_of(cut()), none);
  EXPECT_EQ(hash_of(cut() + Changes{"link.slots=0"}), none);
  EXPECT_EQ(hash_of(cut() + Changes{"link.delay=0s"}), none);
}

TEST_P(Cuts, GiveTheSameBitsForNSlotsAndADelayOfNPeriods) {
  std::vector<std::string> hashes{hash_of(cut())};
  for (const int n : {1, 3, 10}) {
    const std::string queued = hash_of(cut() + Changes{fmt::format("link.slots={}", n)});
    const std::string delayed = hash_of(cut() + Changes{fmt::format("link.delay={}ms", n)});
    EXPECT_EQ(queued, delayed) << n;
    EXPECT_THAT(hashes, testing::Not(testing::Contains(queued))) << n;
    hashes.push_back(queued);
  }
}

INSTANTIATE_TEST_SUITE_P(Ur5, Cuts,
                         testing::Values("velocity", "position", "effort", "stale-servo"),
                         [](const auto& test) {
                           const std::string name = test.param;
                           return name == "stale-servo" ? std::string("stale_servo") : name;
                         });

TEST(Determinism, ALinkWithoutDelayEqualsNoLinkAtAll) {
  // the same loops with and without the words "link" and "cut"
  EXPECT_EQ(hash_of({"cut=velocity", "link.model=none"}), hash_of({"cut=none"}));
  EXPECT_EQ(hash_of({"cut=velocity", "link.slots=0", "servo=pid"}),
            hash_of({"cut=none", "servo=pid"}));
  EXPECT_EQ(hash_of({"cut=stale-servo", "link.delay=0s"}), hash_of({"cut=none", "servo=pid"}));
}

TEST(Determinism, ALinkHasNoEffectWhereNothingIsCut) {
  EXPECT_EQ(hash_of({"cut=none", "link.delay=7ms"}), hash_of({"cut=none"}));
}

TEST(Determinism, SeedsDoNotMatterWhereNothingIsRandom) {
  EXPECT_EQ(hash_of({"seed=1", "link.delay=3ms"}), hash_of({"seed=2", "link.delay=3ms"}));
}

TEST(Determinism, EnginesDiffer) {
  EXPECT_NE(hash_of({"engine=mujoco"}), hash_of({"engine=ode"}));
}

class Engines : public testing::TestWithParam<const char*> {};

TEST_P(Engines, GiveTheSameBitsAloneAgainAndInEightThreads) {
  const Changes changes{std::string("engine=") + GetParam(), "link.delay=2ms"};
  const std::string alone = hash_of(changes);
  EXPECT_EQ(hash_of(changes), alone);

  std::vector<std::string> hashes(8);
  std::vector<std::thread> threads;
  for (std::string& hash : hashes) {
    threads.emplace_back([&hash, &changes] { hash = hash_of(changes); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_THAT(hashes, testing::Each(alone));
}

TEST_P(Engines, GiveTheSameBitsWhenARunIsStoppedAndContinued) {
  const PreparedScenario prepared =
      prepare("ur5-waypoints",
              kFirstWaypoint + Changes{std::string("engine=") + GetParam(), "link.delay=2500us"});
  Simulation simulation(prepared, {});
  while (!simulation.is_over()) {
    ASSERT_TRUE(simulation.run_until(simulation.now() + Duration(1'700'000)));
  }
  EXPECT_EQ(simulation.results()["state_hash"], run_to_end(prepared)["state_hash"]);
}

INSTANTIATE_TEST_SUITE_P(Ur5, Engines, testing::Values("mujoco", "ode", "kinematic"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace longarm::actors
