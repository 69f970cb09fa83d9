// SPDX-License-Identifier: Apache-2.0
// Reassembly, delayed acknowledgements and SACK blocks (RFC 9293, 5681, 2018, 7323).
#include "longarm/network/builtin/tcp/receiver.h"

#include <algorithm>

namespace longarm::network::tcp {
namespace {

constexpr std::uint64_t kLargestField = 65535;

int scale_for(std::uint64_t buffer_bytes) {
  int scale = 0;
  while ((buffer_bytes >> scale) > kLargestField && scale < 14) {
    ++scale;
  }
  return scale;
}

}  // namespace

Receiver::Receiver(const TcpOptions& options)
    : buffer_bytes_(static_cast<std::uint64_t>(options.receive_buffer_bytes)),
      mss_bytes_(static_cast<std::uint64_t>(options.mss_bytes)),
      scale_(scale_for(buffer_bytes_)),
      segments_per_ack_(options.delayed_ack_segments),
      timeout_(options.delayed_ack_timeout),
      // The first segment with data is acknowledged at once, then every second one.
      unacknowledged_segments_(options.delayed_ack_segments) {}

void Receiver::start(bool has_sack, bool has_timestamps) {
  has_sack_ = has_sack;
  has_timestamps_ = has_timestamps;
}

// A window that was offered is never taken back, and crumbs are not offered (RFC 9293, 3.8.6.2.2,
// in Linux' words: less than half of the buffer, and less than a segment or a sixteenth).
std::uint64_t Receiver::window_by_hand() const {
  const std::uint64_t most = 2 * buffer_bytes_;
  std::uint64_t window = std::min(buffer_bytes_, most - std::min(most, unread()));
  window = std::min(window, kLargestField << scale_);
  if (window < buffer_bytes_ / 2 && (window < buffer_bytes_ / 16 || window < mss_bytes_)) {
    window = 0;
  }
  return std::max(window, edge_ - std::min(edge_, next_));
}

bool Receiver::is_acceptable(const Segment& segment) const {
  const Offset end = segment.sequence + segment.length + (segment.is_fin ? 1 : 0);
  if (end == segment.sequence) {
    return segment.sequence >= next_ && segment.sequence <= next_ + window();
  }
  return end > next_ && segment.sequence < next_ + std::max<std::uint64_t>(window(), 1);
}

void Receiver::note_timestamp(const Segment& segment) {
  // RFC 7323, 4.3: of the segment that the next acknowledgement will begin at, so that delayed
  // acknowledgements show as part of the round trip.
  if (segment.has_timestamp && segment.sequence <= acknowledged_ && segment.timestamp >= echo_) {
    echo_ = segment.timestamp;
  }
}

void Receiver::take(Time now, const Segment& segment) {
  if (segment.is_fin) {
    is_fin_known_ = true;
    fin_at_ = segment.sequence + segment.length;
  }
  const Offset begin = std::max(segment.sequence, next_);
  const Offset end = std::min(segment.sequence + segment.length, next_ + window());
  if (begin > next_) {
    if (begin < end) {
      keep(begin, end);
    }
    is_due_ = true;
    return;
  }
  take_in_order(now, std::max(begin, end));
}

void Receiver::take_in_order(Time now, Offset end) {
  const bool had_gap = !early_.empty();
  const bool is_new = end > next_;
  next_ = end;
  while (!early_.empty() && early_.front().begin <= next_) {
    next_ = std::max(next_, early_.front().end);
    early_.erase(early_.begin());
  }
  if (is_fin_known_ && next_ == fin_at_ && !has_fin_) {
    has_fin_ = true;
    ++next_;
    is_due_ = true;
  }
  // Next to a gap, or with nothing new, the peer waits for our word.
  if (had_gap || !is_new) {
    is_due_ = true;
    return;
  }
  if (++unacknowledged_segments_ >= segments_per_ack_ || is_quick_) {
    is_due_ = true;
    return;
  }
  if (acknowledge_at_ == Time::max()) {
    acknowledge_at_ = now + timeout_;
  }
}

void Receiver::keep(Offset begin, Offset end) {
  auto place = std::find_if(early_.begin(), early_.end(),
                            [begin](const Block& block) { return block.end >= begin; });
  Block joined{begin, end, ++touches_};
  auto last = place;
  while (last != early_.end() && last->begin <= joined.end) {
    joined.begin = std::min(joined.begin, last->begin);
    joined.end = std::max(joined.end, last->end);
    ++last;
  }
  if (place == last) {
    early_.insert(place, joined);
    return;
  }
  *place = joined;
  early_.erase(place + 1, last);
}

bool Receiver::is_window_update_due() const {
  // Not for crumbs: at least as much again as the peer knows of (as Linux; RFC 9293, 3.8.6.2.2).
  return window() >= 2 * std::max<std::uint64_t>(advertised_, 1);
}

void Receiver::fill(Segment& segment) {
  segment.is_ack = true;
  segment.acknowledged = next_;
  const std::uint64_t scaled = (window() >> scale_) << scale_;
  // The field of a SYN is not scaled.
  advertised_ = segment.is_syn ? std::min(window(), kLargestField) : scaled;
  segment.window_bytes = static_cast<std::uint32_t>(advertised_);
  edge_ = std::max(edge_, next_ + advertised_);
  if (has_timestamps_) {
    segment.timestamp_echo = echo_;
  }
  if (has_sack_ && !early_.empty() && !segment.is_syn) {
    fill_sack(segment);
  }
  // Nothing is owed any more.
  acknowledged_ = next_;
  acknowledge_at_ = Time::max();
  is_due_ = false;
  // After the handshake the count stands at its limit: the first segment is not kept waiting.
  if (next_ > 1 || segment.length > 0) {
    unacknowledged_segments_ = 0;
  }
}

// The block that changed last comes first (RFC 2018, 4).
void Receiver::fill_sack(Segment& segment) const {
  const std::size_t most = has_timestamps_ ? segment.sack.size() - 1 : segment.sack.size();
  std::uint64_t before = touches_ + 1;
  while (segment.sack_count < most) {
    const Block* latest = nullptr;
    for (const Block& block : early_) {
      if (block.touched < before && (latest == nullptr || block.touched > latest->touched)) {
        latest = &block;
      }
    }
    if (latest == nullptr) {
      return;
    }
    segment.sack[segment.sack_count++] = {latest->begin, latest->end};
    before = latest->touched;
  }
}

}  // namespace longarm::network::tcp
