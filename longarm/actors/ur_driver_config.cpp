// SPDX-License-Identifier: Apache-2.0
// What each key means, and what its values may be.
#include "longarm/actors/ur_driver_config.h"

#include <chrono>
#include <cmath>

#include "longarm/robots/ur/config.h"

namespace longarm::actors {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kPorts = 65536;

void list_speedj(Fields& fields, SpeedjKeys& config) {
  fields.field("acceleration_rad_s2", config.acceleration_rad_s2,
               "acceleration a of speedj(qd, a, t)");
  fields.field("time", config.time,
               "time t of speedj(qd, a, t): how long the robot continues without another command; "
               "0: forever");
  fields.field("watchdog_cycles", config.watchdog_cycles,
               "cycles without a packet after which the driver sends zeros; 0: never");
  if (!(config.acceleration_rad_s2 > 0.0) || !std::isfinite(config.acceleration_rad_s2)) {
    fields.reject("acceleration_rad_s2", "an acceleration must be positive", "15 is usual");
  }
  if (config.time < 0s || config.time > 10s) {
    fields.reject("time", "the time must be from 0s to 10s", "8ms is usual; 0s: forever");
  }
  if (config.watchdog_cycles < 0 || config.watchdog_cycles > 100'000) {
    fields.reject("watchdog_cycles", "the number of cycles must be from 0 to 100000",
                  "12 is usual");
  }
}

void list_servoj(Fields& fields, ServojKeys& config) {
  fields.field("lookahead_s", config.lookahead_s,
               "lookahead time of servoj, 0.03 to 0.2; smooths the motion");
  fields.field("gain", config.gain, "gain of servoj, 100 to 2000");
  fields.field("time", config.time, "time of servoj: how long each call blocks");
  fields.field("reverse_port", config.reverse_port,
               "port at which the driver listens for the robot");
  fields.field("receive_timeout", config.receive_timeout,
               "the robot's program stops the arm and ends after this time without a frame");
  if (!(config.lookahead_s >= 0.03 && config.lookahead_s <= 0.2)) {
    fields.reject("lookahead_s", "servoj takes 0.03 to 0.2 s", "0.1 is usual");
  }
  if (!(config.gain >= 100.0 && config.gain <= 2000.0)) {
    fields.reject("gain", "servoj takes gains from 100 to 2000", "300 is usual");
  }
  if (config.time < robots::kUrCycle || config.time > 1s) {
    fields.reject("time", "servoj blocks for 8ms to 1s", "8ms is usual");
  }
  if (config.reverse_port < 1 || config.reverse_port >= kPorts) {
    fields.reject("reverse_port", "a port must be from 1 to 65535", "50001 is usual");
  }
  if (config.receive_timeout < robots::kUrCycle || config.receive_timeout > 60s) {
    fields.reject("receive_timeout", "the timeout must be from 8ms to 60s", "2s is usual");
  }
}

}  // namespace

void list_fields(Fields& fields, UrDriverKeys& config) {
  cell::list_wish(fields, "robot", config.robot, "robot to move: an actor of kind ur");
  fields.choice("method", config.method, {"speedj", "servoj", "ros_control"},
                "speedj: one velocity per status packet; servoj: a program at the robot that "
                "connects back; ros_control: joints without a UR controller");
  fields.field("start", config.start,
               "start of the plan by the driver's clock; later if it is not yet connected");
  fields.choice("tick", config.tick, {"packet", "timer"},
                "speedj: answer every status packet, or send every 8ms by its own clock");
  fields.field("phase", config.phase, "phase of its timer; less than 8ms");
  fields.section("gains", "gains of the position loop (1/s)",
                 [&](Fields& f) { control::list_fields(f, config.gains); });
  fields.field("gain", config.gain, "replaces every P gain (1/s)");
  fields.field("feed_forward", config.feed_forward, "fraction of the planned velocity to add");
  fields.section("speedj", "speedj commands of the driver",
                 [&](Fields& f) { list_speedj(f, config.speedj); });
  fields.section("servoj", "settings of the driver's program at the robot",
                 [&](Fields& f) { list_servoj(f, config.servoj); });
  fields.section("task", "motion of the robot",
                 [&](Fields& f) { tasks::list_fields(f, config.task); });
  if (config.start < 0s || config.start > 10min) {
    fields.reject("start", "the start must be from 0s to 10min", "1s is usual");
  }
  if (config.phase < 0s || config.phase >= robots::kUrCycle) {
    fields.reject("phase", "the phase must be at least 0ms and less than 8ms", "0ms is usual");
  }
  if (config.gain && !std::isfinite(*config.gain)) {
    fields.reject("gain", "a gain must be a number", "10 is usual");
  }
  if (!std::isfinite(config.feed_forward)) {
    fields.reject("feed_forward", "the fraction must be a number", "0 and 1 are usual");
  }
}

}  // namespace longarm::actors
