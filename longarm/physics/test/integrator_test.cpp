// SPDX-License-Identifier: Apache-2.0
// MuJoCo's integrators: what a free swing keeps of its energy, and that motors and contacts do the
// same with both.
#include <cmath>

#include "longarm/core/diagnostic.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Vector3;

std::unique_ptr<Engine> make(const model::Cell& cell, const std::string& integrator) {
  return built_in_engines().make("mujoco", cell, {.integrator = integrator});
}

/// A rod of 1 m on a hinge, let go level.
model::Cell pendulum(double damping = 0.0) {
  model::TreeJoint joint = hinge(Vector3::UnitY());
  joint.dynamics.damping = damping;
  return one_joint(joint, make_mass(1.0, {1.0, 0.02, 0.02}, {0.5, 0.0, 0.0}));
}

/// Potential and kinetic, about the hinge: I = m/12 (b² + c²) + m/4.
double energy(const Engine& engine) {
  const double inertia = 1.0 / 12.0 * (1.0 + 0.02 * 0.02) + 0.25;
  const double angle = engine.positions()[0];
  const double speed = engine.velocities()[0];
  return 0.5 * inertia * speed * speed - kGravity * 0.5 * std::sin(angle);
}

TEST(Integrator, RungeKuttaKeepsTheEnergyOfASwing) {
  const auto worst = [](const std::string& integrator) {
    const auto engine = make(pendulum(), integrator);
    double most = 0.0;
    for (int i = 0; i < 10'000; ++i) {
      engine->step();
      most = std::max(most, std::abs(energy(*engine)));
    }
    return most;
  };
  // Euler's swings by half a step of the largest power, 0.5 ms · 19 W
  EXPECT_GT(worst("euler"), 1e-3);
  EXPECT_LT(worst("rk4"), 1e-9);
}

TEST(Integrator, RungeKuttaDampsAsTheEquationSays) {
  // without gravity: I·dw/dt = −d·w
  model::Cell cell = pendulum(0.5);
  cell.gravity_m_s2 = Vector3::Zero();
  const auto engine = make(cell, "rk4");
  engine->reset_joint(joint_id(0), 0.0, 1.0);
  run(*engine, 1000);
  const double inertia = 1.0 / 12.0 * (1.0 + 0.02 * 0.02) + 0.25;
  EXPECT_NEAR(engine->velocities()[0], std::exp(-0.5 / inertia), 1e-9);
}

TEST(Integrator, MotorsReachTheirGoalsWithinAStepWithBoth) {
  for (const char* integrator : {"euler", "rk4"}) {
    const auto engine = make(pendulum(), integrator);
    engine->set_velocity(joint_id(0), 0.3, 1e6);
    engine->step();
    EXPECT_NEAR(engine->velocities()[0], 0.3, 1e-9) << integrator;
    engine->set_position(joint_id(0), 0.01, 1e6);
    run(*engine, 2);
    EXPECT_NEAR(engine->positions()[0], 0.01, 1e-9) << integrator;
  }
}

TEST(Integrator, ABoxStaysOnTheGroundWithBoth) {
  for (const char* integrator : {"euler", "rk4"}) {
    const model::Cell cell =
        cell_of({ground(), free_body(make_box(1.0, {0.1, 0.1, 0.1}), {0, 0, 0.06})});
    const auto engine = make(cell, integrator);
    run(*engine, 1000);
    EXPECT_NEAR(engine->pose(body_id(1)).translation().z(), 0.05, 1e-4) << integrator;
    double force = 0.0;
    for (const Contact& contact : engine->contacts()) {
      force += std::abs(contact.force_on_b_W.z());
    }
    EXPECT_NEAR(force, kGravity, 0.01) << integrator;
  }
}

TEST(Integrator, RungeKuttaRepeatsFromASnapshot) {
  const auto engine = make(pendulum(), "rk4");
  run(*engine, 100);
  const Snapshot snapshot = engine->save();
  run(*engine, 100);
  const double angle = engine->positions()[0];
  engine->restore(snapshot);
  run(*engine, 100);
  EXPECT_EQ(engine->positions()[0], angle);
}

TEST(Integrator, UnknownOnesAreRefused) {
  for (const auto& [engine, valid] :
       {std::pair("mujoco", "euler, rk4"), std::pair("ode", "euler")}) {
    try {
      built_in_engines().make(engine, pendulum(), {.integrator = "leapfrog"});
      ADD_FAILURE() << engine;
    } catch (const InputError& error) {
      EXPECT_EQ(
          error.diagnostics().front().format(),
          std::string("error: unknown integrator 'leapfrog'\n  hint: valid names are: ") + valid);
    }
  }
}

TEST(ErrorReduction, OfOdeDecidesHowFastAnOverlapIsUndone) {
  // a box starts 50 µm in the ground; without gravity a step takes ERP of that
  const auto left_m = [](double error_reduction) {
    const model::Cell cell =
        cell_of({ground(), free_body(make_box(1.0, {0.1, 0.1, 0.1}), {0, 0, 0.04995})}, {0, 0, 0});
    const auto engine = built_in_engines().make("ode", cell, {.error_reduction = error_reduction});
    run(*engine, 1);
    return 0.05 - engine->pose(body_id(1)).translation().z();
  };
  EXPECT_NEAR(left_m(0.2), 40e-6, 1e-7);
  EXPECT_NEAR(left_m(0.6), 20e-6, 1e-7);
}

}  // namespace
}  // namespace longarm::physics
