// SPDX-License-Identifier: Apache-2.0
// The guards of one CRCL command: which sensor they watch, and whether one has fired.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/protocols/crcl/status.h"
#include "longarm/robots/robot_port.h"

namespace longarm::robots {

/// Limits are in the sensor's own units, which are SI. A guard without a recheck time is checked at
/// every control cycle.
class CrclGuards {
 public:
  /// Fails, and watches nothing, if there is no such sensor or field, or a limit makes no sense.
  Result<bool> begin(const std::vector<protocols::crcl::Guard>& guards,
                     std::span<const SensorReading> readings, Time now);

  bool is_empty() const { return watched_.empty(); }
  bool has_fired() const { return fired_.has_value(); }

  /// True at the instant when the first one fires; `X_BT` is where that is.
  bool check(std::span<const SensorReading> readings, const Pose& X_BT, Time now);
  /// The motion that was stopped stands.
  void stopped(Time now);

  /// Of the one that fired: whether that is an error, and what to say.
  bool is_error() const;
  std::string description() const;
  /// What to say if the command is over and one that had to fire has not; empty: fine.
  std::string missing() const;

  /// In SI; the pose that it fired at is `fired_at()`.
  protocols::crcl::GuardsStatuses status() const;
  const std::optional<Pose>& fired_at() const { return X_BT_fired_; }

 private:
  struct Watched {
    protocols::crcl::Guard guard;  // with its check count, time and value
    double start_value = 0.0;
    std::optional<Time> checked;
  };

  std::vector<Watched> watched_;
  std::optional<std::size_t> fired_;
  Time fired_at_;
  Duration stop_time_{};
  std::optional<Pose> X_BT_fired_;
};

}  // namespace longarm::robots
