// SPDX-License-Identifier: Apache-2.0
// Oracles of the world: falling, swinging, motors, and what an arm weighs in its joints.
#include <cmath>
#include <memory>
#include <stdexcept>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "labs/oracles/experiment.h"
#include "labs/oracles/groups.h"
#include "longarm/motion/kinematics.h"
#include "longarm/physics/engine.h"

namespace longarm::oracles {
namespace {

constexpr const char* kPhysicsGroup = "physics";
constexpr double kStep_s = 1e-3;
constexpr physics::JointId kFirst{0};

/// 2 kg, 0.02 kg·m² about every axis through its centre.
model::Body weight(const model::Vector3& centre) {
  model::Body body;
  body.name = "weight";
  body.inertial.mass_kg = 2.0;
  body.inertial.X_LC.translation() = centre;
  body.inertial.inertia_kg_m2 = 0.02 * model::Matrix3::Identity();
  return body;
}

/// That weight on one joint of a fixed base, 0.5 m from it where it turns.
std::unique_ptr<physics::Engine> one_joint(const std::string& engine, model::JointType type,
                                           const model::Vector3& axis, double start) {
  model::Placement placement;
  placement.name = "mechanism";
  placement.tree.bodies.emplace_back().name = "base";
  const bool turns = type == model::JointType::kRevolute;
  placement.tree.bodies.push_back(
      weight(turns ? model::Vector3(0.0, 0.0, -0.5) : model::Vector3::Zero()));
  model::TreeJoint joint;
  joint.name = "joint";
  joint.type = type;
  joint.axis = axis;
  placement.tree.joints.push_back(joint);
  placement.initial_positions = {start};
  model::Cell cell;
  cell.placements.push_back(placement);
  return physics::built_in_engines().make(engine, cell, physics::EngineOptions{});
}

Comparison compare_fall(const std::string& engine) {
  // with each step v grows by g h before it moves the body: after N steps g h² N (N+1)/2
  constexpr int kSteps = 500;
  const auto world = one_joint(engine, model::JointType::kPrismatic, model::Vector3::UnitZ(), 0.0);
  for (int i = 0; i < kSteps; ++i) {
    world->step();
  }
  return {-0.5 * kGravity_m_s2 * kStep_s * kStep_s * kSteps * (kSteps + 1), world->positions()[0],
          1e-9, "rounding of 500 steps; the integrator is semi-implicit Euler's"};
}

Comparison compare_pendulum(const std::string& engine) {
  // I = 0.02 + m l², swinging with 1 rad: T = 4 √(I/(m g l)) K(sin ½)
  constexpr double kInertia = 0.02 + 2.0 * 0.25;
  const double omega = std::sqrt(2.0 * kGravity_m_s2 * 0.5 / kInertia);
  const double expected = 4.0 / omega * std::comp_ellint_1(std::sin(0.5));

  // from the first to the twenty-first passage downwards through zero
  const auto world = one_joint(engine, model::JointType::kRevolute, model::Vector3::UnitY(), 1.0);
  double first_s = 0.0;
  int passages = 0;
  double before = world->positions()[0];
  for (int i = 1; i < 60'000; ++i) {
    world->step();
    const double now = world->positions()[0];
    if (before > 0.0 && now <= 0.0) {
      const double at_s = kStep_s * (i - 1 + before / (before - now));
      first_s = passages == 0 ? at_s : first_s;
      if (passages++ == 20) {
        return {expected, (at_s - first_s) / 20.0, expected * std::pow(omega * kStep_s, 2),
                "the integrator's second order, (ω h)² of the period"};
      }
    }
    before = now;
  }
  throw std::runtime_error("the pendulum does not swing");
}

Comparison compare_motor(const std::string& engine) {
  // 3 N on 2 kg for 100 of 1000 steps to 0.5 m/s: v = F t/m
  const auto world = one_joint(engine, model::JointType::kPrismatic, model::Vector3::UnitX(), 0.0);
  world->set_velocity(kFirst, 0.5, 3.0);
  for (int i = 0; i < 100; ++i) {
    world->step();
  }
  return {0.15, world->velocities()[0], 1e-9, "rounding of 100 steps"};
}

// ---- the arm ----

constexpr double kPose_rad[] = {0.3, -0.7, 0.9, -0.4, 0.5, 0.2};

/// A UR5 that stands still in that pose.
Recording hold_ur5(const std::string& engine, const std::string& servo) {
  const std::string pose = fmt::format("[{}]", fmt::join(kPose_rad, ", "));
  return record_text(
      fmt::format("engine: {}\n"
                  "robot: {{model: ur5, end_effector: tool0, home_rad: {}}}\n"
                  "task: {{path: step, joints_rad: [{}], hold: 3s}}\n"
                  "gain: 10\n"
                  "servo: {}\n",
                  engine, pose, pose, servo));
}

/// How much the arm's weight turns a joint: the slope of its potential energy, by differences.
double gravity_effort(const Recording& run, std::size_t joint) {
  const model::BodyTree& tree = run.prepared.model.placements.front().tree;
  const motion::Kinematics kinematics(tree);
  std::vector<model::Pose> poses(tree.bodies.size());
  const auto energy = [&](double change) {
    std::vector<double> q = run.last_positions;
    q[joint] += change;
    kinematics.forward(q, poses);
    double sum = 0.0;
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const model::Inertial& inertial = tree.bodies[i].inertial;
      sum += inertial.mass_kg * kGravity_m_s2 * (poses[i] * inertial.X_LC.translation()).z();
    }
    return sum;
  };
  constexpr double kDifference_rad = 1e-4;
  return (energy(kDifference_rad) - energy(-kDifference_rad)) / (2.0 * kDifference_rad);
}

Comparison compare_weight(const std::string& engine) {
  const Recording run = hold_ur5(engine, "ideal");
  return {gravity_effort(run, 1), run.last_efforts.at(1), 1e-5,
          "differences of 1e-4 rad know the slope to 1e-7; the engine's motors yield a little"};
}

Comparison compare_sag(const std::string& engine) {
  // at rest the servo's kv K e carries the weight; both sides at the place where it rests
  const Recording run =
      hold_ur5(engine,
               "{model: pid, p: [100, 100, 100, 50, 50, 50], gravity_compensation: false, "
               "rotor_inertia_kg_m2: [0.5, 0.5, 0.5, 0.35, 0.35, 0.35]}");
  return {1e3 * gravity_effort(run, 1) / (100.0 * 10.0),
          1e3 * (kPose_rad[1] - run.last_positions.at(1)), 1e-6,
          "e^(-10/s · 3 s) of the start is 1e-13; differences know the weight to 1e-7"};
}

Comparison compare_no_sag(const std::string& engine) {
  const Recording run = hold_ur5(engine,
                                 "{model: pid, p: [100, 100, 100, 50, 50, 50], "
                                 "rotor_inertia_kg_m2: [0.5, 0.5, 0.5, 0.35, 0.35, 0.35]}");
  return {0.0, 1e3 * (kPose_rad[1] - run.last_positions.at(1)), 1e-6,
          "the servo's model and the engine's agree to rounding, amplified by 1/(kv K)"};
}

Comparison compare_kinematics() {
  // Denavit and Hartenberg's parameters as the maker publishes them: d, a, α
  struct Link {
    double d;
    double a;
    double alpha;
  };
  const double quarter = std::acos(0.0);
  const Link links[] = {{0.089159, 0.0, quarter}, {0.0, -0.425, 0.0},       {0.0, -0.39225, 0.0},
                        {0.10915, 0.0, quarter},  {0.09465, 0.0, -quarter}, {0.0823, 0.0, 0.0}};
  const Recording run = hold_ur5("mujoco", "ideal");
  // the maker's base is turned by half a turn against base_link
  Eigen::Affine3d pose(Eigen::AngleAxisd(2.0 * quarter, Eigen::Vector3d::UnitZ()));
  for (std::size_t i = 0; i < 6; ++i) {
    pose = pose * Eigen::AngleAxisd(run.last_positions.at(i), Eigen::Vector3d::UnitZ()) *
           Eigen::Translation3d(links[i].a, 0.0, links[i].d) *
           Eigen::AngleAxisd(links[i].alpha, Eigen::Vector3d::UnitX());
  }
  const Eigen::Map<const Eigen::Vector3d> tool(run.last_end_effector.data());
  return {0.0, 1e3 * (pose.translation() - tool).norm(), 1e-6, "rounding of a chain of six"};
}

}  // namespace

void add_physics_oracles(std::vector<Oracle>& all) {
  for (const std::string engine : {"mujoco", "ode"}) {
    const auto add = [&](const char* name, const char* what, const char* unit, auto compare) {
      all.push_back({fmt::format("{}-{}", name, engine), kPhysicsGroup,
                     fmt::format("{} ({})", what, engine), unit,
                     [engine, compare] { return compare(engine); }});
    };
    add("free-fall",
        "half a second of free fall in N steps of h: g h² N (N + 1) / 2, as the engines step", "m",
        compare_fall);
    add("pendulum-period", "a pendulum of 1 rad swings as the elliptic integral says", "s",
        compare_pendulum);
    add("motor-force-limit", "a motor of 3 N gives 2 kg 1.5 m/s²", "m/s", compare_motor);
    add("arm-weight", "a UR5's shoulder holds what virtual work says the arm weighs", "N·m",
        compare_weight);
    add("arm-sag", "without compensation it sags by that weight over kv K", "mrad", compare_sag);
    add("arm-compensated", "with compensation of its weight it does not sag", "mrad",
        compare_no_sag);
  }
  all.push_back({"arm-kinematics", kPhysicsGroup,
                 "a UR5's tool is where Denavit and Hartenberg's parameters put it", "mm",
                 compare_kinematics});
}

}  // namespace longarm::oracles
