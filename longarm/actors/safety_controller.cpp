// SPDX-License-Identifier: Apache-2.0
// Stops at once, restarts late.
#include "longarm/actors/safety_controller.h"

#include <utility>

namespace longarm::actors {

void list_fields(Fields& fields, SafetyConfig& config) {
  fields.field("silence", config.silence, "everything also stops after this time without a report");
  fields.field("restart_after", config.restart_after,
               "time with clear beams after which the latch is reset and everything continues");
  if (config.silence <= Duration::zero()) {
    fields.reject("silence", "silence must be greater than zero",
                  "use several report periods of the curtain; 200ms is usual");
  }
  if (config.restart_after < Duration::zero()) {
    fields.reject("restart_after", "a time must not be negative", "1s is usual");
  }
}

SafetyController::SafetyController(const SafetyConfig& config, SafetyOutputs outputs)
    : config_(config), outputs_(std::move(outputs)) {}

void SafetyController::hear(const devices::CurtainReport& report, Time now) {
  heard_ = now;
  if (report.stamp < newest_) {
    return;  // overtaken by a newer one
  }
  newest_ = report.stamp;
  is_broken_ = report.is_broken;
  is_latched_ = report.is_latched;
  if (is_broken_) {
    clear_since_.reset();
  } else if (!clear_since_) {
    clear_since_ = now;
  }
  if ((is_broken_ || is_latched_) && !is_stopped_) {
    stop(now);
  }
}

void SafetyController::update(Time now) {
  if (now - heard_ > config_.silence) {
    clear_since_.reset();
    if (!is_stopped_) {
      ++stops_by_silence_;
      stop(now);
    }
    return;
  }
  if (!is_stopped_ || !clear_since_ || now - *clear_since_ < config_.restart_after) {
    return;
  }
  if (is_latched_) {
    // the curtain says so when it has happened
    outputs_.reset_latch();
    return;
  }
  is_stopped_ = false;
  outputs_.resume(now);
}

void SafetyController::stop(Time now) {
  is_stopped_ = true;
  ++stops_;
  outputs_.stop(now);
}

}  // namespace longarm::actors
