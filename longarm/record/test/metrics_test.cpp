// SPDX-License-Identifier: Apache-2.0
// Tests of each figure on motions whose figures are known by hand.
#include "longarm/record/metrics.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "longarm/record/trace_csv.h"

namespace longarm::record {
namespace {

using namespace std::chrono_literals;

/// One joint whose probes a test sets by hand.
class MetricsTest : public ::testing::Test {
 protected:
  MetricsTest() {
    const auto offer = [this](const char* name, std::vector<std::string> columns, double& value) {
      probes.add({name, std::move(columns), [&value](std::span<double> out) {
                    for (double& each : out) {
                      each = value;
                    }
                  }});
    };
    offer("position", {"j"}, position);
    offer("plan", {"j"}, plan);
    offer("pid_error", {"j"}, pid_error);
    offer("velocity_command", {"j"}, command);
    offer("limited", {"j"}, limited);
    offer("reference_at_rest", {"arm"}, at_rest);
    offer("end_effector", {"x", "y", "z"}, end_effector);
    offer("path_deviation", {"m"}, deviation);
  }

  sim::Probes probes;
  double position = 0.0, plan = 0.0, pid_error = 0.0, command = 0.0, limited = 0.0;
  double end_effector = 0.0, deviation = 0.0, at_rest = 1.0;
};

// 1000 steps of 1 ms: |pid error| 0.2 gives 0.2 rad s, |plan - position| 0.1 gives 0.1 rad s. The
// path deviation is 3 mm half of the time and 4 mm the other half: rms sqrt((9 + 16) / 2) mm.
TEST_F(MetricsTest, IntegratesMagnitudesAndFindsMaximumAndRms) {
  Metrics metrics(probes, {1ms, 10s, {1.0}}, nullptr);
  pid_error = -0.2;
  plan = 1.0;
  position = 1.1;
  for (int k = 1; k <= 1000; ++k) {
    deviation = k % 2 == 0 ? 0.003 : 0.004;
    metrics.record(Time(k * 1ms));
  }
  const auto result = metrics.result();
  EXPECT_NEAR(result["cumulated_pid_error_rad_s"], 0.2, 1e-12);
  EXPECT_NEAR(result["cumulated_joint_difference_rad_s"], 0.1, 1e-12);
  EXPECT_NEAR(result["joints"]["j"]["joint_difference_rms_rad"], 0.1, 1e-12);
  EXPECT_EQ(result["path_deviation_max_m"], 0.004);
  EXPECT_NEAR(result["path_deviation_rms_m"], 1e-3 * std::sqrt(12.5), 1e-12);
  EXPECT_FALSE(result.contains("reference_path_deviation_max_m"));
  EXPECT_EQ(result["stable"], "undecided");  // there was no hold to judge by
}

// e(t) = 0.1·exp(-5t)·cos(40t): the first swing past the goal is near t = π/40 with 0.1·exp(-5π/40)
// = 0.0675; it last leaves 1 mrad before t = ln(100)/5 = 0.92 s.
TEST_F(MetricsTest, FindsOvershootAndSettlingInTheFinalHold) {
  Metrics metrics(probes, {1ms, 1s, {2.0}}, nullptr);
  for (int k = 1; k <= 4000; ++k) {
    const double t = k * 1e-3 - 1.0;
    position = t < 0.0 ? 5.0 : 2.0 - 0.1 * std::exp(-5.0 * t) * std::cos(40.0 * t);
    metrics.record(Time(k * 1ms));
  }
  const auto result = metrics.result();
  EXPECT_NEAR(result["overshoot_rad"], 0.0675, 0.001);
  EXPECT_LE(result["settling_time_s"], 0.921);
  EXPECT_GE(result["settling_time_s"], 0.921 - 0.079);
  EXPECT_EQ(result["stable"], true);
  EXPECT_NEAR(result["growth_per_s"], -5.0, 0.3);
  EXPECT_TRUE(result["unstable_joint"].is_null());
}

TEST_F(MetricsTest, HasNoSettlingTimeWhileItIsOutsideTheBand) {
  Metrics metrics(probes, {1ms, 0s, {0.0}}, nullptr);
  for (int k = 1; k <= 3000; ++k) {
    position = 0.01 * std::exp(k * 1e-3) * std::sin(k * 0.05);
    metrics.record(Time(k * 1ms));
  }
  const auto result = metrics.result();
  EXPECT_TRUE(result["settling_time_s"].is_null());
  EXPECT_EQ(result["stable"], false);
  EXPECT_EQ(result["unstable_joint"], "j");
  EXPECT_NEAR(result["growth_per_s"], 1.0, 0.05);
}

// From 0.1 rad off, at the goal from the second record on: settled at 2 ms, not before.
TEST_F(MetricsTest, SettlesAtTheFirstRecordInsideTheBand) {
  Metrics metrics(probes, {1ms, 0s, {0.0}}, nullptr);
  for (int k = 1; k <= 500; ++k) {
    position = k == 1 ? 0.1 : 0.0;
    metrics.record(Time(k * 1ms));
  }
  EXPECT_NEAR(metrics.result()["settling_time_s"], 0.002, 1e-12);
}

TEST_F(MetricsTest, DoesNotSettleByPassingThroughTheBand) {
  Metrics metrics(probes, {1ms, 0s, {0.0}}, nullptr);
  for (int k = 1; k <= 500; ++k) {
    position = k < 450 ? 0.1 : 0.0;  // inside for the last 50 ms only
    metrics.record(Time(k * 1ms));
  }
  EXPECT_TRUE(metrics.result()["settling_time_s"].is_null());
}

// The plan rises to 1; the joint is at 1.05 already when the hold begins, and comes back.
TEST_F(MetricsTest, MeasuresOvershootInThePlansDirectionOfTravel) {
  Metrics metrics(probes, {1ms, 1s, {1.0}}, nullptr);
  for (int k = 1; k <= 3000; ++k) {
    plan = std::min(1.0, k * 1e-3);
    position = k < 1000 ? plan : 1.0 + 0.05 * std::exp(-10.0 * (k * 1e-3 - 1.0));
    metrics.record(Time(k * 1ms));
  }
  EXPECT_NEAR(metrics.result()["overshoot_rad"], 0.05, 1e-9);
}

TEST_F(MetricsTest, JudgesOnlyWhileTheReferenceStandsStill) {
  Metrics metrics(probes, {1ms, 0s, {0.0}}, nullptr);
  at_rest = 0.0;
  for (int k = 1; k <= 3000; ++k) {
    position = 0.01 * std::exp(k * 1e-3) * std::sin(k * 0.05);
    metrics.record(Time(k * 1ms));
  }
  EXPECT_EQ(metrics.result()["stable"], "undecided");
  EXPECT_EQ(metrics.result()["verdict_reason"], "the hold is too short to judge");
}

TEST_F(MetricsTest, DoesNotTakeWaitingForRest) {
  Metrics metrics(probes, {1ms, 0s, {0.1}}, nullptr);
  for (int k = 1; k <= 3000; ++k) {
    metrics.record(Time(k * 1ms));  // at 0, 0.1 rad off
  }
  EXPECT_EQ(metrics.result()["stable"], "undecided");
  EXPECT_EQ(metrics.result()["verdict_reason"], "it has not moved yet");
}

TEST_F(MetricsTest, GivesNoVerdictOnARunThatAllowsNone) {
  Metrics metrics(probes, {1ms, 0s, {0.0}}, nullptr);
  for (int k = 1; k <= 3000; ++k) {
    metrics.record(Time(k * 1ms));
  }
  EXPECT_EQ(metrics.result()["stable"], true);
  metrics.set_inconclusive("emergency stop");
  EXPECT_EQ(metrics.result()["stable"], "undecided");
  EXPECT_EQ(metrics.result()["verdict_reason"], "emergency stop");
}

// 0.1 rad off at the start and growing: beyond 0.1 again after one period of 2π/50 s at the latest.
TEST_F(MetricsTest, SaysWhenAJointLeftWhatItStartedWith) {
  Metrics metrics(probes, {1ms, 0s, {0.0}}, nullptr);
  for (int k = 1; k <= 3000; ++k) {
    position = 0.1 * std::exp(k * 1e-3) * std::cos(k * 0.05);
    metrics.record(Time(k * 1ms));
  }
  EXPECT_EQ(metrics.result()["stable"], false);
  EXPECT_GT(metrics.result()["unstable_at_s"], 0.03);
  EXPECT_LT(metrics.result()["unstable_at_s"], 0.13);
}

// The reference stands at the origin with no command; we stand at (1, 1, 1) mm with 0.5 rad/s for 2
// of its 2 rows.
TEST_F(MetricsTest, ComparesWithAReferenceAtEqualTime) {
  const std::string path = std::filesystem::temp_directory_path() / "longarm-metrics-reference.csv";
  std::ofstream(path) << "time_s,velocity_command.j,end_effector.x,end_effector.y,end_effector.z\n"
                      << "0.001,0,0,0,0\n0.002,0,0,0,0\n";
  auto reference = CsvTraceReader::open(path);
  ASSERT_TRUE(reference);
  Metrics metrics(probes, {1ms, 10s, {0.0}}, std::move(reference).value());
  end_effector = 1e-3;
  command = -0.5;
  for (int k = 1; k <= 3; ++k) {
    metrics.record(Time(k * 1ms));
  }
  const auto result = metrics.result();
  EXPECT_NEAR(result["reference_path_deviation_max_m"], 1e-3 * std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(result["cumulated_velocity_command_difference_rad"], 1e-3, 1e-12);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace longarm::record
