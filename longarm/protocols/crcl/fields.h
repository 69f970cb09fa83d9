// SPDX-License-Identifier: Apache-2.0
// The elements of each CRCL type in the order of the schema, listed once for reading and writing.
#pragma once

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "longarm/protocols/crcl/data.h"

namespace longarm::protocols::crcl {

/// What a value must be beside its type.
enum class Rule { kNone, kFraction, kToken, kNameToken };

/// T to a reader, const T to a writer. An archive has
///   required(name, value, rule)    one element; value is simple, or a type with a list_fields
///   optional(name, value, rule)    none or one
///   list(name, values, least)      `least` or more
///   group(name, values, item)      one element that holds one or more `item`
///   optional_group(…)
///   wrapped(name, value, inner, rule)  an optional number inside an element inside an element
///   name(text)                     what the thing is called
/// and nothing of it returns anything: the first failure is kept.
template <typename Archive, typename T>
using Of = std::conditional_t<Archive::kReads, T, const T>;

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, Point>& point) {
  archive.required("X", point.x);
  archive.required("Y", point.y);
  archive.required("Z", point.z);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, Vector>& vector) {
  archive.required("I", vector.i);
  archive.required("J", vector.j);
  archive.required("K", vector.k);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, Pose>& pose) {
  archive.required("Point", pose.point);
  archive.required("XAxis", pose.x_axis);
  archive.required("ZAxis", pose.z_axis);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, Rate>& rate) {
  if (rate.is_relative) {
    archive.required("Fraction", rate.value, Rule::kFraction);
  } else {
    archive.required("Setting", rate.value);
  }
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, PoseTolerance>& tolerance) {
  archive.optional("XPointTolerance", tolerance.x_point);
  archive.optional("YPointTolerance", tolerance.y_point);
  archive.optional("ZPointTolerance", tolerance.z_point);
  archive.optional("XAxisTolerance", tolerance.x_axis);
  archive.optional("ZAxisTolerance", tolerance.z_axis);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, Waypoint>& waypoint) {
  list_fields(archive, waypoint.pose);
  if (!waypoint.settings.has_value()) {
    return;
  }
  auto& settings = *waypoint.settings;
  archive.required("Coordinated", settings.is_coordinated);
  archive.optional("TransSpeed", settings.translation_speed);
  archive.optional("RotSpeed", settings.rotation_speed);
  archive.optional("TransAccel", settings.translation_acceleration);
  archive.optional("RotAccel", settings.rotation_acceleration);
  archive.optional("Tolerance", settings.tolerance);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, JointTolerance>& setting) {
  archive.required("JointNumber", setting.joint);
  archive.required("JointPositionTolerance", setting.tolerance);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, Twist>& twist) {
  archive.required("LinearVelocity", twist.linear);
  archive.required("AngularVelocity", twist.angular);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, Wrench>& wrench) {
  archive.required("Force", wrench.force);
  archive.required("Moment", wrench.moment);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, Parameter>& parameter) {
  archive.required("ParameterName", parameter.name, Rule::kToken);
  archive.required("ParameterValue", parameter.value, Rule::kToken);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, Guard>& guard) {
  archive.required("SensorID", guard.sensor, Rule::kToken);
  archive.optional("SubField", guard.field, Rule::kToken);
  archive.required("LimitType", guard.limit);
  archive.required("LimitValue", guard.value);
  archive.optional("RecheckTimeMicroSeconds", guard.recheck_microseconds);
  archive.optional("CheckCount", guard.check_count);
  archive.optional("LastCheckTime", guard.last_check_ms);
  archive.optional("LastCheckValue", guard.last_check_value);
  if constexpr (Archive::kReads) {
    archive.optional("RequireTrigger", guard.requires_trigger);
    archive.optional("ErrorOnTrigger", guard.is_error_on_trigger);
  }
}

// --- xsi:type
// -------------------------------------------------------------------------------------

/// The xsi:type of an element called `element` that holds `value`; empty: it needs none.
template <typename T>
std::string type_attribute(std::string_view /*element*/, const T& /*value*/) {
  return {};
}

inline std::string type_attribute(std::string_view element, const Rate& rate) {
  return std::string(element) + (rate.is_relative ? "RelativeType" : "AbsoluteType");
}

inline std::string type_attribute(std::string_view /*element*/, const Waypoint& waypoint) {
  return waypoint.settings.has_value() ? "PoseAndSetType" : "";
}

/// Makes `value` be of the xsi:type it came with, before its fields are read. False: there is no
/// such type here.
template <typename T>
bool take_type(std::string_view /*element*/, std::string_view /*type*/, T& /*value*/) {
  return true;
}

inline bool take_type(std::string_view element, std::string_view type, Rate& rate) {
  if (!type.starts_with(element)) {
    return false;
  }
  type.remove_prefix(element.size());
  rate.is_relative = type == "RelativeType";
  return rate.is_relative || type == "AbsoluteType";
}

inline bool take_type(std::string_view /*element*/, std::string_view type, Waypoint& waypoint) {
  if (type == "PoseAndSetType") {
    waypoint.settings.emplace();
    return true;
  }
  return type.empty() || type == "PoseType";
}

/// The alternative of a variant by its place among `types`.
template <typename Variant, typename Types>
bool take_alternative(std::string_view type, const Types& types, Variant& variant) {
  const auto found = std::find(types.begin(), types.end(), type);
  if (found == types.end()) {
    return false;
  }
  const auto wanted = static_cast<std::size_t>(found - types.begin());
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    ((kIndex == wanted ? static_cast<void>(variant.template emplace<kIndex>()) : void()), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>());
  return true;
}

}  // namespace longarm::protocols::crcl
