// SPDX-License-Identifier: Apache-2.0
// Whom a node talks to: where they are, and the connection to each, made once and kept.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "longarm/components/node_core.h"

namespace longarm::components {

struct Peer {
  enum class State : std::uint8_t { kApart, kLookingUp, kConnected };
  struct Waiting {
    std::uint32_t call = 0;  ///< 0: nobody waits for an answer
    Bytes frame;
  };

  std::string name;  ///< of the component; empty if only its address matters
  bool has_address = false;
  Address address;
  State state = State::kApart;
  ConnectionId connection{};
  std::vector<Waiting> waiting;  ///< for its address

  std::string text() const;  ///< "'/arm' at pc1:40000"
};

class Peers {
 public:
  explicit Peers(NodeCore& core) : core_(core) {}

  /// Finds out an address and then calls found() or fail().
  std::function<void(Peer&)> look_up;
  /// A call that cannot be answered any more; 0 for what needed no answer.
  std::function<void(std::uint32_t call, const std::string& why)> failed;

  /// By the name as the component wrote it.
  Peer& named(std::string_view server);
  /// By its full name.
  Peer& called(const std::string& name);
  Peer& at(const Address& address);

  void send(Peer& peer, std::uint32_t call, Bytes frame);
  void found(Peer& peer, const Address& address);
  void fail(Peer& peer, const std::string& why);
  /// The peer whose connection this was, if it was one.
  Peer* closed(ConnectionId connection);

 private:
  void connect(Peer& peer);

  NodeCore& core_;
  std::map<std::string, Peer> by_name_;
  std::map<Address, Peer> by_address_;
  std::map<std::string, Peer*, std::less<>> by_raw_name_;
};

}  // namespace longarm::components
