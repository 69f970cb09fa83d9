// SPDX-License-Identifier: Apache-2.0
// What the seed study said of its three figures, asked of ours: one plan, five latencies.
#include <algorithm>

#include <gtest/gtest.h>

#include "labs/labs.h"
#include "longarm/study/curves.h"
#include "longarm/study/point.h"

namespace longarm::study {
namespace {

/// Answers for 0, 2, 5, 7 and 10 ms each way, computed once.
class SeedFigures : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const cell::Plugins plugins = labs::built_in_plugins();
    const PointRunner runner(read_study("ur5-latency"),
                             Grid({parse_axis("link.delay=0ms,2ms,5ms,7ms,10ms")}), {}, plugins);
    for (std::size_t i = 0; i < 5; ++i) {
      answers_.push_back(runner.run(i));
    }
  }
  static void TearDownTestSuite() { answers_.clear(); }

  static double metric(std::size_t i, const char* name) {
    return answers_[i].row->metrics[name].get<double>();
  }
  static std::vector<float> cumulated(std::size_t i) {
    return *unpack(answers_[i].row->curves)->find("cumulated_velocity_command_difference");
  }

  inline static std::vector<PointAnswer> answers_;
};

TEST_F(SeedFigures, DeviationGrowsWithLatency) {  // Fig 4.1
  EXPECT_EQ(metric(0, "reference_path_deviation_max_m"), 0.0);
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_GT(metric(i, "reference_path_deviation_max_m"),
              metric(i - 1, "reference_path_deviation_max_m"));
  }
}

TEST_F(SeedFigures, JointFoursCommandsDeviateMoreWithLatency) {  // Fig 4.2
  double before = 0.0;
  for (std::size_t i = 1; i < 5; ++i) {
    const double now =
        answers_[i]
            .row->metrics["joints"]["wrist_1_joint"]["cumulated_velocity_command_difference_rad"];
    EXPECT_GT(now, before);
    before = now;
  }
}

TEST_F(SeedFigures, TwoMillisecondsStayClosest) {  // Fig 4.3
  for (std::size_t i = 2; i < 5; ++i) {
    EXPECT_LT(metric(1, "cumulated_velocity_command_difference_rad"),
              metric(i, "cumulated_velocity_command_difference_rad"));
  }
}

TEST_F(SeedFigures,
       FiveMillisecondsNeverOvertakeSevenOnOnePlan) {  // Fig 4.3 has them cross near 6 s
  const std::vector<float> five = cumulated(2);
  const std::vector<float> seven = cumulated(3);
  ASSERT_GT(five.size(), 1000U);
  const auto first_difference = static_cast<std::size_t>(
      std::find_if(seven.begin(), seven.end(), [](float x) { return x > 0.0F; }) - seven.begin());
  ASSERT_LT(first_difference, 20U);
  for (std::size_t i = first_difference + 10; i < five.size(); ++i) {
    ASSERT_LT(five[i], seven[i]) << "sample " << i;
  }
}

}  // namespace
}  // namespace longarm::study
