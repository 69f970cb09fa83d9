// SPDX-License-Identifier: Apache-2.0
// Conformance: masses, gravity, efforts, damping, friction and stops against closed forms.
#include <cmath>

#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Vector3;

class Dynamics : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Engines, Dynamics, testing::ValuesIn(all_engines()), engine_name);

TEST_P(Dynamics, AFreeBodyFallsBySemiImplicitEuler) {
  const auto engine = make(cell_of({free_body(make_mass(2.0, {0.1, 0.2, 0.3}), {0, 0, 10})}));
  SKIP_UNLESS(engine, has_dynamics);
  run(*engine, 1000);
  // v = -g·n·h = -9.81; z = 10 - g·h²·n(n+1)/2 = 10 - 9.81e-6·500500 = 5.090095
  EXPECT_NEAR(engine->twist(body_id(0)).linear_W.z(), -9.81, 1e-9);
  EXPECT_NEAR(engine->pose(body_id(0)).translation().z(), 5.090095, 1e-9);
}

TEST_P(Dynamics, AFreeBodySpinsAboutItsCentreOfMass) {
  // without gravity the centre of mass, 0.1 m off the frame's origin, stays; the origin circles it
  const auto engine = make(cell_of(
      {free_body(make_mass(1.0, {0.1, 0.1, 0.1}, {0.1, 0, 0}), {0, 0, 0})}, Vector3::Zero()));
  SKIP_UNLESS(engine, has_dynamics);
  // ω × (origin - centre) = (0,0,3) × (-0.1,0,0) = (0,-0.3,0)
  engine->reset_body(body_id(0), model::Pose::Identity(), {{0, -0.3, 0}, {0, 0, 3}});
  run(*engine, 1000);
  const model::Pose X = engine->pose(body_id(0));
  // exact to first order in h: MuJoCo integrates the origin along its tangent, 3 rad · h/2 · 0.3
  // m/s
  EXPECT_NEAR((X * Vector3(0.1, 0, 0) - Vector3(0.1, 0, 0)).norm(), 0.0, 1e-3);
  EXPECT_NEAR((X.linear() * Vector3::UnitX() - Vector3(std::cos(3.0), std::sin(3.0), 0)).norm(),
              0.0, 1e-6);
}

/// Time between two passages through zero in the same direction, interpolated.
double measure_period(Engine& engine) {
  std::vector<double> crossings;
  double before = engine.positions()[0];
  for (int i = 1; i < 20000 && crossings.size() < 3; ++i) {
    engine.step();
    const double now = engine.positions()[0];
    if (before < 0.0 && now >= 0.0) {
      crossings.push_back((i - 1 + before / (before - now)) * kStep);
    }
    before = now;
  }
  return crossings.size() < 3 ? 0.0 : (crossings[2] - crossings[0]) / 2;
}

TEST_P(Dynamics, APendulumHasThePeriodOfItsEllipticIntegral) {
  // a rod of 1 kg hanging from a hinge: I = m/12(0.02² + 0.4²) + m·0.2², d = 0.2
  const double inertia = (0.02 * 0.02 + 0.4 * 0.4) / 12 + 0.2 * 0.2;
  for (const double amplitude : {0.05, 1.5}) {
    const auto engine =
        make(one_joint(hinge(Vector3::UnitY()), make_mass(1.0, {0.02, 0.02, 0.4}, {0, 0, -0.2})));
    SKIP_UNLESS(engine, has_dynamics);
    engine->reset_joint(joint_id(0), -amplitude, 0.0);
    // T = 4·sqrt(I/mgd)·K(sin(θ/2))
    const double period =
        4 * std::sqrt(inertia / (kGravity * 0.2)) * std::comp_ellint_1(std::sin(amplitude / 2));
    // Both are first order in h at large angles; 1 ms of some 1000 ms. QuickStep leaves residuals
    // of its own.
    EXPECT_NEAR(measure_period(*engine) / period, 1.0, is("ode", "quick") ? 5e-3 : 1e-3)
        << "amplitude " << amplitude;
  }
}

TEST_P(Dynamics, AnEffortAcceleratesInertiaAndRotor) {
  model::TreeJoint joint = hinge(Vector3::UnitZ());
  joint.dynamics.rotor_inertia_kg_m2 = 0.3;
  // I = 12/12·(0.3² + 0.4²) = 0.25 about the axis; with the rotor 0.55
  const auto engine = make(one_joint(joint, make_mass(12.0, {0.3, 0.4, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  engine->set_effort(joint_id(0), 1.1);
  run(*engine, 100);
  // v = n·h·τ/(I + J) = 0.1·1.1/0.55 = 0.2
  EXPECT_NEAR(engine->velocities()[0], 0.2, 1e-8);
  EXPECT_EQ(engine->efforts()[0], 1.1);
}

TEST_P(Dynamics, ARotorHasInertiaButNoWeight) {
  model::TreeJoint joint = slider(Vector3::UnitZ());
  joint.dynamics.rotor_inertia_kg_m2 = 1.0;
  const auto engine = make(one_joint(joint, make_mass(3.0, {0.1, 0.1, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  run(*engine, 100);
  // v = -n·h·g·m/(m + J) = -0.1·9.81·3/4
  EXPECT_NEAR(engine->velocities()[0], -0.1 * kGravity * 0.75, 1e-8);
}

TEST_P(Dynamics, AStiffDamperStopsAJointWithoutOvershoot) {
  model::TreeJoint joint = slider(Vector3::UnitX());
  joint.dynamics.damping = 10000.0;
  const auto engine = make(one_joint(joint, make_mass(1.0, {0.1, 0.1, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  engine->reset_joint(joint_id(0), 0.0, 1.1);
  engine->step();
  // implicit: m(v' - v) = -h·d·v', so v' = v/(1 + h·d/m) = 1.1/11; explicit would be -9.9
  EXPECT_NEAR(engine->velocities()[0], 0.1, 1e-6);
  engine->step();
  EXPECT_NEAR(engine->velocities()[0], 0.1 / 11, 1e-6);
}

TEST_P(Dynamics, DampingSlowsAHingeExponentially) {
  model::TreeJoint joint = hinge(Vector3::UnitZ());
  joint.dynamics.damping = 0.5;
  const auto engine = make(one_joint(joint, make_mass(12.0, {0.3, 0.4, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  engine->reset_joint(joint_id(0), 0.0, 2.0);
  run(*engine, 500);
  // v = v0·(1 + h·d/I)^-n with I = 0.25
  EXPECT_NEAR(engine->velocities()[0], 2.0 * std::pow(1 + 1e-3 * 0.5 / 0.25, -500), 1e-6);
}

TEST_P(Dynamics, DryFrictionHoldsUntilTheEffortExceedsIt) {
  model::TreeJoint joint = slider(Vector3::UnitX());
  joint.dynamics.friction = 4.0;
  const auto engine = make(one_joint(joint, make_mass(2.0, {0.1, 0.1, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  engine->set_effort(joint_id(0), 3.9);
  run(*engine, 500);
  // MuJoCo's friction creeps: its rows yield by 0.1 % of what they hold
  EXPECT_NEAR(engine->velocities()[0], 0.0, 1e-4);
  engine->reset_joint(joint_id(0), 0.0, 0.0);
  engine->set_effort(joint_id(0), 6.0);
  run(*engine, 500);
  // v = t·(6 - 4)/2 = 0.5
  EXPECT_NEAR(engine->velocities()[0], 0.5, 2e-3);
}

TEST_P(Dynamics, AStopHoldsAJointAgainstItsEffort) {
  model::TreeJoint joint = hinge(Vector3::UnitZ());
  joint.limits.lower = -0.2;
  joint.limits.upper = 0.3;
  const auto engine = make(one_joint(joint, make_mass(12.0, {0.3, 0.4, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  for (const double effort : {5.0, -5.0}) {
    engine->set_effort(joint_id(0), effort);
    run(*engine, 2000);
    // a milliradian of elastic yield
    EXPECT_NEAR(engine->positions()[0], effort > 0 ? 0.3 : -0.2, 1e-3);
    EXPECT_NEAR(engine->velocities()[0], 0.0, 1e-3);
  }
}

TEST_P(Dynamics, AStopBeyondOneTurnHoldsToo) {
  model::TreeJoint joint = hinge(Vector3::UnitZ());
  joint.limits.lower = -7.0;
  joint.limits.upper = 7.0;
  const auto engine = make(one_joint(joint, make_mass(12.0, {0.3, 0.4, 0.1})));
  engine->set_velocity(joint_id(0), 5.0, 100.0);
  // 100 N·m on 0.25 kg·m² take 12.5 ms to 5 rad/s, which costs 0.03 rad; it reaches 7 rad after 1.4
  // s
  run(*engine, 1300);
  EXPECT_NEAR(engine->positions()[0], 6.5, 4e-2);
  run(*engine, 700);
  EXPECT_NEAR(engine->positions()[0], 7.0, 5e-3);
}

TEST_P(Dynamics, AMimicFollowsItsLeader) {
  model::TreeJoint follower = slider(Vector3::UnitX());
  follower.mimic = model::MimicIndex{.joint = 0, .multiplier = -2.0, .offset = 0.05};
  const auto engine =
      make(cell_of({mechanism({{slider(Vector3::UnitX()), make_mass(1.0, {0.1, 0.1, 0.1})},
                               {follower, make_mass(0.2, {0.1, 0.1, 0.1})}})}));
  EXPECT_DOUBLE_EQ(engine->positions()[1], 0.05);
  engine->set_velocity(joint_id(0), 0.1, 100.0);
  run(*engine, 1000);
  EXPECT_NEAR(engine->positions()[0], 0.1, 1e-3);
  EXPECT_NEAR(engine->positions()[1], 0.05 - 2.0 * engine->positions()[0], 1e-4);
  EXPECT_NEAR(engine->velocities()[1], -0.2, 1e-3);
}

TEST_P(Dynamics, AWrenchActsAtTheCentreOfMassForOneStep) {
  const auto engine = make(cell_of(
      {free_body(make_mass(2.0, {0.3, 0.4, 0.5}, {0.1, 0, 0}), {0, 0, 0})}, Vector3::Zero()));
  SKIP_UNLESS(engine, has_dynamics);
  engine->apply_wrench(body_id(0), {{4.0, 0, 0}, {0, 0, 0.5}});
  run(*engine, 2);
  // Δv = h·F/m = 2e-3 along x; Izz = 2/12·(0.09 + 0.16) = 0.0416667, Δω = h·0.5/Izz = 0.012
  const Twist twist = engine->twist(body_id(0));
  // the origin turns about the centre of mass meanwhile: 0.1·0.012²·h = 1.4e-8
  EXPECT_NEAR(twist.linear_W.x(), 2e-3, 1e-7);
  EXPECT_NEAR(twist.angular_W.z(), 0.012, 1e-8);
}

TEST_P(Dynamics, AnEffortAlsoPushesAMovingBase) {
  // A free body carries a slider; internal forces keep the common centre of mass at rest.
  model::Placement pair = mechanism({{slider(Vector3::UnitX()), make_mass(1.0, {0.1, 0.1, 0.1})}});
  pair.tree.bodies[0] = make_mass(3.0, {0.2, 0.2, 0.2});
  pair.is_fixed = false;
  const auto engine = make(cell_of({pair}, Vector3::Zero()));
  SKIP_UNLESS(engine, has_dynamics);
  engine->set_effort(joint_id(0), 6.0);
  run(*engine, 100);
  // child +6/1·t = 0.6, base -6/3·t = -0.2, so the joint moves at 0.8
  EXPECT_NEAR(engine->velocities()[0], 0.8, 1e-6);
  EXPECT_NEAR(engine->twist(body_id(0)).linear_W.x(), -0.2, 1e-6);
}

// ---- two links against their equations of motion ----

/// Planar arm in the x-z plane, hinges about -y so that positive angles lift; rods 0.3 and 0.25 m.
struct TwoLinks {
  double m1 = 2.0, m2 = 1.0, l1 = 0.3, c1 = 0.15, c2 = 0.125;
  double i1 = 2.0 / 12 * (0.3 * 0.3 + 0.02 * 0.02), i2 = 1.0 / 12 * (0.25 * 0.25 + 0.02 * 0.02);

  model::Cell cell() const {
    const Vector3 axis = -Vector3::UnitY();
    model::Body first = make_mass(m1, {l1, 0.02, 0.02}, {c1, 0, 0});
    model::Body second = make_mass(m2, {2 * c2, 0.02, 0.02}, {c2, 0, 0});
    return cell_of(
        {mechanism({{make_joint(model::JointType::kRevolute, axis), first},
                    {make_joint(model::JointType::kRevolute, axis, 1, {l1, 0, 0}), second}})});
  }

  /// M(q)·a + c(q, v) + g(q) = τ, by hand.
  Eigen::Vector2d acceleration(const Eigen::Vector2d& q, const Eigen::Vector2d& v,
                               const Eigen::Vector2d& effort) const {
    const double c = std::cos(q[1]);
    const double s = m2 * l1 * c2 * std::sin(q[1]);
    Eigen::Matrix2d M;
    M(1, 1) = i2 + m2 * c2 * c2;
    M(0, 1) = M(1, 0) = M(1, 1) + m2 * l1 * c2 * c;
    M(0, 0) = i1 + m1 * c1 * c1 + m2 * l1 * l1 + 2 * m2 * l1 * c2 * c + M(1, 1);
    const double outer = m2 * kGravity * c2 * std::cos(q[0] + q[1]);
    const Eigen::Vector2d bias(-s * (2 * v[0] * v[1] + v[1] * v[1]) +
                                   (m1 * c1 + m2 * l1) * kGravity * std::cos(q[0]) + outer,
                               s * v[0] * v[0] + outer);
    return M.ldlt().solve(effort - bias);
  }
};

TEST_P(Dynamics, TwoLinksMoveByTheirEquationsOfMotion) {
  const TwoLinks arm;
  const auto engine = make(arm.cell());
  SKIP_UNLESS(engine, has_dynamics);
  Eigen::Vector2d q(0.4, -0.9);
  Eigen::Vector2d v(1.0, -2.0);
  const Eigen::Vector2d effort(6.0, 1.0);
  for (int j = 0; j < 2; ++j) {
    engine->reset_joint(joint_id(j), q[j], v[j]);
    engine->set_effort(joint_id(j), effort[j]);
  }
  for (int i = 0; i < 400; ++i) {
    v += kStep * arm.acceleration(q, v, effort);
    q += kStep * v;
    engine->step();
  }
  // MuJoCo solves the same equations. ODE feels centripetal forces only through joint errors, one
  // step late.
  const double tolerance = is("mujoco") ? 1e-9 : is("ode", "direct") ? 1e-2 : 5e-2;
  for (int j = 0; j < 2; ++j) {
    EXPECT_NEAR(engine->positions()[static_cast<std::size_t>(j)], q[j], tolerance);
    EXPECT_NEAR(engine->velocities()[static_cast<std::size_t>(j)], v[j], 10 * tolerance);
  }
}

}  // namespace
}  // namespace longarm::physics
