// SPDX-License-Identifier: Apache-2.0
// Two hosts and a cable, whose events happen when the clock on the wall says so.
#include "longarm/proxy/tcp_link.h"

#include <algorithm>
#include <utility>

#include "longarm/core/check.h"
#include "longarm/network/builtin/builtin_backend.h"

namespace longarm::proxy {
namespace {

using network::CableFigures;
using network::FlowFigures;
using network::FlowId;
using network::Side;
using Asked = TcpLinkObserver::Asked;

constexpr network::NodeId kClient{0};
constexpr network::NodeId kServer{1};
// if the model is slower than real time, sockets are looked at all the same every so often
constexpr int kInstantsAtOnce = 256;

network::Topology two_hosts(const TcpLinkOptions& options) {
  network::Topology topology;
  topology.nodes = {{"client", false, {}}, {"server", false, {}}};
  network::Cable cable;
  cable.name = "link";
  cable.ends[0] = kClient;
  cable.ends[1] = kServer;
  cable.impairment[0] = options.up;
  cable.impairment[1] = options.down;
  cable.stream[0] = "link.up";
  cable.stream[1] = "link.down";
  topology.cables.push_back(std::move(cable));
  return topology;
}

}  // namespace

network::TcpOptions TcpLinkOptions::relay_tcp_options() {
  network::TcpOptions options;
  options.keep_alive_after = std::chrono::seconds(30);
  options.keep_alive_every = std::chrono::seconds(10);
  options.keep_alive_probes = 3;
  return options;
}

TcpLink::TcpLink(system::Reactor& reactor, const TcpLinkOptions& options, TcpLinkObserver* observer)
    : reactor_(reactor),
      options_(options),
      observer_(observer),
      backend_(make_builtin_backend(two_hosts(options_), {options_.seed, {}},
                                    {.always_decides = false, .forgets_closed_flows = true})),
      timer_(reactor.add_timer([this] { run(); })) {}

TcpLink::~TcpLink() {
  reactor_.remove_timer(timer_);
}

void TcpLink::note(Asked what, Time at, FlowId flow, Side side, network::MessageId message,
                   std::uint32_t size_bytes) {
  if (observer_ != nullptr) {
    observer_->asked(what, at, flow, side, message, size_bytes);
  }
  reactor_.set_timer(timer_, at);  // after the sockets of this round
}

FlowId TcpLink::open(TcpFlow& flow) {
  const Time now = reactor_.now();
  const Result<FlowId> id =
      backend_->open({kClient, kServer, {network::Transport::kTcp, options_.tcp, 0}}, now);
  check(id.has_value(), "the built-in network refused a plain flow");
  flows_[*id] = &flow;
  note(Asked::kOpen, now, *id, Side::kOpener, {}, 0);
  return *id;
}

void TcpLink::send(FlowId flow, Side from, std::uint32_t size_bytes, Time at) {
  const network::MessageId message{next_message_++};
  backend_->send(flow, from, message, size_bytes, at);
  note(Asked::kSend, at, flow, from, message, size_bytes);
}

void TcpLink::close(FlowId flow, Side side) {
  const Time now = reactor_.now();
  backend_->close(flow, side, now);
  note(Asked::kClose, now, flow, side, {}, 0);
}

void TcpLink::reset(FlowId flow, Side side) {
  const Time now = reactor_.now();
  backend_->reset(flow, side, now);
  note(Asked::kReset, now, flow, side, {}, 0);
}

void TcpLink::forget(FlowId flow) {
  flows_.erase(flow);
}

TcpFlow* TcpLink::find(FlowId flow) const {
  const auto found = flows_.find(flow);
  return found == flows_.end() ? nullptr : found->second;
}

void TcpLink::run() {
  for (int i = 0; i < kInstantsAtOnce; ++i) {
    const Time now = reactor_.now();
    if (backend_->next_event() > now) {
      break;
    }
    deliveries_.clear();
    const Result<bool> advanced = backend_->advance(now + Duration(1), deliveries_);
    check(advanced.has_value(), "the built-in network failed");
    tell(deliveries_);
  }
  tell_waiting();
  reactor_.set_timer(timer_, backend_->next_event());
}

void TcpLink::tell(const std::vector<network::Delivery>& deliveries) {
  TcpFlow* flow = nullptr;
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    const network::Delivery& each = deliveries[i];
    if (observer_ != nullptr) {
      observer_->happened(each);
    }
    flow = i > 0 && deliveries[i - 1].flow == each.flow ? flow : find(each.flow);
    if (flow == nullptr) {
      continue;
    }
    if (find(each.flow) == flow) {  // otherwise it has heard enough
      tell(*flow, each);
    }
    // it writes once for all that it got
    if (i + 1 == deliveries.size() || deliveries[i + 1].flow != each.flow) {
      flow->settle();
    }
  }
}

void TcpLink::tell(TcpFlow& flow, const network::Delivery& delivery) {
  switch (delivery.fate) {
    case network::Fate::kConnected:
      return flow.connected(delivery.side);
    case network::Fate::kReset:
      return flow.reset(delivery.side);
    case network::Fate::kDelivered:
      return flow.delivered(delivery.side, delivery.time);
    case network::Fate::kLost:
      return;  // of datagrams
  }
}

void TcpLink::release(std::size_t bytes) {
  held_bytes_ -= bytes;
  if (!waiting_.empty() && !is_full()) {
    reactor_.set_timer(timer_, reactor_.now());
  }
}

void TcpLink::tell_waiting() {
  if (waiting_.empty() || is_full()) {
    return;
  }
  for (const FlowId flow : std::exchange(waiting_, {})) {
    if (TcpFlow* const found = find(flow)) {
      found->has_room();
    }
  }
}

RelayFigures TcpLink::figures_with_held() const {
  RelayFigures out = figures_;
  for (DirectionFigures* const way : {&out.up, &out.down}) {
    way->set_held(way->packets_in() - way->packets_out() - way->discarded());
  }
  return out;
}

TcpLinkFigures TcpLink::model_figures() const {
  const network::NetworkFigures all = backend_->figures(reactor_.now());
  TcpLinkFigures sums;
  for (std::size_t i = 0; i < all.flows.size(); ++i) {  // opener and peer by turns
    (i % 2 == 0 ? sums.up : sums.down) += all.flows[i];
  }
  sums.wire_up = all.cables[0];
  sums.wire_down = all.cables[1];
  return sums;
}

std::size_t TcpLink::flows_in_model() const {
  // two rows each, and two with the sums of those that are over
  return backend_->figures(reactor_.now()).flows.size() / 2 - 1;
}

}  // namespace longarm::proxy
