// SPDX-License-Identifier: Apache-2.0
// Keeps, for each message under way, the bytes that it stands for.
#include "longarm/workcell/network_client_link.h"

#include <array>
#include <functional>
#include <map>
#include <utility>

namespace longarm::workcell {

using network::MessageId;
using network::Side;

/// What both ends of one connection know; outlives the client's object as long as the network may
/// still speak of the flow.
struct NetworkClientLink::Conversation {
  Conversation(sim::Kernel& the_kernel, network::Network& the_network, protocols::Door& the_door,
               protocols::ConnectionId the_connection)
      : kernel(the_kernel), network(the_network), door(the_door), connection(the_connection) {}

  std::map<MessageId, std::string>& towards(Side side) {
    return under_way[static_cast<std::size_t>(side)];
  }

  void send(Side from, std::string bytes) {
    const MessageId message = network.send(flow, from, static_cast<std::uint32_t>(bytes.size()));
    towards(from == Side::kOpener ? Side::kPeer : Side::kOpener).emplace(message, std::move(bytes));
  }

  void connected(Side side) {
    if (side == Side::kOpener) {
      is_established = true;
    } else if (!is_open_at_door) {
      is_open_at_door = true;
      door.open(connection, kernel.now());
    }
  }

  void delivered(Side side, MessageId message) {
    const auto found = towards(side).find(message);
    if (found == towards(side).end()) {
      return;
    }
    const std::string bytes = std::move(found->second);
    towards(side).erase(found);
    traffic.add(static_cast<std::uint64_t>(kernel.now().time_since_epoch().count()));
    traffic.add(std::string_view(bytes));
    if (side == Side::kOpener) {
      if (heard) {
        heard(bytes, kernel.now());
      }
      return;
    }
    connected(Side::kPeer);  // data may come with what completes the handshake
    door.receive(connection, bytes, kernel.now());
  }

  void reset(Side side) {
    if (side == Side::kOpener) {
      is_up = false;
    } else {
      close_door();
    }
  }

  void close_door() {
    if (is_open_at_door && !is_closed_at_door) {
      door.close(connection, kernel.now());
    }
    is_closed_at_door = true;
    towards(Side::kPeer).clear();
  }

  sim::Kernel& kernel;
  network::Network& network;
  protocols::Door& door;
  protocols::ConnectionId connection;
  network::FlowId flow{};
  std::array<std::map<MessageId, std::string>, 2> under_way;
  std::function<void(std::string_view, Time)> heard;
  Hash traffic;
  bool is_up = true;
  bool is_established = false;
  bool is_open_at_door = false;
  bool is_closed_at_door = false;
};

NetworkClientLink::NetworkClientLink(sim::Kernel& kernel, network::Network& network,
                                     protocols::Door& door, const ClientRequest& request)
    : conversation_(std::make_shared<Conversation>(kernel, network, door, request.connection)) {
  conversation_->heard = [this](std::string_view bytes, Time now) { hear(bytes, now); };
  network::FlowEvents events;
  events.connected = [talk = conversation_](Side side) { talk->connected(side); };
  events.delivered = [talk = conversation_](Side side, MessageId message) {
    talk->delivered(side, message);
  };
  events.reset = [talk = conversation_](Side side) { talk->reset(side); };
  network::FlowOptions options = request.options;
  options.transport = network::Transport::kTcp;
  const Result<network::FlowId> flow =
      network.open({request.client, request.server, options}, std::move(events));
  if (!flow) {
    conversation_->is_up = false;  // as a connection that is refused
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
    conversation_->network.close(conversation_->flow, Side::kOpener);
  }
}

void NetworkClientLink::do_send(std::string_view bytes) {
  if (conversation_->is_up && !bytes.empty()) {
    conversation_->send(Side::kOpener, std::string(bytes));
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
    talk.send(Side::kPeer, std::move(output));
  }
  if (talk.door.is_over(talk.connection)) {
    talk.network.close(talk.flow, Side::kPeer);
    talk.close_door();
  }
}

bool NetworkClientLink::is_established() const {
  return conversation_->is_established;
}

const Hash& NetworkClientLink::traffic_hash() const {
  return conversation_->traffic;
}

}  // namespace longarm::workcell
