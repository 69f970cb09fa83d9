// SPDX-License-Identifier: Apache-2.0
// Drives, watches, stops in time, and corrects.
#include "labs/kitting/belt_drive.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;

constexpr Duration kBeltLookEvery = 20ms;
// camera noise is below it, so that this much is motion
constexpr double kMotion_m = 0.004;

}  // namespace

void list_fields(Fields& fields, BeltDriveConfig& config) {
  fields.field("full_speed_m_s", config.full_speed_m_s,
               "full speed of the belt as configured in its controller");
  fields.field("speed", config.speed, "fraction of full speed for bringing trays");
  fields.field("fine_speed", config.fine_speed, "fraction of full speed for corrections");
  fields.field("reaction", config.reaction, "approximate time from the stop command to standstill");
  fields.field("start_timeout", config.start_timeout,
               "time without motion after a start command at which the belt counts as failed");
  fields.field("corrections", config.corrections,
               "largest number of corrections after the first run");
  for (const auto& [key, value] :
       {std::pair("speed", config.speed), std::pair("fine_speed", config.fine_speed)}) {
    if (!(value > 0.0 && value <= 1.0)) {
      fields.reject(key, "must be above 0 and at most 1", "0.5 is half of full speed");
    }
  }
  if (!(config.full_speed_m_s > 0.0)) {
    fields.reject("full_speed_m_s", "must be positive", "the laboratory's belt does 0.2");
  }
}

BeltDrive::BeltDrive(sim::TaskContext context, WorldModel& world, Dial dial, const TalkConfig& talk,
                     const BeltDriveConfig& config)
    : context_(context), world_(world), config_(config), talk_(context, std::move(dial), talk) {}

double BeltDrive::distance_m(double velocity_m_s) const {
  std::optional<Time> newest;
  for (const CameraView& camera : world_.ontology().cameras) {
    newest = std::max(newest, world_.last_frame(camera.name));
  }
  const double age_s = newest ? to_seconds(context_.kernel.now() - *newest) : 0.0;
  return world_.distance_to_station_m().value_or(0.0) - velocity_m_s * age_s;
}

Time BeltDrive::last_shown() const {
  Time last{};
  for (const CameraView& camera : world_.ontology().cameras) {
    const std::optional<CameraRow> row = world_.camera(camera.name);
    last = std::max(last, row ? row->shown.value_or(Time{}) : Time{});
  }
  return last;
}

sim::Task<std::string> BeltDrive::approach(double fraction) {
  const double towards = fraction < 0.0 ? -1.0 : 1.0;
  const double velocity_m_s = fraction * config_.full_speed_m_s;
  std::string refusal =
      co_await talk_.drive(fraction * (world_.ontology().belt.direction < 0.0 ? -1.0 : 1.0));
  if (!refusal.empty()) {
    co_return refusal;
  }
  double last_m = world_.distance_to_station_m().value_or(0.0);
  Time moved = context_.kernel.now();
  const double lead_m = std::abs(velocity_m_s) * to_seconds(config_.reaction);
  while (true) {
    co_await sim::sleep_for(context_, kBeltLookEvery);
    const std::optional<double> seen_m = world_.distance_to_station_m();
    if (!seen_m) {
      co_await talk_.stop();
      co_return "no camera sees the trays on the belt";
    }
    if (std::abs(*seen_m - last_m) > kMotion_m) {
      last_m = *seen_m;
      moved = context_.kernel.now();
    }
    if (towards * distance_m(velocity_m_s) <= lead_m) {
      break;
    }
    if (context_.kernel.now() - moved < config_.start_timeout) {
      continue;
    }
    if (context_.kernel.now() - last_shown() >= config_.start_timeout) {
      co_await talk_.stop();
      co_return "no camera sees whether the belt moves";
    }
    const std::optional<BeltState> state = co_await talk_.look();
    if (state && state->is_safety_stopped) {
      moved = context_.kernel.now();  // it goes on by itself
      continue;
    }
    co_await talk_.stop();
    co_return fmt::format("the belt did not move within {:g} s of a start command{}",
                          to_seconds(config_.start_timeout),
                          !state             ? "; its controller does not answer"
                          : state->is_jammed ? "; its controller reports a jam"
                                             : "");
  }
  std::string stopped = co_await talk_.stop();
  co_return stopped;
}

sim::Task<void> BeltDrive::settle() {
  const auto is_on_belt = [&](const Pose& X_WO) {
    const Zone* zone = world_.ontology().zone_at(X_WO.translation());
    return zone != nullptr && zone->is_belt;
  };
  if (world_.is_noisy()) {
    // pictures of the last few millimetres would spoil the averages
    co_await sim::sleep_for(context_, 300ms);
    for (const SeenObject& tray : world_.trays()) {
      if (is_on_belt(tray.X_WO)) {
        world_.look_afresh(tray.name, context_.kernel.now());
      }
    }
    for (const PartView& part : world_.parts()) {
      if (is_on_belt(part.object.X_WO)) {
        world_.look_afresh(part.object.name, context_.kernel.now());
      }
    }
  }
  const std::int64_t enough = std::max<std::int64_t>(6, world_.frames_to_trust());
  const Time give_up = context_.kernel.now() + 3s;
  while (context_.kernel.now() < give_up) {
    co_await sim::sleep_for(context_, 100ms);
    const std::vector<SeenObject> trays = world_.trays();
    const bool stand = std::ranges::all_of(trays, [&](const SeenObject& tray) {
      return !is_on_belt(tray.X_WO) || tray.is_missing || tray.is_stale || tray.frames >= enough;
    });
    if (stand) {
      co_return;
    }
  }
}

sim::Task<std::string> BeltDrive::bring() {
  for (std::int64_t run = 0; run <= config_.corrections; ++run) {
    const std::optional<double> distance = world_.distance_to_station_m();
    if (!distance) {
      co_return "no camera sees a tray on the belt";
    }
    if (std::abs(*distance) <= world_.ontology().belt.tolerance_m) {
      co_return "";
    }
    const double speed = run == 0 ? config_.speed : config_.fine_speed;
    std::string refusal = co_await approach(*distance < 0.0 ? -speed : speed);
    if (!refusal.empty()) {
      co_return refusal;
    }
    co_await settle();
  }
  co_return "the belt does not stop at the commanded position";
}

}  // namespace longarm::kitting
