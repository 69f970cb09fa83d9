// SPDX-License-Identifier: Apache-2.0
// A schedule without accumulated rounding, and its bookkeeping.
#include "longarm/serve/pacer.h"

#include <algorithm>
#include <cmath>

namespace longarm::serve {
namespace {

using namespace std::chrono_literals;

// so much is made up for at once: the hiccups of a busy machine, on which every sleep is too long
constexpr Duration kMadeUpAtOnce = 5ms;
// the rest at so much of a step's time for each step
constexpr int kShareNumerator = 4;
constexpr int kShareDenominator = 5;

}  // namespace

Pacer::Pacer(Duration period, double speed, Duration most_behind)
    : period_(period), speed_(speed), most_behind_(most_behind) {
  if (is_paced()) {
    wall_period_ = Duration(std::llround(static_cast<double>(period_.count()) / speed_));
  }
}

void Pacer::start(Clock::time_point now) {
  start_ = now;
  next_ = 0;
  earliest_ = now;
}

Pacer::Clock::time_point Pacer::due_at(std::uint64_t step) const {
  if (!is_paced()) {
    return start_;
  }
  // from the start, so that rounding does not add up
  const double wall_ns = static_cast<double>(period_.count()) * static_cast<double>(step) / speed_;
  return start_ + Duration(std::llround(wall_ns));
}

void Pacer::begin_step(Clock::time_point now) {
  ++report_.steps;
  if (!is_paced()) {
    return;
  }
  const Duration behind = std::max<Duration>(now - due_at(next_), Duration::zero());
  report_.behind = behind;
  report_.worst = std::max(report_.worst, behind);
  if (behind > wall_period_) {
    ++report_.late_steps;
    report_.total += behind;
  }
  if (behind > most_behind_) {
    ++report_.shifts;
    report_.shifted += behind;
    start_ += behind;
  }
  earliest_ += wall_period_ * kShareNumerator / kShareDenominator;
  earliest_ = std::max<Clock::time_point>(earliest_, now - kMadeUpAtOnce);
  ++next_;
}

}  // namespace longarm::serve
