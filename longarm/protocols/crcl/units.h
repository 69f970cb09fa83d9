// SPDX-License-Identifier: Apache-2.0
// The units a CRCL client may choose, as they are called on the wire and what they are in SI.
#pragma once

#include <array>
#include <numbers>
#include <string_view>

namespace longarm::protocols::crcl {

enum class LengthUnit { kMeter, kMillimeter, kInch };
enum class AngleUnit { kRadian, kDegree };
enum class ForceUnit { kNewton, kPound, kOunce };
enum class TorqueUnit { kNewtonMeter, kFootPound };

/// What an enumeration's members are called in XML, in the order of the members. Every enumeration
/// of this folder has one.
template <typename Enumeration>
inline constexpr std::array<std::string_view, 0> kNames{};

template <>
inline constexpr std::array<std::string_view, 3> kNames<LengthUnit>{"meter", "millimeter", "inch"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<AngleUnit>{"radian", "degree"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<ForceUnit>{"newton", "pound", "ounce"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<TorqueUnit>{"newtonMeter", "footPound"};

template <typename Enumeration>
constexpr std::string_view name_of(Enumeration value) {
  return kNames<Enumeration>[static_cast<std::size_t>(value)];
}

constexpr double metres_in(LengthUnit unit) {
  switch (unit) {
    case LengthUnit::kMillimeter:
      return 0.001;
    case LengthUnit::kInch:
      return 0.0254;  // exact since 1959
    case LengthUnit::kMeter:
      break;
  }
  return 1.0;
}

constexpr double radians_in(AngleUnit unit) {
  return unit == AngleUnit::kDegree ? std::numbers::pi / 180.0 : 1.0;
}

/// Pound and ounce are forces here: the weight of 0.45359237 kg, and of a sixteenth of it, at
/// 9.80665 m/s².
constexpr double newtons_in(ForceUnit unit) {
  constexpr double kPoundForce_N = 0.45359237 * 9.80665;
  switch (unit) {
    case ForceUnit::kPound:
      return kPoundForce_N;
    case ForceUnit::kOunce:
      return kPoundForce_N / 16.0;
    case ForceUnit::kNewton:
      break;
  }
  return 1.0;
}

constexpr double newton_metres_in(TorqueUnit unit) {
  // a foot is 0.3048 m
  return unit == TorqueUnit::kFootPound ? 0.3048 * newtons_in(ForceUnit::kPound) : 1.0;
}

/// What a client has chosen. Value-initialised it is what InitCanon sets.
struct Units {
  LengthUnit length = LengthUnit::kMeter;
  AngleUnit angle = AngleUnit::kRadian;
  ForceUnit force = ForceUnit::kNewton;
  TorqueUnit torque = TorqueUnit::kNewtonMeter;

  bool operator==(const Units&) const = default;
};

}  // namespace longarm::protocols::crcl
