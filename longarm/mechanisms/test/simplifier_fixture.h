// SPDX-License-Identifier: Apache-2.0
// Cells with parts on supports, run with a simplifier on every engine and in every mode.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "longarm/mechanisms/simplifier.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::mechanisms {

/// In cells that begin with the ground.
inline constexpr physics::BodyId kGround{0};

struct SimplifierCase {
  physics::EngineCase engine;
  std::string mode;
};

inline void PrintTo(const SimplifierCase& each, std::ostream* out) {
  PrintTo(each.engine, out);
  *out << ' ' << each.mode;
}

inline std::vector<SimplifierCase> all_simplifier_cases() {
  std::vector<SimplifierCase> cases;
  for (const char* mode : {"weld", "merge"}) {
    cases.push_back({{"mujoco", "newton"}, mode});
    cases.push_back({{"ode", "direct"}, mode});
    cases.push_back({{"ode", "quick"}, mode});
  }
  return cases;
}

inline std::string simplifier_case_name(const testing::TestParamInfo<SimplifierCase>& info) {
  return info.param.engine.engine + "_" + info.param.engine.solver + "_" + info.param.mode;
}

/// A cell, its engine and its simplifier.
class SimplifiedWorld {
 public:
  SimplifiedWorld(model::Cell made, const SimplifierCase& each, SimplifierConfig config = {})
      : cell(std::move(made)),
        engine(physics::built_in_engines().make(each.engine.engine, cell,
                                                {.solver = each.engine.solver})),
        simplifier(*engine, cell, with_mode(config, each.mode), std::chrono::milliseconds(1)) {}

  void step() {
    simplifier.before_step();
    engine->step();
    simplifier.after_step();
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      step();
    }
  }
  /// Pulls at `body` with a force that grows by 1 N/s along `direction` until it is parted from
  /// `support`, or up to `most_N`; `height_m` above its centre of mass. Returns the force.
  double pull_until_parted(physics::BodyId body, physics::BodyId support,
                           const model::Vector3& direction, double most_N, double height_m = 0.0) {
    double force_N = 0.0;
    while (simplifier.is_joined(body, support) && force_N < most_N) {
      force_N += 1e-3;
      const model::Vector3 force = force_N * direction;
      const model::Vector3 arm(0.0, 0.0, height_m);
      engine->apply_wrench(body, {force, arm.cross(force)});
      step();
    }
    return force_N;
  }

  model::Cell cell;
  std::unique_ptr<physics::Engine> engine;
  Simplifier simplifier;

 private:
  static SimplifierConfig with_mode(SimplifierConfig config, const std::string& mode) {
    config.mode = mode;
    return config;
  }
};

class SimplifierTest : public testing::TestWithParam<SimplifierCase> {
 protected:
  SimplifiedWorld world(model::Cell cell, const SimplifierConfig& config = {}) const {
    return SimplifiedWorld(std::move(cell), GetParam(), config);
  }
};

}  // namespace longarm::mechanisms
