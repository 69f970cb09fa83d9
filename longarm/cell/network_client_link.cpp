// SPDX-License-Identifier: Apache-2.0
// Keeps, for each message under way, the bytes that it stands for.
#include "longarm/cell/network_client_link.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

namespace longarm::cell {

using network::MessageId;
using network::Side;

namespace {

void note(TalkDelays& delays, Duration delay) {
  delays.shortest = delays.messages == 0 ? delay : std::min(delays.shortest, delay);
  delays.longest = std::max(delays.longest, delay);
  delays.sum += delay;
  ++delays.messages;
}

}  // namespace

/// What both ends of one connection know; outlives the client's object as long as the network may
/// still speak of the flow.
struct NetworkClientLink::Conversation {
  struct Written {
    std::string bytes;
    Time at{};
  };

  Conversation(sim::Kernel& the_kernel, network::Network& the_network, protocols::Door& the_door,
               const ClientRequest& request)
      : kernel(the_kernel),
        network(the_network),
        door(the_door),
        connection(request.connection),
        door_side(request.is_call_out ? Side::kOpener : Side::kPeer),
        send_buffer_bytes(static_cast<std::uint64_t>(request.options.tcp.send_buffer_bytes)) {}

  std::map<MessageId, Written>& towards(Side side) {
    return under_way[static_cast<std::size_t>(side)];
  }
  TalkDelays& delays(Side side) { return delays_to[static_cast<std::size_t>(side)]; }
  bool is_call_out() const { return door_side == Side::kOpener; }

  void send(Side from, std::string bytes) {
    const MessageId message = network.send(flow, from, static_cast<std::uint32_t>(bytes.size()));
    bytes_to_client += from == door_side ? bytes.size() : 0;
    towards(other(from)).emplace(message, Written{std::move(bytes), kernel.now()});
  }

  void connected(Side side) {
    if (side != door_side) {
      is_established = true;
    } else if (!is_open_at_door && !is_closed_at_door) {
      is_open_at_door = true;
      door.open(connection, kernel.now());
    }
  }

  void delivered(Side side, MessageId message) {
    const auto found = towards(side).find(message);
    if (found == towards(side).end()) {
      return;
    }
    const Written written = std::move(found->second);
    towards(side).erase(found);
    note(delays(side), kernel.now() - written.at);
    traffic.add(static_cast<std::uint64_t>(kernel.now().time_since_epoch().count()));
    traffic.add(std::string_view(written.bytes));
    connected(side);  // data may come with what completes the handshake
    if (side == door_side) {
      door.receive(connection, written.bytes, kernel.now());
      return;
    }
    bytes_to_client -= written.bytes.size();
    if (heard) {
      heard(written.bytes, kernel.now());
    }
  }

  void reset(Side side) {
    if (side != door_side) {
      is_up = false;
    } else {
      close_door();
    }
  }

  void close_door() {
    if (is_open_at_door && !is_closed_at_door) {
      door.close(connection, kernel.now());
    } else if (is_call_out() && !is_closed_at_door) {
      door.call_failed(kernel.now());
    }
    is_closed_at_door = true;
    towards(door_side).clear();
  }

  sim::Kernel& kernel;
  network::Network& network;
  protocols::Door& door;
  protocols::ConnectionId connection;
  Side door_side;
  std::uint64_t send_buffer_bytes;
  network::FlowId flow{};
  std::array<std::map<MessageId, Written>, 2> under_way;
  std::array<TalkDelays, 2> delays_to;
  std::uint64_t bytes_to_client = 0;  ///< under way
  std::uint64_t cyclic_dropped = 0;
  std::function<void(std::string_view, Time)> heard;
  Hash traffic;
  bool is_up = true;
  bool is_established = false;
  bool is_open_at_door = false;
  bool is_closed_at_door = false;
};

NetworkClientLink::NetworkClientLink(sim::Kernel& kernel, network::Network& network,
                                     protocols::Door& door, const ClientRequest& request)
    : conversation_(std::make_shared<Conversation>(kernel, network, door, request)) {
  conversation_->heard = [this](std::string_view bytes, Time now) { hear(bytes, now); };
  network::FlowEvents events;
  events.connected = [talk = conversation_](Side side) { talk->connected(side); };
  events.delivered = [talk = conversation_](Side side, MessageId message) {
    talk->delivered(side, message);
  };
  events.reset = [talk = conversation_](Side side) { talk->reset(side); };
  network::FlowOptions options = request.options;
  options.transport = network::Transport::kTcp;
  const network::NodeId opener = request.is_call_out ? request.server : request.client;
  const network::NodeId peer = request.is_call_out ? request.client : request.server;
  const Result<network::FlowId> flow = network.open({opener, peer, options}, std::move(events));
  if (!flow) {
    conversation_->is_up = false;  // as a connection that is refused
    conversation_->close_door();
    return;
  }
  conversation_->flow = *flow;
}

NetworkClientLink::~NetworkClientLink() {
  conversation_->heard = nullptr;
}

void NetworkClientLink::close() {
  if (conversation_->is_up) {
    conversation_->is_up = false;
    conversation_->network.close(conversation_->flow, other(conversation_->door_side));
  }
}

void NetworkClientLink::do_send(std::string_view bytes) {
  if (conversation_->is_up && !bytes.empty()) {
    conversation_->send(other(conversation_->door_side), std::string(bytes));
  }
}

bool NetworkClientLink::do_is_up() const {
  return conversation_->is_up;
}

void NetworkClientLink::flush(Time) {
  Conversation& talk = *conversation_;
  if (!talk.is_open_at_door || talk.is_closed_at_door) {
    return;
  }
  std::string output = talk.door.take_output(talk.connection);
  if (!output.empty()) {
    talk.send(talk.door_side, std::move(output));
  }
  std::string packet = talk.door.take_cyclic(talk.connection);
  if (!packet.empty() && talk.bytes_to_client + packet.size() > talk.send_buffer_bytes) {
    ++talk.cyclic_dropped;
  } else if (!packet.empty()) {
    talk.send(talk.door_side, std::move(packet));
  }
  if (talk.door.is_over(talk.connection)) {
    talk.network.close(talk.flow, talk.door_side);
    talk.close_door();
  }
}

bool NetworkClientLink::is_established() const {
  return conversation_->is_established;
}

const Hash& NetworkClientLink::traffic_hash() const {
  return conversation_->traffic;
}

const TalkDelays& NetworkClientLink::delays_to_door() const {
  return conversation_->delays(conversation_->door_side);
}

const TalkDelays& NetworkClientLink::delays_to_client() const {
  return conversation_->delays(other(conversation_->door_side));
}

std::uint64_t NetworkClientLink::cyclic_dropped() const {
  return conversation_->cyclic_dropped;
}

network::FlowId NetworkClientLink::flow() const {
  return conversation_->flow;
}

}  // namespace longarm::cell
