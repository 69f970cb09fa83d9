// SPDX-License-Identifier: Apache-2.0
// Calls of programs, from names to functions; and arguments, from values to numbers.
#include "longarm/robots/ur/host.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/protocols/ur/script/builtins.h"
#include "longarm/protocols/ur/script/convert.h"

namespace longarm::robots {

namespace script = protocols::ur::script;

UrOutcome ur_done(UrValue value) {
  return {UrOutcome::Kind::kDone, std::move(value), {}};
}

UrOutcome ur_failed(std::string why) {
  return {UrOutcome::Kind::kFailed, {}, std::move(why)};
}

UrOutcome ur_waiting() {
  return {UrOutcome::Kind::kWaiting, {}, {}};
}

std::uint64_t ur_cycles_of(double time_s) {
  constexpr double kRounding = 1e-6;
  constexpr double kMost = 1e12;
  const double cycles = std::ceil(time_s / to_seconds(kUrCycle) - kRounding);
  return static_cast<std::uint64_t>(std::clamp(cycles, 1.0, kMost));
}

void UrArguments::refuse(std::size_t i, std::string_view wanted) {
  if (failure_.empty()) {
    failure_ = fmt::format("argument {} of {} must be {}, not {}", i + 1, function_, wanted,
                           script::kind_name(values_[i]));
  }
}

bool UrArguments::has(std::size_t i) const {
  return i < values_.size() && !script::is_nothing(values_[i]);
}

bool UrArguments::is_pose(std::size_t i) const {
  return script::is_pose(values_[i]);
}

double UrArguments::number(std::size_t i) {
  const std::optional<double> value = script::to_number(values_[i]);
  if (!value || !std::isfinite(*value)) {
    refuse(i, "a number");
    return 0.0;
  }
  return *value;
}

std::optional<double> UrArguments::number_or_nothing(std::size_t i) {
  return has(i) ? std::optional(number(i)) : std::nullopt;
}

std::int32_t UrArguments::integer(std::size_t i) {
  const std::optional<std::int32_t> value = script::to_integer(values_[i]);
  if (!value) {
    refuse(i, "a whole number");
  }
  return value.value_or(0);
}

std::size_t UrArguments::index(std::size_t i, std::size_t end) {
  const std::optional<std::int32_t> value = script::to_integer(values_[i]);
  if (!value || *value < 0 || static_cast<std::size_t>(*value) >= end) {
    if (failure_.empty()) {
      failure_ = fmt::format("argument {} of {} must be a whole number from 0 to {}", i + 1,
                             function_, end - 1);
    }
    return 0;
  }
  return static_cast<std::size_t>(*value);
}

bool UrArguments::boolean(std::size_t i) {
  if (const std::optional<bool> value = script::to_boolean(values_[i])) {
    return *value;
  }
  // programs write 0 and 1, too
  const std::optional<double> number = script::to_number(values_[i]);
  if (!number) {
    refuse(i, "True or False");
  }
  return number.value_or(0.0) != 0.0;
}

std::string UrArguments::text(std::size_t i) {
  const std::string* value = script::to_string(values_[i]);
  if (value == nullptr) {
    refuse(i, "a text");
    return {};
  }
  return *value;
}

/// Says what it is that was taken for six numbers.
void UrArguments::refuse_six(std::size_t i) {
  const auto* list = std::get_if<script::List>(&values_[i].kind);
  if (list == nullptr || !failure_.empty()) {
    return refuse(i, "six numbers");
  }
  if (list->size() != 6) {
    failure_ = fmt::format("argument {} of {} must be six numbers, not {}", i + 1, function_,
                           list->size());
    return;
  }
  const auto odd = std::find_if(list->begin(), list->end(),
                                [](const UrValue& each) { return !script::to_number(each); });
  failure_ = fmt::format("argument {} of {} must be six numbers; number {} is {}", i + 1, function_,
                         odd - list->begin() + 1, script::kind_name(*odd));
}

Vector6 UrArguments::six(std::size_t i) {
  const std::optional<Vector6> value = script::to_six(values_[i]);
  if (!value) {
    refuse_six(i);
    return {};
  }
  // what is larger than any robot would only overflow somewhere
  constexpr double kMost = 1e6;
  for (std::size_t k = 0; k < value->size(); ++k) {
    if (!(std::abs((*value)[k]) <= kMost) && failure_.empty()) {
      failure_ = fmt::format("argument {} of {}: number {} of the six is {:g}, beyond a million",
                             i + 1, function_, k + 1, (*value)[k]);
    }
  }
  return failure_.empty() ? *value : Vector6{};
}

UrHost::UrHost(UrCore& core) : core_(core) {
  for (const auto& list : {ur_motion_functions(), ur_signal_functions(), ur_state_functions(),
                           ur_socket_functions()}) {
    for (const UrNamedFunction& each : list) {
      functions_[each.name] = each.function;
    }
  }
}

UrOutcome UrHost::begin(ThreadId thread, std::string_view function,
                        std::span<const UrValue> arguments) {
  const auto found = functions_.find(function);
  if (found == functions_.end()) {
    return ur_failed(fmt::format("this controller has no {}", function));
  }
  const script::Builtin* builtin = script::find_builtin(function);
  const bool is_motion = builtin != nullptr && builtin->effect == script::Effect::kMotion;
  if (is_motion && is_moved_by_another(thread)) {
    return ur_failed("Another thread is already controlling the robot");
  }
  UrArguments reader(function, arguments);
  UrCall call{core_, reader};
  UrOutcome outcome = found->second(call);
  if (!reader.is_good()) {
    return ur_failed(reader.failure());
  }
  if (outcome.kind == UrOutcome::Kind::kWaiting) {
    waits_[thread] = std::move(call.wait);
  }
  return outcome;
}

bool UrHost::is_moved_by_another(ThreadId thread) const {
  return std::any_of(waits_.begin(), waits_.end(), [&](const auto& each) {
    const auto& [other, wait] = each;
    return other != thread && wait.move && core_.motion.is_busy(*wait.move);
  });
}

UrOutcome UrHost::go_on(ThreadId thread) {
  const auto found = waits_.find(thread);
  if (found == waits_.end()) {
    return ur_done();
  }
  UrOutcome outcome = found->second.go_on();
  if (outcome.kind != UrOutcome::Kind::kWaiting) {
    waits_.erase(found);
  }
  return outcome;
}

void UrHost::abandon(ThreadId thread) {
  const auto found = waits_.find(thread);
  if (found == waits_.end()) {
    return;
  }
  if (found->second.abandon) {
    found->second.abandon();
  }
  waits_.erase(found);
}

}  // namespace longarm::robots
