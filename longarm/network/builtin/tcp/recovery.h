// SPDX-License-Identifier: Apache-2.0
// Proportional rate reduction (RFC 6937): the window while lost segments are sent again.
#pragma once

#include <algorithm>
#include <cstdint>

namespace longarm::network::tcp {

/// Everything in bytes.
class ProportionalRateReduction {
 public:
  void enter(std::uint64_t outstanding) {
    delivered_ = 0;
    sent_ = 0;
    at_start_ = std::max<std::uint64_t>(outstanding, 1);
  }

  void sent(std::uint64_t bytes) { sent_ += bytes; }

  /// The window after an acknowledgement that says that `delivered` more has arrived: it falls
  /// towards `threshold` in proportion, and never lets less than one segment out at first.
  std::uint64_t window(std::uint64_t delivered, std::uint64_t in_flight, std::uint64_t threshold,
                       std::uint64_t mss_bytes) {
    delivered_ += delivered;
    const auto out = static_cast<std::int64_t>(sent_);
    std::int64_t budget = 0;
    if (in_flight > threshold) {
      budget =
          static_cast<std::int64_t>((delivered_ * threshold + at_start_ - 1) / at_start_) - out;
    } else {
      // Slow start back to the threshold (the RFC's reduction bound SSRB).
      const std::int64_t owed = static_cast<std::int64_t>(delivered_) - out;
      const std::int64_t limit = std::max(owed, static_cast<std::int64_t>(delivered)) +
                                 static_cast<std::int64_t>(mss_bytes);
      budget = std::min(limit, static_cast<std::int64_t>(threshold - in_flight));
    }
    const std::int64_t least = sent_ > 0 ? 0 : static_cast<std::int64_t>(mss_bytes);
    return in_flight + static_cast<std::uint64_t>(std::max(budget, least));
  }

 private:
  std::uint64_t delivered_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t at_start_ = 1;
};

}  // namespace longarm::network::tcp
