// SPDX-License-Identifier: Apache-2.0
// Puts what caller and server saw of a call into one row.
#include "longarm/actors/component_trace.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace longarm::actors {
namespace {

using Json = nlohmann::ordered_json;

// of each server: replies on their way, and those of callers that gave up before
constexpr std::size_t kMostExecutions = 256;

/// Names of actors have no slash in front.
std::string_view plain(std::string_view name) {
  return name.starts_with('/') ? name.substr(1) : name;
}

Json row(std::string_view kind, std::string_view caller, std::string_view callee,
         std::string_view method, bool is_remote, Time sent) {
  return {{"kind", kind},     {"caller", plain(caller)}, {"callee", plain(callee)},
          {"method", method}, {"remote", is_remote},     {"sent_s", to_seconds(sent)}};
}

}  // namespace

ComponentTrace::ComponentTrace(record::RosTrace& trace, const std::string& name,
                               std::map<std::string, std::string, std::less<>> hosts,
                               std::string measured, Time counted)
    : calls_(trace.add_json("/" + name + "/calls", "longarm/Call",
                            {{"kind", "string"},
                             {"caller", "string"},
                             {"callee", "string"},
                             {"method", "string"},
                             {"why", "string"},
                             {"remote", "boolean"},
                             {"failed", "boolean"},
                             {"sent_s", "number"},
                             {"delivered_s", "number"},
                             {"arrived_s", "number"},
                             {"started_s", "number"},
                             {"core_wait_s", "number"},
                             {"finished_s", "number"},
                             {"answered_s", "number"},
                             {"request_bytes", "integer"},
                             {"reply_bytes", "integer"}})),
      cycles_(trace.add_json("/" + name + "/cycles", "longarm/Cycle",
                             {{"component", "string"},
                              {"number", "integer"},
                              {"started_s", "number"},
                              {"ended_s", "number"},
                              {"calls", "integer"},
                              {"failed", "boolean"},
                              {"counted", "boolean"}})),
      hosts_(std::move(hosts)),
      measured_(std::move(measured)),
      counted_(counted) {}

bool ComponentTrace::is_remote(std::string_view a, std::string_view b) const {
  const auto one = hosts_.find(plain(a));
  const auto other = hosts_.find(plain(b));
  return one != hosts_.end() && other != hosts_.end() && one->second != other->second;
}

void ComponentTrace::executed(const components::ExecutionRecord& record) {
  auto its = executions_.find(record.server);
  if (its == executions_.end()) {
    its = executions_.emplace(std::string(record.server), std::deque<Execution>{}).first;
  }
  its->second.push_back({std::string(record.method), record});
  if (its->second.size() > kMostExecutions) {
    its->second.pop_front();
  }
}

std::optional<components::ExecutionRecord> ComponentTrace::take(
    const components::CallRecord& call) {
  const auto its = executions_.find(call.server);
  if (its == executions_.end()) {
    return std::nullopt;
  }
  // two that agree in all three look the same to everyone
  const auto found = std::ranges::find_if(its->second, [&call](const Execution& each) {
    return each.record.executed == call.executed && each.record.arrived == call.request_arrived &&
           each.method == call.method;
  });
  if (found == its->second.end()) {
    return std::nullopt;
  }
  const components::ExecutionRecord out = found->record;
  its->second.erase(found);
  return out;
}

void ComponentTrace::called(const components::CallRecord& record) {
  Json out =
      row("call", record.caller, record.server, record.method, record.is_remote, record.called);
  if (const auto execution = take(record)) {
    out["delivered_s"] = to_seconds(execution->reached_host.value_or(execution->arrived));
    out["arrived_s"] = to_seconds(execution->arrived);
    out["started_s"] = to_seconds(execution->started);
    out["core_wait_s"] = to_seconds(execution->core_wait);
    out["finished_s"] = to_seconds(execution->executed);
  }
  out["answered_s"] = to_seconds(record.reply_arrived);
  out["request_bytes"] = record.request_bytes;
  out["failed"] = record.has_failed;
  if (record.has_failed) {
    out["why"] = record.failure;
  } else {
    out["reply_bytes"] = record.reply_bytes;
  }
  calls_->write(record.reply_arrived, out);
}

void ComponentTrace::published(const std::string& publisher, const std::string& topic,
                               const std::string& subscriber, std::size_t bytes, Time sent,
                               Time arrived) {
  Json out = row("publish", publisher, subscriber, topic, is_remote(publisher, subscriber), sent);
  out["delivered_s"] = to_seconds(arrived);
  out["arrived_s"] = to_seconds(arrived);
  out["request_bytes"] = bytes;
  out["failed"] = false;
  calls_->write(arrived, out);
}

void ComponentTrace::cycled(Time now, const std::vector<components::LoopCycle>& cycles) {
  for (; cycles_written_ < cycles.size(); ++cycles_written_) {
    const components::LoopCycle& cycle = cycles[cycles_written_];
    cycles_->write(now, {{"component", measured_},
                         {"number", cycles_written_ + 1},
                         {"started_s", to_seconds(cycle.started)},
                         {"ended_s", to_seconds(cycle.ended)},
                         {"calls", cycle.calls},
                         {"failed", cycle.has_failed},
                         {"counted", cycle.started >= counted_ && !cycle.has_failed}});
  }
}

void ComponentTrace::left_open(Time now, std::string_view caller,
                               const components::OpenCall& call) {
  Json out =
      row("call", caller, call.server, call.method, is_remote(caller, call.server), call.called);
  out["failed"] = false;
  calls_->write(now, out);
}

}  // namespace longarm::actors
