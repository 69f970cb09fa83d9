// SPDX-License-Identifier: Apache-2.0
// A connection from its handshake to its end, between the sending and the receiving half.
#include "longarm/network/builtin/tcp/tcp_endpoint.h"

#include <algorithm>

namespace longarm::network::tcp {
namespace {

constexpr std::uint32_t kLeastMssBytes = 1;

}  // namespace

const char* text(Ending ending) {
  switch (ending) {
    case Ending::kRefused:
      return "refused";
    case Ending::kReset:
      return "reset by peer";
    case Ending::kNoAnswer:
      return "no answer";
    case Ending::kNoAnswerToKeepAlive:
      break;
  }
  return "no answer to keep-alive";
}

Endpoint::Endpoint(const TcpOptions& options, Owner& owner)
    : options_(options), owner_(owner), receiver_(options_), sender_(options_, counters_) {}

void Endpoint::listen() {
  state_ = State::kListen;
}

void Endpoint::connect(Time now) {
  state_ = State::kSynSent;
  syn_sent_at_ = now;
  has_sack_ = options_.has_sack;
  has_timestamps_ = options_.has_timestamps;
  send_syn(now);
}

void Endpoint::write(Time now, std::uint32_t size_bytes) {
  if (state_ == State::kGone) {
    return;
  }
  sender_.write(size_bytes);
  if (state_ != State::kEstablished) {
    return;  // waits for the handshake
  }
  // ns-3 sends at once what is written while it hands over data.
  if (options_.send_latency > Duration::zero() && now != data_taken_at_) {
    send_at_ = std::min(send_at_, now + options_.send_latency);
    return;
  }
  send_pending(now);
}

void Endpoint::close(Time now) {
  if (state_ == State::kGone) {
    return;
  }
  if (state_ == State::kClosed || state_ == State::kListen) {
    stop();
    return;
  }
  sender_.finish();
  if (state_ == State::kEstablished && send_at_ == Time::max()) {
    send_pending(now);
  }
}

void Endpoint::abort(Time) {
  if (state_ != State::kGone && state_ != State::kClosed && state_ != State::kListen) {
    send_reset(sender_.next(), receiver_.next());
  }
  stop();
}

void Endpoint::update_window(Time now) {
  if (state_ == State::kEstablished && receiver_.is_window_update_due()) {
    send_acknowledgement(now);
  }
}

void Endpoint::set_nodelay(Time now, bool is_nodelay) {
  options_.is_nodelay = is_nodelay;
  if (state_ == State::kEstablished) {
    send_pending(now);
  }
}

void Endpoint::set_cork(Time now, bool is_corked) {
  sender_.set_cork(is_corked);
  if (state_ == State::kEstablished) {
    send_pending(now);
  }
}

void Endpoint::set_quick_ack(Time now, bool is_quick) {
  receiver_.set_quick(is_quick);
  if (is_quick && state_ == State::kEstablished && receiver_.is_acknowledgement_delayed()) {
    send_acknowledgement(now);
  }
}

void Endpoint::set_keep_alive(Time now, Duration after, Duration every, std::int64_t probes) {
  options_.keep_alive_after = after;
  options_.keep_alive_every = every;
  options_.keep_alive_probes = probes;
  keep_alive_at_ = Time::max();
  if (state_ == State::kEstablished) {
    note_sign_of_life(now);
  }
}

void Endpoint::set_send_buffer(Time now, std::int64_t bytes) {
  options_.send_buffer_bytes = bytes;
  if (state_ == State::kEstablished) {
    send_pending(now);
  }
}

void Endpoint::set_receive_buffer(Time now, std::int64_t bytes) {
  receiver_.set_buffer(static_cast<std::uint64_t>(bytes));
  update_window(now);
}

void Endpoint::receive(Time now, const Segment& segment) {
  switch (state_) {
    case State::kClosed:
    case State::kGone:
      // Nobody is here. A reset is not answered, or two would go on for ever.
      if (!segment.is_rst) {
        send_reset(segment.is_ack ? segment.acknowledged : 0,
                   segment.sequence + segment.length + (segment.is_syn ? 1 : 0));
      }
      return;
    case State::kListen:
      receive_listening(now, segment);
      return;
    case State::kSynSent:
      receive_syn_sent(now, segment);
      return;
    case State::kSynReceived:
    case State::kEstablished:
      receive_connected(now, segment);
      return;
  }
}

// What both sides offer is used; the shorter of the two longest segments holds.
void Endpoint::agree(const Segment& syn) {
  has_sack_ = options_.has_sack && syn.permits_sack;
  has_timestamps_ = options_.has_timestamps && syn.has_timestamp;
  const auto own = static_cast<std::uint32_t>(options_.mss_bytes);
  const std::uint32_t mss = syn.mss_bytes > 0 ? std::min(own, syn.mss_bytes) : own;
  sender_.start(std::max(mss, kLeastMssBytes), has_sack_, has_timestamps_);
  sender_.set_peer_window(syn.window_bytes);
  receiver_.start(has_sack_, has_timestamps_);
  receiver_.note_timestamp(syn);
}

void Endpoint::receive_listening(Time now, const Segment& segment) {
  if (segment.is_rst) {
    return;
  }
  if (segment.is_ack || !segment.is_syn) {
    send_reset(segment.acknowledged, segment.sequence + segment.length);
    return;
  }
  agree(segment);
  state_ = State::kSynReceived;
  syn_sent_at_ = now;
  send_syn(now);
}

void Endpoint::receive_syn_sent(Time now, const Segment& segment) {
  if (segment.is_rst) {
    if (segment.is_ack && segment.acknowledged == 1) {
      give_up(Ending::kRefused);
    }
    return;
  }
  if (!segment.is_syn) {
    return;
  }
  agree(segment);
  if (!segment.is_ack) {
    // Both called at once.
    state_ = State::kSynReceived;
    send_syn(now);
    return;
  }
  state_ = State::kEstablished;
  handshake_at_ = Time::max();
  if (handshake_retries_ == 0) {
    sender_.measure(now - syn_sent_at_);
  }
  note_sign_of_life(now);
  send_acknowledgement(now);
  send_pending(now);
  owner_.connected();
}

void Endpoint::note_sign_of_life(Time now) {
  if (options_.keep_alive_after > Duration::zero()) {
    keep_alive_at_ = now + options_.keep_alive_after;
    keep_alive_sent_ = 0;
  }
}

bool Endpoint::become_established(Time now, const Segment& segment) {
  if (!segment.is_ack || segment.acknowledged < 1) {
    return false;
  }
  state_ = State::kEstablished;
  handshake_at_ = Time::max();
  if (handshake_retries_ == 0) {
    sender_.measure(now - syn_sent_at_);
  }
  owner_.connected();
  return state_ == State::kEstablished;
}

void Endpoint::receive_connected(Time now, const Segment& segment) {
  if (segment.is_rst) {
    give_up(Ending::kReset);
    return;
  }
  if (segment.is_syn) {
    // The peer has not heard us, or this was under way for long.
    if (state_ == State::kSynReceived && !segment.is_ack) {
      send_syn(now);
      return;
    }
    if (state_ == State::kEstablished) {
      send_acknowledgement(now);
      return;
    }
  }
  if (state_ == State::kSynReceived && !become_established(now, segment)) {
    return;
  }
  note_sign_of_life(now);
  if (segment.is_syn) {
    return;
  }
  // Also of a copy: its acknowledgement answers this one, not the first.
  receiver_.note_timestamp(segment);
  if (!receiver_.is_acceptable(segment)) {
    // A copy, a probe or something beyond the window: say where we are.
    if (segment.is_ack && segment.sequence <= receiver_.next()) {
      sender_.acknowledge(now, segment);
    }
    send_acknowledgement(now);
    send_pending(now);
    return;
  }
  if (segment.is_ack) {
    if (segment.acknowledged > sender_.next()) {
      send_acknowledgement(now);
      return;
    }
    sender_.acknowledge(now, segment);
  }
  take_data(now, segment);
}

void Endpoint::take_data(Time now, const Segment& segment) {
  const bool is_like_linux = options_.rto_rule == RtoRule::kLinux;
  if (segment.length > 0 || segment.is_fin) {
    if (refuses_data_ && segment.length > 0) {
      send_reset(segment.acknowledged, segment.sequence + segment.length);
      stop();
      return;
    }
    data_taken_at_ = now;
    receiver_.take(now, segment);
    // ns-3 acknowledges before it looks what else it may send; in Linux data takes the
    // acknowledgement along.
    if (receiver_.is_acknowledgement_due() && !is_like_linux) {
      send_acknowledgement(now);
    }
  }
  send_pending(now);
  if (receiver_.is_acknowledgement_due()) {
    send_acknowledgement(now);
  }
  report_readable();
}

void Endpoint::report_readable() {
  if (receiver_.readable() > reported_) {
    reported_ = receiver_.readable();
    owner_.readable(reported_);
  }
  if (receiver_.has_fin() && !is_peer_closed_) {
    is_peer_closed_ = true;
    owner_.peer_closed();
  }
}

bool Endpoint::is_closed() const {
  if (state_ == State::kGone) {
    return true;
  }
  return state_ == State::kEstablished && receiver_.has_fin() && sender_.is_fin_acknowledged();
}

SenderState Endpoint::state() const {
  SenderState state;
  state.congestion_window_bytes = static_cast<double>(sender_.window().bytes());
  state.slow_start_threshold_bytes = static_cast<double>(sender_.window().threshold());
  state.in_flight_bytes = sender_.next() - sender_.unacknowledged();
  state.unsent_bytes = sender_.unsent_bytes();
  state.smoothed_rtt = sender_.round_trip().smoothed();
  state.retransmission_timeout = sender_.timeout();
  return state;
}

}  // namespace longarm::network::tcp
