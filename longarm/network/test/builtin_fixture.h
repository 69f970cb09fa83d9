// SPDX-License-Identifier: Apache-2.0
// For tests of network backends: small topologies, traffic, and what became of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "longarm/core/check.h"
#include "longarm/network/backend.h"
#include "longarm/network/builtin/builtin_backend.h"

namespace longarm::network {

using namespace std::chrono_literals;

inline Time at(Duration since_start) {
  return Time(since_start);
}

/// Hosts h0, h1, … in a line of cables like `cable`, switches in between.
inline Topology chain(const Cable& cable, int cables = 1) {
  Topology topology;
  for (int i = 0; i <= cables; ++i) {
    const bool is_end = i == 0 || i == cables;
    topology.nodes.push_back({is_end ? (i == 0 ? "h0" : "h1") : "s" + std::to_string(i), !is_end});
  }
  for (int i = 0; i < cables; ++i) {
    Cable each = cable;
    each.name = "c" + std::to_string(i);
    each.ends[0] = NodeId{static_cast<std::uint32_t>(i)};
    each.ends[1] = NodeId{static_cast<std::uint32_t>(i + 1)};
    topology.cables.push_back(std::move(each));
  }
  return topology;
}

/// Hosts h0 … around switch `hub`, which is the last node.
inline Topology star(int hosts, const Cable& cable) {
  Topology topology;
  for (int i = 0; i < hosts; ++i) {
    topology.nodes.push_back({"h" + std::to_string(i)});
    Cable each = cable;
    each.name = "c" + std::to_string(i);
    each.ends[0] = NodeId{static_cast<std::uint32_t>(i)};
    each.ends[1] = NodeId{static_cast<std::uint32_t>(hosts)};
    topology.cables.push_back(std::move(each));
  }
  topology.nodes.push_back({"hub", true});
  return topology;
}

/// A cable of `rate_bit_s` and `propagation`.
inline Cable cable(double rate_bit_s, Duration propagation, Framing framing = Framing::kPpp) {
  Cable made;
  made.rate_bit_s = rate_bit_s;
  made.propagation = propagation;
  made.framing = framing;
  return made;
}

/// A backend that is run to the end, or to an instant, with an answerer.
class Traffic {
 public:
  using Answer = std::function<void(const Delivery&)>;

  explicit Traffic(const Topology& topology, const BuiltinOptions& builtin = {},
                   const BackendOptions& options = {})
      : backend_(make_builtin_backend(topology, options, builtin)) {}
  explicit Traffic(std::unique_ptr<Backend> backend) : backend_(std::move(backend)) {}

  Backend& backend() { return *backend_; }

  FlowId open(int opener, int peer, Transport transport, int priority = 0) {
    FlowOptions options;
    options.transport = transport;
    options.priority = priority;
    return open(opener, peer, options);
  }
  FlowId open(int opener, int peer, const FlowOptions& options, Time when = Time{}) {
    const Result<FlowId> flow = backend_->open({NodeId{static_cast<std::uint32_t>(opener)},
                                                NodeId{static_cast<std::uint32_t>(peer)}, options},
                                               when);
    check(flow.has_value(), "the flow was refused");
    return *flow;
  }
  /// Messages are numbered from 1.
  MessageId send(FlowId flow, std::uint32_t size_bytes, Time when, Side from = Side::kOpener) {
    const MessageId message{++messages_};
    backend_->send(flow, from, message, size_bytes, when);
    return message;
  }

  void run(Time until = Time::max(), const Answer& answer = {}) {
    while (backend_->next_event() < until) {
      const std::size_t before = deliveries_.size();
      const Result<bool> has_deliveries = backend_->advance(until, deliveries_);
      check(has_deliveries.has_value() && *has_deliveries == (deliveries_.size() > before),
            "advance does not say what it did");
      for (std::size_t i = before; answer && i < deliveries_.size(); ++i) {
        answer(deliveries_[i]);
      }
    }
  }

  const std::vector<Delivery>& deliveries() const { return deliveries_; }
  /// When messages arrived, in that order.
  std::vector<Duration> arrivals() const { return times_of(Fate::kDelivered); }
  std::vector<Duration> times_of(Fate fate) const {
    std::vector<Duration> times;
    for (const Delivery& delivery : deliveries_) {
      if (delivery.fate == fate) {
        times.push_back(delivery.time.time_since_epoch());
      }
    }
    return times;
  }

 private:
  std::unique_ptr<Backend> backend_;
  std::vector<Delivery> deliveries_;
  std::uint64_t messages_ = 0;
};

}  // namespace longarm::network
