// SPDX-License-Identifier: Apache-2.0
// Messages are serialised, cross the network and are deserialised; on each connection in order.
#include "longarm/components/simulated_wires.h"

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/core/index.h"

namespace longarm::components {
namespace {

using network::MessageId;
using network::NodeId;
using network::Side;

// datagrams under way, of which a backend may never say that they were lost
constexpr std::size_t kMostUnderWay = 100'000;

ConnectionId connection_of(std::uint32_t wire, Side side) {
  return ConnectionId(2 * static_cast<std::uint64_t>(wire) + index_of(side));
}
std::uint32_t wire_of(ConnectionId connection) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(connection) / 2);
}
Side side_of(ConnectionId connection) {
  return Side(static_cast<std::uint64_t>(connection) % 2);
}

Duration draw(const network::VaryingTime& time, std::size_t size, RandomStream& stream) {
  return time.is_zero() ? Duration(0) : time.at(size, time.sorted_s ? stream.uniform() : 0.0);
}

}  // namespace

SimulatedWires::SimulatedWires(sim::Kernel& kernel, network::Network& network,
                               const network::Topology& topology, std::uint64_t seed)
    : kernel_(kernel), source_(kernel.add_source("wires")), network_(network) {
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    const auto node = NodeId(static_cast<std::uint32_t>(i));
    const std::string& name = topology.nodes[i].name;
    computers_.push_back({.name = name,
                          .cores = nullptr,
                          .serialise = RandomStream(seed, name + ".serialise"),
                          .deserialise = RandomStream(seed, name + ".deserialise"),
                          .doors = {}});
    if (!topology.nodes[i].is_switch) {
      by_name_.emplace(name, node);
      computers_[i].cores = std::make_shared<Cores>(kernel, network.host(node));
    }
  }
  for (const auto& [name, node] : by_name_) {
    const std::string& owner = network.host(node).shares_cores_with;
    if (!owner.empty()) {
      check(by_name_.contains(owner), "a host shares cores with one that does not exist");
      computer(node).cores = computer(by_name_.at(owner)).cores;
    }
  }
  // no component's: packets that were written are sent whoever is gone
  constexpr std::uint64_t kNobody = 0;
  network.set_cores([this](NodeId node, Duration work, std::function<void()> done) {
    computer(node).cores->execute(work, kNobody, std::move(done));
  });
}

SimulatedComputer& SimulatedWires::computer(NodeId node) {
  return computers_[static_cast<std::size_t>(node)];
}

std::optional<NodeId> SimulatedWires::node_of(const std::string& host) const {
  const auto found = by_name_.find(host);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

ConnectionId SimulatedWires::connect(SimulatedDoor& door, const Address& to,
                                     const network::FlowOptions& options) {
  const auto index = static_cast<std::uint32_t>(wires_.size());
  Wire& wire = wires_.emplace_back();
  wire.to = to;
  wire.ends[0].door = &door;
  const ConnectionId connection = connection_of(index, Side::kOpener);
  door.connections.push_back(connection);

  const std::optional<NodeId> peer = node_of(to.host);
  if (!peer) {
    refuse(index, fmt::format("no host '{}'", to.host));
    return connection;
  }
  const Result<network::FlowId> flow = network_.open({door.node, *peer, options}, events_of(index));
  if (!flow) {
    kernel_.fail(flow.error());
    return connection;
  }
  wire.flow = *flow;
  wire.is_open = true;
  if (options.transport != network::Transport::kTcp) {
    kernel_.deliver(kernel_.now(), source_,
                    [this, index](Time) { connected(index, Side::kOpener); });
  }
  return connection;
}

void SimulatedWires::refuse(std::uint32_t index, std::string why) {
  wires_[index].why = std::move(why);
  kernel_.deliver(kernel_.now(), source_, [this, index](Time) { reset(index, Side::kOpener); });
}

network::FlowEvents SimulatedWires::events_of(std::uint32_t index) {
  return {
      .connected = [this, index](Side side) { connected(index, side); },
      .delivered = [this, index](Side side, MessageId message) { delivered(index, side, message); },
      .lost = [this, index](Side side, MessageId message,
                            network::DropReason) { lost(index, side, message); },
      .reset = [this, index](Side side) { reset(index, side); }};
}

void SimulatedWires::connected(std::uint32_t index, Side side) {
  if (side == Side::kPeer) {
    accept(index);
  }
  const SimulatedDoor* door = wires_[index].ends[index_of(side)].door;
  if (door != nullptr) {
    door->events->connected(connection_of(index, side));
  } else if (side == Side::kPeer) {
    const Address& to = wires_[index].to;
    wires_[index].why = fmt::format("connection refused: no server at {}:{}", to.host, to.port);
    network_.reset(wires_[index].flow, Side::kPeer);
  }
}

void SimulatedWires::accept(std::uint32_t index) {
  Wire& wire = wires_[index];
  const std::map<std::uint16_t, SimulatedDoor*>& doors = computer(*node_of(wire.to.host)).doors;
  const auto door = doors.find(wire.to.port);
  if (door != doors.end() && door->second->events != nullptr) {
    wire.ends[1].door = door->second;
    door->second->connections.push_back(connection_of(index, Side::kPeer));
  }
}

void SimulatedWires::send(ConnectionId connection, Bytes message) {
  const std::uint32_t index = wire_of(connection);
  const Side side = side_of(connection);
  if (wires_[index].is_open && wires_[index].ends[index_of(side)].door != nullptr) {
    work_on(place_of(index, side, true), std::move(message));
  }
}

SimulatedWires::Place SimulatedWires::place_of(std::uint32_t wire, Side side, bool is_sending) {
  return {wire & 0x3fff'ffffU, side == Side::kPeer, is_sending};
}

SimulatedWires::Line& SimulatedWires::line(Place place) {
  return place.is_sending ? end(place).serialising : end(place).deserialising;
}

void SimulatedWires::work_on(Place place, Bytes bytes) {
  const SimulatedDoor& door = *end(place).door;
  const network::Host& host = network_.host(door.node);
  SimulatedComputer& at = computer(door.node);
  const Duration work = place.is_sending ? draw(host.serialise, bytes.size(), at.serialise)
                                         : draw(host.deserialise, bytes.size(), at.deserialise);
  Line& behind = line(place);
  if (work <= Duration(0) && behind.messages.empty()) {
    pass_on(place, std::move(bytes), kernel_.now());
    return;
  }
  const auto number = static_cast<std::uint32_t>(behind.first + behind.messages.size());
  behind.messages.push_back({std::move(bytes), work <= Duration(0), kernel_.now()});
  if (work > Duration(0)) {
    at.cores->execute(work, door.owner, [this, place, number] { worked_on(place, number); });
  }
}

void SimulatedWires::worked_on(Place place, std::uint32_t number) {
  Line& mine = line(place);
  const std::uint32_t at = number - mine.first;  // also right when the numbers wrap
  if (at >= mine.messages.size()) {
    return;  // the connection ended meanwhile
  }
  mine.messages[at].is_ready = true;
  while (!mine.messages.empty() && mine.messages.front().is_ready) {
    Line::Message message = std::move(mine.messages.front());
    mine.messages.pop_front();
    ++mine.first;
    pass_on(place, std::move(message.bytes), message.since);
  }
}

void SimulatedWires::pass_on(Place place, Bytes bytes, Time since) {
  const Wire& wire = wires_[place.wire];
  const Side side = place.is_peer ? Side::kPeer : Side::kOpener;
  End& mine = end(place);
  if (mine.door == nullptr) {
    return;
  }
  if (!place.is_sending) {
    mine.door->reached_host = since;
    mine.door->events->received(connection_of(place.wire, side), std::move(bytes));
    return;
  }
  if (mine.under_way.size() >= kMostUnderWay) {
    mine.under_way.pop_front();
  }
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const MessageId message = network_.send(wire.flow, side, size);
  mine.under_way.emplace_back(message, std::move(bytes));
}

void SimulatedWires::delivered(std::uint32_t index, Side side, MessageId message) {
  auto& under_way = wires_[index].ends[index_of(other(side))].under_way;
  auto found = under_way.begin();
  while (found != under_way.end() && found->first != message) {
    ++found;
  }
  if (found == under_way.end()) {
    return;
  }
  Bytes bytes = std::move(found->second);
  under_way.erase(found);

  if (wires_[index].ends[index_of(side)].door == nullptr && side == Side::kPeer) {
    accept(index);  // of a datagram; TCP has said that it is connected
    if (const SimulatedDoor* door = wires_[index].ends[index_of(side)].door) {
      door->events->connected(connection_of(index, side));
    }
  }
  if (wires_[index].ends[index_of(side)].door != nullptr) {
    work_on(place_of(index, side, false), std::move(bytes));
  }
}

void SimulatedWires::lost(std::uint32_t index, Side side, MessageId message) {
  std::erase_if(wires_[index].ends[index_of(other(side))].under_way,
                [message](const auto& entry) { return entry.first == message; });
}

void SimulatedWires::reset(std::uint32_t index, Side side) {
  Wire& wire = wires_[index];
  End& end = wire.ends[index_of(side)];
  const SimulatedDoor* door = end.door;
  leave(end);
  if (door != nullptr) {
    door->events->closed(connection_of(index, side), wire.why.empty() ? "timed out" : wire.why);
  }
}

void SimulatedWires::leave(End& end) {
  end.door = nullptr;
  for (Line* each : {&end.serialising, &end.deserialising}) {
    each->first += static_cast<std::uint32_t>(each->messages.size());
    each->messages.clear();
  }
}

void SimulatedWires::close(ConnectionId connection) {
  Wire& wire = wires_[wire_of(connection)];
  End& end = wire.ends[index_of(side_of(connection))];
  if (end.door == nullptr) {
    return;
  }
  std::erase(end.door->connections, connection);
  leave(end);
  if (wire.is_open) {
    wire.why = "closed by the peer";
    network_.close(wire.flow, side_of(connection));
  }
}

void SimulatedWires::kill(SimulatedDoor& door) {
  for (const ConnectionId connection : std::exchange(door.connections, {})) {
    Wire& wire = wires_[wire_of(connection)];
    End& end = wire.ends[index_of(side_of(connection))];
    if (end.door != &door) {
      continue;
    }
    leave(end);
    if (wire.is_open) {
      wire.why = "reset by the peer";
      network_.reset(wire.flow, side_of(connection));
    }
  }
  SimulatedComputer& at = computer(door.node);
  at.doors.erase(door.port);
  at.cores->forget(door.owner);
}

}  // namespace longarm::components
