// SPDX-License-Identifier: Apache-2.0
// Slow start and congestion avoidance with appropriate byte counting (RFC 5681, 3465).
#include "longarm/network/builtin/tcp/congestion_window.h"

#include <algorithm>
#include <limits>

namespace longarm::network::tcp {

CongestionWindow::CongestionWindow(const TcpOptions& options)
    : control_(options.congestion),
      is_like_linux_(options.rto_rule == RtoRule::kLinux),
      mss_bytes_(static_cast<std::uint64_t>(options.mss_bytes)),
      initial_segments_(static_cast<std::uint64_t>(options.initial_window_segments)),
      bytes_(mss_bytes_ * initial_segments_),
      threshold_(std::numeric_limits<std::uint32_t>::max()),
      cubic_(is_like_linux_) {}

void CongestionWindow::start(std::uint32_t mss_bytes) {
  mss_bytes_ = mss_bytes;
  bytes_ = mss_bytes_ * initial_segments_;
}

void CongestionWindow::observe(Time now, Duration round_trip, Offset acknowledged, Offset next) {
  if (control_ != CongestionControl::kCubic) {
    return;
  }
  const bool wants_out = cubic_.observe(now, round_trip, acknowledged, next,
                                        is_in_slow_start() ? bytes_ / mss_bytes_ : 0);
  if (wants_out) {
    threshold_ = bytes_;
  }
}

void CongestionWindow::grow(Time now, std::uint64_t segments, Duration round_trip) {
  if (is_in_slow_start()) {
    segments = grow_slow_start(segments);
  }
  if (segments == 0) {
    return;
  }
  if (control_ == CongestionControl::kCubic) {
    grow_cubic(now, segments, round_trip);
  } else {
    grow_reno(segments);
  }
}

// Returns the segments left over once the threshold is reached.
std::uint64_t CongestionWindow::grow_slow_start(std::uint64_t segments) {
  const std::uint64_t before = bytes_;
  bytes_ = std::min(bytes_ + segments * mss_bytes_, threshold_);
  return segments - std::min(segments, (bytes_ - before) / mss_bytes_);
}

// One segment more for each window acknowledged.
void CongestionWindow::grow_reno(std::uint64_t segments) {
  count_up(segments, std::max<std::uint64_t>(bytes_ / mss_bytes_, 1));
}

// One segment more for each `per_step` acknowledged; what is left over counts next time.
void CongestionWindow::count_up(std::uint64_t segments, std::uint64_t per_step) {
  if (counted_segments_ >= per_step) {
    counted_segments_ = 0;
    bytes_ += mss_bytes_;
  }
  counted_segments_ += segments;
  if (counted_segments_ >= per_step) {
    const std::uint64_t steps = counted_segments_ / per_step;
    counted_segments_ -= steps * per_step;
    bytes_ += steps * mss_bytes_;
  }
}

void CongestionWindow::grow_cubic(Time now, std::uint64_t segments, Duration round_trip) {
  const double window = static_cast<double>(bytes_) / static_cast<double>(mss_bytes_);
  const double per_step = cubic_.segments_per_step(now, segments, window, round_trip);
  if (is_like_linux_) {
    count_up(segments, static_cast<std::uint64_t>(per_step));
    return;
  }
  counted_segments_ += segments;
  const double steps = static_cast<double>(counted_segments_) / per_step;
  if (steps >= 1.0) {
    const auto whole = static_cast<std::uint64_t>(steps);
    bytes_ += whole * mss_bytes_;
    counted_segments_ = 0;
  }
}

std::uint64_t CongestionWindow::whole(std::uint64_t bytes) const {
  return is_like_linux_ ? bytes / mss_bytes_ * mss_bytes_ : bytes;
}

void CongestionWindow::reduce_threshold() {
  const std::uint64_t least = 2 * mss_bytes_;
  if (is_like_linux_) {
    counted_segments_ = 0;
  }
  if (control_ == CongestionControl::kCubic) {
    const std::uint64_t window = bytes_ / mss_bytes_;
    threshold_ = std::max(cubic_.reduced(window) * mss_bytes_, least);
    return;
  }
  threshold_ = std::max(whole(bytes_ / 2), least);
}

void CongestionWindow::collapse() {
  bytes_ = mss_bytes_;
  counted_segments_ = 0;
  cubic_.reset();
}

void CongestionWindow::decay(Duration idle, Duration timeout) {
  const std::uint64_t restart = std::min(mss_bytes_ * initial_segments_, bytes_);
  threshold_ = std::max(threshold_, whole(bytes_ / 4 * 3));
  while (idle > timeout && bytes_ > restart) {
    bytes_ = whole(bytes_ / 2);
    idle -= timeout;
  }
  bytes_ = std::max(bytes_, restart);
  cubic_.reset();
}

}  // namespace longarm::network::tcp
