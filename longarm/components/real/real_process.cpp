// SPDX-License-Identifier: Apache-2.0
// Puts loop, sockets, processor and node together, and writes down what they measured.
#include "longarm/components/real/real_process.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

namespace longarm::components {
namespace {

constexpr const char* kNameService = "/names";

/// Of calls or goals.
template <typename Item>
void shift(std::vector<Item>& items, Duration by) {
  for (Item& item : items) {
    item.from += by;
    if (item.until) {
      *item.until += by;
    }
  }
}

std::string file_name(std::string_view start, std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return fmt::format("{}_{}.csv", start, name.starts_with('_') ? name.substr(1) : name);
}

}  // namespace

Result<std::unique_ptr<RealProcess>> RealProcess::make(RealProcessConfig config) {
  std::unique_ptr<RealProcess> process(new RealProcess(std::move(config)));
  if (process->config_.serves_names) {
    const Result<Part*> part = process->add_part(kNameService, process->config_.name_service.port);
    if (!part) {
      return part.error();
    }
    process->config_.name_service = (*part)->transport->address();
    process->names_ = std::make_unique<NameService>(*(*part)->node);
  }
  return process;
}

RealProcess::RealProcess(RealProcessConfig config) : config_(std::move(config)), loop_(kernel_) {
  zero_ = until_epoch();
}

RealProcess::~RealProcess() {
  names_.reset();
  // a component's tasks end with its node, then its processor and its sockets
  for (const auto& part : parts_) {
    part->node.reset();
  }
}

Duration RealProcess::until_epoch() const {
  if (config_.epoch_ns == 0) {
    return Duration::zero();
  }
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t now_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  return loop_.wall_now().time_since_epoch() +
         std::max(Duration(config_.epoch_ns - now_ns), Duration::zero());
}

Result<RealProcess::Part*> RealProcess::add_part(const std::string& name, std::uint16_t port,
                                                 const NodeConfig* config) {
  SocketOptions options;
  options.listen = {config_.listen_host, port};
  Result<std::unique_ptr<SocketTransport>> transport = SocketTransport::make(loop_, options);
  if (!transport) {
    return transport.error();
  }
  auto part = std::make_unique<Part>();
  part->name = name;
  part->transport = std::move(transport).value();
  part->processor = std::make_unique<BurningProcessor>(loop_);
  NodeSetup setup;
  setup.name = config != nullptr ? config->node() : name;
  setup.remap = config != nullptr ? config->remap_rules() : setup.remap;
  setup.observer = &observer_;
  setup.calls = config_.calls;
  if (name != kNameService) {
    setup.name_service = config_.name_service;
  }
  part->node = std::make_unique<Node>(kernel_, *part->transport, *part->processor, setup);
  if (config != nullptr) {
    declare_parameters(*part->node, *config);
  }
  return parts_.emplace_back(std::move(part)).get();
}

Result<Node*> RealProcess::add_node(const std::string& name) {
  const Result<Part*> part = add_part(name, 0);
  if (!part) {
    return part.error();
  }
  return (*part)->node.get();
}

Result<bool> RealProcess::add(LoopConfig component) {
  const Result<Part*> part = add_part(component.name, 0, &component);
  if (!part) {
    return part.error();
  }
  component.phase += zero_;
  shift(component.calls, zero_);
  for (LoopMethod& method : component.serves) {
    shift(method.calls, zero_);
  }
  shift(component.goals, zero_);
  (*part)->loop = std::make_unique<LoopComponent>(
      *(*part)->node, std::move(component), config_.seed, [this] { return loop_.wall_now(); });
  return true;
}

Result<Time> RealProcess::run(Duration length) {
  const auto is_done = [this] {
    bool has_cycles = false;
    for (const auto& part : parts_) {
      if (part->loop && part->loop->has_cycles()) {
        has_cycles = true;
        if (!part->loop->is_done()) {
          return false;
        }
      }
    }
    return has_cycles;
  };
  return loop_.run(Time(zero_ + length), is_done);
}

const LoopComponent* RealProcess::component(const std::string& name) const {
  for (const auto& part : parts_) {
    if (part->name == name) {
      return part->loop.get();
    }
  }
  return nullptr;
}

std::vector<std::string> RealProcess::complaints() const {
  std::vector<std::string> all;
  for (const auto& part : parts_) {
    for (const std::string& each : part->node->complaints()) {
      all.push_back(part->name + ": " + each);
    }
    if (part->loop && part->loop->has_cycles() && part->loop->cycles().empty()) {
      all.push_back(part->name +
                    ": no cycle has ended; check that all components it calls are running");
    }
  }
  return all;
}

Result<bool> RealProcess::write(const std::string& folder) const {
  namespace fs = std::filesystem;
  for (const auto& part : parts_) {
    if (!part->loop) {
      continue;
    }
    std::ofstream cycles(fs::path(folder) / file_name("cycles", part->name));
    cycles << "started_s,seconds,calls,failed\n";
    for (const LoopCycle& cycle : part->loop->cycles()) {
      cycles << fmt::format(
          "{:.9f},{:.9f},{},{}\n", to_seconds(cycle.started.time_since_epoch() - zero_),
          to_seconds(cycle.ended - cycle.started), cycle.calls, cycle.has_failed ? 1 : 0);
    }
    std::ofstream calls(fs::path(folder) / file_name("calls", part->name));
    calls << "server,method,request_bytes,reply_bytes,seconds,execution_s,failed\n";
    for (const CallRecord& call : observer_.records) {
      if (call.caller != part->node->name()) {
        continue;
      }
      calls << fmt::format(
          "{},{},{},{},{:.9f},{:.9f},{}\n", call.server, call.method, call.request_bytes,
          call.reply_bytes, to_seconds(call.reply_arrived - call.called),
          to_seconds(call.executed - call.request_arrived), call.has_failed ? 1 : 0);
    }
    if (!cycles.flush() || !calls.flush()) {
      return Error{fmt::format("cannot write to {}", folder)};
    }
  }
  return true;
}

}  // namespace longarm::components
