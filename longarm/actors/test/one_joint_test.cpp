// SPDX-License-Identifier: Apache-2.0
// The delayed position loop of one joint against its closed form: where it loses stability, and how
// fast it grows beyond.
#include <cmath>
#include <complex>
#include <numbers>
#include <tuple>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "longarm/actors/test/arm_fixture.h"

namespace longarm::actors {
namespace {

/// Modulus of the largest root of z^(n+2) - z^(n+1) + kh((1-f) z + f): a loop of gain kh per tick
/// whose delay is n ticks and a fraction f of one. The command sampled at tick k acts from k + n +
/// f on, so over the next tick it acts for the share 1 - f and its predecessor for the share f.
/// With f = 0 one root is 0 and the rest is z^(n+1) - z^n + kh.
double largest_root(int n, double f, double kh) {
  Eigen::VectorXd c = Eigen::VectorXd::Zero(n + 2);  // of z^0 to z^(n+1); that of z^(n+2) is 1
  c[0] += kh * f;
  c[1] += kh * (1.0 - f);
  c[n + 1] -= 1.0;
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(n + 2, n + 2);
  companion.diagonal(-1).setOnes();
  companion.col(n + 1) = -c;
  return Eigen::EigenSolver<Eigen::MatrixXd>(companion, false).eigenvalues().cwiseAbs().maxCoeff();
}

/// The gain at which the largest root leaves the unit circle, by bisection.
double largest_gain(int n, double f, double h_s) {
  double stable = 0.0;
  double unstable = 4.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = (stable + unstable) / 2.0;
    (largest_root(n, f, middle) > 1.0 + 1e-12 ? unstable : stable) = middle;
  }
  return stable / h_s;
}

double growth_per_s(int n, double f, double gain, double h_s) {
  return std::log(largest_root(n, f, gain * h_s)) / h_s;
}

/// Long enough to see the envelope move by some e-folds, and many swings.
std::string hold_for(double growth, double swing_s) {
  const double hold_s = std::clamp(8.0 / std::abs(growth), 60.0 * swing_s, 60.0);
  return fmt::format("task.hold={}ms", std::llround(hold_s * 1e3));
}

struct Loop {
  int n = 0;
  double f = 0.0;
  double h_s = 0.0;
  double gain_limit = 0.0;
};

/// Runs one-joint just inside and just outside of the limit and judges the verdicts and the growth.
void expect_limit(const Loop& loop, const Changes& changes) {
  const double swing_s = 4.0 * (loop.n + loop.f + 0.5) * loop.h_s;
  for (const double part : {0.99, 1.01}) {
    SCOPED_TRACE(part);
    const double gain = part * loop.gain_limit;
    const double expected = growth_per_s(loop.n, loop.f, gain, loop.h_s);
    const Json result = run_to_end(
        prepare("one-joint", changes + Changes{set("gain", gain), hold_for(expected, swing_s)}));
    EXPECT_EQ(result["stable"], part < 1.0) << result.dump(2);
    ASSERT_TRUE(result["growth_per_s"].is_number()) << result.dump(2);
    EXPECT_NEAR(result["growth_per_s"].get<double>(), expected, 0.01 * std::abs(expected));
  }
}

// --- whole ticks ---------------------------------------------------------------------------------

/// n ticks of loop delay; engine; control period in milliseconds.
class WholeTicks : public testing::TestWithParam<std::tuple<int, const char*, int>> {};

TEST_P(WholeTicks, LoseStabilityWhereTheClosedFormSays) {
  const auto [n, engine, h_ms] = GetParam();
  const double h_s = h_ms * 1e-3;
  const double gain_limit = 2.0 * std::sin(std::numbers::pi / (2.0 * (2.0 * n + 1.0))) / h_s;
  // where n is odd the extra tick is on the states
  const Changes changes{std::string("engine=") + engine, fmt::format("control.period={}ms", h_ms),
                        fmt::format("link.states.delay={}ms", (n + 1) / 2 * h_ms),
                        fmt::format("link.commands.delay={}ms", n / 2 * h_ms)};
  expect_limit({n, 0.0, h_s, gain_limit}, changes);
}

INSTANTIATE_TEST_SUITE_P(OneJoint, WholeTicks,
                         testing::Combine(testing::Values(0, 1, 2, 5, 10, 20),
                                          testing::Values("mujoco", "ode"), testing::Values(1, 4)),
                         [](const auto& test) {
                           return fmt::format("n{}_{}_{}ms", std::get<0>(test.param),
                                              std::get<1>(test.param), std::get<2>(test.param));
                         });

// --- any delay -----------------------------------------------------------------------------------

/// A delay, a control period, and the published largest gain for both.
struct TableEntry {
  int delay_ms = 0;
  int h_ms = 0;
  double gain_limit = 0.0;
};

void PrintTo(const TableEntry& entry, std::ostream* out) {
  *out << entry.delay_ms << " ms, h " << entry.h_ms << " ms";
}

class AnyDelay : public testing::TestWithParam<TableEntry> {
 protected:
  Loop loop() const {
    const auto [delay_ms, h_ms, gain_limit] = GetParam();
    const int n = delay_ms / h_ms;
    return {n, static_cast<double>(delay_ms) / h_ms - n, h_ms * 1e-3, gain_limit};
  }
  std::string period() const { return fmt::format("control.period={}ms", GetParam().h_ms); }
  std::string delay() const { return fmt::format("{}ms", GetParam().delay_ms); }
};

TEST_P(AnyDelay, HasTheLargestGainOfTheCharacteristicPolynomial) {
  const Loop l = loop();
  EXPECT_NEAR(largest_gain(l.n, l.f, l.h_s), l.gain_limit, 5e-4);
}

TEST_P(AnyDelay, OfCommandsLosesStabilityWhereTheClosedFormSays) {
  for (const std::string engine : {"mujoco", "ode"}) {
    expect_limit(loop(), {period(), "engine=" + engine, "link.commands.delay=" + delay()});
  }
}

TEST_P(AnyDelay, OfStatesLosesStabilityWhereTheClosedFormSays) {
  // with states every physics step a tick uses the state of exactly one delay ago
  for (const std::string engine : {"mujoco", "ode"}) {
    expect_limit(loop(), {period(), "engine=" + engine, "states.period=1ms",
                          "link.states.delay=" + delay()});
  }
}

INSTANTIATE_TEST_SUITE_P(OneJoint, AnyDelay,
                         testing::Values(TableEntry{5, 1, 284.630}, TableEntry{5, 2, 267.949},
                                         TableEntry{5, 4, 236.068}, TableEntry{5, 8, 200.0},
                                         TableEntry{10, 1, 149.460}, TableEntry{10, 2, 142.315},
                                         TableEntry{10, 4, 133.975}, TableEntry{10, 8, 118.034},
                                         TableEntry{20, 1, 76.605}, TableEntry{20, 2, 74.730},
                                         TableEntry{20, 4, 71.157}, TableEntry{20, 8, 66.987}),
                         [](const auto& test) {
                           return fmt::format("{}ms_h{}ms", test.param.delay_ms, test.param.h_ms);
                         });

}  // namespace
}  // namespace longarm::actors
