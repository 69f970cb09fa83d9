// SPDX-License-Identifier: Apache-2.0
// CRCL commands to the end effector: fractions, positions, and the lab's speed with a force limit.
#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "longarm/core/text.h"
#include "longarm/robots/crcl/actions.h"

namespace longarm::robots {

namespace crcl = protocols::crcl;

namespace {

const crcl::Parameter* find(const std::vector<crcl::Parameter>& parameters, std::string_view name) {
  const auto found = std::find_if(
      parameters.begin(), parameters.end(),
      [&](const crcl::Parameter& parameter) { return to_lower(parameter.name) == name; });
  return found == parameters.end() ? nullptr : &*found;
}

std::optional<double> number(const crcl::Parameter* parameter) {
  if (parameter == nullptr) {
    return std::nullopt;
  }
  const std::optional<double> value = parse_number(parameter->value);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Kept so that the settings status can show them; a later value replaces an earlier one.
void remember(const std::vector<crcl::Parameter>& given, std::vector<crcl::Parameter>& kept) {
  constexpr std::size_t kMost = 100;
  for (const crcl::Parameter& parameter : given) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const crcl::Parameter& other) {
      return other.name == parameter.name;
    });
    if (same != kept.end()) {
      *same = parameter;
    } else if (kept.size() < kMost) {
      kept.push_back(parameter);
    }
  }
}

/// Why fingers cannot be told to go there.
std::optional<Error> position_refusal(const GripperReport& gripper, double position_m) {
  constexpr double kRounding_m = 1e-9;
  if (gripper.kind == GripperKind::kVacuum) {
    return Error{"a vacuum gripper has no finger positions: set action to percentage"};
  }
  if (gripper.stroke_m > 0.0 && position_m > gripper.stroke_m + kRounding_m) {
    return Error{fmt::format(
        "a position of {:g} m is beyond the fingers' stroke: from 0 (closed) to {:.6g} m (open)",
        position_m, gripper.stroke_m)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> CrclActions::gripper_refusal() const {
  if (robot_.gripper().kind == GripperKind::kNone) {
    return Error{"no end effector is mounted"};
  }
  if (!settings_.is_gripper_enabled) {
    return Error{"the gripper is disabled: send EnableGripper first"};
  }
  return std::nullopt;
}

Result<CrclStarted> CrclActions::set_end_effector(double setting) {
  if (const auto refusal = gripper_refusal()) {
    return *refusal;
  }
  if (!(setting >= 0.0 && setting <= 1.0)) {
    return Error{"Setting must be from 0 to 1"};
  }
  if (settings_.gripper_mode == CrclGripperMode::kPercentage) {
    robot_.set_gripper(setting);
  } else if (const auto refusal = position_refusal(robot_.gripper(), setting)) {
    return *refusal;
  } else {
    robot_.move_fingers(setting,
                        0.0);  // metres, whatever the units: fractions of 1 could not be mm
  }
  settings_.end_effector_setting = setting;
  return CrclStarted{CrclWait::kGripper, config_.gripper_timeout};
}

Result<CrclStarted> CrclActions::set_end_effector(const std::vector<crcl::Parameter>& parameters) {
  if (const auto refusal = gripper_refusal()) {
    return *refusal;
  }
  const crcl::Parameter* action = find(parameters, "action");
  const std::string word = action == nullptr ? std::string() : to_lower(action->value);
  if (action == nullptr) {
    // other tools have other parameters: kept, and shown in the settings
  } else if (word == "percentage") {
    settings_.gripper_mode = CrclGripperMode::kPercentage;
  } else if (word == "position") {
    settings_.gripper_mode = CrclGripperMode::kPosition;
  } else if (word == "vel/fmax") {
    const std::optional<double> velocity_m_s = number(find(parameters, "vel"));
    const std::optional<double> max_force_N = number(find(parameters, "fmax"));
    if (!velocity_m_s || !max_force_N || *max_force_N < 0.0) {
      return Error{"Bad vel/fmax ee parameters"};
    }
    if (robot_.gripper().kind == GripperKind::kVacuum) {
      return Error{"a vacuum gripper has no fingers to drive"};
    }
    robot_.drive_fingers(*velocity_m_s, *max_force_N);
  } else {
    return Error{fmt::format(
        "unknown end effector action '{}': use percentage, position or Vel/Fmax", action->value)};
  }
  remember(parameters, settings_.end_effector_parameters);
  return CrclStarted{};
}

Result<CrclStarted> CrclActions::enable_gripper(const std::string& name, bool is_enabled,
                                                const std::vector<crcl::Parameter>& options) {
  const GripperReport gripper = robot_.gripper();
  if (gripper.kind == GripperKind::kNone) {
    return Error{"no end effector is mounted"};
  }
  const std::string mounted = to_name_token(gripper.name);
  if (name != mounted) {
    return Error{fmt::format("gripper '{}' is not mounted; '{}' is", name, mounted)};
  }
  if (!is_enabled) {
    robot_.stop_gripper();
  }
  settings_.is_gripper_enabled = is_enabled;
  remember(options, settings_.gripper_options);
  return CrclStarted{};
}

}  // namespace longarm::robots
