// SPDX-License-Identifier: Apache-2.0
// What the sending half lets out: lost segments first, then what windows and Nagle allow of the
// rest.
#include "longarm/network/builtin/tcp/sender.h"

#include <algorithm>

namespace longarm::network::tcp {

Sender::Sender(const TcpOptions& options, Counters& counters)
    : options_(options),
      counters_(counters),
      mss_bytes_(static_cast<std::uint32_t>(options.mss_bytes)),
      sent_(mss_bytes_, is_like_linux()),
      round_trip_(options),
      window_(options) {}

void Sender::start(std::uint32_t mss_bytes, bool has_sack, bool has_timestamps) {
  mss_bytes_ = mss_bytes;
  has_sack_ = has_sack;
  has_timestamps_ = has_timestamps;
  sent_.set_unit(mss_bytes);
  window_.start(mss_bytes);
}

void Sender::measure(Duration round_trip) {
  round_trip_.measure(round_trip, first_, next_);
}

void Sender::set_peer_window(std::uint32_t bytes) {
  peer_window_ = bytes;
  largest_peer_window_ = std::max(largest_peer_window_, peer_window_);
}

// What is in the send buffer: the rest waits with whoever writes.
Offset Sender::sendable_end() const {
  return std::min(end_, first_ + static_cast<std::uint64_t>(options_.send_buffer_bytes));
}

std::uint64_t Sender::allowance() const {
  const std::uint64_t in_flight = sent_.in_flight();
  return window_.bytes() - std::min(window_.bytes(), in_flight);
}

std::uint64_t Sender::peer_room() const {
  const Offset edge = first_ + peer_window_;
  return edge - std::min(edge, next_);
}

bool Sender::may_send_new(std::uint64_t allowed) const {
  const std::uint64_t remaining = sendable_end() - std::min(sendable_end(), next_);
  if (remaining == 0) {
    return is_fin_due();
  }
  const std::uint64_t room = std::min(allowed, peer_room());
  if (room == 0) {
    return false;
  }
  const bool is_all_acknowledged = first_ == next_;
  if (room < mss_bytes_ && remaining > room) {
    // Small windows get no small segments, unless the peer never had a larger one to offer.
    return is_all_acknowledged && 2 * room >= largest_peer_window_;
  }
  if (!options_.is_nodelay && !is_all_acknowledged && remaining < mss_bytes_) {
    // Nagle waits for more; Linux knows when no more will come.
    return is_like_linux() && is_finished_ && sendable_end() == end_;
  }
  return !is_corked_ || remaining >= mss_bytes_ || is_finished_;
}

std::optional<Piece> Sender::next_piece(Time now) {
  if (is_window_probe_due_ || is_tail_probe_due_) {
    return probe_piece(now);
  }
  if (must_send_one_) {
    must_send_one_ = false;
    return forced_piece(now);
  }
  if (is_like_linux()) {
    restart_after_idle(now);
  }
  const std::optional<Piece> piece = allowed_piece(now);
  if (!piece && is_like_linux()) {
    note_window_use();
  }
  return piece;
}

std::optional<Piece> Sender::allowed_piece(Time now) {
  const std::uint64_t allowed = allowance();
  if (allowed == 0) {
    return std::nullopt;
  }
  if (const auto lost = sent_.first_lost()) {
    const bool is_silly = allowed < mss_bytes_ && end_ - sent_[*lost].begin > allowed;
    return is_silly ? std::nullopt : std::optional(resend(now, *lost));
  }
  if (may_send_new(allowed)) {
    return send_new(now, allowed);
  }
  if (next_ < sendable_end()) {
    if (first_ == next_) {
      arm_window_probe(now);
    }
    return std::nullopt;
  }
  // Nothing new: what is probably lost, too, may use the room (RFC 6675, NextSeg rule 3).
  if (phase_ == Phase::kRecovery && has_sack_ && !is_like_linux() && allowed >= mss_bytes_) {
    if (const auto unsacked = sent_.first_unsacked()) {
      return resend(now, *unsacked);
    }
  }
  return std::nullopt;
}

Piece Sender::send_new(Time now, std::uint64_t allowed) {
  Piece piece;
  piece.begin = next_;
  const std::uint64_t remaining = sendable_end() - std::min(sendable_end(), next_);
  piece.length = static_cast<std::uint32_t>(
      std::min({allowed, peer_room(), std::uint64_t{mss_bytes_}, remaining}));
  next_ += piece.length;
  piece.is_last = next_ == end_;
  piece.has_fin = is_fin_due();
  if (piece.has_fin) {
    is_fin_sent_ = true;
    ++next_;
    ++end_;
  }
  sent_.push(piece.begin, piece.length + (piece.has_fin ? 1U : 0U), piece.has_fin, now);
  has_sent_ = true;
  count_sent(now, piece.length);
  if (is_like_linux() && timer_ != Timer::kReorder) {
    arm(now);  // its probe of the tail looks at the last segment sent
  }
  return piece;
}

Piece Sender::resend(Time now, std::size_t index) {
  if (sent_[index].is_lost && !sent_[index].is_resent) {
    sent_.merge_lost(index, mss_bytes_);
  }
  sent_.mark_resent(index, now);
  const SentSegment& segment = sent_[index];
  Piece piece;
  piece.begin = segment.begin;
  piece.has_fin = segment.has_fin;
  piece.length = segment.length - (segment.has_fin ? 1U : 0U);
  piece.is_last = segment.end() == end_;
  ++counters_.retransmissions;
  count_sent(now, piece.length);
  return piece;
}

void Sender::count_sent(Time now, std::uint32_t length) {
  last_sent_at_ = now;
  if (phase_ == Phase::kRecovery) {
    reduction_.sent(is_like_linux() ? mss_bytes_ : length);
  }
  if (timer_ == Timer::kNone || timer_ == Timer::kWindowProbe) {
    arm(now);
  }
}

// The first lost segment, else something new, else the oldest once more: whatever the window says.
std::optional<Piece> Sender::forced_piece(Time now) {
  if (sent_.is_empty()) {
    return std::nullopt;
  }
  if (const auto lost = sent_.first_lost()) {
    return resend(now, *lost);
  }
  return resend(now, 0);
}

std::optional<Piece> Sender::probe_piece(Time now) {
  if (is_tail_probe_due_) {
    is_tail_probe_due_ = false;
    if (may_send_new(mss_bytes_)) {
      return send_new(now, mss_bytes_);
    }
    return sent_.is_empty() ? std::nullopt : std::optional(resend(now, sent_.size() - 1));
  }
  is_window_probe_due_ = false;
  if (peer_room() > 0 && next_ < sendable_end()) {
    return send_new(now, mss_bytes_);
  }
  Piece piece;
  piece.begin = next_ - 1;
  piece.is_probe = true;
  return piece;
}

// What Linux remembers at the end of each burst: a window that was full once in a round trip counts
// as full, otherwise how much was outstanding at most.
void Sender::note_window_use() {
  const bool is_full = allowance() == 0;
  const bool has_more = next_ < sendable_end();
  if (!has_sent_ && !(is_full && has_more)) {
    return;
  }
  has_sent_ = false;
  const std::uint64_t outstanding = sent_.outstanding();
  if (first_ >= use_.end || is_full || (!use_.is_full && outstanding > use_.outstanding)) {
    use_ = {is_full, outstanding, next_};
  }
}

// A window that nobody fills is no evidence that the network could take a larger one.
bool Sender::may_grow() const {
  return use_.is_full || (window_.is_in_slow_start() && window_.bytes() < 2 * use_.outstanding);
}

void Sender::restart_after_idle(Time now) {
  if (first_ != next_ || next_ == end_ || next_ == 1) {
    return;
  }
  const Duration idle = now - last_sent_at_;
  if (idle > timeout()) {
    window_.decay(idle, timeout());
    last_sent_at_ = now;
  }
}

}  // namespace longarm::network::tcp
