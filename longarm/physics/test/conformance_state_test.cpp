// SPDX-License-Identifier: Apache-2.0
// Conformance: what is read is the present instant; states repeat and restore bit by bit; bad input
// is refused.
#include <cmath>
#include <cstring>
#include <functional>
#include <thread>

#include "longarm/core/diagnostic.h"
#include "longarm/core/hash.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Vector3;

class State : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Engines, State, testing::ValuesIn(all_engines()), engine_name);

/// An arm that sweeps into a pile of boxes on the floor.
model::Cell busy_cell() {
  std::vector<model::Placement> placements{ground(0.6), six_joint_arm()};
  for (int i = 0; i < 3; ++i) {
    placements.push_back(
        free_body(make_box(0.4, {0.08, 0.08, 0.08}, 0.5), {0.75, 0.02 * i, 0.041 + 0.081 * i}));
  }
  return cell_of(placements);
}

/// Commands that depend on the step number alone: lean over and sweep, some motors too weak.
void command_arm(Engine& engine, int step) {
  const double t = step * kStep;
  engine.set_velocity(joint_id(0), 0.8 * std::sin(9 * t), 150.0);
  engine.set_velocity(joint_id(1), t < 1.0 ? 1.75 : 0.0, 150.0);
  engine.set_velocity(joint_id(2), 0.3 * std::sin(5 * t), 30.0);
  engine.set_velocity(joint_id(3), 0.5, 28.0);
  engine.set_velocity(joint_id(4), std::cos(20 * t), 0.01);
  engine.set_effort(joint_id(5), 0.01);
}

void add_state(Hash& hash, const Engine& engine) {
  hash.add(engine.positions());
  hash.add(engine.velocities());
  hash.add(engine.efforts());
  for (int b = 0; b < 11; ++b) {
    const model::Pose X = engine.pose(body_id(b));
    hash.add(std::span<const double>(X.data(), 16));
  }
  for (const Contact& contact : engine.contacts()) {
    hash.add(std::span<const double>(contact.force_on_b_W.data(), 3));
  }
}

std::uint64_t simulate(Engine& engine, int first, int last) {
  Hash hash;
  for (int i = first; i < last; ++i) {
    command_arm(engine, i);
    engine.step();
    add_state(hash, engine);
  }
  return hash.value();
}

TEST_P(State, RepeatsBitByBit) {
  const auto first = make(busy_cell());
  const auto second = make(busy_cell());
  EXPECT_EQ(simulate(*first, 0, 1500), simulate(*second, 0, 1500));
}

TEST_P(State, TheBusyCellIsBusy) {
  // guards the tests around it: the arm does meet the boxes
  const auto engine = make(busy_cell());
  SKIP_UNLESS(engine, has_contacts);
  bool has_met = false;
  for (int i = 0; i < 1500; ++i) {
    command_arm(*engine, i);
    engine->step();
    for (const Contact& contact : engine->contacts()) {
      const int low = std::min(static_cast<int>(contact.a), static_cast<int>(contact.b));
      has_met = has_met || (low >= 2 && low <= 7);
    }
  }
  EXPECT_TRUE(has_met);
}

TEST_P(State, IsTheSameInEightThreads) {
  const auto alone = make(busy_cell());
  SKIP_UNLESS(alone, is_thread_deterministic);
  const std::uint64_t expected = simulate(*alone, 0, 1200);
  std::vector<std::uint64_t> found(8);
  std::vector<std::thread> threads;
  for (std::uint64_t& hash : found) {
    threads.emplace_back([this, &hash] {
      const auto engine = make(busy_cell());
      hash = simulate(*engine, 0, 1200);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(found, std::vector<std::uint64_t>(8, expected));
}

TEST_P(State, RestoresBitByBit) {
  const auto engine = make(busy_cell());
  SKIP_UNLESS(engine, restores_exactly);
  simulate(*engine, 0, 900);
  std::optional<AttachmentId> attachment;
  if (engine->capabilities().has_attachments) {
    attachment = engine->attach(body_id(7), body_id(8));
    engine->set_pair_collision(body_id(9), body_id(10), false);
  }
  simulate(*engine, 900, 950);
  const Snapshot snapshot = engine->save();
  Hash now;
  add_state(now, *engine);
  const std::uint64_t first = simulate(*engine, 950, 1300);
  if (attachment) {
    engine->detach(*attachment);
    engine->set_pair_collision(body_id(9), body_id(10), true);
  }
  simulate(*engine, 0, 10);

  engine->restore(snapshot);
  Hash then;
  add_state(then, *engine);
  EXPECT_EQ(then.value(), now.value());
  EXPECT_EQ(simulate(*engine, 950, 1300), first);
  // into an engine that never was there
  const auto other = make(busy_cell());
  other->restore(snapshot);
  EXPECT_EQ(simulate(*other, 950, 1300), first);
}

TEST_P(State, PosesAreThoseOfThePresentPositions) {
  const auto engine = make(cell_of({six_joint_arm()}));
  for (int i = 0; i < 300; ++i) {
    command_arm(*engine, i);
    engine->step();
  }
  // forward kinematics by hand: up by the length of the link below, turn about z or y
  const double below[] = {0.1, 0.09, 0.42, 0.39, 0.11, 0.09};
  model::Pose X = model::Pose::Identity();
  for (int j = 0; j < 6; ++j) {
    X = X * Eigen::Translation3d(0, 0, below[j]) *
        Eigen::AngleAxisd(engine->positions()[static_cast<std::size_t>(j)],
                          (j == 0 || j == 4) ? Vector3::UnitZ() : Vector3::UnitY());
    const model::Pose found = engine->pose(body_id(j + 1));
    // ODE's joints open by microns; with QuickStep by more
    const double tolerance = is("ode", "quick") ? 5e-3 : is("ode") ? 1e-4 : 1e-12;
    EXPECT_NEAR((found.matrix() - X.matrix()).norm(), 0.0, tolerance) << "body " << j + 1;
  }
}

TEST_P(State, TwistsAreTheRatesOfPoses) {
  const auto engine = make(cell_of({six_joint_arm()}));
  const double velocities[] = {0.5, -0.4, 0.3, 0.2, -0.6, 0.7};
  for (int j = 0; j < 6; ++j) {
    engine->reset_joint(joint_id(j), 0.1 * (j + 1), velocities[j]);
  }
  const model::Pose before = engine->pose(body_id(6));
  const Twist twist = engine->twist(body_id(6));
  constexpr double kSmall = 1e-6;
  for (int j = 0; j < 6; ++j) {
    engine->reset_joint(joint_id(j), 0.1 * (j + 1) + kSmall * velocities[j], velocities[j]);
  }
  const model::Pose after = engine->pose(body_id(6));
  const Vector3 rate = (after.translation() - before.translation()) / kSmall;
  EXPECT_NEAR((rate - twist.linear_W).norm(), 0.0, 1e-5);
  const Eigen::AngleAxisd turn(model::Matrix3(after.linear() * before.linear().transpose()));
  EXPECT_NEAR((turn.axis() * turn.angle() / kSmall - twist.angular_W).norm(), 0.0, 1e-5);
}

TEST_P(State, StartsAtTheInitialPositions) {
  model::Cell cell = cell_of({six_joint_arm()});
  cell.placements[0].initial_positions = {0.1, 0.2, 0.3, 0.4, 0.5, 4.0};
  const auto engine = make(cell);
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_DOUBLE_EQ(engine->positions()[j], cell.placements[0].initial_positions[j]);
    EXPECT_EQ(engine->velocities()[j], 0.0);
  }
  engine->set_velocity(joint_id(5), 1.0, 1e4);
  engine->step();
  // 4 rad is more than half a turn and must not come back as 4 - 2π
  EXPECT_NEAR(engine->positions()[5], 4.001, is("ode", "quick") ? 1e-3 : 1e-8);
}

TEST_P(State, JointsOfAStaticModelStay) {
  model::Cell cell =
      one_joint(hinge(Vector3::UnitY()), make_mass(1.0, {0.1, 0.1, 0.1}, {0.2, 0, 0}));
  cell.placements[0].tree.is_static = true;
  cell.placements[0].initial_positions = {0.3};
  const auto engine = make(cell);
  engine->set_velocity(joint_id(0), 1.0, 100.0);
  run(*engine, 100);
  EXPECT_EQ(engine->positions()[0], 0.3);
  EXPECT_NEAR(engine->pose(body_id(1)).linear()(0, 0), std::cos(0.3), 1e-12);
}

TEST_P(State, BodiesAndJointsAreNumberedThroughAllPlacements) {
  // a branching tree whose joints are not in depth-first order, behind a free body
  model::Placement tree = mechanism({{slider(Vector3::UnitX()), make_mass(1, {0.1, 0.1, 0.1})},
                                     {slider(Vector3::UnitY()), make_mass(1, {0.1, 0.1, 0.1})},
                                     {make_joint(model::JointType::kPrismatic, Vector3::UnitZ(), 1),
                                      make_mass(1, {0.1, 0.1, 0.1})}});
  const auto engine =
      make(cell_of({free_body(make_mass(1, {0.1, 0.1, 0.1}), {5, 5, 5}), tree}, Vector3::Zero()));
  const double positions[] = {0.1, 0.2, 0.3};
  for (int j = 0; j < 3; ++j) {
    engine->reset_joint(joint_id(j), positions[j], 0.0);
    EXPECT_NEAR(engine->positions()[static_cast<std::size_t>(j)], positions[j], 1e-12);
  }
  EXPECT_NEAR((engine->pose(body_id(0)).translation() - Vector3(5, 5, 5)).norm(), 0, 1e-12);
  EXPECT_NEAR((engine->pose(body_id(2)).translation() - Vector3(0.1, 0, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((engine->pose(body_id(3)).translation() - Vector3(0, 0.2, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((engine->pose(body_id(4)).translation() - Vector3(0.1, 0, 0.3)).norm(), 0, 1e-12);
}

TEST_P(State, AnEmptyCellSteps) {
  const auto engine = make(cell_of({}));
  engine->step();
  EXPECT_EQ(engine->joint_count(), 0);
}

TEST_P(State, ARunThatBlowsUpEndsInNumbersThatAreNotFinite) {
  const auto engine = make(one_joint(slider(Vector3::UnitX()), make_box(1.0, {0.1, 0.1, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  engine->set_effort(joint_id(0), 1e308);
  for (int i = 0; i < 20; ++i) {
    engine->set_effort(joint_id(0), engine->velocities()[0] * 1e300 + 1e308);
    engine->step();
  }
  EXPECT_FALSE(std::isfinite(engine->velocities()[0]));
}

/// The full text of what a user reads.
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.diagnostics().at(0).format();
  }
  return "accepted";
}

TEST(EngineInput, AnUnknownSolverIsRefusedWithTheValidOnes) {
  const auto make = [](const std::string& engine, const std::string& solver) {
    return refusal([&] { built_in_engines().make(engine, model::Cell{}, {.solver = solver}); });
  };
  EXPECT_EQ(make("mujoco", "simplex"),
            "error: unknown solver 'simplex'\n  hint: valid names are: newton, noslip, cg");
  EXPECT_EQ(make("ode", "quik"), "error: unknown solver 'quik'\n  hint: did you mean 'quick'?");
  EXPECT_EQ(make("kinematic", "quick"),
            "error: unknown solver 'quick'\n  hint: valid names are: none");
}

TEST(EngineInput, AMovingBodyWithoutMassIsRefused) {
  model::Body body = make_mass(0.0, {0.1, 0.1, 0.1});
  body.name = "gripper";
  body.where = {"robot.urdf", 12, 3};
  for (const std::string engine : {"mujoco", "ode"}) {
    EXPECT_EQ(refusal([&] {
                built_in_engines().make(engine, cell_of({free_body(body, {0, 0, 0})}), {});
              }),
              "robot.urdf:12:3: error: body 'gripper' moves but has no mass\n"
              "  hint: give its link an <inertial> element, or fix it to the world");
  }
}

TEST(EngineInput, AMovingHalfSpaceIsRefused) {
  model::Body body = make_mass(1.0, {0.1, 0.1, 0.1});
  body.collisions.push_back(make_shape(model::HalfSpace{}));
  for (const std::string engine : {"mujoco", "ode"}) {
    EXPECT_EQ(refusal([&] {
                built_in_engines().make(engine, cell_of({free_body(body, {0, 0, 0})}), {});
              }),
              "error: body 'body' moves but has a half space\n"
              "  hint: only what is fixed to the world can have one");
  }
}

TEST(EngineInput, TheBuiltInEnginesHaveNames) {
  EXPECT_EQ(built_in_engines().names(), (std::vector<std::string>{"kinematic", "mujoco", "ode"}));
}

}  // namespace
}  // namespace longarm::physics
