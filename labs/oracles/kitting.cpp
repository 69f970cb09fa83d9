// SPDX-License-Identifier: Apache-2.0
// Oracles of the kitting cell: friction on a belt, what a grasp and a suction cup can hold, and how
// far a grasped part sways.
#include <numbers>

#include <fmt/format.h>

#include "labs/labs.h"
#include "labs/oracles/experiment.h"
#include "labs/oracles/groups.h"
#include "longarm/cell/run.h"

namespace longarm::oracles {
namespace {

constexpr const char* kKittingGroup = "kitting";

/// One metric of a ready bench; the settings are its own keys.
double metric(const std::string& bench, const std::string& engine, const Settings& settings,
              const char* name) {
  cell::LoadOptions options;
  options.overrides = {"engine=" + engine};
  for (const std::string& setting : settings) {
    options.overrides.push_back("actors.bench." + setting);
  }
  cell::Run run(cell::load_scenario(bench, options, labs::built_in_plugins()));
  run.run_until(run.end());
  return run.results().at("bench").at(name);
}

void add_belt(std::vector<Oracle>& all, const std::string& engine) {
  constexpr double kSpeed = 0.5;
  constexpr double kFriction = 0.3;
  const Settings settings{"speed_m_s=0.5", "friction=0.3"};
  const std::string reason =
      "the last step of the slip is no whole one, and contacts are not quite hard";
  all.push_back({"belt-slip-time-" + engine, kKittingGroup,
                 "a part on a belt that starts slips for v/(μg)", "s", [=] {
                   const double expected = kSpeed / (kFriction * kGravity_m_s2);
                   return Comparison{expected,
                                     metric("belt-bench", engine, settings, "slip_time_s"),
                                     0.02 * expected, reason};
                 }});
  all.push_back({"belt-slip-distance-" + engine, kKittingGroup, "and over v²/(2μg)", "m", [=] {
                   const double expected = kSpeed * kSpeed / (2.0 * kFriction * kGravity_m_s2);
                   return Comparison{expected,
                                     metric("belt-bench", engine, settings, "slip_distance_m"),
                                     0.02 * expected, reason};
                 }});
}

void add_grasp(std::vector<Oracle>& all, const std::string& engine) {
  all.push_back({"grasp-holds-" + engine, kKittingGroup,
                 "two fingers of force F hold 2μF along the pads; 1 mm of slip counts", "N", [=] {
                   const double expected = 2.0 * 0.8 * 10.0;
                   const double simulated = metric(
                       "grasp-bench", engine,
                       {"motion=pull", "axis=y", "gripper.force_N=10", "pull_N_s=20", "length=1s"},
                       "slip_force_N");
                   return Comparison{expected, simulated, 0.1 * expected,
                                     "the force grows on while the part slips its millimetre"};
                 }});
  all.push_back({"grasp-sways-" + engine, kKittingGroup,
                 "constant forces hold a shaken part only by the damping of the fingers: m a/(2cω)",
                 "m", [=] {
                   constexpr double kMass = 0.05 + 2.0 * 0.1;  // the fingers go along
                   constexpr double kDamping = 20.0;
                   const double expected =
                       kMass * 10.0 / (2.0 * kDamping * 2.0 * std::numbers::pi * 2.0);
                   const double simulated =
                       metric("grasp-bench", engine,
                              {"gripper.law=constant-force", "acceleration_m_s2=10", "length=2s"},
                              "displacement_closing_m");
                   return Comparison{expected, simulated, 0.03 * expected,
                                     "the damping acts one step late against a palm that is moved"};
                 }});
}

void add_vacuum(std::vector<Oracle>& all, const std::string& engine) {
  all.push_back({"vacuum-pull-off-" + engine, kKittingGroup,
                 "a cup holds the pressure times its area", "N", [=] {
                   const double expected = 60e3 * std::numbers::pi * 0.015 * 0.015;
                   const double simulated =
                       metric("vacuum-bench", engine,
                              {"vacuum.pressure_Pa=60e3", "vacuum.radius_m=0.015"}, "pull_off_N");
                   return Comparison{expected, simulated, 0.05 * expected,
                                     "the force grows on until the lip has come off"};
                 }});
}

}  // namespace

void add_kitting_oracles(std::vector<Oracle>& all) {
  for (const std::string engine : {"mujoco", "ode"}) {
    add_belt(all, engine);
    add_grasp(all, engine);
    add_vacuum(all, engine);
  }
}

}  // namespace longarm::oracles
