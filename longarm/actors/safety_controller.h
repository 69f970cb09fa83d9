// SPDX-License-Identifier: Apache-2.0
// The safety controller: what it hears from the light curtain decides whether anything may move.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/devices/light_curtain.h"

namespace longarm::actors {

struct SafetyConfig {
  Duration silence{200'000'000};          ///< without a report for longer: as if it were broken
  Duration restart_after{1'000'000'000};  ///< clear for so long: everything goes on
};

void list_fields(Fields& fields, SafetyConfig& config);

/// What it is wired to, not through the network.
struct SafetyOutputs {
  std::function<void(Time now)> stop;
  std::function<void(Time now)> resume;
  std::function<void()> reset_latch;
};

/// A state machine that is given reports and time.
class SafetyController {
 public:
  SafetyController(const SafetyConfig& config, SafetyOutputs outputs);

  void hear(const devices::CurtainReport& report, Time now);
  /// Once per step: silence and restarts.
  void update(Time now);

  bool is_stopped() const { return is_stopped_; }
  std::uint64_t stops() const { return stops_; }
  std::uint64_t stops_by_silence() const { return stops_by_silence_; }

 private:
  void stop(Time now);

  SafetyConfig config_;
  SafetyOutputs outputs_;
  Time heard_{};  ///< the newest report; at the start as if there had been one
  Time newest_{};
  bool is_broken_ = false;
  bool is_latched_ = false;
  std::optional<Time> clear_since_;
  bool is_stopped_ = false;
  std::uint64_t stops_ = 0;
  std::uint64_t stops_by_silence_ = 0;
};

}  // namespace longarm::actors
