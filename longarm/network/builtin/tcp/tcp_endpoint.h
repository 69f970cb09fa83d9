// SPDX-License-Identifier: Apache-2.0
// One end of a TCP connection as a state machine: given time, segments and writes, it says what to
// send and when it wants to be woken. It knows no network and no kernel.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "longarm/core/time.h"
#include "longarm/network/flow.h"

namespace longarm::network::tcp {

/// Counted from the start of a stream without wrapping: 0 is the SYN, 1 the first byte.
using Offset = std::uint64_t;

struct SackBlock {
  Offset begin = 0;
  Offset end = 0;
};

struct Segment {
  Offset sequence = 0;
  Offset acknowledged = 0;  ///< the next byte wanted, if is_ack
  std::uint32_t length = 0;
  std::uint32_t window_bytes = 0;
  Time timestamp{};  ///< of the sender's clock, if both have timestamps
  Time timestamp_echo{};
  std::array<SackBlock, 3> sack{};
  std::uint8_t sack_count = 0;
  bool is_syn = false;
  bool is_fin = false;
  bool is_rst = false;
  bool is_ack = false;
  bool is_push = false;

  /// Of TCP alone: 20 and the options that this segment carries.
  std::uint32_t header_bytes(const TcpOptions& options) const;
};

/// Where an endpoint says what happens. Calls come only from within calls to the endpoint.
class Owner {
 public:
  virtual ~Owner() = default;
  virtual void transmit(const Segment& segment) = 0;
  virtual void connected() = 0;
  /// All of the peer's stream before `offset` may be read now (its bytes begin at 1).
  virtual void readable(Offset offset) = 0;
  /// The peer has sent everything it will; or the connection is gone, by RST or for want of
  /// answers.
  virtual void peer_closed() = 0;
  virtual void reset(const char* why) = 0;
};

struct Counters {
  std::uint64_t segments_sent = 0;
  std::uint64_t retransmissions = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t fast_recoveries = 0;
  std::uint64_t duplicate_acks = 0;
};

/// What a test or a figure may want to see of the sender.
struct SenderState {
  double congestion_window_bytes = 0.0;
  double slow_start_threshold_bytes = 0.0;
  std::uint64_t in_flight_bytes = 0;
  std::uint64_t unsent_bytes = 0;
  Duration smoothed_rtt{0};
  Duration retransmission_timeout{0};
};

class Endpoint {
 public:
  Endpoint(const TcpOptions& options, Owner& owner);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  void listen();
  void connect(Time now);
  void write(Time now, std::uint32_t size_bytes);
  void receive(Time now, const Segment& segment);
  /// After all that was written: FIN.
  void close(Time now);
  /// RST, at once.
  void abort(Time now);

  /// When wake() wants to be called; Time::max(): never. Looked at after every call.
  Time deadline() const;
  void wake(Time now);

  bool is_closed() const;
  const Counters& counters() const;
  SenderState state() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;  // sender, receiver and timers have files of their own
};

}  // namespace longarm::network::tcp
