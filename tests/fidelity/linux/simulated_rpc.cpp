// SPDX-License-Identifier: Apache-2.0
// The same calls in the built-in network.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "longarm/network/netem/netem_config.h"
#include "longarm/network/netem/netem_link.h"
#include "longarm/network/network.h"
#include "longarm/sim/kernel.h"
#include "tests/fidelity/linux/rpc_trial.h"

namespace longarm::fidelity {
namespace {

using namespace network;

NetemConfig netem_of(const std::string& line) {
  NetemConfig config;
  if (read_netem(line, config)) {
    throw std::invalid_argument("not a netem line: " + line);
  }
  return config;
}

/// netem as it is, on packets that have the two bytes of PPP more than those of a TUN device.
class TrialModel final : public LinkModel {
 public:
  explicit TrialModel(const std::string& line) : config_(netem_of(line)) {
    config_.rate.packet_overhead_bytes -= 2;
  }
  void list_fields(Fields&) override {}
  std::unique_ptr<Link> make(const LinkContext& context) const override {
    return make_netem_link(config_, context);
  }

 private:
  NetemConfig config_;
};

Topology two_hosts(const RpcTrial& trial) {
  Topology topology;
  topology.nodes = {{"client", false, {}}, {"server", false, {}}};
  Cable cable;
  cable.name = "tun";
  cable.ends[0] = NodeId{0};
  cable.ends[1] = NodeId{1};
  cable.framing = Framing::kPpp;
  const auto model = std::make_shared<TrialModel>(trial.netem);
  cable.impairment[0] = model;
  cable.impairment[1] = model;
  topology.cables = {cable};
  return topology;
}

/// One connection that asks, waits, and asks again.
struct Caller {
  FlowId flow{};
  int calls_left = 0;
  Time asked_at{};
};

class Trial {
 public:
  explicit Trial(const RpcTrial& trial)
      : trial_(trial),
        network_(kernel_, make_builtin_backend(two_hosts(trial), {trial.seed, ""}),
                 {named("client"), named("server")}, trial.seed),
        callers_(static_cast<std::size_t>(trial.connections)) {}

  Result<RpcTimes> run() {
    for (std::size_t i = 0; i < callers_.size(); ++i) {
      const Result<FlowId> flow = open(i);
      if (!flow) {
        return flow.error();
      }
      callers_[i].flow = *flow;
      callers_[i].calls_left = trial_.calls;
    }
    const auto whole = static_cast<std::size_t>(trial_.calls) * callers_.size();
    constexpr Duration kSlice = std::chrono::seconds(10);
    while (times_.seconds.size() < whole && problem_.empty()) {
      const Result<Time> reached = kernel_.run_until(kernel_.now() + kSlice);
      if (!reached) {
        return reached.error();
      }
    }
    if (!problem_.empty()) {
      return Error{problem_};
    }
    std::sort(times_.seconds.begin(), times_.seconds.end());
    return times_;
  }

 private:
  static Host named(const std::string& name) {
    Host host;
    host.name = name;
    return host;
  }

  Result<FlowId> open(std::size_t index) {
    FlowOptions options;
    options.transport = Transport::kTcp;
    options.tcp.congestion =
        trial_.congestion == "reno" ? CongestionControl::kReno : CongestionControl::kCubic;
    FlowEvents events;
    events.connected = [this, index](Side side) {
      if (side != Side::kOpener) {
        return;
      }
      if (trial_.is_stream()) {
        stream(index);
      } else {
        ask(index);
      }
    };
    events.delivered = [this, index](Side side, MessageId) {
      if (trial_.is_stream()) {
        answered(index);
      } else if (side == Side::kPeer) {
        network_.send(callers_[index].flow, Side::kPeer, trial_.reply_bytes);
      } else {
        answered(index);
      }
    };
    events.reset = [this](Side) { problem_ = "a connection was reset"; };
    return network_.open({NodeId{0}, NodeId{1}, options}, std::move(events));
  }

  void ask(std::size_t index) {
    Caller& caller = callers_[index];
    caller.asked_at = kernel_.now();
    network_.send(caller.flow, Side::kOpener, trial_.request_bytes);
  }

  void stream(std::size_t index) {
    const Time first = kernel_.now();
    callers_[index].asked_at = first;
    for (int i = 0; i < trial_.calls; ++i) {
      kernel_.deliver(first + i * trial_.period, source_, [this, index](Time) {
        network_.send(callers_[index].flow, Side::kOpener, trial_.request_bytes);
      });
    }
  }

  void answered(std::size_t index) {
    Caller& caller = callers_[index];
    times_.seconds.push_back(to_seconds(kernel_.now() - caller.asked_at));
    if (trial_.is_stream()) {
      caller.asked_at += trial_.period;  // when the next one was due
    } else if (--caller.calls_left > 0) {
      ask(index);
    }
  }

  const RpcTrial& trial_;
  sim::Kernel kernel_;
  sim::SourceId source_ = kernel_.add_source("stream");
  Network network_;
  std::vector<Caller> callers_;
  RpcTimes times_;
  std::string problem_;
};

}  // namespace

double RpcTimes::quantile(double share) const {
  // the smallest value that as many are not above
  const auto count = static_cast<double>(seconds.size());
  const auto rank = static_cast<std::size_t>(std::max(0.0, std::ceil(share * count) - 1.0));
  return seconds.at(rank);
}

double RpcTimes::mean() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
}

double RpcTimes::standard_error() const {
  const double middle = mean();
  double squares = 0.0;
  for (const double each : seconds) {
    squares += (each - middle) * (each - middle);
  }
  const auto count = static_cast<double>(seconds.size());
  return std::sqrt(squares / (count - 1.0) / count);
}

std::unique_ptr<network::Link> make_trial_link(const RpcTrial& trial, const std::string& name) {
  return make_netem_link(netem_of(trial.netem), {trial.seed, name});
}

Result<RpcTimes> simulate(const RpcTrial& trial) {
  return Trial(trial).run();
}

}  // namespace longarm::fidelity
