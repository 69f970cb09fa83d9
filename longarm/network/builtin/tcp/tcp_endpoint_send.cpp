// SPDX-License-Identifier: Apache-2.0
// What an endpoint sends, and what it does when its timers run out.
#include <algorithm>

#include "longarm/network/builtin/tcp/tcp_endpoint.h"

namespace longarm::network::tcp {
namespace {

// Both Linux and ns-3 call six times.
constexpr int kMostHandshakeRetries = 6;

}  // namespace

void Endpoint::transmit(Segment& segment, Time now) {
  segment.has_timestamp = has_timestamps_;
  segment.timestamp = now;
  ++counters_.segments_sent;
  owner_.transmit(segment);
}

void Endpoint::send_syn(Time now) {
  Segment segment;
  segment.is_syn = true;
  segment.mss_bytes = static_cast<std::uint32_t>(options_.mss_bytes);
  segment.permits_sack = has_sack_;
  receiver_.fill(segment);
  if (state_ == State::kSynSent) {
    segment.is_ack = false;
    segment.acknowledged = 0;
    segment.timestamp_echo = Time{};
  }
  handshake_at_ = now + options_.initial_rto * (std::int64_t{1} << handshake_retries_);
  transmit(segment, now);
}

void Endpoint::send_acknowledgement(Time now) {
  Segment segment;
  segment.sequence = sender_.next();
  receiver_.fill(segment);
  transmit(segment, now);
}

void Endpoint::send_pending(Time now) {
  send_at_ = Time::max();
  while (const auto piece = sender_.next_piece(now)) {
    send_piece(now, *piece);
  }
}

void Endpoint::send_piece(Time now, const Piece& piece) {
  Segment segment;
  segment.sequence = piece.begin;
  segment.length = piece.length;
  segment.is_fin = piece.has_fin;
  segment.is_push = piece.is_last && piece.length > 0;
  receiver_.fill(segment);
  transmit(segment, now);
}

void Endpoint::send_reset(Offset sequence, Offset acknowledged) {
  Segment segment;
  segment.is_rst = true;
  segment.is_ack = true;
  segment.sequence = sequence;
  segment.acknowledged = acknowledged;
  ++counters_.segments_sent;
  owner_.transmit(segment);
}

void Endpoint::wake(Time now) {
  if (send_at_ <= now) {
    send_pending(now);
  }
  if (receiver_.deadline() <= now) {
    send_acknowledgement(now);
  }
  if (sender_.deadline() <= now) {
    if (!sender_.wake(now)) {
      send_reset(sender_.next(), receiver_.next());
      give_up(Ending::kNoAnswer);
      return;
    }
    send_pending(now);
  }
  if (handshake_at_ <= now) {
    wake_handshake(now);
  }
  if (keep_alive_at_ <= now) {
    wake_keep_alive(now);
  }
}

void Endpoint::wake_handshake(Time now) {
  if (handshake_retries_ >= std::min<std::int64_t>(kMostHandshakeRetries, options_.max_retries)) {
    give_up(Ending::kNoAnswer);
    return;
  }
  ++handshake_retries_;
  ++counters_.retransmissions;
  ++counters_.timeouts;
  send_syn(now);
}

void Endpoint::wake_keep_alive(Time now) {
  if (is_closed()) {
    keep_alive_at_ = Time::max();
    return;
  }
  if (!sender_.is_idle()) {
    keep_alive_at_ = now + options_.keep_alive_after;  // retransmission looks after the peer
    return;
  }
  if (keep_alive_sent_ >= options_.keep_alive_probes) {
    send_reset(sender_.next(), receiver_.next());
    give_up(Ending::kNoAnswerToKeepAlive);
    return;
  }
  ++keep_alive_sent_;
  keep_alive_at_ = now + options_.keep_alive_every;
  // An old byte's place: the peer has to say that it has had it.
  Piece probe;
  probe.begin = sender_.next() - 1;
  send_piece(now, probe);
}

void Endpoint::give_up(Ending why) {
  stop();
  owner_.reset(why);
}

void Endpoint::stop() {
  state_ = State::kGone;
  send_at_ = handshake_at_ = keep_alive_at_ = Time::max();
  sender_.stop();
  receiver_.stop();
}

}  // namespace longarm::network::tcp
