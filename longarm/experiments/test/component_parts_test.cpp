// SPDX-License-Identifier: Apache-2.0
// The pieces of a system of components one by one: the arm's model, statistics, rules, and what the
// programs around a hand compute.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/experiments/component_armar.h"
#include "longarm/experiments/component_figures.h"
#include "longarm/model/model_file.h"
#include "longarm/scenario/ready.h"

namespace longarm::experiments {
namespace {

using components::LoopCycle;
using namespace std::chrono_literals;

constexpr double kDegree = std::numbers::pi / 180.0;

model::BodyTree armar_tree() {
  Diagnostics diagnostics;
  const model::Model model =
      model::read_model_file(scenario::find_model_file("armar3", "armar3"), diagnostics);
  model::BodyTree tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  return tree;
}

/// From the arm's mount, in mm.
model::Vector3 tcp_mm(const std::vector<double>& q) {
  const motion::Kinematics kinematics(armar_tree());
  const motion::Pose X_RM = kinematics.pose_of(kinematics.frame("left_arm_mount"), q);
  const motion::Pose X_RT = kinematics.pose_of(kinematics.frame("tcp_l"), q);
  return 1e3 * (X_RM.inverse() * X_RT).translation();
}

// The public description's own values, given to the micrometre.
TEST(Armar3, HasItsHandWhereThePublicDescriptionHasIt) {
  EXPECT_NEAR((tcp_mm({0, 0, 0, 0, 0, 0, 0}) - model::Vector3(-87.478, 390.0, -297.496)).norm(), 0,
              1e-3);
  EXPECT_NEAR(
      (tcp_mm({0, -75 * kDegree, 0, 0, 0, 0, 0}) - model::Vector3(-310.0, 390.0, 7.5)).norm(), 0,
      1e-3);
  EXPECT_NEAR(
      (tcp_mm({0, 0, 0, -90 * kDegree, 0, 0, 0}) - model::Vector3(-183.241, 20.0, -654.888)).norm(),
      0, 1e-3);
}

// 3.65 + 2.5 + 1.55685 + 1.15744 + 2.26566 + 1.29945 + 2.59945 kg
TEST(Armar3, WeighsWhatItsLinksWeigh) {
  double mass_kg = 0.0;
  for (const model::Body& body : armar_tree().bodies) {
    mass_kg += body.inertial.mass_kg;
  }
  EXPECT_NEAR(mass_kg, 15.02885, 1e-9);
}

TEST(JointVelocities, MoveTheHandAsAsked) {
  const model::BodyTree tree = armar_tree();
  const motion::Kinematics kinematics(tree);
  const int hand = kinematics.frame("tcp_l");
  const std::vector<double> q{0.1, -0.4, 0.1, -0.3, 0.05, 0.02, -0.03};
  const model::Vector3 wanted(0.05, -0.02, 0.03);
  const std::vector<double> q_dot = joint_velocities(kinematics, tree, hand, q, wanted);
  motion::Jacobian jacobian;
  kinematics.jacobian(hand, q, jacobian);
  const model::Vector3 got =
      jacobian.topRows(3) * Eigen::Map<const Eigen::VectorXd>(q_dot.data(), 7);
  EXPECT_NEAR((got - wanted).norm(), 0.0, 1e-12);
}

TEST(JointVelocities, KeepTheDirectionWhenAJointWouldBeTooFast) {
  const model::BodyTree tree = armar_tree();
  const motion::Kinematics kinematics(tree);
  const int hand = kinematics.frame("tcp_l");
  const std::vector<double> q{0.1, -0.4, 0.1, -0.3, 0.05, 0.02, -0.03};
  const std::vector<double> q_dot =
      joint_velocities(kinematics, tree, hand, q, model::Vector3(50.0, 0.0, 0.0));
  double fastest = 0.0;
  for (const double each : q_dot) {
    fastest = std::max(fastest, std::abs(each));
  }
  EXPECT_NEAR(fastest, 1.0, 1e-12);  // the model's limit
  motion::Jacobian jacobian;
  kinematics.jacobian(hand, q, jacobian);
  const model::Vector3 got =
      jacobian.topRows(3) * Eigen::Map<const Eigen::VectorXd>(q_dot.data(), 7);
  EXPECT_GT(got.normalized().x(), 0.9999);
}

TEST(PathLeader, SlowsDownBeforeACornerAndGoesOnToTheNext) {
  PathLeader leader({{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}}, 0.1, 5.0);
  EXPECT_NEAR(leader.velocity({0.0, -0.5, 0.0}).y(), 0.1, 1e-15);
  // 10 mm before the corner: 5/s · 10 mm
  EXPECT_NEAR(leader.velocity({0.0, -0.01, 0.0}).y(), 0.05, 1e-15);
  EXPECT_NEAR(leader.velocity({0.0, -0.001, 0.0}).x(), 0.1, 1e-6);
  EXPECT_EQ(leader.corners_reached(), 1U);
}

LoopCycle cycle(Duration at, Duration length) {
  return {Time{at}, Time{at + length}, 2, false};
}

// 1, 1, 1 and 3 ms: mean 1.5, squares about it 3 · 0.25 + 2.25 = 3, SD = √(3/3) = 1, interval
// 1.96 · 1/√4 = 0.98; the one of 9 ms began before the others count
TEST(CycleFigures, AreThoseOfTheCyclesThatCount) {
  const std::vector<LoopCycle> cycles{cycle(0ms, 9ms), cycle(10ms, 1ms), cycle(20ms, 1ms),
                                      cycle(30ms, 3ms), cycle(40ms, 1ms)};
  const CycleFigures figures = figures_of(cycles, Time{5ms});
  EXPECT_EQ(figures.count, 4U);
  EXPECT_NEAR(figures.mean_s, 1.5e-3, 1e-15);
  EXPECT_NEAR(figures.deviation_s, 1e-3, 1e-15);
  EXPECT_NEAR(figures.confidence_s, 0.98e-3, 1e-15);
  EXPECT_EQ(figures.p50_s, 1e-3);
  EXPECT_EQ(figures.p99_s, 3e-3);
  // within the data, not in the middle of a bin
  EXPECT_NEAR(figures.peak_low_s, 1e-3, 1e-12);
  EXPECT_NEAR(figures.peak_high_s.value_or(0.0), 3e-3, 1e-12);
  EXPECT_EQ(figures_of({}, Time{}).count, 0U);
}

// equally spread over 1 … 2 ms, and one that failed
TEST(CycleFigures, HaveOnePeakWhereThereIsOneGroup) {
  std::vector<LoopCycle> cycles;
  for (int i = 0; i <= 100; ++i) {
    cycles.push_back(cycle(i * 10ms, 1ms + i * 10us));
  }
  cycles.push_back({Time{2s}, Time{3s}, 1, true});
  const CycleFigures figures = figures_of(cycles, Time{});
  EXPECT_EQ(figures.count, 101U);
  EXPECT_EQ(figures.failed, 1U);
  EXPECT_FALSE(figures.peak_high_s.has_value());
}

TEST(ExecutionTimes, KeepTheMeanAndHaveTheVariationAskedFor) {
  network::VaryingTime time;
  time.fixed = 100us;
  const network::VaryingTime spread = ExecutionTimes({2.0, 0.35})(time);
  double sum = 0.0;
  double squares = 0.0;
  constexpr int kDraws = 4096;
  for (int i = 0; i < kDraws; ++i) {
    const double s = to_seconds(spread.at(0, (i + 0.5) / kDraws));
    sum += s;
    squares += s * s;
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean, 200e-6, 1e-7);
  // 256 equally likely values cut the tail off: a little less
  EXPECT_NEAR(std::sqrt(squares / kDraws - mean * mean) / mean, 0.35, 0.01);
  EXPECT_EQ(ExecutionTimes({2.0, 0.0})(time).at(0, 0.3), Duration(200us));
}

TEST(Placement, FollowsItsRule) {
  ComponentsConfig config;
  config.network.star.hosts = 3;
  for (const char* name : {"A", "B", "C"}) {
    config.components.emplace_back().name = name;
  }
  config.components[2].host = "pc3";
  using Hosts = std::vector<std::string>;
  EXPECT_EQ(hosts_of(config), (Hosts{"pc1", "pc1", "pc3"}));
  config.placement.rule = "together";
  EXPECT_EQ(hosts_of(config), (Hosts{"pc1", "pc1", "pc1"}));
  config.placement.rule = "separate";
  EXPECT_EQ(hosts_of(config), (Hosts{"pc1", "pc2", "pc3"}));
  config.placement.rule = "isolate";
  config.placement.isolated = {"B"};
  EXPECT_EQ(hosts_of(config), (Hosts{"pc1", "pc2", "pc1"}));
}

}  // namespace
}  // namespace longarm::experiments
