// SPDX-License-Identifier: Apache-2.0
// What 86 beams cost beside the step of the cell that they guard.
#include <chrono>
#include <cstdio>
#include <string>

#include "longarm/config/data_files.h"
#include "longarm/config/ready.h"
#include "longarm/devices/light_curtain.h"
#include "longarm/mechanisms/simplifier.h"
#include "longarm/model/world.h"

namespace {

using namespace longarm;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kSteps = 2000;

/// The lab's cell, and a rod of 40 mm that stands in the first plane of beams or beside it.
model::Cell make_cell(bool has_rod) {
  InputFiles files;
  Diagnostics diagnostics;
  const model::World world = model::read_world_file(config::find_model_file("aprs", ""),
                                                    config::model_search(), files, diagnostics);
  model::Cell cell;
  cell.gravity_m_s2 = world.gravity_m_s2;
  cell.placements = model::make_placements(world, diagnostics);
  diagnostics.throw_if_errors();
  model::Placement rod;
  rod.name = "rod";
  rod.is_fixed = false;
  rod.X_WR.translation() = model::Vector3(has_rod ? 2.605 : 3.6, 0.0, 0.5);
  model::Body body;
  body.name = "rod";
  body.inertial.mass_kg = 5.0;
  body.inertial.inertia_kg_m2 = model::Vector3(0.42, 0.42, 0.001).asDiagonal();
  body.collisions.push_back({"rod", model::Pose::Identity(), model::Cylinder{0.02, 1.0}, {}});
  rod.tree.bodies.push_back(body);
  cell.placements.push_back(rod);
  return cell;
}

double microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count() / kSteps;
}

void measure(const std::string& engine_name, const std::string& mode, bool has_rod) {
  const model::Cell cell = make_cell(has_rod);
  const auto engine = physics::built_in_engines().make(engine_name, cell, {});
  mechanisms::SimplifierConfig config;
  config.mode = mode;
  mechanisms::Simplifier simplifier(*engine, cell, config, 1ms);
  const double lowest_m = 0.21184;
  devices::LightCurtain curtain(
      *engine, cell,
      {.poles = {{2.604690, 1.460951, lowest_m, 2.607221, -2.265362, lowest_m},
                 {-1.767010, -2.265653, lowest_m, 2.461106, -2.267904, lowest_m}}});
  for (int j = 0; j < engine->joint_count(); ++j) {
    engine->set_position(static_cast<physics::JointId>(j),
                         engine->positions()[static_cast<std::size_t>(j)], 1e9);
  }
  Clock::duration world{};
  Clock::duration beams{};
  for (int i = 0; i < kSteps; ++i) {
    const auto start = Clock::now();
    simplifier.before_step();
    engine->step();
    simplifier.after_step();
    const auto stepped = Clock::now();
    curtain.update(Time(1ms * i));
    world += stepped - start;
    beams += Clock::now() - stepped;
  }
  std::printf("%8s %8s %14s %8d %12.1f %12.2f %8.2f %%\n", engine_name.c_str(), mode.c_str(),
              has_rod ? "a rod" : "nothing", curtain.broken_beams(), microseconds(world),
              microseconds(beams), 100.0 * microseconds(beams) / microseconds(world));
}

}  // namespace

int main() {
  std::printf("the cell aprs, two pairs of poles with 43 beams each, evaluated every step\n\n");
  std::printf("%8s %8s %14s %8s %12s %12s %10s\n", "engine", "simplify", "in the beams", "broken",
              "step us", "beams us", "share");
  for (const char* engine : {"mujoco", "ode"}) {
    for (const char* mode : {"none", "weld", "merge"}) {
      for (const bool has_rod : {false, true}) {
        try {
          measure(engine, mode, has_rod);
        } catch (const InputError& error) {
          std::printf("%8s %8s: %s\n", engine, mode, error.what());
        }
      }
    }
  }
}
