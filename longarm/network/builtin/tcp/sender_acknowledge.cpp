// SPDX-License-Identifier: Apache-2.0
// What an acknowledgement tells the sending half: growth, duplicates, losses, recovery.
#include <algorithm>

#include "longarm/network/builtin/tcp/sender.h"

namespace longarm::network::tcp {

void Sender::acknowledge(Time now, const Segment& segment) {
  if (segment.acknowledged < first_ || segment.acknowledged > next_) {
    return;
  }
  const News news = take_in(now, segment);
  if (goes_by_time()) {
    judge_by_time(now, news);
  } else {
    if (news.is_duplicate) {
      on_duplicate(news);
    }
    if (news.is_advance) {
      on_advance(now, news);
    }
  }
  if (timer_ == Timer::kTailProbe && (phase_ != Phase::kOpen || sent_.has_sacked())) {
    arm(now);  // there is more to go by than silence
  }
  if (timer_ == Timer::kWindowProbe) {
    retries_ = 0;  // the peer lives, and its window is its own affair
    if (may_send_new(allowance())) {
      back_off_ = 0;
      stop_timer();
    }
  }
}

Sender::News Sender::take_in(Time now, const Segment& segment) {
  News news;
  // An old segment that was overtaken does not take back what a later one offered.
  const std::uint64_t window_before = peer_window_;
  const bool is_newer =
      segment.sequence > window_sequence_ ||
      (segment.sequence == window_sequence_ && segment.acknowledged >= window_acknowledged_);
  if (is_newer) {
    set_peer_window(segment.window_bytes);
    window_sequence_ = segment.sequence;
    window_acknowledged_ = segment.acknowledged;
  }

  std::uint64_t newly_sacked = 0;
  if (has_sack_ && segment.sack_count > 0) {
    sent_.set_clock(now, round_trip_.shortest());
    for (std::uint8_t i = 0; i < segment.sack_count; ++i) {
      newly_sacked += sent_.mark_sacked(segment.sack[i]);
    }
  }
  const bool is_repeated = segment.acknowledged == first_ && first_ != next_ &&
                           segment.length == 0 && !segment.is_fin && window_before == peer_window_;
  counters_.duplicate_acks += is_repeated ? 1 : 0;
  news.is_duplicate = has_sack_ ? newly_sacked > 0 : is_repeated;
  news.delivered = newly_sacked;

  if (segment.acknowledged > first_) {
    if (is_like_linux()) {
      sent_.set_clock(now, round_trip_.shortest());
    }
    const auto acknowledged = sent_.acknowledge(segment.acknowledged);
    first_ = segment.acknowledged;
    news.is_advance = true;
    news.acknowledged = acknowledged.weight;
    news.delivered += acknowledged.newly_delivered;
    measure_round_trip(now, segment, acknowledged);
  }
  if (newly_sacked > 0 && !is_like_linux() && !sent_.is_empty()) {
    sent_.mark_lost_below_sacked();
  }
  return news;
}

void Sender::measure_round_trip(Time now, const Segment& segment,
                                const SentSegments::Acknowledged& acknowledged) {
  std::optional<Duration> sample;
  if (has_timestamps_ && segment.has_timestamp) {
    sample = now - segment.timestamp_echo;
  } else if (acknowledged.sent_at) {
    sample = now - *acknowledged.sent_at;
  }
  // After a back-off ns-3 believes the old estimate again as soon as anything is acknowledged,
  // Linux only a new measurement (RFC 6298, 5.7).
  if (!is_like_linux() || sample) {
    back_off_ = 0;
  }
  if (sample && *sample > Duration::zero()) {
    round_trip_.measure(*sample, segment.acknowledged, next_);
    window_.observe(now, *sample, segment.acknowledged, next_);
  }
}

void Sender::on_duplicate(const News& news) {
  if (phase_ == Phase::kLoss) {
    return;
  }
  if (phase_ == Phase::kRecovery) {
    if (!has_sack_) {
      sent_.count_duplicate();
    }
    if (!news.is_advance) {
      reduce_in_proportion(has_sack_ ? news.delivered : mss_bytes_);
    }
    return;
  }
  ++duplicates_;
  phase_ = Phase::kDisorder;
  const bool is_first_lost = has_sack_ && !sent_.is_empty() && sent_.front().is_lost;
  if (first_ >= recover_ && (duplicates_ == kDuplicateThreshold || is_first_lost)) {
    enter_recovery();
    reduce_in_proportion(has_sack_ ? news.delivered : mss_bytes_);
    return;
  }
  if (!has_sack_) {
    sent_.count_duplicate();  // limited transmit (RFC 3042): one more may leave
  }
}

void Sender::enter_recovery() {
  ++counters_.fast_recoveries;
  if (!has_sack_) {
    sent_.count_duplicate();
  }
  if (!goes_by_time()) {
    sent_.mark_first_lost();
    must_send_one_ = true;
  }
  phase_ = Phase::kRecovery;
  recover_ = next_;
  window_.reduce_threshold();
  reduction_.enter(is_like_linux() ? window_.bytes() : sent_.outstanding(),
                   is_like_linux() ? mss_bytes_ : 1);
}

void Sender::reduce_in_proportion(std::uint64_t delivered, bool may_speed_up) {
  window_.set(reduction_.window(delivered, sent_.in_flight(), window_.threshold(), mss_bytes_,
                                may_speed_up));
}

void Sender::on_advance(Time now, const News& news) {
  retries_ = 0;
  if (!news.is_duplicate) {
    duplicates_ = 0;
  }
  if (first_ >= tail_probe_end_) {
    is_tail_probed_ = false;
  }
  const bool is_partial = first_ < recover_;
  if (phase_ == Phase::kRecovery && is_partial) {
    if (!has_sack_) {
      sent_.mark_first_lost();
    }
    reduce_in_proportion(news.delivered);
    must_send_one_ = !sent_.is_empty() && !sent_.front().is_resent && !is_like_linux();
    arm(now);
    return;
  }
  std::uint64_t weight = news.acknowledged;
  if (phase_ == Phase::kRecovery) {
    sent_.forget_duplicates();
    window_.fall_to_threshold();
    phase_ = Phase::kOpen;
    duplicates_ = 0;
  } else if (phase_ == Phase::kLoss && !is_partial) {
    weight = std::min(weight, first_ - recover_);
    phase_ = Phase::kOpen;
  } else if (phase_ == Phase::kDisorder && !news.is_duplicate) {
    sent_.forget_duplicates();
    phase_ = Phase::kOpen;
  }
  if (phase_ != Phase::kDisorder) {
    grow(now, weight);
  }
  arm(now);
}

void Sender::grow(Time now, std::uint64_t weight) {
  odd_weight_ += weight;
  const std::uint64_t segments = odd_weight_ / mss_bytes_;
  odd_weight_ -= segments * mss_bytes_;
  if (is_like_linux() && !may_grow()) {
    return;
  }
  if (segments > 0) {
    window_.grow(now, segments, round_trip_.smoothed());
  }
}

// Linux's order: what an acknowledgement ends, what it shows to be lost, and only then the window.
void Sender::judge_by_time(Time now, const News& news) {
  if (news.is_advance) {
    retries_ = 0;
    if (first_ >= tail_probe_end_) {
      is_tail_probed_ = false;
    }
    if (first_ >= recover_) {
      end_recovery();
    }
    arm(now);
  }
  const std::uint64_t lost_before = sent_.lost_ever();
  if (news.delivered > 0) {
    detect_by_time(now);
  }
  if (phase_ == Phase::kOpen || phase_ == Phase::kDisorder) {
    phase_ = sent_.has_sacked() ? Phase::kDisorder : Phase::kOpen;
  }
  if (phase_ == Phase::kRecovery) {
    if (news.delivered > 0) {
      reduce_in_proportion(news.delivered, news.is_advance && sent_.lost_ever() == lost_before);
    }
  } else if (news.is_advance) {
    grow(now, news.delivered);
  }
}

void Sender::end_recovery() {
  if (phase_ == Phase::kRecovery) {
    window_.fall_to_threshold();
  }
  phase_ = Phase::kOpen;
}

// RFC 8985: a segment is lost if one sent after it has arrived and it has had time enough.
void Sender::detect_by_time(Time now) {
  const auto& newest = sent_.newest();
  const bool is_certain =
      !newest.has_reordering && (phase_ == Phase::kRecovery || phase_ == Phase::kLoss ||
                                 sent_.sacked() >= kDuplicateThreshold * std::uint64_t{mss_bytes_});
  const Duration patience = is_certain ? Duration::zero() : round_trip_.shortest() / 4;
  Time next_look = Time::max();
  const SentSegments::FoundLost found = sent_.mark_lost_by_time(now, patience, next_look);
  if (found.is_any && (phase_ == Phase::kOpen || phase_ == Phase::kDisorder)) {
    enter_recovery();
  } else if (found.is_second_copy && phase_ == Phase::kLoss) {
    enter_recovery();  // what was sent again after a timeout is lost, too
  }
  if (next_look != Time::max()) {
    start_timer(Timer::kReorder, next_look);
  } else if (timer_ == Timer::kReorder) {
    arm(now);
  }
}

void Sender::on_reorder_timer(Time now) {
  stop_timer();
  arm(now);
  const std::uint64_t lost_before = sent_.lost_ever();
  detect_by_time(now);
  if (phase_ == Phase::kRecovery && sent_.lost_ever() > lost_before) {
    reduce_in_proportion(mss_bytes_, false);
  }
}

}  // namespace longarm::network::tcp
