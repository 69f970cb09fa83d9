// SPDX-License-Identifier: Apache-2.0
// What the keys of a system of components mean, and the rules of who runs where.
#include "longarm/experiments/component_config.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

namespace longarm::experiments {
namespace {

using namespace std::chrono_literals;

void list_component(Fields& fields, ComponentConfig& config) {
  fields.field("host", config.host, "where it runs if placement.rule is listed; empty: the first");
  fields.choice("program", config.program, program_names(),
                "loop: as the other keys say; kinematic-unit, robot-state, hand-control and "
                "path-follower move the arm; foreign: a process that joins");
  fields.field("threads", config.threads, "requests it executes at once; 0: any number");
  fields.field("command", config.command, "foreign: how to start it; empty: it joins by itself");
  components::list_fields(fields, config);
}

void list_arm(Fields& fields, ArmConfig& arm) {
  fields.field("model", arm.model, "a ready model or a file beside the scenario; empty: no arm");
  fields.field("hand", arm.hand, "the frame that follows the path");
  fields.field("positions_deg", arm.positions_deg, "of the joints at the beginning");
  fields.field("path_m", arm.path_m, "corners of the closed path, in the axes of the model's root");
  fields.field("speed_m_s", arm.speed_m_s, "of the hand along the path");
  fields.field("gain", arm.gain, "of the way that is left to a corner, 1/s");
  if (!arm.model.empty() && !(arm.speed_m_s > 0.0 && std::isfinite(arm.speed_m_s))) {
    fields.reject("speed_m_s", "the hand would not move", "0.05 is usual");
  }
  if (!arm.model.empty() && !(arm.gain > 0.0 && std::isfinite(arm.gain))) {
    fields.reject("gain", "the hand would not move", "5 is usual");
  }
}

void list_execution(Fields& fields, ExecutionConfig& execution) {
  fields.field("scale", execution.scale, "every computing time of a component times this");
  fields.field("variation", execution.variation,
               "standard deviation over mean of computing times that are given as one value; they "
               "are log-normal");
  if (!(execution.scale >= 0.0 && execution.scale <= 1e6)) {
    fields.reject("scale", "computing times cannot be negative", "1 leaves them as they are");
  }
  if (!(execution.variation >= 0.0 && execution.variation <= 10.0)) {
    fields.reject("variation", "a standard deviation is between 0 and ten times the mean",
                  "0.3 is usual");
  }
}

void judge_times(Fields& fields, const ComponentsConfig& config) {
  if (config.call_timeout && *config.call_timeout <= 0s) {
    fields.reject("call_timeout", "no answer comes in no time", "1s is usual");
  }
  if (config.length <= 0s) {
    fields.reject("length", "the run must be longer than nothing", "5s is usual");
  } else if (config.settle < 0s) {
    fields.reject("settle", "a time cannot be negative", "100ms is usual");
  } else if (config.settle >= config.length) {
    fields.reject("settle", "the run would be over before anything counts",
                  "make settle shorter than length");
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

std::vector<std::string> program_names() {
  return {"loop", "kinematic-unit", "robot-state", "hand-control", "path-follower", "foreign"};
}

bool needs_arm(const std::string& program) {
  return program != "loop" && program != "foreign";
}

void list_fields(Fields& fields, ComponentsConfig& config) {
  fields.field("length", config.length, "of the run");
  fields.field("settle", config.settle, "from when on cycles and calls count");
  fields.field("measure", config.measure,
               "the component whose cycles are measured; empty: the first that has cycles");
  fields.field("call_timeout", config.call_timeout,
               "give up on the answer to a call after this time; the usual: 1s where network.flows "
               "is udp or raw, never over tcp");
  judge_times(fields, config);
  fields.section("network", "hosts and what connects them", [&](Fields& f) {
    network::list_fields(f, config.network, network::built_in_link_models());
  });
  fields.section(
      "placement", "who runs where",
      [&](Fields& f) {
        f.choice("rule", config.placement.rule, {"listed", "together", "separate", "isolate"},
                 "listed: as each component says; together: all on the first host; separate: each "
                 "on its own; isolate: some on the second host, the rest on the first");
        f.field("isolated", config.placement.isolated, "the components on the second host");
      },
      "rule");
  fields.field("name_service_host", config.name_service_host,
               "where the name service runs; empty: the first host");
  fields.section("execution", "computing times of all components",
                 [&](Fields& f) { list_execution(f, config.execution); });
  fields.section(
      "topics", "how messages of topics travel",
      [&](Fields& f) {
        f.field("server", config.topics.server,
                "the component that passes them on; empty: from publisher to subscriber");
        network::list_fields(f, "handling", "computing of a subscriber for each message",
                             config.topics.handling);
      },
      "server");
  fields.section(
      "arm", "an arm that components move", [&](Fields& f) { list_arm(f, config.arm); }, "model");
  fields.section("lockstep", "where processes that are not ours join",
                 [&](Fields& f) { components::list_fields(f, config.lockstep); });
  named(fields, "components", "by name", config.components, list_component);
}

bool ComponentsConfig::has_foreign() const {
  return std::any_of(components.begin(), components.end(),
                     [](const ComponentConfig& each) { return each.program == "foreign"; });
}

std::optional<Duration> call_timeout_of(const ComponentsConfig& config) {
  const bool is_reliable = config.network.flows.transport == network::Transport::kTcp;
  return config.call_timeout || is_reliable ? config.call_timeout : std::optional<Duration>(1s);
}

bool has_cycles(const ComponentConfig& component) {
  const std::string& program = component.program;
  return component.period > 0s && !component.calls.empty() && program != "kinematic-unit" &&
         program != "robot-state" && program != "foreign";
}

std::vector<std::string> host_names(const ComponentsConfig& config) {
  std::vector<std::string> names;
  for (const network::Host& host : network::make_hosts(config.network)) {
    names.push_back(host.name);
  }
  // switches stand behind the hosts
  names.resize(config.network.star.hosts > 0 ? static_cast<std::size_t>(config.network.star.hosts)
                                             : config.network.hosts.size());
  return names;
}

std::vector<std::string> hosts_of(const ComponentsConfig& config) {
  const std::string& rule = config.placement.rule;
  const std::vector<std::string>& isolated = config.placement.isolated;
  const std::vector<std::string> names = host_names(config);
  std::vector<std::string> hosts;
  for (std::size_t i = 0; i < config.components.size(); ++i) {
    const ComponentConfig& component = config.components[i];
    const bool is_isolated =
        std::find(isolated.begin(), isolated.end(), component.name) != isolated.end();
    std::size_t number = 0;
    if (rule == "separate") {
      number = i;
    } else if (rule == "isolate" && is_isolated) {
      number = 1;
    }
    const bool is_listed = rule == "listed" && !component.host.empty();
    hosts.push_back(is_listed ? component.host : names.at(number));
  }
  return hosts;
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

}  // namespace longarm::experiments
