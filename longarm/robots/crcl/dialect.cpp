// SPDX-License-Identifier: Apache-2.0
// Every conversion between a client's numbers and SI stands here, once.
#include "longarm/robots/crcl/dialect.h"

#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace longarm::robots {

namespace crcl = protocols::crcl;

namespace {

Vector3 to_vector(const crcl::Vector& vector) {
  return {vector.i, vector.j, vector.k};
}

crcl::Vector from_vector(const Vector3& vector) {
  return {vector.x(), vector.y(), vector.z()};
}

std::optional<double> scaled(const std::optional<double>& value, double factor) {
  return value ? std::optional<double>(*value * factor) : std::nullopt;
}

// --- quantities within a sentence
// -----------------------------------------------------------------

/// Of a number that begins there; nothing: none does.
std::optional<double> take_number(std::string_view& text) {
  double value = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || !std::isfinite(value)) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) {
    return false;
  }
  text.remove_prefix(what.size());
  return true;
}

/// A unit's sign, and not the beginning of a word.
bool take_unit(std::string_view& text, std::string_view sign) {
  std::string_view rest = text;
  if (!take(rest, sign) || (!rest.empty() && std::isalnum(static_cast<unsigned char>(rest[0])))) {
    return false;
  }
  text = rest;
  return true;
}

std::optional<Vector3> take_point(std::string_view& text) {
  std::string_view rest = text;
  Vector3 point;
  if (!take(rest, "(")) {
    return std::nullopt;
  }
  for (int i = 0; i < 3; ++i) {
    const std::optional<double> value = take_number(rest);
    if (!value || !take(rest, i < 2 ? ", " : ")")) {
      return std::nullopt;
    }
    point[i] = *value;
  }
  if (!take_unit(rest, " m")) {
    return std::nullopt;
  }
  text = rest;
  return point;
}

enum class Measure { kLength, kAngle };

/// In metres or radians.
std::optional<std::pair<Measure, double>> take_quantity(std::string_view& text) {
  std::string_view rest = text;
  const std::optional<double> value = take_number(rest);
  std::optional<std::pair<Measure, double>> found;
  if (!value) {
    return found;
  }
  if (take_unit(rest, " mm")) {
    found = {Measure::kLength, *value * 1e-3};
  } else if (take_unit(rest, " m")) {
    found = {Measure::kLength, *value};
  } else if (take_unit(rest, " rad")) {
    found = {Measure::kAngle, *value};
  } else if (take(rest, "°")) {
    found = {Measure::kAngle, *value * crcl::radians_in(crcl::AngleUnit::kDegree)};
  }
  if (found) {
    text = rest;
  }
  return found;
}

std::string_view sign_of(crcl::LengthUnit unit) {
  return unit == crcl::LengthUnit::kMillimeter ? "mm"
         : unit == crcl::LengthUnit::kInch     ? "in"
                                               : "m";
}

}  // namespace

std::string CrclDialect::to_client(std::string_view sentence) const {
  std::string out;
  bool is_in_word = false;
  while (!sentence.empty()) {
    if (const auto point = is_in_word ? std::nullopt : take_point(sentence)) {
      const Vector3 p = X_FB * *point / metres();
      out += fmt::format("({:.6g}, {:.6g}, {:.6g}) {}", p.x(), p.y(), p.z(), sign_of(units.length));
      continue;
    }
    if (const auto quantity = is_in_word ? std::nullopt : take_quantity(sentence)) {
      const auto [kind, value] = *quantity;
      if (kind == Measure::kLength) {
        out += fmt::format("{:.4g} {}", value / metres(), sign_of(units.length));
      } else if (units.angle == crcl::AngleUnit::kDegree) {
        out += fmt::format("{:.4g}°", value / radians());
      } else {
        out += fmt::format("{:.4g} rad", value);
      }
      continue;
    }
    const char next = sentence.front();
    is_in_word = std::isalnum(static_cast<unsigned char>(next)) != 0 || next == '_' ||
                 next == '.' || next == '-';
    out += next;
    sentence.remove_prefix(1);
  }
  return out;
}

Result<Pose> CrclDialect::to_robot(const crcl::Pose& pose) const {
  // stableNorm: axes of any length are allowed, also such whose squares leave the range of doubles
  const Vector3 x_given = to_vector(pose.x_axis);
  const Vector3 z_given = to_vector(pose.z_axis);
  const double x_length = x_given.stableNorm();
  const double z_length = z_given.stableNorm();
  if (!(x_length > 0.0 && z_length > 0.0) || !std::isfinite(x_length) || !std::isfinite(z_length)) {
    return Error{"XAxis and ZAxis must not be zero vectors"};
  }
  const Vector3 z = z_given / z_length;
  const Vector3 x_rough = x_given / x_length;
  const Vector3 x_square = x_rough - z * z.dot(x_rough);
  constexpr double kNearlyParallel = 1e-3;
  if (x_square.norm() < kNearlyParallel) {
    return Error{"XAxis and ZAxis are parallel and do not define an orientation"};
  }
  const Vector3 x = x_square.normalized();
  Pose X_FT = Pose::Identity();
  X_FT.linear().col(0) = x;
  X_FT.linear().col(1) = z.cross(x);
  X_FT.linear().col(2) = z;
  X_FT.translation() = Vector3(pose.point.x, pose.point.y, pose.point.z) * metres();
  return X_FB.inverse() * X_FT;
}

Vector3 CrclDialect::to_robot(const crcl::Point& point) const {
  return X_FB.inverse() * (Vector3(point.x, point.y, point.z) * metres());
}

GoalTolerance CrclDialect::to_robot(const crcl::PoseTolerance& tolerance) const {
  return {.x_m = scaled(tolerance.x_point, metres()),
          .y_m = scaled(tolerance.y_point, metres()),
          .z_m = scaled(tolerance.z_point, metres()),
          .x_axis_rad = scaled(tolerance.x_axis, radians()),
          .z_axis_rad = scaled(tolerance.z_axis, radians())};
}

crcl::Pose CrclDialect::to_client(const Pose& X_BT) const {
  const Pose X_FT = X_FB * X_BT;
  const Vector3 p = X_FT.translation() / metres();
  return {.point = {p.x(), p.y(), p.z()},
          .x_axis = from_vector(X_FT.linear().col(0)),
          .z_axis = from_vector(X_FT.linear().col(2))};
}

crcl::Twist CrclDialect::to_client(const physics::Twist& twist_B) const {
  return {.linear = from_vector(X_FB.linear() * twist_B.linear_W / metres()),
          .angular = from_vector(X_FB.linear() * twist_B.angular_W / radians())};
}

crcl::Wrench CrclDialect::to_client(const physics::Wrench& wrench_B) const {
  return {.force = from_vector(X_FB.linear() * wrench_B.force_W / newtons()),
          .moment = from_vector(X_FB.linear() * wrench_B.torque_W / newton_metres())};
}

crcl::PoseTolerance CrclDialect::to_client(const GoalTolerance& tolerance) const {
  return {.x_point = scaled(tolerance.x_m, 1.0 / metres()),
          .y_point = scaled(tolerance.y_m, 1.0 / metres()),
          .z_point = scaled(tolerance.z_m, 1.0 / metres()),
          .x_axis = scaled(tolerance.x_axis_rad, 1.0 / radians()),
          .z_axis = scaled(tolerance.z_axis_rad, 1.0 / radians())};
}

}  // namespace longarm::robots
