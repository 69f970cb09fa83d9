// SPDX-License-Identifier: Apache-2.0
// When the sending half stops waiting: retransmission, probes of the tail and of a closed window.
#include <algorithm>

#include "longarm/network/builtin/tcp/sender.h"

namespace longarm::network::tcp {
namespace {

constexpr Duration kLongestRto{60'000'000'000};
constexpr Duration kLongestLinuxRto{120'000'000'000};
constexpr int kMostDoublings = 20;
// Two ticks of Linux's clock, by which it keeps timers from firing early.
constexpr Duration kTailProbeSlack{2'000'000};

}  // namespace

Duration Sender::timeout() const {
  const Duration longest = is_like_linux() ? kLongestLinuxRto : kLongestRto;
  const Duration once = std::min(round_trip_.timeout(), longest);
  return std::min(once * (std::int64_t{1} << std::min(back_off_, kMostDoublings)), longest);
}

void Sender::start_timer(Timer timer, Time at) {
  timer_ = timer;
  timer_at_ = at;
}

void Sender::stop_timer() {
  start_timer(Timer::kNone, Time::max());
}

// Waits for an acknowledgement from now on, if one is due.
void Sender::arm(Time now) {
  if (first_ == next_) {
    stop_timer();
    return;
  }
  const Time timeout_at = now + timeout();
  const bool may_probe_tail = is_like_linux() && has_sack_ && phase_ == Phase::kOpen &&
                              !sent_.has_sacked() && !is_tail_probed_ && back_off_ == 0 &&
                              round_trip_.has_sample();
  if (!may_probe_tail) {
    start_timer(Timer::kRetransmit, timeout_at);
    return;
  }
  // One segment alone may wait for a delayed acknowledgement.
  const Duration margin = sent_.size() == 1 ? options_.min_rto : kTailProbeSlack;
  const Time probe_at = now + 2 * round_trip_.smoothed() + margin;
  start_timer(Timer::kTailProbe, std::min(probe_at, timeout_at));
}

void Sender::arm_window_probe(Time now) {
  if (timer_ == Timer::kNone) {
    start_timer(Timer::kWindowProbe, now + timeout());
  }
}

bool Sender::wake(Time now) {
  switch (timer_) {
    case Timer::kNone:
      return true;
    case Timer::kRetransmit:
      return on_timeout(now);
    case Timer::kTailProbe:
      is_tail_probed_ = true;
      is_tail_probe_due_ = true;
      ++counters_.tail_probes;
      tail_probe_end_ = next_;
      arm(now);
      return true;
    case Timer::kReorder:
      on_reorder_timer(now);
      return true;
    case Timer::kWindowProbe:
      return on_window_probe(now);
  }
  return true;
}

bool Sender::on_timeout(Time now) {
  stop_timer();
  if (sent_.is_empty()) {
    return true;
  }
  if (++retries_ > options_.max_retries) {
    return false;
  }
  ++counters_.timeouts;
  // One lost flight lowers the threshold once, however often its first segment is lost again.
  const bool is_again =
      phase_ == Phase::kLoss && (is_like_linux() ? retries_ > 1 : sent_.front().is_resent);
  if (!is_again && !(phase_ == Phase::kRecovery && is_like_linux())) {
    window_.reduce_threshold();
  }
  if (goes_by_time()) {
    sent_.mark_old_lost(now);
  } else {
    sent_.mark_all_lost();
  }
  phase_ = Phase::kLoss;
  recover_ = next_;
  duplicates_ = 0;
  must_send_one_ = false;
  window_.collapse();
  window_.set(sent_.in_flight() + mss_bytes_);
  ++back_off_;
  return true;
}

bool Sender::on_window_probe(Time now) {
  stop_timer();
  if (++retries_ > options_.max_retries) {
    return false;
  }
  ++back_off_;
  is_window_probe_due_ = true;
  start_timer(Timer::kWindowProbe, now + timeout());
  return true;
}

}  // namespace longarm::network::tcp
