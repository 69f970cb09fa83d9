// SPDX-License-Identifier: Apache-2.0
// Guards compare a sensor's value, or its change since the command began, with a limit.
#include "longarm/robots/crcl/guards.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace longarm::robots {

namespace crcl = protocols::crcl;

namespace {

/// A sensor with a single field needs no field to be named.
Result<double> value_of(const crcl::Guard& guard, std::span<const SensorReading> readings) {
  std::string fields;
  std::string sensors;
  const SensorReading* only = nullptr;
  std::size_t found = 0;
  for (const SensorReading& reading : readings) {
    if (sensors.find(reading.id) == std::string::npos) {
      sensors += (sensors.empty() ? "" : ", ") + reading.id;
    }
    if (reading.id != guard.sensor) {
      continue;
    }
    if (guard.field && reading.field == *guard.field) {
      return reading.value;
    }
    only = &reading;
    ++found;
    fields += (fields.empty() ? "" : ", ") + reading.field;
  }
  if (found == 0) {
    return Error{
        fmt::format("guard: unknown sensor '{}'; valid names are: {}", guard.sensor, sensors)};
  }
  if (!guard.field && found == 1) {
    return only->value;
  }
  return Error{
      fmt::format("guard: SubField of sensor '{}' must be one of: {}", guard.sensor, fields)};
}

bool fires(const crcl::Guard& guard, double value, double start_value) {
  switch (guard.limit) {
    case crcl::GuardLimit::kOverMax:
      return value > guard.value;
    case crcl::GuardLimit::kUnderMin:
      return value < guard.value;
    case crcl::GuardLimit::kIncreaseOverLimit:
      return value - start_value > guard.value;
    case crcl::GuardLimit::kDecreaseBeyondLimit:
      return start_value - value > guard.value;
  }
  return false;
}

std::string name_of_guard(const crcl::Guard& guard) {
  return guard.field ? guard.sensor + "." + *guard.field : guard.sensor;
}

}  // namespace

Result<bool> CrclGuards::begin(const std::vector<crcl::Guard>& guards,
                               std::span<const SensorReading> readings, Time now) {
  *this = CrclGuards();
  std::vector<Watched> watched;
  for (const crcl::Guard& guard : guards) {
    const Result<double> value = value_of(guard, readings);
    if (!value) {
      return value.error();
    }
    if (!std::isfinite(guard.value)) {
      return Error{"guard: LimitValue is not a number"};
    }
    if (guard.recheck_microseconds.value_or(0) < 0 || guard.check_count.value_or(0) < 0) {
      return Error{"guard: RecheckTimeMicroSeconds and CheckCount cannot be below 0"};
    }
    Watched entry{.guard = guard, .start_value = *value, .checked = std::nullopt};
    entry.guard.check_count = 0;
    entry.guard.last_check_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
    entry.guard.last_check_value = *value;
    watched.push_back(std::move(entry));
  }
  watched_ = std::move(watched);
  return true;
}

bool CrclGuards::check(std::span<const SensorReading> readings, const Pose& X_BT, Time now) {
  if (fired_) {
    return false;
  }
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    Watched& entry = watched_[i];
    const std::chrono::microseconds period(
        std::clamp<std::int64_t>(entry.guard.recheck_microseconds.value_or(0), 0, 3'600'000'000));
    if (entry.checked && now - *entry.checked < period) {
      continue;
    }
    const Result<double> value = value_of(entry.guard, readings);
    if (!value) {
      continue;  // the sensor went with the tool
    }
    entry.checked = now;
    entry.guard.check_count = *entry.guard.check_count + 1;
    entry.guard.last_check_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
    entry.guard.last_check_value = *value;
    if (fires(entry.guard, *value, entry.start_value)) {
      fired_ = i;
      fired_at_ = now;
      X_BT_fired_ = X_BT;
      return true;
    }
  }
  return false;
}

void CrclGuards::stopped(Time now) {
  if (fired_) {
    stop_time_ = now - fired_at_;
  }
}

bool CrclGuards::is_error() const {
  return fired_ && watched_[*fired_].guard.is_error_on_trigger.value_or(false);
}

std::string CrclGuards::description() const {
  if (!fired_) {
    return {};
  }
  const crcl::Guard& guard = watched_[*fired_].guard;
  return fmt::format("guard {} {} {}: {:.6g}", name_of_guard(guard), crcl::name_of(guard.limit),
                     guard.value, *guard.last_check_value);
}

std::string CrclGuards::missing() const {
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const crcl::Guard& guard = watched_[i].guard;
    if (guard.requires_trigger.value_or(false) && fired_ != i) {
      return fmt::format("guard {} {} {} was required and has not triggered", name_of_guard(guard),
                         crcl::name_of(guard.limit), guard.value);
    }
  }
  return {};
}

crcl::GuardsStatuses CrclGuards::status() const {
  crcl::GuardsStatuses status;
  for (const Watched& entry : watched_) {
    status.guards.push_back(entry.guard);
  }
  if (fired_) {
    status.trigger_count = 1;
    status.trigger_stop_microseconds =
        std::chrono::duration_cast<std::chrono::microseconds>(stop_time_).count();
    status.trigger_value = watched_[*fired_].guard.last_check_value;
  }
  return status;
}

}  // namespace longarm::robots
