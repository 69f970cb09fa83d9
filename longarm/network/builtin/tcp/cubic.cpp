// SPDX-License-Identifier: Apache-2.0
// CUBIC and HyStart with the constants that Linux and ns-3 share.
#include "longarm/network/builtin/tcp/cubic.h"

#include <algorithm>
#include <cmath>

namespace longarm::network::tcp {
namespace {

constexpr double kBeta = 0.7;
constexpr double kScale = 0.4;  // C of RFC 9438, segments per cubic second
constexpr double kFriendlyGain = 3.0 * (1.0 - kBeta) / (1.0 + kBeta);
constexpr double kSlowest = 100.0;        // windows per step where the curve is flat
constexpr double kSlowestAtFirst = 20.0;  // segments per step before the first loss, in Linux

constexpr std::uint64_t kHystartLeastWindow = 16;
constexpr int kHystartSamples = 8;
constexpr Duration kTrainSpacing{2'000'000};
constexpr Duration kLeastRise{4'000'000};
constexpr Duration kMostRise{16'000'000};

}  // namespace

void Cubic::start_epoch(Time now, double window) {
  has_epoch_ = true;
  epoch_start_ = now;
  friendly_ = window;
  if (last_maximum_ <= window) {
    seconds_to_origin_ = 0.0;
    origin_ = window;
  } else {
    seconds_to_origin_ = std::cbrt((last_maximum_ - window) / kScale);
    origin_ = last_maximum_;
  }
}

double Cubic::segments_per_step(Time now, std::uint64_t acknowledged, double window,
                                Duration round_trip) {
  if (!has_epoch_) {
    start_epoch(now, window);
  }
  // Where the curve will be a round trip from now, when what is sent now is acknowledged.
  const Duration ahead = is_like_linux_ ? shortest_ever_ : round_trip;
  const double elapsed_s = to_seconds(now - epoch_start_ + ahead);
  const double offset_s = elapsed_s - seconds_to_origin_;
  const double target = reached(origin_ + kScale * offset_s * offset_s * offset_s);
  double per_step = kSlowest * window;
  if (target > window) {
    per_step = window / (target - window);
  }
  if (is_like_linux_ && last_maximum_ == 0.0) {
    per_step = std::min(per_step, kSlowestAtFirst);
  }
  // Never slower than Reno with the same mean window would be (RFC 9438, 4.3).
  friendly_ += kFriendlyGain * static_cast<double>(acknowledged) / window;
  const double friendly = reached(friendly_);
  if (friendly > window) {
    per_step = std::min(per_step, window / (friendly - window));
  }
  // At most half a window more in a round trip.
  return std::max(per_step, 2.0);
}

// Linux's windows are whole segments.
double Cubic::reached(double window) const {
  return is_like_linux_ ? std::floor(window) : window;
}

std::uint64_t Cubic::reduced(std::uint64_t window) {
  const auto maximum = static_cast<double>(window);
  has_epoch_ = false;
  // A flow that loses before it is back where it was makes room for others.
  last_maximum_ = maximum < last_maximum_ ? maximum * (1.0 + kBeta) / 2.0 : maximum;
  return static_cast<std::uint64_t>(maximum * kBeta);
}

void Cubic::reset() {
  has_epoch_ = false;
  if (is_like_linux_) {
    last_maximum_ = 0.0;
  }
  is_found_ = false;
  samples_in_round_ = 0;
  round_end_ = 0;
}

bool Cubic::is_train_too_long(Time now) {
  if (now - last_ack_ > kTrainSpacing) {
    return false;
  }
  last_ack_ = now;
  // Without pacing Linux takes half a round trip for a train that fills the path.
  return now - round_start_ > (is_like_linux_ ? shortest_ever_ / 2 : shortest_ever_);
}

bool Cubic::is_delay_rising(Duration round_trip) {
  if (samples_in_round_ < kHystartSamples) {
    shortest_in_round_ =
        samples_in_round_ == 0 ? round_trip : std::min(shortest_in_round_, round_trip);
    ++samples_in_round_;
    return false;
  }
  const Duration rise = std::clamp(shortest_ever_ / 8, kLeastRise, kMostRise);
  return shortest_in_round_ > shortest_ever_ + rise;
}

bool Cubic::observe(Time now, Duration round_trip, Offset acknowledged, Offset next,
                    std::uint64_t window) {
  if (shortest_ever_ == Duration::zero() || round_trip < shortest_ever_) {
    shortest_ever_ = round_trip;
  }
  if (window == 0) {
    return false;
  }
  if (acknowledged > round_end_) {
    round_start_ = now;
    last_ack_ = now;
    round_end_ = next;
    samples_in_round_ = 0;
  }
  if (is_found_ || window < kHystartLeastWindow) {
    return false;
  }
  // Both count every time, so that a round has its samples.
  const bool is_long = is_train_too_long(now);
  const bool is_rising = is_delay_rising(round_trip);
  is_found_ = is_long || is_rising;
  return is_found_;
}

}  // namespace longarm::network::tcp
