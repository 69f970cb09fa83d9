// SPDX-License-Identifier: Apache-2.0
// What a backend that carries streams of bytes and datagrams of programs can do beside messages. It
// counts bytes and never sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/network/backend.h"
#include "longarm/network/flow.h"

namespace longarm::network {

/// Why a connection is over although nobody at this end closed it.
enum class StreamFailure : std::uint8_t {
  kRefused,   ///< nobody listens there
  kTimedOut,  ///< no answer, however often it was asked for
  kReset,     ///< the other end gave it up
};

/// What happened at one end of a stream. Of one flow and side they come in this order of time.
struct StreamNews {
  enum class What : std::uint8_t {
    kCalled,     ///< at the peer: a SYN, to be answered at this instant
    kConnected,  ///< the handshake is over; for the peer there is somebody from now on
    kReadable,   ///< `value` bytes of the other side's stream have arrived in order
    kWritable,   ///< what await() waits for
    kFin,        ///< the other side will write no more
    kFailed,     ///< by `why`
    kOver,       ///< said once, of the peer, and never again anything: the flow's id may come anew
    kDatagram,   ///< number `value` has arrived
    kLost        ///< it will arrive no more
  };
  Time time{};
  FlowId flow{};
  Side side{};
  What what{};
  StreamFailure why{};
  bool is_last = false;     ///< of datagrams: no copy is under way
  std::uint64_t value = 0;  ///< bytes count from 0
};

/// An option of TCP that changes behind what was written before.
struct StreamChange {
  enum class What : std::uint8_t {
    kNodelay,
    kCork,
    kQuickAck,
    kKeepAlive,
    kSendBuffer,
    kReceiveBuffer
  };
  What what{};
  bool is_on = false;
  std::int64_t number = 0;  ///< bytes, or probes
  Duration after{0};
  Duration every{0};
};

struct StreamState {
  std::uint64_t acknowledged = 0;  ///< bytes of what this side wrote; perhaps the FIN, too
  std::uint64_t sent = 0;          ///< for the first time
  Duration smoothed_round_trip{0};
};

/// Knows what is in packets of programs, for captures.
class PacketContents {
 public:
  virtual ~PacketContents() = default;

  struct Ports {
    std::uint16_t source = 0;
    std::uint16_t destination = 0;
    bool is_unreachable = false;          ///< ICMP's answer to a datagram with these ports
    std::uint32_t unreachable_bytes = 0;  ///< of that datagram
  };
  /// Of what `from` sends; `datagram` is its number, if it is one.
  virtual Ports ports(FlowId flow, Side from, std::uint64_t datagram) const = 0;
  /// Bytes from `offset` on of the stream or of the datagram. What is not kept any more, because
  /// it was read and acknowledged, is left as it is.
  virtual void copy(FlowId flow, Side from, std::uint64_t datagram, std::uint64_t offset,
                    std::span<std::byte> out) const = 0;
};

/// Instants may not lie before the backend's last event; what is asked for one flow and side at one
/// instant happens in the order of asking.
class StreamBackend {
 public:
  virtual ~StreamBackend() = default;

  /// The opener has somebody from now on. Datagrams: messages, by Backend::send, that may arrive as
  /// often as the network makes copies of them.
  virtual Result<FlowId> open_stream(const FlowRequest& request, Time at) = 0;
  virtual Result<FlowId> open_datagrams(const FlowRequest& request) = 0;

  enum class Answer : std::uint8_t { kAccept, kRefuse, kIgnore };
  virtual void answer(FlowId flow, Answer answer, const TcpOptions& options, Time at) = 0;

  virtual void write(FlowId flow, Side side, std::uint32_t bytes, Time at) = 0;
  /// Now. Whoever writes nothing but reads costs no event, unless the window opens.
  virtual void read(FlowId flow, Side side, std::uint64_t bytes, Time now) = 0;
  virtual void change(FlowId flow, Side side, const StreamChange& change, Time at) = 0;
  /// FIN behind what was written.
  virtual void shut_down(FlowId flow, Side side, Time at) = 0;
  /// There is nobody any more, and no more news: FIN, or RST if something is unread.
  virtual void release(FlowId flow, Side side, Time at) = 0;

  /// kWritable, once, as soon as so many bytes are acknowledged.
  virtual void await(FlowId flow, Side side, std::uint64_t acknowledged) = 0;
  virtual StreamState state(FlowId flow, Side side) const = 0;

  /// Who is asked about packets that are captured, until there is somebody else; null: nobody.
  virtual void set_contents(const PacketContents* contents) = 0;
  /// What was sent may be asked for until it is acknowledged.
  virtual bool is_capturing() const = 0;

  /// Of the instant at which advance() stopped.
  virtual void take_news(std::vector<StreamNews>& out) = 0;
};

}  // namespace longarm::network
