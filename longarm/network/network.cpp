// SPDX-License-Identifier: Apache-2.0
// Between programs and the backend: stack delays, loopback, and order on each flow.
#include "longarm/network/network.h"

#include <algorithm>
#include <utility>

#include "longarm/core/check.h"
#include "longarm/core/index.h"
#include "longarm/network/ring.h"

namespace longarm::network {
namespace {

// a message's number in the upper half, its size in the lower: nothing has to be kept for those
// that are lost without a word
constexpr MessageId make_message(std::uint32_t number, std::uint32_t size_bytes) {
  return MessageId((static_cast<std::uint64_t>(number) << 32) | size_bytes);
}
constexpr std::uint32_t size_of(MessageId message) {
  return static_cast<std::uint32_t>(message);
}

Duration draw(const VaryingTime& time, std::size_t size_bytes, RandomStream& stream) {
  return time.at(size_bytes, time.sorted_s ? stream.uniform() : 0.0);
}

/// Of data; what a transport sends on its own account costs nothing here.
std::uint32_t packets_of(std::uint32_t size_bytes, const FlowOptions& options) {
  constexpr std::uint32_t kUdpBytes = 8;
  constexpr auto kFragmentBytes = static_cast<std::uint32_t>(Topology{}.mtu_bytes - 20);
  switch (options.transport) {
    case Transport::kRaw:
      return 1;
    case Transport::kUdp:
      return (size_bytes + kUdpBytes + kFragmentBytes - 1) / kFragmentBytes;
    case Transport::kTcp: {
      const auto most = static_cast<std::uint32_t>(options.tcp.mss_bytes);
      return std::max(1U, (size_bytes + most - 1) / most);
    }
  }
  return 1;
}

/// What the packets of a message cost, one after the other; the last one may be short.
Duration draw_packets(const VaryingTime& time, std::uint32_t size_bytes, std::uint32_t packets,
                      RandomStream& stream) {
  const std::uint32_t each = (size_bytes + packets - 1) / packets;
  Duration sum{0};
  for (std::uint32_t left = size_bytes, i = 0; i < packets; ++i) {
    const std::uint32_t now = std::min(each, left);
    sum += draw(time, now, stream);
    left -= now;
  }
  return sum;
}

}  // namespace

/// What a stack that uses cores is at work on, in the order in which it leaves.
struct Network::Line {
  struct Step {
    std::function<void()> then;
    bool is_ready = false;
  };
  std::deque<Step> steps;
  std::uint64_t first = 0;  ///< number of the one in front

  void take_ready() {
    while (!steps.empty() && steps.front().is_ready) {
      const std::function<void()> then = std::move(steps.front().then);
      steps.pop_front();
      ++first;
      then();
    }
  }
};

struct Network::Flow {
  /// What a program will hear.
  struct Arrival {
    Fate fate{};
    MessageId message{};
    DropReason reason = DropReason::kLoss;
  };
  /// One side: what it sends and what it is about to hear.
  struct End {
    NodeId node{};
    std::uint32_t next_number = 1;
    Time last_sent{};
    Time last_heard{};
    bool is_closed = false;
    Ring<Arrival> arriving;
    Line sending;  ///< both empty where stacks use no cores
    Line receiving;
  };

  FlowId backend_flow{};
  FlowOptions options;
  bool is_loopback = false;
  FlowEvents events;
  End ends[2];

  /// Tells the program.
  void tell(Side side, const Arrival& arrival) {
    if (ends[index_of(side)].is_closed) {
      return;
    }
    switch (arrival.fate) {
      case Fate::kConnected:
        return events.connected ? events.connected(side) : void();
      case Fate::kDelivered:
        return events.delivered ? events.delivered(side, arrival.message) : void();
      case Fate::kLost:
        return events.lost ? events.lost(side, arrival.message, arrival.reason) : void();
      case Fate::kReset:
        ends[index_of(side)].is_closed = true;
        return events.reset ? events.reset(side) : void();
    }
  }
};

Network::Network(sim::Kernel& kernel, std::unique_ptr<Backend> backend, std::vector<Host> hosts,
                 std::uint64_t seed)
    : kernel_(kernel),
      source_(kernel.add_source("network")),
      backend_(std::move(backend)),
      hosts_(std::move(hosts)) {
  for (const Host& host : hosts_) {
    send_draws_.emplace_back(seed, host.name + ".stack_send");
    receive_draws_.emplace_back(seed, host.name + ".stack_receive");
    loopback_draws_.emplace_back(seed, host.name + ".loopback");
  }
  kernel_.attach(*this);
}

Network::~Network() = default;

Result<FlowId> Network::open(const FlowRequest& request, FlowEvents events) {
  const FlowId id{static_cast<std::uint32_t>(flows_.size())};
  const bool is_loopback = request.opener == request.peer;
  FlowId backend_flow{};
  if (!is_loopback) {
    const Result<FlowId> opened = backend_->open(request, kernel_.now());
    if (!opened) {
      return opened.error();
    }
    backend_flow = *opened;
    const auto place = static_cast<std::size_t>(backend_flow);
    by_backend_flow_.resize(std::max(by_backend_flow_.size(), place + 1));
    by_backend_flow_[place] = id;
  }

  Flow& flow = flows_.emplace_back();
  flow.backend_flow = backend_flow;
  flow.options = request.options;
  flow.is_loopback = is_loopback;
  flow.events = std::move(events);
  flow.ends[0].node = request.opener;
  flow.ends[1].node = request.peer;

  // a handshake on one host: there, back, and there again
  if (is_loopback && flow.options.transport == Transport::kTcp) {
    const auto node = static_cast<std::size_t>(request.opener);
    const auto once = [&] { return draw(hosts_[node].loopback, 0, loopback_draws_[node]); };
    const Time at_opener = kernel_.now() + once() + once();
    hear(id, Side::kOpener, Fate::kConnected, MessageId{}, at_opener);
    hear(id, Side::kPeer, Fate::kConnected, MessageId{}, at_opener + once());
  }
  return id;
}

MessageId Network::send(FlowId id, Side from, std::uint32_t size_bytes) {
  Flow& flow = flows_[static_cast<std::size_t>(id)];
  Flow::End& end = flow.ends[index_of(from)];
  const MessageId message = make_message(end.next_number++, size_bytes);
  const auto node = static_cast<std::size_t>(end.node);
  if (end.is_closed) {
    return message;  // of a flow that has ended: nobody will hear it
  }
  if (hosts_[node].stack_uses_cores) {
    send_by_cores(id, from, message);
    return message;
  }
  if (flow.is_loopback) {
    const Duration delay = draw(hosts_[node].loopback, size_bytes, loopback_draws_[node]);
    // before the handshake is over it waits
    end.last_sent = std::max(kernel_.now() + delay, end.last_sent);
    hear(id, other(from), Fate::kDelivered, message, end.last_sent);
    return message;
  }
  end.last_sent = std::max(
      kernel_.now() + draw(hosts_[node].stack_send, size_bytes, send_draws_[node]), end.last_sent);
  backend_->send(flow.backend_flow, from, message, size_bytes, end.last_sent);
  return message;
}

void Network::send_by_cores(FlowId id, Side from, MessageId message) {
  Flow& flow = flows_[static_cast<std::size_t>(id)];
  Flow::End& end = flow.ends[index_of(from)];
  const auto node = static_cast<std::size_t>(end.node);
  const std::uint32_t size_bytes = size_of(message);
  if (flow.is_loopback) {
    work(end.sending, node, draw(hosts_[node].loopback, size_bytes, loopback_draws_[node]),
         [this, id, from, message] {
           hear(id, other(from), Fate::kDelivered, message, kernel_.now());
         });
    return;
  }
  const Duration cost = draw_packets(hosts_[node].stack_send, size_bytes,
                                     packets_of(size_bytes, flow.options), send_draws_[node]);
  work(end.sending, node, cost, [this, &flow, from, message] {
    backend_->send(flow.backend_flow, from, message, size_of(message), kernel_.now());
  });
}

void Network::work(Line& line, std::size_t node, Duration work, std::function<void()> then) {
  const std::uint64_t number = line.first + line.steps.size();
  line.steps.push_back({std::move(then), work <= Duration(0)});
  if (work <= Duration(0)) {
    line.take_ready();
    return;
  }
  check(occupy_ != nullptr, "nobody has the cores that a network stack is to use");
  occupy_(NodeId{static_cast<std::uint32_t>(node)}, work, [&line, number] {
    line.steps[static_cast<std::size_t>(number - line.first)].is_ready = true;
    line.take_ready();
  });
}

void Network::close(FlowId id, Side side) {
  end(id, side, [this](FlowId flow, Side at_side, Time at) { backend_->close(flow, at_side, at); });
}

void Network::reset(FlowId id, Side side) {
  end(id, side, [this](FlowId flow, Side at_side, Time at) { backend_->reset(flow, at_side, at); });
}

void Network::end(FlowId id, Side side,
                  const std::function<void(FlowId, Side, Time)>& tell_backend) {
  Flow& flow = flows_[static_cast<std::size_t>(id)];
  Flow::End& end = flow.ends[index_of(side)];
  if (end.is_closed) {
    return;
  }
  end.is_closed = true;
  if (!end.sending.steps.empty()) {
    work(end.sending, static_cast<std::size_t>(end.node), Duration(0),
         [this, id, side, tell_backend] { tell_of_end(id, side, tell_backend); });
    return;
  }
  tell_of_end(id, side, tell_backend);
}

void Network::tell_of_end(FlowId id, Side side,
                          const std::function<void(FlowId, Side, Time)>& tell_backend) {
  const Flow& flow = flows_[static_cast<std::size_t>(id)];
  const Flow::End& end = flow.ends[index_of(side)];
  const Time at = std::max(kernel_.now(), end.last_sent);  // behind what was sent
  if (!flow.is_loopback) {
    tell_backend(flow.backend_flow, side, at);
  } else if (flow.options.transport == Transport::kTcp) {
    const auto node = static_cast<std::size_t>(end.node);
    const Duration delay = draw(hosts_[node].loopback, 0, loopback_draws_[node]);
    hear(id, other(side), Fate::kReset, MessageId{}, std::max(kernel_.now() + delay, at));
  }
}

Time Network::next_event() const {
  return backend_->next_event();
}

Result<std::optional<Time>> Network::advance(Time until) {
  const Result<bool> has_deliveries = backend_->advance(until, due_);
  if (!has_deliveries) {
    return has_deliveries.error();
  }
  if (stream_backend_ != nullptr) {
    stream_backend_->take_news(news_);
  }
  if (due_.empty() && news_.empty()) {
    return std::optional<Time>();
  }
  return std::optional<Time>(due_.empty() ? news_.front().time : due_.front().time);
}

void Network::hand_over(Time now) {
  // programs may send, but not advance: nothing is added meanwhile
  for (const Delivery& delivery : due_) {
    check(delivery.time == now, "a backend handed over several instants at once");
    check(static_cast<std::size_t>(delivery.flow) < by_backend_flow_.size(),
          "a backend spoke of a flow that it had not opened");
    const FlowId id = by_backend_flow_[static_cast<std::size_t>(delivery.flow)];
    Flow& flow = flows_[static_cast<std::size_t>(id)];
    if (delivery.fate == Fate::kLost) {
      flow.tell(delivery.side, {Fate::kLost, delivery.message, delivery.reason});
      continue;
    }
    const auto node = static_cast<std::size_t>(flow.ends[index_of(delivery.side)].node);
    if (hosts_[node].stack_uses_cores) {
      receive_by_cores(id, delivery);
      continue;
    }
    Time at = now;
    if (delivery.fate == Fate::kDelivered) {
      at += draw(hosts_[node].stack_receive, size_of(delivery.message), receive_draws_[node]);
    }
    hear(id, delivery.side, delivery.fate, delivery.message, at);
  }
  due_.clear();
  for (const StreamNews& news : news_) {
    check(news.time == now, "a backend handed over several instants at once");
    if (stream_user_ != nullptr) {
      stream_user_->hear(news);
    }
  }
  news_.clear();
}

Duration Network::draw_send(NodeId host, std::size_t size_bytes) {
  const auto node = static_cast<std::size_t>(host);
  return draw(hosts_[node].stack_send, size_bytes, send_draws_[node]);
}

Duration Network::draw_receive(NodeId host, std::size_t size_bytes) {
  const auto node = static_cast<std::size_t>(host);
  return draw(hosts_[node].stack_receive, size_bytes, receive_draws_[node]);
}

Duration Network::draw_loopback(NodeId host, std::size_t size_bytes) {
  const auto node = static_cast<std::size_t>(host);
  return draw(hosts_[node].loopback, size_bytes, loopback_draws_[node]);
}

void Network::receive_by_cores(FlowId id, const Delivery& delivery) {
  Flow& flow = flows_[static_cast<std::size_t>(id)];
  Flow::End& end = flow.ends[index_of(delivery.side)];
  const auto node = static_cast<std::size_t>(end.node);
  const std::uint32_t size_bytes = size_of(delivery.message);
  const Duration cost =
      delivery.fate == Fate::kDelivered
          ? draw_packets(hosts_[node].stack_receive, size_bytes,
                         packets_of(size_bytes, flow.options), receive_draws_[node])
          : Duration(0);
  work(end.receiving, node, cost,
       [this, id, side = delivery.side, fate = delivery.fate, message = delivery.message] {
         hear(id, side, fate, message, kernel_.now());
       });
}

void Network::hear(FlowId id, Side side, Fate fate, MessageId message, Time at) {
  Flow& flow = flows_[static_cast<std::size_t>(id)];
  Flow::End& end = flow.ends[index_of(side)];
  end.last_heard = std::max(at, end.last_heard);
  if (end.last_heard == kernel_.now() && end.arriving.empty() && !flow.is_loopback) {
    flow.tell(side, {fate, message});
    return;
  }
  // they come up in this order, since their times never fall
  end.arriving.push_back({fate, message});
  kernel_.deliver(end.last_heard, source_, [&flow, side](Time) {
    const Flow::Arrival arrival = flow.ends[index_of(side)].arriving.front();
    flow.ends[index_of(side)].arriving.pop_front();
    flow.tell(side, arrival);
  });
}

}  // namespace longarm::network
