// SPDX-License-Identifier: Apache-2.0
// What a component needs of the world: connections that carry messages, and a place to compute.
// Simulated here; real sockets and real time when a component runs as a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "longarm/components/message.h"
#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/network/flow.h"
#include "longarm/system/address.h"

namespace longarm::components {

/// Where a component listens.
using system::Address;

enum class ConnectionId : std::uint64_t {};

/// What a component hears. Calls come from the kernel's events, never from within a call to the
/// transport.
class TransportEvents {
 public:
  virtual ~TransportEvents() = default;
  /// A peer has connected to us, or our own connection stands.
  virtual void connected(ConnectionId connection) = 0;
  virtual void received(ConnectionId connection, Bytes message) = 0;
  /// By the peer, for want of answers, or because nobody listens there. Not after our own close().
  virtual void closed(ConnectionId connection, const std::string& why) = 0;
};

/// One component's door to the network. Messages on one TCP connection arrive whole and in order;
/// on UDP whole or not at all.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Where others reach this component.
  virtual Address address() const = 0;
  /// Once, before anything else.
  virtual void start(TransportEvents& events) = 0;
  /// Never fails at once: closed() says when it does. UDP stands at once, and the peer hears of it
  /// with the first message.
  virtual ConnectionId connect(const Address& to, const network::FlowOptions& options) = 0;
  /// Waits until the connection stands; lost if it is closed, also by the peer.
  virtual void send(ConnectionId connection, Bytes message) = 0;
  virtual void close(ConnectionId connection) = 0;
  /// Within TransportEvents::received(): when the message had reached this host, before it was
  /// read. Nothing: it is not known.
  virtual std::optional<Time> reached_host() const { return std::nullopt; }
};

/// Where one component computes. It and the transport are destroyed right after their component's
/// node, before anything else happens; their events and `done` calls end then.
class Processor {
 public:
  virtual ~Processor() = default;
  /// Calls `done` once `work` of computing (at speed 1) has been done; in a real process that is
  /// burnt on the core it runs on. Always later, from an event, never from within this call.
  virtual void execute(Duration work, std::function<void()> done) = 0;
  /// How long `work` takes if nobody else wants the cores.
  virtual Duration alone(Duration work) const { return work; }
};

}  // namespace longarm::components
