// SPDX-License-Identifier: Apache-2.0
// Execution times and sizes: components run as processes, one caller asks all their methods.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "longarm/components/calibrate/calibration.h"
#include "longarm/components/real/real_process.h"
#include "longarm/system/forked_process.h"

namespace longarm::components {
namespace {

constexpr Duration kTimeToStart{300'000'000};
constexpr Duration kTimeToEnd{2'000'000'000};

/// Only what it serves, and that without help from others.
LoopConfig alone(const LoopConfig& component) {
  LoopConfig result;
  result.name = component.name;
  result.serves = component.serves;
  for (LoopMethod& method : result.serves) {
    method.calls.clear();
  }
  return result;
}

void find_largest(const std::vector<LoopCall>& calls, const std::string& component,
                  const std::string& method, std::int64_t& largest) {
  for (const LoopCall& call : calls) {
    if (call.to == component && (call.method.empty() ? call.name : call.method) == method) {
      largest = std::max(largest, call.request_bytes);
    }
  }
}

/// Of the requests that the scenario's components make.
std::int64_t request_size(const std::vector<LoopConfig>& components, const std::string& component,
                          const std::string& method) {
  std::int64_t largest = 0;
  for (const LoopConfig& each : components) {
    find_largest(each.calls, component, method, largest);
    for (const LoopMethod& served : each.serves) {
      find_largest(served.calls, component, method, largest);
    }
  }
  return largest;
}

LoopConfig make_caller(const std::vector<LoopConfig>& components, Duration pause, Duration length) {
  LoopConfig caller;
  caller.name = "calibration";
  caller.period = std::max(pause, Duration(1'000'000));
  caller.phase = kTimeToStart;
  caller.cycles = std::max<std::int64_t>(1, length / caller.period);
  for (const LoopConfig& component : components) {
    for (const LoopMethod& method : component.serves) {
      LoopCall call;
      call.name = fmt::format("{}/{}", component.name, method.name);
      call.to = component.name;
      call.method = method.name;
      call.request_bytes = request_size(components, component.name, method.name);
      caller.calls.push_back(std::move(call));
    }
  }
  return caller;
}

std::vector<MeasuredMethod> gather(const std::vector<CallRecord>& calls) {
  std::map<std::pair<std::string, std::string>, MeasuredMethod> methods;
  for (const CallRecord& call : calls) {
    if (call.has_failed || call.server.starts_with("/names")) {
      continue;
    }
    MeasuredMethod& method = methods[{call.server, call.method}];
    method.component = call.server;
    method.method = call.method;
    method.request_bytes =
        std::max(method.request_bytes, static_cast<std::int64_t>(call.request_bytes));
    method.reply_bytes = std::max(method.reply_bytes, static_cast<std::int64_t>(call.reply_bytes));
    method.execution_s.push_back(to_seconds(call.executed - call.request_arrived));
  }
  std::vector<MeasuredMethod> result;
  for (auto& [key, method] : methods) {
    result.push_back(std::move(method));
  }
  return result;
}

}  // namespace

Result<std::vector<MeasuredMethod>> measure_methods(const std::vector<LoopConfig>& components,
                                                    Duration pause, Duration length) {
  RealProcessConfig own;
  own.serves_names = true;
  own.name_service = {"127.0.0.1", 0};
  const Result<std::unique_ptr<RealProcess>> caller = RealProcess::make(own);
  if (!caller) {
    return caller.error();
  }
  std::vector<system::ForkedProcess> servers;
  for (const LoopConfig& component : components) {
    if (component.serves.empty()) {
      continue;
    }
    Result<system::ForkedProcess> server = system::ForkedProcess::start([&](const auto& say_ready) {
      RealProcessConfig config;
      config.name_service = (*caller)->name_service();
      const Result<std::unique_ptr<RealProcess>> process = RealProcess::make(config);
      if (process && (*process)->add(alone(component))) {
        say_ready(config.name_service);
        (void)(*process)->loop().run(Time::max());
      }
    });
    if (!server) {
      return server.error();
    }
    servers.push_back(std::move(server).value());
  }
  if (servers.empty()) {
    return std::vector<MeasuredMethod>();
  }
  if (const Result<bool> added = (*caller)->add(make_caller(components, pause, length)); !added) {
    return added.error();
  }
  const Result<Time> reached = (*caller)->run(kTimeToStart + length + kTimeToEnd);
  if (!reached) {
    return reached.error();
  }
  return gather((*caller)->calls());
}

}  // namespace longarm::components
