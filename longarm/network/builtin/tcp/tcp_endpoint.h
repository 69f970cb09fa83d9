// SPDX-License-Identifier: Apache-2.0
// One end of a TCP connection as a state machine: given time, segments and writes, it says what to
// send and when it wants to be woken. It knows no network and no kernel.
#pragma once

#include <algorithm>
#include <cstdint>

#include "longarm/core/time.h"
#include "longarm/network/builtin/tcp/receiver.h"
#include "longarm/network/builtin/tcp/sender.h"
#include "longarm/network/builtin/tcp/tcp_segment.h"
#include "longarm/network/flow.h"

namespace longarm::network::tcp {

/// Why a connection is gone.
enum class Ending : std::uint8_t { kRefused, kReset, kNoAnswer, kNoAnswerToKeepAlive };
const char* text(Ending ending);

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
  virtual void reset(Ending why) = 0;
};

/// What a test or a figure may want to see of the sender.
struct SenderState {
  double congestion_window_bytes = 0.0;
  double slow_start_threshold_bytes = 0.0;
  std::uint64_t in_flight_bytes = 0;  ///< sent and not acknowledged
  std::uint64_t unsent_bytes = 0;
  Duration smoothed_rtt{0};
  Duration retransmission_timeout{0};
};

class Endpoint {
 public:
  Endpoint(const TcpOptions& options, Owner& owner);
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
  /// As if there had never been a connection: whatever comes is answered by RST.
  void vanish() { stop(); }

  /// Before anything arrives: a program reads when it likes, and its window closes until it does.
  /// Otherwise whatever arrives is read at once.
  void read_by_hand() { receiver_.read_by_hand(); }
  /// Whether the peer should hear of it, by update_window().
  bool read(std::uint64_t bytes) {
    receiver_.read(bytes);
    return state_ == State::kEstablished && !receiver_.has_fin() &&
           receiver_.is_window_update_due();
  }
  void update_window(Time now);
  bool has_unread() const { return receiver_.unread() > 0; }
  /// Nobody is left to read: data that still arrives ends the connection (as in Linux).
  void refuse_data() { refuses_data_ = true; }

  // options that may change at any time
  void set_nodelay(Time now, bool is_nodelay);
  void set_cork(Time now, bool is_corked);
  void set_quick_ack(Time now, bool is_quick);
  void set_keep_alive(Time now, Duration after, Duration every, std::int64_t probes);
  void set_send_buffer(Time now, std::int64_t bytes);
  void set_receive_buffer(Time now, std::int64_t bytes);

  /// Of the stream that was written: what the peer has, and what was sent at least once.
  Offset acknowledged() const { return sender_.unacknowledged(); }
  Offset sent() const { return sender_.next(); }
  Duration smoothed_round_trip() const { return sender_.round_trip().smoothed(); }

  /// When wake() wants to be called; Time::max(): never. Looked at after every call.
  Time deadline() const {
    return std::min(std::min(sender_.deadline(), receiver_.deadline()),
                    std::min(send_at_, std::min(handshake_at_, keep_alive_at_)));
  }
  void wake(Time now);
  /// No timer is going to do anything: those of sender and receiver are off, and a keep-alive stops
  /// by itself where the connection has ended.
  bool is_at_rest() const {
    return (keep_alive_at_ == Time::max() || is_closed()) && sender_.deadline() == Time::max() &&
           receiver_.deadline() == Time::max() && send_at_ == Time::max() &&
           handshake_at_ == Time::max();
  }

  bool is_closed() const;
  const Counters& counters() const { return counters_; }
  SenderState state() const;

 private:
  enum class State : std::uint8_t { kClosed, kListen, kSynSent, kSynReceived, kEstablished, kGone };

  void receive_listening(Time now, const Segment& segment);
  void receive_syn_sent(Time now, const Segment& segment);
  void receive_connected(Time now, const Segment& segment);
  bool become_established(Time now, const Segment& segment);
  void agree(const Segment& syn);
  void note_sign_of_life(Time now);
  void take_data(Time now, const Segment& segment);
  void report_readable();

  void send_syn(Time now);
  void send_pending(Time now);
  void send_piece(Time now, const Piece& piece);
  void send_acknowledgement(Time now);
  void send_reset(Offset sequence, Offset acknowledged);
  void transmit(Segment& segment, Time now);
  void wake_handshake(Time now);
  void wake_keep_alive(Time now);
  void give_up(Ending why);
  void stop();

  TcpOptions options_;
  Owner& owner_;
  Counters counters_;
  State state_ = State::kClosed;
  bool has_sack_ = false;
  bool has_timestamps_ = false;
  bool is_peer_closed_ = false;
  bool refuses_data_ = false;
  int handshake_retries_ = 0;
  std::int64_t keep_alive_sent_ = 0;
  Time syn_sent_at_{};
  Time data_taken_at_ = Time::min();
  Time send_at_ = Time::max();
  Time handshake_at_ = Time::max();
  Time keep_alive_at_ = Time::max();
  Offset reported_ = 1;
  Receiver receiver_;
  Sender sender_;
};

}  // namespace longarm::network::tcp
