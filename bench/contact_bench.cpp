// SPDX-License-Identifier: Apache-2.0
// What contacts cost plain, welded and merged: the contact bench's 4 s on each engine, how cost
// grows with the number of trays, and a long run in which nothing may part.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/bare_loop.h"
#include "labs/labs.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/core/diagnostic.h"

namespace {

using namespace longarm;
using bench::cpu_s;
using Keys = std::vector<std::string>;
using Json = nlohmann::ordered_json;

struct Measured {
  double us_per_step = 0.0;
  Json results;
};

/// CPU time of all steps: settling and every change of the model count, loading does not.
Measured measure(const Keys& keys) {
  cell::LoadOptions options;
  options.overrides = keys;
  const cell::PreparedScenario prepared =
      cell::load_scenario("contact-bench", options, labs::built_in_plugins());
  cell::Run run(prepared);
  const auto steps = prepared.length / prepared.scenario.physics_period;
  const double start = cpu_s();
  run.run_until(run.end());
  return {(cpu_s() - start) / static_cast<double>(steps) * 1e6, run.results().at("bench")};
}

Keys with(Keys keys, const std::string& mode) {
  keys.push_back("simplify.mode=" + mode);
  return keys;
}

void compare_modes(const char* name, const Keys& keys) {
  double plain_us = 0.0;
  for (const char* mode : {"none", "weld", "merge"}) {
    const Measured run = measure(with(keys, mode));
    plain_us = plain_us == 0.0 ? run.us_per_step : plain_us;
    const Json& r = run.results;
    const Json& per_collision = r["contacts_per_collision"];
    std::printf("%-22s %-6s %9.1f %8.2f %9.2f %10.2e %10.2e %9.1f %7.1f %5d %5d %5d\n", name, mode,
                run.us_per_step, plain_us / run.us_per_step, 1e3 / run.us_per_step,
                r["displacement_sum_m"].get<double>(),
                r["displacement_sum_settled_m"].get<double>(), r["contacts_mean"].get<double>(),
                per_collision.is_null() ? 0.0 : per_collision.get<double>(),
                r["joints_made"].get<int>(), r["joints_removed"].get<int>(),
                r["lost_gears"].get<int>());
    std::fflush(stdout);
  }
}

void show_growth(const char* engine, const Keys& keys) {
  std::printf("\n%s, us/step over 4 s by number of trays\n%8s %10s %10s %10s\n", engine, "trays",
              "plain", "weld", "merge");
  for (const int trays : {1, 3, 10, 30, 100}) {
    std::printf("%8d", trays);
    for (const char* mode : {"none", "weld", "merge"}) {
      Keys all = with(keys, mode);
      all.push_back("actors.bench.trays=" + std::to_string(trays));
      if (trays > 30 && mode == std::string("none")) {
        std::printf(" %10s", "-");
        continue;
      }
      try {
        std::printf(" %10.1f", measure(all).us_per_step);
      } catch (const InputError&) {
        std::printf(" %10s", "too large");
      }
      std::fflush(stdout);
    }
    std::printf("\n");
  }
}

void soak(const char* engine, const Keys& keys) {
  Keys all = with(keys, "merge");
  all.insert(all.end(), {"length=100s", "actors.bench.belt.turn_every=1300ms"});
  const Measured run = measure(all);
  std::printf("%-8s %9.1f us/step, joints made %d, removed %d, gears lost %d, moved %.2e m\n",
              engine, run.us_per_step, run.results["joints_made"].get<int>(),
              run.results["joints_removed"].get<int>(), run.results["lost_gears"].get<int>(),
              run.results["displacement_sum_settled_m"].get<double>());
}

}  // namespace

int main() {
  const Keys mujoco{"engine=mujoco"};
  const Keys ode{"engine=ode", "engine.solver=quick"};
  std::printf(
      "10 trays, 40 gears, 4 s at 1 ms, one thread\n\n%-22s %-6s %9s %8s %9s %10s %10s "
      "%9s %7s %5s %5s %5s\n",
      "", "", "us/step", "faster", "real-time", "moved m", "settled m", "contacts", "a pair",
      "made", "gone", "lost");
  for (const char* shape : {"primitives", "cones", "meshes", "lab"}) {
    Keys on_mujoco = mujoco;
    Keys on_ode = ode;
    on_mujoco.push_back(std::string("actors.bench.shape=") + shape);
    on_ode.push_back(std::string("actors.bench.shape=") + shape);
    compare_modes((std::string("mujoco ") + shape).c_str(), on_mujoco);
    compare_modes((std::string("ode ") + shape).c_str(), on_ode);
  }
  // seated from the start, as the paper's trays were filled; and with ODE's own error reduction
  for (const char* shape : {"primitives", "lab"}) {
    const std::string name = std::string(shape) + ", seated";
    const Keys seated{std::string("actors.bench.shape=") + shape, "actors.bench.start=seated"};
    Keys on_mujoco = mujoco;
    on_mujoco.insert(on_mujoco.end(), seated.begin(), seated.end());
    compare_modes(("mujoco " + name).c_str(), on_mujoco);
    Keys on_ode = ode;
    on_ode.insert(on_ode.end(), seated.begin(), seated.end());
    compare_modes(("ode " + name).c_str(), on_ode);
    on_ode.push_back("engine.error_reduction=0.2");
    compare_modes(("ode 0.2 " + name).c_str(), on_ode);
  }
  std::printf("\n100 s of starts, stops and turns, merged\n");
  soak("mujoco", mujoco);
  soak("ode", ode);
  show_growth("mujoco", mujoco);
  show_growth("ode", ode);
}
