// SPDX-License-Identifier: Apache-2.0
// The table of oracles tells when one does not agree.
#include "longarm/study/oracle.h"

#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "longarm/core/diagnostic.h"

namespace longarm::study {
namespace {

Oracle oracle_of(double expected, double simulated, double tolerance) {
  return {"name", "group", "what", "unit", [=] {
            return Comparison{expected, simulated, tolerance, "reason"};
          }};
}

TEST(Oracle, ADifferenceBeyondTheToleranceFails) {
  EXPECT_TRUE(run_oracle(oracle_of(1.0, 1.5, 0.5)).verdict);
  EXPECT_FALSE(run_oracle(oracle_of(1.0, 1.5625, 0.5)).verdict);
  EXPECT_FALSE(run_oracle(oracle_of(1.0, 0.4375, 0.5)).verdict);
  EXPECT_FALSE(run_oracle(oracle_of(1.0, std::numeric_limits<double>::quiet_NaN(), 0.5)).verdict);
}

TEST(Oracle, OneThatCannotBeRunFailsAndSaysWhy) {
  Oracle broken = oracle_of(0.0, 0.0, 0.0);
  broken.run = []() -> Comparison { throw std::runtime_error("no such engine"); };
  const OracleRow row = run_oracle(broken);
  EXPECT_FALSE(row.verdict);
  EXPECT_EQ(row.reason, "could not be run: no such engine");
}

TEST(Oracle, OneFailureFailsTheSuite) {
  const std::vector<OracleRow> rows =
      run_oracles({oracle_of(1.0, 1.0, 0.0), oracle_of(1.0, 2.0, 0.5)}, 1, {});
  EXPECT_FALSE(have_all_passed(rows));
  EXPECT_TRUE(have_all_passed({rows[0]}));
  const nlohmann::ordered_json json = oracles_json(rows);
  EXPECT_EQ(json["passed"], 1);
  EXPECT_EQ(json["failed"], 1);
}

TEST(Oracle, JsonHasTheRowsOfTheTable) {
  const std::vector<OracleRow> rows =
      run_oracles({oracle_of(1.0, 1.0, 0.0), oracle_of(1.0, 2.0, 0.5)}, 1, {});
  const nlohmann::ordered_json json = oracles_json(rows);
  const std::string table = format_oracles_table(rows);
  ASSERT_EQ(json["oracles"].size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(json["oracles"][i]["name"], rows[i].name);
    EXPECT_EQ(json["oracles"][i]["expected"], rows[i].expected);
    EXPECT_EQ(json["oracles"][i]["simulated"], rows[i].simulated);
    EXPECT_EQ(json["oracles"][i]["difference"], rows[i].difference);
    EXPECT_EQ(json["oracles"][i]["tolerance"], rows[i].tolerance);
    EXPECT_EQ(json["oracles"][i]["verdict"], rows[i].verdict);
    EXPECT_NE(table.find(rows[i].name), std::string::npos);
  }
}

TEST(Oracle, AnUnknownNameIsAnErrorWithASuggestion) {
  try {
    Oracle fall = oracle_of(0.0, 0.0, 0.0);
    fall.name = "free-fall-mujoco";
    choose_oracles({oracle_of(0.0, 0.0, 0.0), fall}, {"name", "free-fal-mujoco"});
    FAIL() << "nothing was thrown";
  } catch (const InputError& problem) {
    EXPECT_STREQ(problem.what(),
                 "error: unknown oracle 'free-fal-mujoco'\n  hint: did you mean "
                 "'free-fall-mujoco'?");
  }
}

}  // namespace
}  // namespace longarm::study
