// SPDX-License-Identifier: Apache-2.0
// Failures of loose parts, links and hosts that plug-ins bring.
#include <stdexcept>

#include <gtest/gtest.h>

#include "longarm/actors/test/cell_fixture.h"
#include "longarm/cell/scenario.h"

namespace longarm::actors {
namespace {

using cell::Failure;
using cell::FailureVerb;
using cell::World;
using Of = Failure::Of;

/// Upwards, with 1 m/s.
void throw_part(World& world, const Failure& failure) {
  const int placement = *cell::find_placement(world.model(), failure.name);
  const auto body = static_cast<physics::BodyId>(world.model().first_body(placement));
  world.simplifier().release(body);  // from what it lies on
  physics::Twist twist{};
  twist.linear_W = {0.0, 0.0, 1.0};
  world.engine().reset_body(body, world.engine().pose(body), twist);
}

void set_cable(World& world, const std::string& cable, bool is_up) {
  network::CableChange change;
  change.at = world.now();
  change.is_up = is_up;
  world.change_cable(cable, change);
}

cell::Plugins with_failures() {
  cell::Plugins plugins = built_in_plugins();
  plugins.add_failure({Of::kPart, {"thrown", "it flies up"}, throw_part});
  plugins.add_failure({Of::kLink,
                       {"bitten", "it carries no packets", FailureVerb::End::kMaybe},
                       [](World& world, const Failure& f) { set_cable(world, f.name, false); },
                       [](World& world, const Failure& f) { set_cable(world, f.name, true); }});
  plugins.add_failure({Of::kHost, {"crashes", "it is off"}, [](World& world, const Failure& f) {
                         set_cable(world, f.name, false);
                       }});
  return plugins;
}

constexpr const char* kCell = R"(
world: aprs
simplify: {mode: merge}
length: 600ms
network: {hosts: {eye: {to: switch}, brain: {to: switch}}, switches: {switch: {}}}
actors:
  overhead: {kind: camera, host: eye, position_m: [0.031, -0.690, 2.005], period: 10ms}
  hall: {kind: camera, position_m: [0.031, -0.690, 2.005]}
)";

cell::PreparedScenario with(const std::string& failure) {
  return cell::load_scenario_text(kCell, "cell.yaml", {{"failures=" + failure}, {}},
                                  with_failures());
}

TEST(WorldFailure, BefallsALoosePart) {
  cell::Run run(with("300ms part medium_gear_1 thrown"));
  const auto height = [&] {
    for (const auto& [name, X_WP] : run.world().parts().poses()) {
      if (name == "medium_gear_1") {
        return X_WP.translation().z();
      }
    }
    return 0.0;
  };
  run.run_until(Time(300ms));
  const double before = height();
  run.run_until(Time(350ms));
  // 50 ms at 1 m/s, less the 12 mm that it falls
  EXPECT_NEAR(height() - before, 0.038, 2e-3);
  EXPECT_EQ(run.results().at("failures").at(0), "300ms part medium_gear_1 thrown");
}

TEST(WorldFailure, IsReadLikeTheOthers) {
  const auto told = [](const std::string& failure) -> std::string {
    try {
      with(failure);
    } catch (const InputError& error) {
      return error.diagnostics().front().message + " | " + error.diagnostics().front().hint;
    }
    return "";
  };
  EXPECT_EQ(told("1ms link eye bitten for 5ms"), "");
  EXPECT_EQ(told("1ms host brain crashes"), "");
  EXPECT_EQ(
      told("1ms part medium_gear_1 thrown for 5s"),
      "\"1ms part medium_gear_1 thrown for 5s\": unexpected 'for' at the end | for example \"20s "
      "fanuc breaks\", \"15s part medium_gear_2 misplaced 0.03 0.01\", \"10s camera_1 blind for "
      "5s\", \"30s link edge slow 500ms for 10s\"; run longarm keys failures to see all of them");
  EXPECT_EQ(told("1ms host brian crashes"),
            "\"1ms host brian crashes\": there is no host 'brian' | did you mean 'brain'?");
  EXPECT_EQ(told("1ms host brain bitten"),
            "\"1ms host brain bitten\": failure 'bitten' does not apply to 'brain' | valid names "
            "are: crashes");
}

TEST(WorldFailure, HasAVerbOfItsOwn) {
  cell::Plugins plugins = with_failures();
  const auto nothing = [](World&, const Failure&) {};
  EXPECT_THROW(plugins.add_failure({Of::kLink, {"down", "again"}, nothing}), std::logic_error);
  EXPECT_THROW(plugins.add_failure({Of::kPart, {"thrown", "again"}, nothing}), std::logic_error);
  EXPECT_THROW(plugins.add_failure({Of::kActor, {"thrown", "an actor"}, nothing}),
               std::logic_error);
  EXPECT_NO_THROW(plugins.add_failure({Of::kHost, {"thrown", "out of the window"}, nothing}));
}

TEST(WorldFailure, CutsACableAndMendsIt) {
  // ur5-topology without draws: commands every 4 ms; 1 s of them is lost
  const auto lost = [](const std::string& failure) {
    cell::Run run(cell::load_scenario(
        "ur5-topology", {{"network.links.bridge.netem=delay 2ms", "failures=" + failure}, {}},
        with_failures()));
    run.run_until(run.end());
    const auto results = run.results();
    return results.at("link").at("commands").at("sent").get<int>() -
           results.at("link").at("commands").at("delivered").get<int>();
  };
  EXPECT_EQ(lost("2s link rack bitten for 1s"), lost("2s link rack down for 1s"));
  EXPECT_NEAR(lost("2s link rack bitten for 1s"), 250, 2);
}

}  // namespace
}  // namespace longarm::actors
