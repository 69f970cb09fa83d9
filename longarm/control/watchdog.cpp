// SPDX-License-Identifier: Apache-2.0
// Counting missed cycles, tripping, and guessing commands that did not come.
#include "longarm/control/watchdog.h"

#include <algorithm>
#include <span>
#include <vector>

namespace longarm::control {
namespace {

/// Continues the line through two values, or the parabola through three, to `t`; values and their
/// times are newest first.
double continue_curve(std::span<const double> times, std::span<const double> values, double t) {
  if (values.size() < 2) {
    return values[0];
  }
  const double slope = (values[0] - values[1]) / (times[0] - times[1]);
  const double line = values[0] + slope * (t - times[0]);
  if (values.size() < 3) {
    return line;
  }
  const double older_slope = (values[1] - values[2]) / (times[1] - times[2]);
  const double curvature = (slope - older_slope) / (times[0] - times[2]);
  return line + curvature * (t - times[0]) * (t - times[1]);
}

}  // namespace

void CommandWatchdog::receive(const JointCommand& command, Time now) {
  has_received_ = true;
  last_arrival_ = now;
  run_ = 0;
  if (config_.preset != Watchdog::kFranka) {
    return;
  }
  // a second copy teaches nothing; another kind of command starts a new curve
  is_bridging_ = false;
  if (known_ > 0 && command.kind != last_[0].kind) {
    known_ = 0;
  }
  if (known_ > 0 && command.stamp <= last_[0].stamp) {
    return;
  }
  std::rotate(last_.begin(), last_.end() - 1, last_.end());
  last_[0] = command;
  known_ = std::min(known_ + 1, last_.size());
}

void CommandWatchdog::update(Time now) {
  if (!has_received_) {
    return;
  }
  const Duration silence = now - last_arrival_;
  if (config_.cycle > Duration(0) && silence >= config_.cycle) {
    count_missed(silence);
  }
  switch (config_.preset) {
    case Watchdog::kGeneric:
      is_silent_ = silence >= config_.silence_after;
      if (is_silent_ && config_.on_silence == Silence::kStop) {
        trip(now);
      }
      return;
    case Watchdog::kUr:
      if (silence >= kUrTimeout) {
        trip(now);
      }
      return;
    case Watchdog::kFranka:
      if (run_ >= kFrankaMissedCycles) {
        trip(now);
      }
      return;
  }
}

void CommandWatchdog::count_missed(Duration silence) {
  const auto run = static_cast<std::uint64_t>(silence / config_.cycle);
  if (run == run_) {
    return;
  }
  missed_cycles_ += run - run_;
  run_ = run;
  longest_run_ = std::max(longest_run_, run_);
  if (config_.preset == Watchdog::kFranka) {
    extrapolate();
  }
}

void CommandWatchdog::trip(Time now) {
  if (!has_tripped_) {
    has_tripped_ = true;
    tripped_at_ = now;
  }
}

void CommandWatchdog::extrapolate() {
  // efforts are held: nobody knows what acceleration they were for
  if (last_[0].kind == CommandKind::kEffort || known_ < 2) {
    return;
  }
  // constant acceleration: a straight line of velocities, a parabola of positions. Seconds count
  // from the newest command.
  const double t = to_seconds(config_.cycle) * static_cast<double>(run_);
  std::array<double, 3> times{};
  for (std::size_t k = 1; k < known_; ++k) {
    times[k] = -to_seconds(last_[0].stamp - last_[k].stamp);
  }
  const auto continued = [&](std::vector<double> JointCommand::*list, std::size_t joint,
                             std::size_t points) {
    std::array<double, 3> values{};
    for (std::size_t k = 0; k < points; ++k) {
      values[k] = (last_[k].*list)[joint];
    }
    return continue_curve(std::span(times).first(points), std::span(values).first(points), t);
  };
  const bool is_position = last_[0].kind == CommandKind::kPosition;
  bridge_ = last_[0];
  for (std::size_t i = 0; i < bridge_.values.size(); ++i) {
    bridge_.values[i] = continued(&JointCommand::values, i, is_position ? known_ : 2);
  }
  for (std::size_t i = 0; i < bridge_.velocities.size(); ++i) {
    bridge_.velocities[i] = continued(&JointCommand::velocities, i, 2);
  }
  is_bridging_ = true;
}

}  // namespace longarm::control
