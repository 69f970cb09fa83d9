// SPDX-License-Identifier: Apache-2.0
// Watches at the robot whether commands keep coming, and says what to do when they do not.
#pragma once

#include <array>
#include <cstdint>

#include "longarm/control/config.h"
#include "longarm/control/messages.h"

namespace longarm::control {

struct WatchdogConfig {
  Watchdog preset = Watchdog::kGeneric;
  Silence on_silence = Silence::kHold;  ///< of `generic`; so is the next
  Duration silence_after{0};
  Duration cycle{0};  ///< in which a command is expected; zero: cycles are not counted
};

/// A cycle is missed each time another whole `cycle` has gone by since the last command arrived, as
/// seen at the physics steps; where commands come every cycle without delay, each lost one is a
/// missed cycle of the step at which it should have acted. Nothing is missed before the first
/// command: until then the link is merely slow. Once tripped, a watchdog stays so: on the real
/// robots, too, somebody has to start the program again.
class CommandWatchdog {
 public:
  /// Cycles missed in a row at which `franka` gives up, and the silence at which `ur` does.
  static constexpr std::uint64_t kFrankaMissedCycles = 20;
  static constexpr Duration kUrTimeout{20'000'000};

  explicit CommandWatchdog(const WatchdogConfig& config) : config_(config) {}

  /// A command that is to act has arrived.
  void receive(const JointCommand& command, Time now);
  /// Once per physics step, before anything else is asked.
  void update(Time now);

  /// The rule for silence asks for zeros now.
  bool is_zeroing() const { return is_silent_ && config_.on_silence == Silence::kZero; }
  /// What bridges the missing command, where the preset does that; null: the last command acts.
  const JointCommand* bridge() const { return is_bridging_ ? &bridge_ : nullptr; }

  bool has_tripped() const { return has_tripped_; }
  Time tripped_at() const { return tripped_at_; }
  std::uint64_t missed_cycles() const { return missed_cycles_; }
  std::uint64_t longest_run_of_missed_cycles() const { return longest_run_; }

 private:
  void count_missed(Duration silence);
  void trip(Time now);
  void extrapolate();

  WatchdogConfig config_;
  bool has_received_ = false;
  Time last_arrival_{};
  bool is_silent_ = false;
  bool has_tripped_ = false;
  Time tripped_at_{};
  std::uint64_t run_ = 0;  // of missed cycles, up to now
  std::uint64_t longest_run_ = 0;
  std::uint64_t missed_cycles_ = 0;

  // only for franka: the last commands, newest first, and what follows from them
  std::array<JointCommand, 3> last_;
  std::size_t known_ = 0;
  JointCommand bridge_;
  bool is_bridging_ = false;
};

}  // namespace longarm::control
