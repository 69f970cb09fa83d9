// SPDX-License-Identifier: Apache-2.0
// Functions of poses in URScript: positions and rotation vectors, by way of unit quaternions.
#include <array>
#include <cmath>

#include "longarm/protocols/ur/script/convert.h"
#include "longarm/protocols/ur/script/pure.h"

namespace longarm::protocols::ur::script {

namespace {

using Vector = std::array<double, 3>;

struct Rotation {
  double w = 1.0;
  Vector v{};
};

struct Pose {
  Vector position{};
  Rotation rotation;
};

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector sum(const Vector& a, const Vector& b, double factor = 1.0) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}
Vector scaled(const Vector& a, double factor) {
  return {a[0] * factor, a[1] * factor, a[2] * factor};
}

Rotation from_vector(const Vector& vector) {
  const double angle_rad = std::sqrt(dot(vector, vector));
  if (angle_rad == 0.0) {
    return {};
  }
  return {std::cos(angle_rad / 2.0), scaled(vector, std::sin(angle_rad / 2.0) / angle_rad)};
}

/// The shortest one: at most π long.
Vector to_vector(const Rotation& rotation) {
  const double sine = std::sqrt(dot(rotation.v, rotation.v));
  if (sine == 0.0) {
    return {};
  }
  const double sign = rotation.w < 0.0 ? -1.0 : 1.0;
  const double angle_rad = 2.0 * std::atan2(sine, sign * rotation.w);
  return scaled(rotation.v, sign * angle_rad / sine);
}

Rotation product(const Rotation& a, const Rotation& b) {
  Vector v = cross(a.v, b.v);
  v = sum(sum(v, b.v, a.w), a.v, b.w);
  return {a.w * b.w - dot(a.v, b.v), v};
}

Rotation inverse(const Rotation& rotation) {
  return {rotation.w, scaled(rotation.v, -1.0)};
}

Vector rotated(const Rotation& rotation, const Vector& vector) {
  const Vector twice = scaled(cross(rotation.v, vector), 2.0);
  return sum(sum(vector, twice, rotation.w), cross(rotation.v, twice));
}

Pose pose_of(const std::array<double, 6>& numbers) {
  return {{numbers[0], numbers[1], numbers[2]}, from_vector({numbers[3], numbers[4], numbers[5]})};
}

Failure give(const Pose& pose, Value& result) {
  const auto& p = pose.position;
  const Vector r = to_vector(pose.rotation);
  result.kind = PoseValue{{p[0], p[1], p[2], r[0], r[1], r[2]}};
  return take_in(result);
}

Failure give(double number, Value& result) {
  result.kind = number;
  return take_in(result);
}

template <typename Compute>
Failure with_two(std::string_view name, Arguments arguments, Value& result, Compute compute) {
  const auto one = to_six(arguments[0]);
  const auto other = to_six(arguments[1]);
  if (!one) {
    return wrong_argument(name, "poses", arguments[0]);
  }
  if (!other) {
    return wrong_argument(name, "poses", arguments[1]);
  }
  return give(compute(pose_of(*one), pose_of(*other)), result);
}

Failure add(Arguments arguments, Value& result) {
  return with_two("pose_add", arguments, result, [](const Pose& one, const Pose& other) {
    return Pose{sum(one.position, other.position), product(one.rotation, other.rotation)};
  });
}

// what pose_add would have to be given with p_from to get p_to
Failure subtract(Arguments arguments, Value& result) {
  return with_two("pose_sub", arguments, result, [](const Pose& to, const Pose& from) {
    return Pose{sum(to.position, from.position, -1.0),
                product(to.rotation, inverse(from.rotation))};
  });
}

Failure transform(Arguments arguments, Value& result) {
  return with_two("pose_trans", arguments, result, [](const Pose& from, const Pose& next) {
    return Pose{sum(from.position, rotated(from.rotation, next.position)),
                product(from.rotation, next.rotation)};
  });
}

Failure invert(Arguments arguments, Value& result) {
  const auto numbers = to_six(arguments[0]);
  if (!numbers) {
    return wrong_argument("pose_inv", "a pose", arguments[0]);
  }
  const Pose pose = pose_of(*numbers);
  const Rotation back = inverse(pose.rotation);
  return give({scaled(rotated(back, pose.position), -1.0), back}, result);
}

Failure distance(std::string_view name, Arguments arguments, Value& result) {
  return with_two(name, arguments, result, [](const Pose& one, const Pose& other) {
    const Vector way = sum(other.position, one.position, -1.0);
    return std::sqrt(dot(way, way));
  });
}

Failure interpolate(Arguments arguments, Value& result) {
  const auto fraction = to_number(arguments[2]);
  if (!fraction) {
    return wrong_argument("interpolate_pose", "a number", arguments[2]);
  }
  const double alpha = *fraction;
  return with_two("interpolate_pose", arguments, result, [alpha](const Pose& from, const Pose& to) {
    const Vector way = sum(to.position, from.position, -1.0);
    const Vector turn = to_vector(product(to.rotation, inverse(from.rotation)));
    return Pose{sum(from.position, way, alpha),
                product(from_vector(scaled(turn, alpha)), from.rotation)};
  });
}

// roll about x, then pitch about y, then yaw about z, all of the base frame
Failure to_rotation_vector(Arguments arguments, Value& result) {
  const auto angles = to_three(arguments[0]);
  if (!angles) {
    return wrong_argument("rpy2rotvec", "a list of three", arguments[0]);
  }
  const Rotation roll = from_vector({(*angles)[0], 0.0, 0.0});
  const Rotation pitch = from_vector({0.0, (*angles)[1], 0.0});
  const Rotation yaw = from_vector({0.0, 0.0, (*angles)[2]});
  result = list(to_vector(product(yaw, product(pitch, roll))));
  return take_in(result);
}

Failure to_angles(Arguments arguments, Value& result) {
  const auto vector = to_three(arguments[0]);
  if (!vector) {
    return wrong_argument("rotvec2rpy", "a list of three", arguments[0]);
  }
  const Rotation rotation = from_vector(*vector);
  const Vector x = rotated(rotation, {1.0, 0.0, 0.0});
  const Vector y = rotated(rotation, {0.0, 1.0, 0.0});
  const Vector z = rotated(rotation, {0.0, 0.0, 1.0});
  const double pitch_rad = std::atan2(-x[2], std::hypot(x[0], x[1]));
  result = list(Vector{std::atan2(y[2], z[2]), pitch_rad, std::atan2(x[1], x[0])});
  return take_in(result);
}

constexpr auto kPoseFunctions = std::to_array<NamedFunction>({
    {"interpolate_pose", interpolate},
    {"point_dist", [](Arguments a, Value& r) { return distance("point_dist", a, r); }},
    {"pose_add", add},
    {"pose_dist", [](Arguments a, Value& r) { return distance("pose_dist", a, r); }},
    {"pose_inv", invert},
    {"pose_sub", subtract},
    {"pose_trans", transform},
    {"rotvec2rpy", to_angles},
    {"rpy2rotvec", to_rotation_vector},
});

}  // namespace

std::span<const NamedFunction> functions_of_poses() {
  return kPoseFunctions;
}

}  // namespace longarm::protocols::ur::script
