// SPDX-License-Identifier: Apache-2.0
// The ready UR5 task: what latency does to its path, on two engines, and where each cut loses
// stability.
#include <cmath>
#include <functional>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "longarm/actors/test/arm_fixture.h"
#include "longarm/motion/dynamics.h"

namespace longarm::actors {
namespace {

const std::vector<int> kLatencies_ms{0, 2, 5, 7, 10, 20, 40};

std::string each_way(int latency_ms) {
  return fmt::format("link.delay={}ms", latency_ms);
}

void expect_strictly_growing(const std::vector<double>& values, const std::string& what) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    EXPECT_GT(values[i], values[i - 1])
        << what << " at " << kLatencies_ms[i] << " ms: " << testing::PrintToString(values);
  }
}

// --- path ----------------------------------------------------------------------------------------

TEST(Ur5, DeviatesFromTheReferenceMoreWithEachMillisecond) {
  const TempFolder folder;
  SimulationOptions reference;
  reference.folder = folder.file("");
  reference.writes_csv = true;
  run_to_end(prepare("ur5-waypoints"), std::move(reference));

  std::vector<double> deviations;
  std::vector<double> command_differences;
  for (const int latency : kLatencies_ms) {
    auto reader = record::CsvTraceReader::open(folder.file("trace.csv"));
    ASSERT_TRUE(reader);
    SimulationOptions options;
    options.references[cell::kShortName] = std::move(reader).value();
    const Json result =
        run_to_end(prepare("ur5-waypoints", {each_way(latency)}), std::move(options));
    deviations.push_back(result["reference_path_deviation_max_m"]);
    command_differences.push_back(result["cumulated_velocity_command_difference_rad"]);
    EXPECT_EQ(result["stable"], true) << latency;
  }
  EXPECT_EQ(deviations.front(), 0.0);
  EXPECT_EQ(command_differences.front(), 0.0);
  expect_strictly_growing(deviations, "deviation from the reference");
  expect_strictly_growing(command_differences, "difference of the velocity commands");
}

TEST(Ur5, DeviatesFromThePlanMoreWithEachMillisecondWhenFedForward) {
  // without feed-forward the arm lags its plan anyway and late states hide some of that
  std::vector<double> deviations;
  for (const int latency : kLatencies_ms) {
    const Json result = run_to_end(prepare("ur5-waypoints", {"feed_forward=1", each_way(latency)}));
    deviations.push_back(result["path_deviation_max_m"]);
  }
  expect_strictly_growing(deviations, "deviation from the plan");
}

// --- engines -------------------------------------------------------------------------------------

void expect_engines_agree(const Changes& changes) {
  Simulation mujoco(prepare("ur5-waypoints", changes + Changes{"engine=mujoco"}), {});
  Simulation ode(prepare("ur5-waypoints", changes + Changes{"engine=ode"}), {});
  ASSERT_EQ(mujoco.end(), ode.end());

  std::vector<double> squares(6, 0.0);
  double farthest_m = 0.0;
  int steps = 0;
  const sim::Probe& a = *mujoco.probes().find("end_effector");
  const sim::Probe& b = *ode.probes().find("end_effector");
  Eigen::Vector3d p_a;
  Eigen::Vector3d p_b;
  for (; !mujoco.is_over(); ++steps) {
    const Time next = mujoco.now() + Duration(1'000'000);
    ASSERT_TRUE(mujoco.run_until(next));
    ASSERT_TRUE(ode.run_until(next));
    for (std::size_t i = 0; i < squares.size(); ++i) {
      squares[i] += std::pow(mujoco.loop().positions()[i] - ode.loop().positions()[i], 2);
    }
    a.read({p_a.data(), 3});
    b.read({p_b.data(), 3});
    farthest_m = std::max(farthest_m, (p_a - p_b).norm());
  }
  for (std::size_t i = 0; i < squares.size(); ++i) {
    EXPECT_LT(std::sqrt(squares[i] / steps), 2e-3) << "joint " << i;
  }
  EXPECT_LT(farthest_m, 1e-3);
}

TEST(Ur5, MovesTheSameOnMujocoAndOde) {
  expect_engines_agree({});
  expect_engines_agree({each_way(10)});
}

TEST(Ur5, MovesTheSameOnMujocoAndOdeWithAServoOfItsOwn) {
  expect_engines_agree({"servo=pid"});
}

// --- margins -------------------------------------------------------------------------------------

/// The largest rate at which a servo closes its velocity loop on the way: v' = M⁻¹·Kv·(v* - v).
double largest_rate_per_s(const PreparedScenario& prepared) {
  const model::BodyTree& tree = prepared.model.placements.front().tree;
  const std::vector<double> gains = control::per_joint(arm_of(prepared).config().servo.gains.p, 6);
  const Eigen::MatrixXd kv = Eigen::Map<const Eigen::VectorXd>(gains.data(), 6).asDiagonal();
  motion::Dynamics dynamics(tree);
  std::vector<double> q(6);
  double largest = 0.0;
  for (Duration t{0}; t <= arm_of(prepared).plan().hold_start; t += Duration(10'000'000)) {
    arm_of(prepared).plan().trajectory.sample(t, q);
    // M is symmetric and positive, so M⁻¹·Kv has the real eigenvalues of Kv·x = λ·M·x
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(
        kv, dynamics.mass_matrix(q), Eigen::EigenvaluesOnly);
    largest = std::max(largest, solver.eigenvalues().maxCoeff());
  }
  return largest;
}

/// The largest whole n with λ·h < 2·sin(π / (2(2n+1))).
int ticks_survived(double rate_per_s, double h_s) {
  int n = 0;
  while (rate_per_s * h_s < 2.0 * std::sin(std::numbers::pi / (2.0 * (2.0 * (n + 1) + 1.0)))) {
    ++n;
  }
  return n;
}

/// The smallest whole number of milliseconds each way at which the run is no longer stable.
int first_unstable_ms(const std::string& cut) {
  int stable = 0;
  int unstable = 40;
  while (unstable - stable > 1) {
    const int middle = (stable + unstable) / 2;
    const Json result = run_to_end(prepare("ur5-waypoints", {"cut=" + cut, each_way(middle)}));
    (result["stable"] == true ? stable : unstable) = middle;
  }
  return unstable;
}

TEST(Ur5, LosesItsStaleServoWhereTheClosedFormSays) {
  // the inner loop holds the states' delay only
  const double rate = largest_rate_per_s(prepare("ur5-waypoints", {"cut=stale-servo"}));
  const int survived = ticks_survived(rate, 1e-3);
  EXPECT_EQ(first_unstable_ms("stale-servo"), survived + 1) << "rate " << rate;
}

TEST(Ur5, LosesItsRemoteServoWhereTheClosedFormSays) {
  // the inner loop holds both delays: d ms each way are 2 d ticks
  const double rate = largest_rate_per_s(prepare("ur5-waypoints", {"cut=effort"}));
  const int survived = ticks_survived(rate, 1e-3);
  EXPECT_EQ(first_unstable_ms("effort"), survived / 2 + 1) << "rate " << rate;
}

}  // namespace
}  // namespace longarm::actors
