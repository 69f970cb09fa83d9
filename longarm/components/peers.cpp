// SPDX-License-Identifier: Apache-2.0
// Looks peers up when first needed and keeps their connections.
#include "longarm/components/peers.h"

#include <fmt/format.h>

namespace longarm::components {

std::string Peer::text() const {
  if (!has_address) {
    return fmt::format("'{}'", name);
  }
  const std::string where = fmt::format("{}:{}", address.host, address.port);
  return name.empty() ? where : fmt::format("'{}' at {}", name, where);
}

Peer& Peers::named(std::string_view server) {
  const auto known = by_raw_name_.find(server);
  if (known != by_raw_name_.end()) {
    return *known->second;
  }
  Peer& peer = called(core_.resolve(server));
  by_raw_name_.emplace(std::string(server), &peer);
  return peer;
}

Peer& Peers::called(const std::string& name) {
  Peer& peer = by_name_[name];
  peer.name = name;
  return peer;
}

Peer& Peers::at(const Address& address) {
  Peer& peer = by_address_[address];
  peer.address = address;
  peer.has_address = true;
  return peer;
}

void Peers::send(Peer& peer, std::uint32_t call, Bytes frame) {
  if (peer.state == Peer::State::kApart && peer.has_address) {
    connect(peer);
  }
  if (peer.state == Peer::State::kConnected) {
    core_.transport.send(peer.connection, std::move(frame));
    return;
  }
  peer.waiting.push_back({call, std::move(frame)});
  if (peer.state == Peer::State::kApart) {
    peer.state = Peer::State::kLookingUp;
    look_up(peer);
  }
}

void Peers::connect(Peer& peer) {
  peer.connection = core_.transport.connect(peer.address, core_.setup.calls);
  peer.state = Peer::State::kConnected;
}

void Peers::found(Peer& peer, const Address& address) {
  peer.address = address;
  peer.has_address = true;
  connect(peer);
  for (Peer::Waiting& waiting : std::exchange(peer.waiting, {})) {
    core_.transport.send(peer.connection, std::move(waiting.frame));
  }
}

void Peers::fail(Peer& peer, const std::string& why) {
  peer.state = Peer::State::kApart;
  // out of the list first: whoever hears of it may send again
  for (const Peer::Waiting& waiting : std::exchange(peer.waiting, {})) {
    failed(waiting.call, why);
  }
}

Peer* Peers::closed(ConnectionId connection) {
  const auto is_it = [connection](const Peer& peer) {
    return peer.state == Peer::State::kConnected && peer.connection == connection;
  };
  for (auto& [name, peer] : by_name_) {
    if (is_it(peer)) {
      peer.state = Peer::State::kApart;
      return &peer;
    }
  }
  for (auto& [address, peer] : by_address_) {
    if (is_it(peer)) {
      peer.state = Peer::State::kApart;
      return &peer;
    }
  }
  return nullptr;
}

}  // namespace longarm::components
