// SPDX-License-Identifier: Apache-2.0
// The clock of a cell as a program outside knows it: by the stamps of camera frames.
#pragma once

#include <algorithm>
#include <optional>

#include "longarm/core/time.h"

namespace longarm::kitting {

/// Between frames it goes on by real time. It never runs backwards, and not far ahead of the last
/// stamp while frames come: a cell that falls behind real time, or is faster than it should be,
/// takes its client with it. Without frames it goes on by itself, so that silence is noticed.
class FrameClock {
 public:
  /// `speed`: simulated seconds per real one.
  explicit FrameClock(double speed) : speed_(speed) {}

  bool has_begun() const { return newest_.has_value(); }

  /// `wall` is real time, from anywhere.
  void hear(Time stamp, Time wall) {
    if (newest_ && stamp <= *newest_) {
      return;  // an old frame, or another camera's of the same instant
    }
    const Time present = newest_ ? now(wall) : stamp;
    if (newest_) {
      ahead_ = std::clamp(2 * (stamp - *newest_), kLeastAhead, kMostAhead);
    }
    base_ = std::max(present, stamp);
    base_wall_ = wall;
    newest_ = stamp;
  }

  Time now(Time wall) const {
    const Duration quiet = wall - base_wall_;
    const Time limit = std::max(base_, newest_.value_or(base_) + ahead_);
    const Time present = std::min(base_ + scaled(quiet), limit);
    return quiet > kSilence ? present + scaled(quiet - kSilence) : present;
  }

 private:
  static constexpr Duration kLeastAhead{100'000'000};
  static constexpr Duration kMostAhead{2'000'000'000};
  static constexpr Duration kSilence{1'000'000'000};  ///< of real time

  Duration scaled(Duration span) const {
    return Duration(static_cast<std::int64_t>(static_cast<double>(span.count()) * speed_));
  }

  double speed_;
  std::optional<Time> newest_;  ///< stamp
  Duration ahead_{200'000'000};
  Time base_{};       ///< what the clock showed …
  Time base_wall_{};  ///< … at this instant
};

}  // namespace longarm::kitting
