// SPDX-License-Identifier: Apache-2.0
// Trays of gears on a belt: they stay where they settled, simplified or not, also on a belt that
// turns; runs repeat bit by bit; bad keys are told.
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labs/benches/contact_scene.h"
#include "labs/benches/primitive_mesh.h"
#include "labs/benches/test/bench_fixture.h"
#include "longarm/cell/run_folder.h"

namespace longarm::benches {
namespace {

using Json = nlohmann::ordered_json;

Json run_contact(const std::vector<std::string>& keys, const std::vector<std::string>& world_keys) {
  return run_bench(load_bench("contact-bench", keys, world_keys));
}

TEST(ContactBench, GearsStayWhereTheySettledInEveryMode) {
  for (const char* engine : {"mujoco", "ode"}) {
    for (const char* mode : {"none", "weld", "merge"}) {
      std::vector<std::string> keys{"length=1s", std::string("engine=") + engine,
                                    std::string("simplify.mode=") + mode};
      if (engine == std::string("ode")) {
        keys.push_back("engine.solver=quick");
      }
      const Json results = run_contact({"trays=2"}, keys);
      SCOPED_TRACE(std::string(engine) + " " + mode);
      EXPECT_EQ(results["ended"], "completed");
      EXPECT_LT(results["displacement_sum_settled_m"].get<double>(), 1e-4);
      // they fell by half a millimetre each
      EXPECT_NEAR(results["displacement_sum_m"].get<double>(), 8 * 0.5e-3, 8 * 0.05e-3);
      EXPECT_EQ(results["lost_gears"], 0);
      EXPECT_EQ(results["joints"], mode == std::string("none") ? 0 : 10);
      EXPECT_EQ(results["welded_instead"], 0);
    }
  }
}

TEST(ContactBench, NothingPartsWhileOnlyTheBeltMoves) {
  // 10 s of starts, stops and turns, with the belt put back on the way
  for (const char* mode : {"weld", "merge"}) {
    const Json results = run_contact({"trays=2", "belt.turn_every=700ms"},
                                     {"length=10s", std::string("simplify.mode=") + mode});
    EXPECT_EQ(results["joints_made"], 10) << mode;
    EXPECT_EQ(results["joints_removed"], 0) << mode;
    EXPECT_EQ(results["lost_gears"], 0) << mode;
    EXPECT_LT(results["displacement_sum_settled_m"].get<double>(), 1e-4) << mode;
  }
}

TEST(ContactBench, DrawsDisplacementsFromWhenGearsHaveSettled) {
  cell::Run run(load_bench("contact-bench", {"trays=1"}, {"length=250ms"}));
  std::vector<double> values(4);
  const auto sum_at = [&](Duration time) {
    run.run_until(Time(time));
    run.sample(values);
    return values[0];
  };
  // by then they have fallen by half a millimetre each, 2 mm together, which does not count
  EXPECT_EQ(sum_at(Duration(199'000'000)), 0.0);
  EXPECT_EQ(sum_at(Duration(200'000'000)), 0.0);
  const double moved_m = sum_at(Duration(250'000'000));
  EXPECT_GT(moved_m, 0.0);
  EXPECT_LT(moved_m, 1e-5);
}

TEST(ContactBench, WarnsOfAKludgeWithoutFingers) {
  const Json results = run_contact({"trays=1"}, {"length=10ms", "simplify.mode=kludge"});
  EXPECT_EQ(results["warnings"],
            Json({"kludge joins parts to fingers, but this bench has none: it has no effect"}));
}

TEST(ContactBench, ConicalSlotsHoldTheirGears) {
  const Json results =
      run_contact({"trays=1", "shape=cones"}, {"simplify.mode=merge", "length=1s"});
  EXPECT_EQ(results["lost_gears"], 0);
  EXPECT_EQ(results["joints"], 5);
}

TEST(ContactBench, GearsOfTheLaboratoryStayInTheirSeatsFromTheStart) {
  for (const char* engine : {"mujoco", "ode"}) {
    for (const char* mode : {"none", "merge"}) {
      SCOPED_TRACE(std::string(engine) + " " + mode);
      const Json results = run_contact(
          {"trays=1", "shape=lab", "start=seated"},
          {"length=300ms", std::string("engine=") + engine, std::string("simplify.mode=") + mode});
      // four gears, from the first step on: none of the 2 mm that start=above falls
      EXPECT_LT(results["displacement_sum_m"].get<double>(), 1e-4);
      EXPECT_EQ(results["lost_gears"], 0);
      EXPECT_EQ(results["joints"], mode == std::string("none") ? 0 : 5);
      EXPECT_GT(results["contacts_per_collision"].get<double>(), 2.0);
    }
  }
}

TEST(ContactBench, CountsContactPointsPerPairOfBodies) {
  // a tray on a belt, without gears: one pair, whose points are all there are
  const Json results =
      run_contact({"trays=1", "gears_per_tray=0"}, {"length=100ms", "simplify.mode=none"});
  EXPECT_DOUBLE_EQ(results["collisions_mean"].get<double>(), 1.0);
  EXPECT_DOUBLE_EQ(results["contacts_per_collision"].get<double>(),
                   results["contacts_mean"].get<double>());
}

TEST(ContactBench, RunsWithOdesOwnErrorReduction) {
  const std::vector<std::string> usual{"length=300ms", "engine=ode", "simplify.mode=weld"};
  std::vector<std::string> own = usual;
  own.emplace_back("engine.error_reduction=0.2");
  EXPECT_NE(run_contact({"trays=1"}, own)["state_hash"],
            run_contact({"trays=1"}, usual)["state_hash"]);
  using testing::HasSubstr;
  EXPECT_THAT(bench_refusal("contact-bench", {}, {"engine.error_reduction=0.2"}),
              HasSubstr("engine 'mujoco' has no error reduction parameter"));
  EXPECT_THAT(bench_refusal("contact-bench", {}, {"engine=ode", "engine.error_reduction=0"}),
              HasSubstr("error_reduction must be more than 0 and at most 1"));
  EXPECT_THAT(bench_refusal("contact-bench", {}, {"engine=ode", "engine.integrator=rk4"}),
              HasSubstr("engine 'ode' has only one integrator"));
}

TEST(ContactBench, RepeatsBitByBit) {
  const std::vector<std::string> keys{"length=300ms", "simplify.mode=merge"};
  const Json first = run_contact({"trays=1"}, keys);
  EXPECT_EQ(first, run_contact({"trays=1"}, keys));
  EXPECT_NE(first["state_hash"], run_contact({"trays=1"}, {"length=300ms", "simplify.mode=merge",
                                                           "seed=2"})["state_hash"]);
}

TEST(ContactBench, SaysWhatIsWrongWithAKey) {
  using testing::HasSubstr;
  const auto refusal = [](const std::string& key) { return bench_refusal("contact-bench", {key}); };
  EXPECT_THAT(refusal("trays=0"), HasSubstr("there can be 1 to 100 trays, not 0"));
  EXPECT_THAT(refusal("gears_per_tray=5"), HasSubstr("a tray has 4 slots, not 5"));
  EXPECT_THAT(refusal("belt.ramp_m_s2=-1"), HasSubstr("must not be negative"));
  const auto world_refusal = [](const std::string& key) {
    return bench_refusal("contact-bench", {}, {key});
  };
  EXPECT_THAT(world_refusal("simplify.release_N=0"),
              HasSubstr("release_N must be greater than zero"));
  EXPECT_THAT(world_refusal("simplify.hold=0s"), HasSubstr("hold must be greater than zero"));
  EXPECT_THAT(world_refusal("length=0s"), HasSubstr("the length must be greater than zero"));
}

TEST(PrimitiveMesh, EnclosesTheVolumeOfThePrimitive) {
  // a sixth of the sum of the corners' triple products; 24 corners on a circle of r enclose
  // 12·r²·sin(15°)
  const auto volume = [](const model::Shape& shape) {
    const auto data = std::get<model::Mesh>(mesh_of(shape)).data;
    const model::MeshData& mesh = *data;
    double sum = 0.0;
    for (const auto& [a, b, c] : mesh.triangles) {
      const auto corner = [&](int i) { return mesh.vertices_m[static_cast<std::size_t>(i)]; };
      sum += corner(a).dot(corner(b).cross(corner(c))) / 6.0;
    }
    return sum;
  };
  EXPECT_NEAR(volume(model::Box{{0.1, 0.2, 0.3}}), 0.006, 1e-12);
  EXPECT_NEAR(volume(model::Cylinder{0.1, 0.5}), 12.0 * 0.01 * std::sin(M_PI / 12.0) * 0.5, 1e-12);
}

}  // namespace
}  // namespace longarm::benches
