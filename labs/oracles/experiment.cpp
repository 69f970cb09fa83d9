// SPDX-License-Identifier: Apache-2.0
// Runs scenarios as `longarm run` does, without files, and fits modes to what they did.
#include "labs/oracles/experiment.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

#include "labs/labs.h"
#include "longarm/actors/arm.h"

namespace longarm::oracles {
namespace {

std::vector<double> read(const sim::Probes& probes, const char* name) {
  const sim::Probe* probe = probes.find(name);
  std::vector<double> values(probe->columns.size());
  probe->read(values);
  return values;
}

}  // namespace

Recording record(const std::string& scenario, const Settings& settings) {
  return record_prepared(
      cell::load_scenario(scenario, {.overrides = settings}, labs::built_in_plugins()));
}

Recording record_text(const std::string& yaml, const Settings& settings) {
  return record_prepared(cell::load_scenario_text(yaml, "oracle.yaml", {.overrides = settings},
                                                  labs::built_in_plugins()));
}

Recording record_prepared(const cell::PreparedScenario& prepared) {
  Recording out;
  out.prepared = prepared;
  out.period_s = to_seconds(prepared.scenario.physics_period);
  cell::Run run(prepared);
  const actors::ArmActor& arm = actors::arm_of(run);
  const sim::Probes& probes = *arm.probes();
  std::vector<double> plan(arm.loop().positions().size());
  actors::arm_of(prepared).plan().trajectory.sample(Duration(0), plan);
  out.position = {arm.loop().positions().front()};
  out.velocity = {arm.loop().velocities().front()};
  out.plan = {plan.front()};
  out.applied = {0.0};
  run.set_observer([&](Time) {
    out.position.push_back(arm.loop().positions().front());
    out.velocity.push_back(arm.loop().velocities().front());
    out.plan.push_back(read(probes, "plan").front());
    out.applied.push_back(arm.loop().actuators().applied().front());
  });
  run.run_until(run.end());
  if (run.failure()) {
    throw std::runtime_error(*run.failure());
  }
  out.last_positions = read(probes, "position");
  out.last_efforts = read(probes, "effort");
  out.last_end_effector = read(probes, "end_effector");
  out.results = run.results();
  return out;
}

std::unique_ptr<network::Link> link_of(const std::string& setting, std::uint64_t seed) {
  const cell::PreparedScenario prepared = cell::load_scenario(
      "one-joint", {.overrides = {"link.commands." + setting}}, labs::built_in_plugins());
  return actors::arm_of(prepared).config().link.commands.plugin->make({seed, "link.commands"});
}

std::string in_ms(double milliseconds) {
  return fmt::format("{}ns", std::llround(milliseconds * 1e6));
}

Mode fit_oscillation(std::span<const double> signal, std::size_t from, std::size_t stride) {
  // normal equations of two unknowns
  double s11 = 0.0;
  double s12 = 0.0;
  double s22 = 0.0;
  double t1 = 0.0;
  double t2 = 0.0;
  for (std::size_t k = from; k + 2 * stride < signal.size(); ++k) {
    const double x0 = signal[k];
    const double x1 = signal[k + stride];
    const double x2 = signal[k + 2 * stride];
    s11 += x1 * x1;
    s12 += x1 * x0;
    s22 += x0 * x0;
    t1 += x1 * x2;
    t2 += x0 * x2;
  }
  const double determinant = s11 * s22 - s12 * s12;
  const double a = (t1 * s22 - t2 * s12) / determinant;
  const double b = (t2 * s11 - t1 * s12) / determinant;
  if (!(b < 0.0) || a * a + 4.0 * b > 0.0) {
    throw std::runtime_error("the record is no oscillation");
  }
  const double radius = std::sqrt(-b);
  const auto per_sample = static_cast<double>(stride);
  return {std::log(radius) / per_sample, std::acos(a / (2.0 * radius)) / per_sample};
}

double find_zero_growth(double guess, const std::function<double(double)>& growth) {
  double x0 = 0.99 * guess;
  double x1 = 1.01 * guess;
  double y0 = growth(x0);
  double y1 = growth(x1);
  for (int i = 0; i < 12; ++i) {
    const double x2 = x1 - y1 * (x1 - x0) / (y1 - y0);
    if (!std::isfinite(x2) || x2 <= 0.0) {
      break;
    }
    if (std::abs(x2 - x1) < 1e-8 * guess) {
      return x2;
    }
    x0 = x1;
    y0 = y1;
    x1 = x2;
    y1 = growth(x1);
  }
  throw std::runtime_error("no gain was found at which the loop neither grows nor decays");
}

}  // namespace longarm::oracles
