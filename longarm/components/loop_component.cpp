// SPDX-License-Identifier: Apache-2.0
// The loop component: cycles of calls and publications, and methods that compute and call in turn.
#include "longarm/components/loop_component.h"

#include <utility>

#include <fmt/format.h>

#include "longarm/components/name_messages.h"

namespace longarm::components {
namespace {

using network::KeyRemark;

void list_method(Fields& fields, LoopMethod& method) {
  fields.field("reply_bytes", method.reply_bytes, "payload size of the reply");
  network::list_fields(fields, "execution", "computing time before the reply", method.execution);
  list_calls(fields, "calls", "calls made in sequence before the reply", method.calls);
}

void judge_every(const std::string& key, std::int64_t every, std::vector<KeyRemark>& remarks) {
  if (every < 1) {
    remarks.push_back(
        {key, fmt::format("{} is not a valid number of cycles", every), "give 1 or more"});
  }
}

void load_time(const std::string& key, network::VaryingTime& time, InputFiles& files,
               std::vector<KeyRemark>& remarks) {
  for (KeyRemark remark : network::load(time, files)) {
    remark.key = remark.key.empty() ? key : key + "." + remark.key;
    remarks.push_back(std::move(remark));
  }
}

/// What the parameters say replaces what the keys say.
std::vector<KeyRemark> load_parameters(LoopConfig& config) {
  if (config.period > Duration::zero()) {
    config.program_parameters.push_back({.name = kPeriodParameter,
                                         .type = ParameterType::kDouble,
                                         .value = to_seconds(config.period),
                                         .unit = "s",
                                         .doc = "period of its cycles",
                                         .least = 1e-6});
  }
  std::vector<KeyRemark> remarks = judge_node(config);
  for (const ParameterDeclaration& parameter : declared_parameters(config)) {
    if (parameter.name == kPeriodParameter && config.period > Duration::zero()) {
      config.period = to_duration(parameter.value.get<double>());
    }
  }
  return remarks;
}

bool is_due(const LoopCall& call, std::int64_t number, Time now) {
  const Duration since_start = now.time_since_epoch();
  return number % call.every == 0 && since_start >= call.from &&
         (!call.until || since_start < *call.until);
}

}  // namespace

void list_calls(Fields& fields, std::string_view key, std::string_view doc,
                std::vector<LoopCall>& calls) {
  named(fields, key, doc, calls, [](Fields& group, LoopCall& call) {
    group.field("to", call.to, "component to call");
    group.field("method", call.method, "method to call; default: the name of the call");
    group.field("request_bytes", call.request_bytes, "payload size of the request");
    group.field("every", call.every, "make the call only in every n-th cycle");
    group.field("from", call.from, "make no calls before this time");
    group.field("until", call.until, "make no calls at or after this time");
    group.field("timeout", call.timeout,
                "timeout of the answer: the cycle then counts as failed and the next one starts; "
                "default: call_timeout");
    group.field("set", call.set,
                "parameters of the component to set, NAME:=VALUE; calls its set_parameters");
    group.field("get", call.get, "parameters of the component to read; calls its get_parameters");
  });
}

void judge_calls(const std::string& prefix, const std::vector<LoopCall>& calls,
                 std::vector<KeyRemark>& remarks) {
  for (const LoopCall& call : calls) {
    const std::string key = fmt::format("{}{}.", prefix, call.name);
    if (call.to.empty()) {
      remarks.push_back({key + "to", "the call has no component", "name a component"});
    }
    judge_size(key + "request_bytes", call.request_bytes, remarks);
    if (call.is_about_parameters() && (!call.method.empty() || call.request_bytes != 0 ||
                                       (!call.set.empty() && !call.get.empty()))) {
      remarks.push_back({key + (call.set.empty() ? "get" : "set"),
                         "a call is for a method, or sets parameters, or reads some",
                         "split it in two, without method and request_bytes"});
    }
    for (const std::string& text : call.set) {
      if (!split_assignment(text)) {
        remarks.push_back(
            {key + "set", fmt::format("'{}' has no ':='", text), "for example set: [period:=0.1]"});
      }
    }
    judge_every(key + "every", call.every, remarks);
    if (call.timeout && *call.timeout <= Duration::zero()) {
      remarks.push_back(
          {key + "timeout", "a timeout must be greater than zero", "give a time such as 1s"});
    }
    if (call.until && *call.until <= call.from) {
      remarks.push_back(
          {key + "until", "the call would never be made", "give a time after `from`"});
    }
  }
}

const std::string& LoopCall::method_name() const {
  static const std::string kSet(kSetParameters);
  static const std::string kGet(kGetParameters);
  return !set.empty() ? kSet : !get.empty() ? kGet : method.empty() ? name : method;
}

Bytes parameter_request(const LoopCall& call) {
  if (call.set.empty()) {
    return encode(ParameterNames{call.get});
  }
  ParameterValues values;
  for (const std::string& text : call.set) {
    if (const auto split = split_assignment(text)) {
      values.values.push_back({split->first, json_text(guess_parameter(split->second))});
    }
  }
  return encode(values);
}

std::optional<std::pair<std::string, std::string>> split_assignment(const std::string& text) {
  const std::size_t at = text.find(":=");
  if (at == std::string::npos || at == 0) {
    return std::nullopt;
  }
  return std::pair(text.substr(0, at), text.substr(at + 2));
}

void list_fields(Fields& fields, LoopConfig& config) {
  fields.field("period", config.period, "period of its cycles; 0s: it only serves");
  fields.field("phase", config.phase, "start of the first cycle");
  fields.field("cycles", config.cycles, "number of cycles; 0: as many as fit");
  network::list_fields(fields, "compute", "computing time at the start of each cycle",
                       config.compute);
  list_calls(fields, "calls", "calls made in each cycle, in this order; each waits for its reply",
             config.calls);
  named(fields, "publishes", "messages published at the end of each cycle", config.publishes,
        [](Fields& group, LoopPublication& publication) {
          group.field("topic", publication.topic, "topic; default: the name of the entry");
          group.field("bytes", publication.bytes, "payload size of the message");
          group.field("every", publication.every, "publish only in every n-th cycle");
        });
  named(fields, "serves", "methods that other components may call", config.serves, list_method);
  fields.field("subscribes", config.subscribes, "topics to subscribe to");
  list_actions(fields, config.actions);
  list_goals(fields, config.goals);
  list_fields(fields, static_cast<NodeConfig&>(config));
}

std::vector<KeyRemark> load(LoopConfig& config, InputFiles& files) {
  std::vector<KeyRemark> remarks;
  if (config.period < Duration::zero()) {
    remarks.push_back({"period", "is negative", "give a time such as 2ms, or 0s"});
  }
  if (config.phase < Duration::zero()) {
    remarks.push_back({"phase", "is negative", "give a time such as 0s"});
  }
  if (config.cycles < 0) {
    remarks.push_back({"cycles", "is negative", "give a count, or 0 for as many as fit"});
  }
  if (config.period == Duration::zero() && !(config.calls.empty() && config.publishes.empty())) {
    remarks.push_back({"period", "without a period there are no cycles, so no calls are made",
                       "give a time such as 2ms"});
  }
  load_time("compute", config.compute, files, remarks);
  judge_calls("calls.", config.calls, remarks);
  for (const LoopPublication& publication : config.publishes) {
    judge_size(fmt::format("publishes.{}.bytes", publication.name), publication.bytes, remarks);
    judge_every(fmt::format("publishes.{}.every", publication.name), publication.every, remarks);
  }
  for (LoopMethod& method : config.serves) {
    const std::string key = fmt::format("serves.{}.", method.name);
    judge_size(key + "reply_bytes", method.reply_bytes, remarks);
    load_time(key + "execution", method.execution, files, remarks);
    judge_calls(key + "calls.", method.calls, remarks);
  }
  const auto add = [&remarks](std::vector<KeyRemark> more) {
    remarks.insert(remarks.end(), more.begin(), more.end());
  };
  add(load(config.actions, files));
  add(judge_goals(config.goals));
  add(load_parameters(config));
  return remarks;
}

LoopComponent::LoopComponent(Node& node, LoopConfig config, std::uint64_t seed, Clock clock)
    : node_(node),
      config_(std::move(config)),
      clock_(std::move(clock)),
      compute_draws_(seed, config_.name + ".compute") {
  for (const LoopMethod& method : config_.serves) {
    serve(served_.emplace_back(
        Served{method, RandomStream(seed, config_.name + "." + method.name), 0}));
  }
  for (const LoopAction& action : config_.actions) {
    actions_.emplace_back(node_, action, config_.name, seed);
  }
  for (const LoopGoal& goal : config_.goals) {
    goals_.emplace_back(node_, goal);
  }
  if (config_.period > Duration::zero()) {
    node_.follow_parameter(kPeriodParameter, [this](const Parameter& value) {
      config_.period = to_duration(value.get<double>());
    });
  }
  for (const std::string& topic : config_.subscribes) {
    node_.subscribe_raw(topic, Blob::kTypeName, [this](const Bytes&) { ++messages_received_; },
                        {.flow = node_.call_flow()});
  }
  for (LoopPublication& publication : config_.publishes) {
    if (publication.topic.empty()) {
      publication.topic = publication.name;
    }
    node_.advertise_raw(publication.topic, Blob::kTypeName, {.flow = node_.call_flow()});
  }
  if (config_.period > Duration::zero()) {
    node_.spawn(run());
  }
}

void LoopComponent::serve(Served& served) {
  node_.serve_raw(served.method.name, [this, &served](Bytes) { return execute(served); });
}

sim::Task<Bytes> LoopComponent::execute(Served& served) {
  const std::int64_t number = served.executions++;
  const Duration work = served.method.execution.at(
      static_cast<std::size_t>(served.method.reply_bytes), served.draws.uniform());
  if (work > Duration::zero()) {
    co_await node_.compute(work);
  }
  LoopCycle nested;
  co_await make_calls(served.method.calls, number, nested);
  co_return zeros(served.method.reply_bytes);
}

sim::Task<void> LoopComponent::make_calls(const std::vector<LoopCall>& calls, std::int64_t number,
                                          LoopCycle& cycle) {
  for (const LoopCall& call : calls) {
    if (!is_due(call, number, node_.now())) {
      continue;
    }
    if (cycle.calls++ == 0) {
      cycle.started = measured_now();
    }
    const std::string& method = call.method_name();
    // a variable of its own: g++ 12 destroys temporaries twice where they are awaited
    CallOptions options;
    options.timeout = call.timeout;
    sim::Task<Result<Bytes>> asked = node_.call_raw(
        call.to, method,
        call.is_about_parameters() ? parameter_request(call) : zeros(call.request_bytes),
        std::move(options));
    const Result<Bytes> reply = co_await std::move(asked);
    cycle.ended = measured_now();
    if (!reply) {
      cycle.has_failed = true;
      last_failure_ = fmt::format("{}.{}: {}", call.to, method, reply.error().message);
    }
  }
}

sim::Task<void> LoopComponent::run() {
  Time next = Time{config_.phase};
  for (std::int64_t number = 0; config_.cycles == 0 || number < config_.cycles; ++number) {
    co_await node_.sleep_until(next);
    const Duration work = config_.compute.at(0, compute_draws_.uniform());
    if (work > Duration::zero()) {
      co_await node_.compute(work);
    }
    LoopCycle cycle;
    co_await make_calls(config_.calls, number, cycle);
    if (cycle.calls > 0) {
      cycles_.push_back(cycle);
    }
    for (const LoopPublication& publication : config_.publishes) {
      if (number % publication.every == 0) {
        node_.publish_raw(publication.topic, zeros(publication.bytes));
      }
    }
    next += config_.period;
    if (next < node_.now()) {
      ++overruns_;
      next = node_.now();
    }
  }
  is_done_ = true;
}

}  // namespace longarm::components
