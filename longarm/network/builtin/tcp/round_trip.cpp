// SPDX-License-Identifier: Apache-2.0
// Smoothed round-trip times: RFC 6298 in whole nanoseconds, and Linux's variant of it.
#include "longarm/network/builtin/tcp/round_trip.h"

#include <algorithm>

namespace longarm::network::tcp {
namespace {

// The clock granularity G of RFC 6298 (2.2).
constexpr Duration kGranularity{1'000'000};

Duration magnitude(Duration value) {
  return value < Duration::zero() ? -value : value;
}

// Division that rounds towards minus infinity, as a shift does: ns-3 has the same last bit.
Duration shifted(Duration value, int bits) {
  return Duration{value.count() >> bits};
}

}  // namespace

RoundTrip::RoundTrip(const TcpOptions& options)
    : min_rto_(options.min_rto), rule_(options.rto_rule), timeout_(options.initial_rto) {}

void RoundTrip::measure(Duration sample, Offset acknowledged, Offset next) {
  shortest_ = has_sample_ ? std::min(shortest_, sample) : sample;
  if (!has_sample_) {
    measure_first(sample, next);
    return;
  }
  if (rule_ == RtoRule::kLinux) {
    update_linux(sample, acknowledged, next);
    return;
  }
  update_rfc6298(sample);
}

void RoundTrip::measure_first(Duration sample, Offset next) {
  has_sample_ = true;
  smoothed_ = sample;
  variation_ = sample / 2;
  deviation_ = sample * 2;
  margin_ = std::max(deviation_, min_rto_);
  peak_ = margin_;
  round_end_ = next;
  timeout_ = rule_ == RtoRule::kLinux
                 ? smoothed_ + margin_
                 : std::max(smoothed_ + std::max(kGranularity, variation_ * 4), min_rto_);
}

void RoundTrip::update_rfc6298(Duration sample) {
  const Duration error = sample - smoothed_;
  smoothed_ = shifted(smoothed_ * 8 + error, 3);
  variation_ = shifted(variation_ * 3 + magnitude(error), 2);
  timeout_ = std::max(smoothed_ + std::max(kGranularity, variation_ * 4), min_rto_);
}

void RoundTrip::update_linux(Duration sample, Offset acknowledged, Offset next) {
  const Duration error = sample - smoothed_;
  smoothed_ += error / 8;
  // A round trip that got shorter is no reason to wait longer: it counts an eighth as much.
  Duration change = magnitude(error) - deviation_ / 4;
  if (error < Duration::zero() && change > Duration::zero()) {
    change /= 8;
  }
  deviation_ += change;
  peak_ = std::max(peak_, deviation_);
  margin_ = std::max(margin_, peak_);
  if (acknowledged > round_end_) {
    if (peak_ < margin_) {
      margin_ -= (margin_ - peak_) / 4;
    }
    round_end_ = next;
    peak_ = min_rto_;
  }
  timeout_ = smoothed_ + margin_;
}

}  // namespace longarm::network::tcp
