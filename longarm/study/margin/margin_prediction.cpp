// SPDX-License-Identifier: Apache-2.0
// From the loops of an arm to the latency they survive, alone and together.
#include "longarm/study/margin/margin_prediction.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/SVD>
#include <fmt/format.h>

namespace longarm::study {
namespace {

bool has_other_terms(const control::GainsConfig& gains) {
  const auto is_any = [](const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double v) { return v != 0.0; });
  };
  return is_any(gains.i) || is_any(gains.d);
}

std::string formula_of(const SingleLoop& loop, Duration delay) {
  const double ticks = to_seconds(delay) / to_seconds(loop.period);
  const bool is_whole = delay % loop.period == Duration(0);
  return fmt::format("{} {:.4g} 1/s, h = {:g} ms, {} {:g}: {}", loop.name, loop.rate_per_s,
                     to_seconds(loop.period) * 1e3, "n =", ticks,
                     is_whole ? "K·h < 2 sin(π/(2(2n+1)))" : "roots of zⁿ(z−1) = −K·h·(1−f+f/z)");
}

PredictedMargin margin_of(const ArmLoops& loops, const SingleLoop& loop, Direction direction) {
  PredictedMargin margin;
  margin.loop = loop.name;
  margin.joint = loop.joint;
  margin.tied_joints = loop.tied_joints;
  const auto is_stable = [&](Duration latency) {
    return is_loop_stable(loop.rate_per_s, loops.delay_in(loop, direction, latency), loop.period);
  };
  const bool is_delayed = loops.delay_in(loop, direction, loops.latency_step()) > Duration(0);
  if (loop.rate_per_s <= 0.0 || (!is_delayed && is_stable(Duration(0)))) {
    margin.is_unlimited = true;
    return margin;
  }
  // sampling only makes it worse than the continuous loop, which is stable below rate·τ = π/2
  const double most_s = std::numbers::pi / 2.0 / loop.rate_per_s;
  const Duration most(static_cast<std::int64_t>(std::ceil(most_s * 1e9)));
  margin.critical = largest_stable(is_stable, loops.latency_step(), most);
  const Duration delay = loops.delay_in(loop, direction, margin.critical.value_or(Duration(0)));
  margin.formula = formula_of(loop, delay);
  return margin;
}

/// The loop that gives way first by itself.
const PredictedMargin& weakest(const std::vector<PredictedMargin>& margins) {
  const auto is_weaker = [](const PredictedMargin& a, const PredictedMargin& b) {
    // no critical latency at all is less than any
    return !a.is_unlimited && (b.is_unlimited || a.critical < b.critical);
  };
  return *std::min_element(margins.begin(), margins.end(), is_weaker);
}

std::vector<PredictedMargin> margins_of(const ArmLoops& loops, const std::vector<SingleLoop>& all,
                                        Direction direction) {
  std::vector<PredictedMargin> margins;
  for (const SingleLoop& loop : all) {
    margins.push_back(margin_of(loops, loop, direction));
  }
  return margins;
}

/// The pattern of velocities that belongs to a root: what its matrix maps to nothing.
Eigen::VectorXcd pattern_of(const NestedLoops& nested, std::complex<double> root) {
  const Eigen::JacobiSVD<Eigen::MatrixXcd> svd(nested.matrix(root), Eigen::ComputeFullV);
  return svd.matrixV().col(svd.matrixV().cols() - 1);
}

/// Both loops together; hardly ever stronger than the weaker one.
PredictedMargin nested_margin(const ArmLoops& loops, Direction direction,
                              const PredictedMargin& weaker) {
  PredictedMargin margin = weaker;
  margin.loop = "both loops";
  margin.tied_joints.clear();
  const auto is_stable = [&](Duration latency) {
    return loops.nested(direction, latency).equation().is_stable();
  };
  const Duration most = 2 * weaker.critical.value_or(Duration(0)) + 2 * loops.latency_step();
  margin.critical = largest_stable(is_stable, loops.latency_step(), most);
  const Duration beyond = margin.critical ? *margin.critical + loops.latency_step() : Duration(0);
  const NestedLoops nested = loops.nested(direction, beyond);
  if (const std::optional<LoopSwing> swing = nested.equation().fastest_swing()) {
    margin.joint = loops.busiest_joint(pattern_of(nested, swing->z));
  }
  margin.formula = fmt::format(
      "|z| < 1 for det((z−1)² + h·M⁻¹Kv·((z−1)·z^−{} + h·K·z^{}) + h²z·(1−z^−{})·M⁻¹∂g/∂q) = 0",
      nested.velocity_delay_ticks, 1 - nested.position_delay_ticks, nested.velocity_delay_ticks);
  return margin;
}

std::vector<std::string> remarks_on(const actors::ArmConfig& s) {
  std::vector<std::string> remarks;
  if (has_other_terms(s.gains) || (s.servo.model == "pid" && has_other_terms(s.servo.gains))) {
    remarks.push_back("the closed form supports proportional gains only");
  }
  if (s.controller.name != "pid") {
    remarks.push_back("the closed form is for controller 'pid', not for '" + s.controller.name +
                      "'");
  }
  if (s.control.jitter > Duration(0) || s.control.phase > Duration(0) ||
      s.control.clock_drift_ppm != 0.0) {
    remarks.push_back("the closed form supports regular ticks only");
  }
  if (s.control.period % *s.states_period != Duration(0)) {
    remarks.push_back("the closed form needs states.period to divide control.period evenly");
  }
  if (!s.command.empty()) {
    remarks.push_back("the closed form treats all joints alike, whatever 'command' says");
  }
  return remarks;
}

}  // namespace

Prediction predict_margin(const actors::ArmModel& arm, Direction direction) {
  const ArmLoops loops(arm);
  Prediction prediction;
  prediction.alone = margins_of(loops, loops.at_goal(), direction);
  prediction.at_goal = weakest(prediction.alone);
  prediction.along_path = weakest(margins_of(loops, loops.along_path(), direction));
  if (loops.has_nested() && !prediction.at_goal.is_unlimited) {
    prediction.at_goal = nested_margin(loops, direction, prediction.at_goal);
  }
  prediction.remarks = remarks_on(arm.config());
  return prediction;
}

std::optional<LoopSwing> predict_swing(const actors::ArmModel& arm, Direction direction,
                                       Duration latency) {
  const ArmLoops loops(arm);
  const std::vector<SingleLoop> all = loops.at_goal();
  const std::vector<PredictedMargin> margins = margins_of(loops, all, direction);
  const PredictedMargin& weaker = weakest(margins);
  if (weaker.is_unlimited) {
    return std::nullopt;
  }
  if (loops.has_nested()) {
    return loops.nested(direction, latency).equation().fastest_swing();
  }
  const SingleLoop& loop = all[static_cast<std::size_t>(&weaker - margins.data())];
  return single_loop(loop.rate_per_s, loops.delay_in(loop, direction, latency), loop.period)
      .fastest_swing();
}

}  // namespace longarm::study
