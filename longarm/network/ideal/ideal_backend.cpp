// SPDX-License-Identifier: Apache-2.0
// The network that is not there: each message arrives at the instant it is sent.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "longarm/network/backend.h"

namespace longarm::network {
namespace {

class IdealBackend final : public Backend {
 public:
  explicit IdealBackend(const Topology& topology) {
    for (const Node& node : topology.nodes) {
      names_.push_back(node.name);
    }
  }

  std::string name() const override { return "ideal"; }

  Result<FlowId> open(const FlowRequest& request, Time at) override {
    const FlowId flow{static_cast<std::uint32_t>(flows_.size())};
    flows_.push_back({request, {}, {}});
    if (request.options.transport == Transport::kTcp) {
      add(at, {at, flow, {}, Side::kOpener, Fate::kConnected});
      add(at, {at, flow, {}, Side::kPeer, Fate::kConnected});
    }
    return flow;
  }

  void send(FlowId flow, Side from, MessageId message, std::uint32_t size_bytes, Time at) override {
    FlowFigures& figures = figures_of(flow, from);
    ++figures.messages_sent;
    ++figures.packets_sent;
    figures.bytes_delivered += size_bytes;
    add(at, {at, flow, message, other(from), Fate::kDelivered});
  }

  void close(FlowId flow, Side side, Time at) override { end(flow, side, at); }
  void reset(FlowId flow, Side side, Time at) override { end(flow, side, at); }
  void change(CableId, const CableChange&) override {}

  Time next_event() const override {
    return pending_.empty() ? Time::max() : std::get<0>(pending_.begin()->first);
  }

  Result<bool> advance(Time until, std::vector<Delivery>& out) override {
    const Time instant = next_event();
    if (instant >= until) {
      return false;
    }
    // the keys are in the order that is wanted
    const std::size_t before = out.size();
    while (!pending_.empty() && next_event() == instant) {
      const Delivery delivery = pending_.begin()->second;
      pending_.erase(pending_.begin());
      ++events_;
      if (flows_[static_cast<std::size_t>(delivery.flow)].is_closed[index(delivery.side)]) {
        continue;
      }
      if (delivery.fate == Fate::kDelivered) {
        ++figures_of(delivery.flow, other(delivery.side)).messages_delivered;
      }
      out.push_back(delivery);
    }
    return out.size() > before;
  }

  NetworkFigures figures(Time) const override {
    NetworkFigures all;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      const FlowRequest& request = flows_[i].request;
      const std::string& opener = names_[static_cast<std::size_t>(request.opener)];
      const std::string& peer = names_[static_cast<std::size_t>(request.peer)];
      all.flows.push_back(flows_[i].figures[0]);
      all.flows.back().name = fmt::format("{} > {} ideal {}", opener, peer, i);
      all.flows.push_back(flows_[i].figures[1]);
      all.flows.back().name = fmt::format("{} > {} ideal {}", peer, opener, i);
    }
    all.events = events_;
    return all;
  }

 private:
  struct Flow {
    FlowRequest request;
    bool is_closed[2];
    FlowFigures figures[2];  // by the side that sends
  };
  /// Time, flow, side, order of sending.
  using Key = std::tuple<Time, FlowId, Side, std::uint64_t>;

  static std::size_t index(Side side) { return static_cast<std::size_t>(side); }
  FlowFigures& figures_of(FlowId flow, Side from) {
    return flows_[static_cast<std::size_t>(flow)].figures[index(from)];
  }
  void add(Time at, const Delivery& delivery) {
    pending_.emplace(Key{at, delivery.flow, delivery.side, sequence_++}, delivery);
  }
  void end(FlowId flow, Side side, Time at) {
    Flow& ended = flows_[static_cast<std::size_t>(flow)];
    if (ended.is_closed[index(side)]) {
      return;
    }
    ended.is_closed[index(side)] = true;
    if (ended.request.options.transport == Transport::kTcp) {
      add(at, {at, flow, {}, other(side), Fate::kReset});
    }
  }

  std::vector<std::string> names_;
  std::vector<Flow> flows_;
  std::map<Key, Delivery> pending_;
  std::uint64_t sequence_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace

std::unique_ptr<Backend> make_ideal_backend(const Topology& topology) {
  return std::make_unique<IdealBackend>(topology);
}

}  // namespace longarm::network
