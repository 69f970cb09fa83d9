// SPDX-License-Identifier: Apache-2.0
// What the keys of a system of components mean.
#include "longarm/actors/component_config.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

namespace longarm::actors {
namespace {

using namespace std::chrono_literals;

void list_execution(Fields& fields, ExecutionConfig& execution) {
  fields.field("scale", execution.scale, "factor for all computing times");
  fields.field("variation", execution.variation,
               "coefficient of variation of computing times given as one value (log-normal)");
  if (!(execution.scale >= 0.0 && execution.scale <= 1e6)) {
    fields.reject("scale", "computing times must not be negative", "1 leaves them as they are");
  }
  if (!(execution.variation >= 0.0 && execution.variation <= 10.0)) {
    fields.reject("variation", "a standard deviation is between 0 and ten times the mean",
                  "0.3 is usual");
  }
}

void judge_times(Fields& fields, const MiddlewareConfig& config) {
  if (config.call_timeout && *config.call_timeout <= 0s) {
    fields.reject("call_timeout", "a timeout must be greater than zero", "1s is usual");
  }
  if (config.settle < 0s) {
    fields.reject("settle", "a time must not be negative", "100ms is usual");
  }
}

/// The inverse of the standard normal distribution, by bisection: exact enough and only done once.
double normal_quantile(double probability) {
  double low = -10.0;
  double high = 10.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    const double below = 0.5 * std::erfc(-middle / std::sqrt(2.0));
    (below < probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Equally likely values of a log-normal distribution, brought to mean 1.
std::shared_ptr<const std::vector<double>> log_normal(double variation) {
  constexpr int kCount = 256;
  const double sigma = std::sqrt(std::log1p(variation * variation));
  std::vector<double> values;
  double sum = 0.0;
  for (int i = 0; i < kCount; ++i) {
    values.push_back(std::exp(sigma * normal_quantile((i + 0.5) / kCount)));
    sum += values.back();
  }
  for (double& value : values) {
    value *= kCount / sum;
  }
  return std::make_shared<const std::vector<double>>(std::move(values));
}

}  // namespace

void list_fields(Fields& fields, MiddlewareConfig& config) {
  fields.field("settle", config.settle, "time from which cycles and calls are counted");
  fields.field("measure", config.measure,
               "component whose cycles are measured; empty: the first with cycles");
  fields.field("call_timeout", config.call_timeout,
               "timeout of calls; default: 1s where network.flows is udp or raw, none over tcp");
  judge_times(fields, config);
  fields.section("execution", "computing times of all components",
                 [&](Fields& f) { list_execution(f, config.execution); });
  fields.section(
      "topics", "how topic messages are distributed",
      [&](Fields& f) {
        f.field("server", config.topics.server,
                "component that forwards them; empty: sent directly from publisher to subscriber");
        network::list_fields(f, "handling", "computing time of a subscriber per message",
                             config.topics.handling);
      },
      "server");
  fields.section("lockstep", "connection of external processes",
                 [&](Fields& f) { components::list_fields(f, config.lockstep); });
}

bool has_cycles(const ComponentConfig& component) {
  const bool calls_in_states = std::ranges::any_of(
      component.states, [](const StateConfig& state) { return !state.calls.empty(); });
  return component.period > 0s && (!component.calls.empty() || calls_in_states) &&
         component.is_cyclic;
}

bool ComponentSystem::has_foreign() const {
  return std::any_of(components.begin(), components.end(),
                     [](const ComponentConfig& each) { return each.program == kForeign; });
}

std::size_t ComponentSystem::measured() const {
  for (std::size_t i = 0; i < components.size(); ++i) {
    const ComponentConfig& component = components[i];
    if (config.measure.empty() ? has_cycles(component) : component.name == config.measure) {
      return i;
    }
  }
  return 0;
}

ExecutionTimes::ExecutionTimes(const ExecutionConfig& config)
    : scale_(config.scale),
      factors_(config.variation > 0.0 ? log_normal(config.variation) : nullptr) {}

network::VaryingTime ExecutionTimes::operator()(const network::VaryingTime& time) const {
  network::VaryingTime out = time;
  out.per_byte_ns *= scale_;
  out.scale *= scale_;
  const double fixed_ns = static_cast<double>(time.fixed.count()) * scale_;
  if (factors_ && time.file.empty() && time.fixed > Duration::zero()) {
    out.fixed = Duration::zero();
    out.sorted_s = factors_;
    out.scale = fixed_ns * 1e-9;
    return out;
  }
  out.fixed = Duration(std::llround(fixed_ns));
  return out;
}

void ExecutionTimes::apply(ComponentConfig& component) const {
  component.compute = (*this)(component.compute);
  for (components::LoopMethod& method : component.serves) {
    method.execution = (*this)(method.execution);
  }
}

}  // namespace longarm::actors
