// SPDX-License-Identifier: Apache-2.0
// The field lists of the control settings: their keys and what they mean to a user.
#include "longarm/control/config.h"

#include <algorithm>

#include "longarm/core/check.h"

namespace longarm::control {
namespace {

std::ptrdiff_t index_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  check(found != names.end(), "a word passed validation that is none of its choices");
  return found - names.begin();
}

}  // namespace

const std::vector<std::string>& cut_names() {
  static const std::vector<std::string> names{"none",     "trajectory", "position",
                                              "velocity", "effort",     "stale-servo"};
  return names;
}

Cut cut_of(const std::string& name) {
  return Cut(index_of(cut_names(), name));
}

const std::vector<std::string>& command_names() {
  static const std::vector<std::string> names{"position", "velocity", "effort"};
  return names;
}

CommandKind command_of(const std::string& name) {
  return CommandKind(index_of(command_names(), name));
}

Silence silence_of(const std::string& name) {
  return Silence(index_of(silence_names(), name));
}

std::string default_servo_model(Cut cut) {
  return cut == Cut::kEffort || cut == Cut::kStaleServo ? "pid" : "ideal";
}

const std::vector<std::string>& silence_names() {
  static const std::vector<std::string> names{"hold", "zero", "stop"};
  return names;
}

const std::vector<std::string>& watchdog_names() {
  static const std::vector<std::string> names{"generic", "ur", "franka"};
  return names;
}

Watchdog watchdog_of(const std::string& name) {
  return Watchdog(index_of(watchdog_names(), name));
}

void list_fields(Fields& fields, GainsConfig& config) {
  fields.field("p", config.p, "proportional gain per joint (or one for all)");
  fields.field("i", config.i, "integral gain per joint");
  fields.field("d", config.d, "derivative gain per joint");
  fields.field("i_clamp", config.i_clamp,
               "limit of the integral term; without it the integral has no effect");
  fields.field("antiwindup", config.antiwindup, "clamp the integral itself, not only its term");
}

void list_fields(Fields& fields, ToleranceConfig& config) {
  fields.field(
      "path_rad", config.path_rad,
      "largest error on the way, per joint; beyond it the trajectory is aborted; 0 = unchecked");
  fields.field("goal_rad", config.goal_rad, "largest error at the end, per joint; 0 = unchecked");
  fields.field("goal_time", config.goal_time, "how late the goal may be reached");
  fields.field("stopped_velocity_rad_s", config.stopped_velocity_rad_s,
               "velocity below which a joint at its goal counts as stopped");
}

void list_fields(Fields& fields, ServoConfig& config) {
  fields.choice(
      "model", config.model, {"", "ideal", "pid"},
      "ideal (computed torque) or pid; empty: pid for cuts effort and stale-servo, else ideal");
  list_fields(fields, config.gains);
  fields.field("rotor_inertia_kg_m2", config.rotor_inertia_kg_m2,
               "reflected rotor inertia per joint, instead of the model file's");
  fields.field("gravity_compensation", config.gravity_compensation,
               "pid adds the efforts that compensate gravity in its own model");
}

std::vector<double> per_joint(const std::vector<double>& values, int count, double otherwise) {
  const auto size = static_cast<std::size_t>(count);
  if (values.empty()) {
    return std::vector<double>(size, otherwise);
  }
  if (values.size() == 1) {
    return std::vector<double>(size, values.front());
  }
  check(values.size() == size, "a per-joint list of the wrong length passed validation");
  return values;
}

std::vector<PidGains> pid_gains(const GainsConfig& config, int count) {
  const std::vector<double> p = per_joint(config.p, count);
  const std::vector<double> i = per_joint(config.i, count);
  const std::vector<double> d = per_joint(config.d, count);
  const std::vector<double> i_clamp = per_joint(config.i_clamp, count);
  std::vector<PidGains> gains;
  for (std::size_t joint = 0; joint < p.size(); ++joint) {
    gains.push_back({p[joint], i[joint], d[joint], i_clamp[joint], config.antiwindup});
  }
  return gains;
}

}  // namespace longarm::control
