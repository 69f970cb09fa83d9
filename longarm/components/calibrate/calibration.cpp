// SPDX-License-Identifier: Apache-2.0
// Measures round trips with and without our components.
#include "longarm/components/calibrate/calibration.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "longarm/components/real/real_process.h"
#include "longarm/system/forked_process.h"

namespace longarm::components {
namespace {

constexpr std::int64_t kBlocks = 8;

std::string echo_name(std::size_t index) {
  return fmt::format("calibration_echo_{}", index);
}

Bytes to_bytes(const std::string& text) {
  Bytes bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(),
                 [](char letter) { return static_cast<std::byte>(letter); });
  return bytes;
}

sim::Task<Bytes> give_back(Bytes bytes) {
  co_return bytes;
}

/// Calls of our components, in a process of ours.
struct FramedPing {
  RealProcess& process;
  Node& node;
  const PingPlan& plan;
  std::vector<Address> raw{};  ///< where the plain echoes are
  std::vector<PingSample> samples{};
  std::string problem{};
  bool is_done = false;

  void fail(std::string why) {
    problem = std::move(why);
    is_done = true;
  }

  sim::Task<void> find_servers() {
    // a variable of its own: g++ 12 destroys temporaries twice where they are awaited
    sim::Task<Result<Bytes>> asked = node.call_raw(echo_name(0), "addresses", {});
    const Result<Bytes> reply = co_await std::move(asked);
    if (!reply) {
      fail(reply.error().message);
      co_return;
    }
    std::string text;
    for (const std::byte each : *reply) {
      text += std::to_integer<char>(each);
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const Result<Address> address = system::parse_address(line);
      if (!address) {
        fail(address.error().message);
        co_return;
      }
      raw.push_back(*address);
    }
    is_done = true;
  }

  sim::Task<void> run(std::int64_t first, std::int64_t rounds) {
    for (std::int64_t round = -1; round < rounds && problem.empty(); ++round) {
      co_await node.sleep_until(process.loop().wall_now() + plan.pause);
      for (std::size_t i = 0; i < raw.size() && problem.empty(); ++i) {
        co_await once(i, size_of_ping(plan, first + round + 1, i), round >= 0);
      }
    }
    is_done = true;
  }

  sim::Task<void> once(std::size_t server, std::size_t size, bool counts) {
    const Time start = process.loop().wall_now();
    sim::Task<Result<Bytes>> asked = node.call_raw(echo_name(server), "echo", Bytes(size));
    const Result<Bytes> reply = co_await std::move(asked);
    const Time end = process.loop().wall_now();
    if (!reply) {
      fail(reply.error().message);
    } else if (counts) {
      const CallRecord& record = process.calls().back();
      samples.push_back(
          {size, end - start - (record.executed - record.request_arrived), Duration::zero()});
    }
  }

  /// Runs the process until the task has come to its end.
  Result<bool> finish(sim::Task<void> task) {
    is_done = false;
    node.spawn(std::move(task));
    const Result<Time> reached = process.loop().run(Time::max(), [this] { return is_done; });
    if (!reached || !problem.empty()) {
      return Error{reached ? problem : reached.error().message};
    }
    return true;
  }
};

void serve_framed(const std::string& host, const Address& names, std::size_t index,
                  const std::string& addresses,
                  const std::function<void(const Address&)>& say_ready) {
  RealProcessConfig config;
  config.listen_host = host;
  config.name_service = names;
  const Result<std::unique_ptr<RealProcess>> process = RealProcess::make(config);
  if (!process) {
    return;
  }
  const Result<Node*> node = (*process)->add_node(echo_name(index));
  if (!node) {
    return;
  }
  (*node)->serve_raw("echo", give_back);
  (*node)->serve_raw("addresses", [addresses](Bytes) { return give_back(to_bytes(addresses)); });
  say_ready(names);
  (void)(*process)->loop().run(Time::max());
}

}  // namespace

Result<bool> serve_calibration(const Address& listen, std::size_t servers,
                               const std::function<void(const Address&)>& say_ready) {
  std::vector<system::ForkedProcess> processes;
  std::string addresses;
  for (std::size_t i = 0; i < servers; ++i) {
    Result<system::ForkedProcess> plain = system::ForkedProcess::start([&](const auto& ready) {
      (void)serve_echo({listen.host, 0}, ready);
    });
    if (!plain) {
      return plain.error();
    }
    addresses += system::to_text(plain->address()) + "\n";
    processes.push_back(std::move(plain).value());
  }
  RealProcessConfig config;
  config.listen_host = listen.host;
  config.name_service = listen;
  config.serves_names = true;
  const Result<std::unique_ptr<RealProcess>> names = RealProcess::make(config);
  if (!names) {
    return names.error();
  }
  for (std::size_t i = 0; i < servers; ++i) {
    Result<system::ForkedProcess> framed = system::ForkedProcess::start([&](const auto& ready) {
      serve_framed(listen.host, (*names)->name_service(), i, addresses, ready);
    });
    if (!framed) {
      return framed.error();
    }
    processes.push_back(std::move(framed).value());
  }
  // all must be known before anybody asks for them
  const Result<Time> registered = (*names)->run(std::chrono::milliseconds(200));
  if (!registered) {
    return registered.error();
  }
  say_ready((*names)->name_service());
  const Result<Time> ended = (*names)->loop().run(Time::max());
  return ended ? Result<bool>(true) : Result<bool>(ended.error());
}

Result<Calibration> measure(const Address& server, const CalibrationPlan& plan) {
  RealProcessConfig config;
  config.listen_host = plan.listen_host;
  config.name_service = server;
  const Result<std::unique_ptr<RealProcess>> process = RealProcess::make(config);
  if (!process) {
    return process.error();
  }
  const Result<Node*> node = (*process)->add_node("calibration");
  if (!node) {
    return node.error();
  }
  FramedPing framed{**process, **node, plan.ping};
  if (const Result<bool> found = framed.finish(framed.find_servers()); !found) {
    return found.error();
  }
  // both kinds take turns, so that neither has all of a bad moment
  Calibration result;
  const auto servers = static_cast<std::int64_t>(framed.raw.size());
  const std::int64_t rounds =
      plan.ping.count * static_cast<std::int64_t>(plan.ping.sizes.size()) / servers + 1;
  for (std::int64_t block = 0; block < kBlocks; ++block) {
    const std::int64_t first = rounds * block / kBlocks;
    const std::int64_t count = rounds * (block + 1) / kBlocks - first;
    if (const Result<bool> done = framed.finish(framed.run(first, count)); !done) {
      return done.error();
    }
    const Result<std::vector<PingSample>> raw = ping(framed.raw, plan.ping, first, count);
    if (!raw) {
      return raw.error();
    }
    result.raw.insert(result.raw.end(), raw->begin(), raw->end());
  }
  result.framed = std::move(framed.samples);
  analyse(result, plan);
  return result;
}

}  // namespace longarm::components
