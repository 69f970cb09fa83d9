// SPDX-License-Identifier: Apache-2.0
// Proportional rate reduction (RFC 6937): the window while lost segments are sent again.
#pragma once

#include <algorithm>
#include <cstdint>

namespace longarm::network::tcp {

/// Everything in bytes.
class ProportionalRateReduction {
 public:
  /// `at_start`: the window or what was outstanding when the loss was noticed. Windows are whole
  /// multiples of `unit_bytes`.
  void enter(std::uint64_t at_start, std::uint64_t unit_bytes) {
    delivered_ = 0;
    sent_ = 0;
    unit_bytes_ = unit_bytes;
    at_start_ = std::max(at_start, unit_bytes);
  }

  void sent(std::uint64_t bytes) { sent_ += bytes; }

  /// The window after an acknowledgement that says that `delivered` more has arrived: it falls
  /// towards `threshold` in proportion, and never lets less than one segment out at first. Below
  /// the threshold it may rise by a segment more than arrived if `may_speed_up`.
  std::uint64_t window(std::uint64_t delivered, std::uint64_t in_flight, std::uint64_t threshold,
                       std::uint64_t mss_bytes, bool may_speed_up = true) {
    delivered_ += delivered;
    const auto out = static_cast<std::int64_t>(sent_);
    std::int64_t budget = 0;
    if (in_flight > threshold) {
      const std::uint64_t share =
          (delivered_ / unit_bytes_ * threshold + at_start_ - 1) / at_start_ * unit_bytes_;
      budget = static_cast<std::int64_t>(share) - out;
    } else {
      // Slow start back to the threshold (the RFC's reduction bound SSRB).
      const std::int64_t owed = static_cast<std::int64_t>(delivered_) - out;
      const std::int64_t limit = std::max(owed, static_cast<std::int64_t>(delivered)) +
                                 static_cast<std::int64_t>(may_speed_up ? mss_bytes : 0);
      budget = std::min(limit, static_cast<std::int64_t>(threshold - in_flight));
    }
    const std::int64_t least = sent_ > 0 ? 0 : static_cast<std::int64_t>(mss_bytes);
    return in_flight + static_cast<std::uint64_t>(std::max(budget, least));
  }

 private:
  std::uint64_t delivered_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t at_start_ = 1;
  std::uint64_t unit_bytes_ = 1;
};

}  // namespace longarm::network::tcp
