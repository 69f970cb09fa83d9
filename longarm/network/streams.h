// SPDX-License-Identifier: Apache-2.0
// Byte streams and datagrams between ports of hosts, as programs use them: contents, windows that
// push back, refusals, half-closed connections. An operating system's view of a Network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/network/flow.h"
#include "longarm/network/network.h"
#include "longarm/network/stream_backend.h"
#include "longarm/network/topology.h"

namespace longarm::network {

/// Where a program listens or speaks from.
struct HostPort {
  NodeId host{};
  std::uint16_t number = 0;

  auto operator<=>(const HostPort&) const = default;
};

/// What whoever connects or sends wants the other end to know beside ports, such as addresses. It
/// means nothing to the network, and has no size there.
using Label = std::uint64_t;

/// What an end of a stream hears, at the instant when its program does. It may call the stream, or
/// destroy it, from within.
class StreamListener {
 public:
  virtual ~StreamListener() = default;
  /// The handshake is over at this end. An end that was called is connected when it is handed out.
  virtual void connected() = 0;
  /// There is more to read, or the end of what will come.
  virtual void readable() = 0;
  /// There is room to write again, for a third of the buffer, after a write() that left less.
  virtual void writable() = 0;
  /// Nothing more comes or goes. What has arrived can still be read.
  virtual void failed(StreamFailure why) = 0;
};

/// One end of a TCP connection. Destroying it is close(2): what was written still goes out, then a
/// FIN; if something was left unread, a reset instead, as Linux has it.
class Stream {
 public:
  virtual ~Stream() = default;

  virtual void set_listener(StreamListener& listener) = 0;
  virtual HostPort local() const = 0;
  virtual HostPort remote() const = 0;
  virtual Label label() const = 0;
  virtual bool is_connected() const = 0;

  /// Takes as many bytes as the send buffer has room for; not connected yet: they wait.
  virtual std::size_t write(std::span<const std::byte> bytes) = 0;
  virtual std::size_t room() const = 0;
  /// Written, and not acknowledged.
  virtual std::size_t unacknowledged() const = 0;
  /// Of what was written, not sent for the first time yet.
  virtual std::size_t unsent() const = 0;

  /// Has arrived in order, and can be read.
  virtual std::size_t readable() const = 0;
  /// The other end said FIN, and all before it has been read.
  virtual bool is_at_end() const = 0;
  virtual bool has_fin() const = 0;  ///< it said so, whatever is left to read
  /// Reading opens the window; peeking at `offset` does not.
  virtual std::size_t read(std::span<std::byte> out) = 0;
  virtual std::size_t peek(std::span<std::byte> out, std::size_t offset = 0) const = 0;

  /// FIN behind what was written; the other direction goes on.
  virtual void shut_down_writing() = 0;
  /// RST now.
  virtual void reset() = 0;

  /// Options that may change while it is connected; others are those it was opened with.
  virtual void set_nodelay(bool is_nodelay) = 0;
  virtual void set_cork(bool is_corked) = 0;
  virtual void set_quick_ack(bool is_quick) = 0;
  virtual void set_keep_alive(Duration after, Duration every, std::int64_t probes) = 0;
  virtual void set_send_buffer(std::int64_t bytes) = 0;
  virtual void set_receive_buffer(std::int64_t bytes) = 0;
  virtual const TcpOptions& options() const = 0;
  virtual Duration smoothed_round_trip() const = 0;
};

/// A host's operating system: who answers at its ports. Called at the instant when a packet is
/// there.
class Doorman {
 public:
  virtual ~Doorman() = default;

  enum class Answer : std::uint8_t {
    kAccept,  ///< the handshake goes on; arrived() follows when it is over
    kRefuse,  ///< a reset goes back
    kIgnore   ///< as if the SYN had been lost, as with a full backlog: it will be sent again
  };
  /// A SYN. `options` are those of the caller and may be changed to what the listening program
  /// asked for.
  virtual Answer called(HostPort at, HostPort from, Label label, TcpOptions& options) = 0;
  /// The handshake is over. Data may be there already.
  virtual void arrived(HostPort at, std::unique_ptr<Stream> stream) = 0;
  /// A datagram. False: nobody is there, and a port-unreachable message goes back.
  virtual bool datagram(HostPort at, HostPort from, Label label,
                        std::span<const std::byte> bytes) = 0;
  /// What was sent from `from` to `to` found nobody.
  virtual void unreachable(HostPort from, HostPort to) = 0;
};

/// All streams and datagrams of one network, which outlives every stream that it gave. Hosts
/// without a doorman refuse everything. Packets that stay on a host take its loopback and no cable.
class Streams {
 public:
  virtual ~Streams() = default;

  virtual void set_doorman(NodeId host, Doorman& doorman) = 0;
  /// A SYN leaves now. The listener outlives the stream.
  virtual Result<std::unique_ptr<Stream>> connect(HostPort from, HostPort to, Label label,
                                                  const TcpOptions& options, int priority,
                                                  StreamListener& listener) = 0;
  /// One datagram, now; larger ones than 65 507 bytes are refused by whoever calls. False:
  /// no way leads there. A full queue of the host drops it without a word, as in Linux.
  virtual bool send_datagram(HostPort from, HostPort to, Label label,
                             std::span<const std::byte> bytes, int priority) = 0;
};

/// Over the built-in network, which is the only one that carries streams: an error in words for
/// others. All that is borrowed outlives it.
Result<std::unique_ptr<Streams>> make_streams(sim::Kernel& kernel, Network& network);

}  // namespace longarm::network
