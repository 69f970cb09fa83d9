// SPDX-License-Identifier: Apache-2.0
// Cycles of calls whose contents somebody else knows.
#include "longarm/actors/component_cycles.h"

#include <utility>

#include "longarm/actors/component_own_method.h"

namespace longarm::actors {

using components::Bytes;
using components::LoopCall;
using components::LoopCycle;

const std::string& method_of(const LoopCall& call) {
  return call.method_name();
}

CyclicProgram::CyclicProgram(const ProgramContext& context,
                             const std::vector<std::string>& own_methods, PlainPart::Heard heard)
    : node_(context.node),
      config_(context.config),
      compute_draws_(context.seed, context.config.name + ".compute"),
      plain_(context, false, own_methods, {}, std::move(heard)) {
  if (config_.period > Duration::zero()) {
    node_.follow_parameter(components::kPeriodParameter,
                           [this](const components::Parameter& value) {
                             config_.period = to_duration(value.get<double>());
                           });
  }
}

std::string CyclicProgram::last_failure() const {
  return last_failure_.empty() ? plain_.last_failure() : last_failure_;
}

bool CyclicProgram::is_due(const LoopCall& call, std::int64_t number) const {
  const Duration since_start = node_.now().time_since_epoch();
  return number % call.every == 0 && since_start >= call.from &&
         (!call.until || since_start < *call.until) && wants(call);
}

sim::Task<void> CyclicProgram::make_calls(std::int64_t number) {
  LoopCycle cycle;
  const std::vector<const LoopCall*> calls = begin_cycle();
  for (const LoopCall* call : calls) {
    if (!is_due(*call, number)) {
      continue;
    }
    if (cycle.calls++ == 0) {
      cycle.started = node_.now();
    }
    components::CallOptions options;
    options.timeout = call->timeout;
    // a variable of its own: g++ 12 destroys temporaries twice where they are awaited
    sim::Task<Result<Bytes>> asked = node_.call_raw(
        call->to, method_of(*call),
        call->is_about_parameters() ? components::parameter_request(*call) : request(*call),
        std::move(options));
    const Result<Bytes> reply = co_await std::move(asked);
    cycle.ended = node_.now();
    if (!reply) {
      cycle.has_failed = true;
      last_failure_ = call->to + "." + method_of(*call) + ": " + reply.error().message;
    }
    replied(*call, reply);
  }
  if (cycle.calls > 0) {
    cycles_.push_back(cycle);
  }
}

sim::Task<void> CyclicProgram::run() {
  Time next{config_.phase};
  for (std::int64_t number = 0; config_.cycles == 0 || number < config_.cycles; ++number) {
    co_await node_.sleep_until(next);
    co_await compute(node_, config_.compute.at(0, compute_draws_.uniform()));
    co_await make_calls(number);
    next += config_.period;
    if (next < node_.now()) {
      ++overruns_;
      next = node_.now();
    }
  }
}

}  // namespace longarm::actors
