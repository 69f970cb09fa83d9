// SPDX-License-Identifier: Apache-2.0
// What a URScript variable can hold.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace longarm::protocols::ur::script {

/// p[x, y, z, rx, ry, rz]
struct PoseValue {
  std::array<double, 6> numbers{};
  bool operator==(const PoseValue&) const = default;
};

/// A thread that `run` started, for `join` and `kill`.
struct ThreadHandle {
  std::uint32_t id = 0;
  bool operator==(const ThreadHandle&) const = default;
};

struct Value;
using List = std::vector<Value>;

/// Integers are numbers, too, but remember that they are: they print otherwise.
struct Value {
  using Kind = std::variant<std::monostate, bool, std::int64_t, double, std::string, PoseValue,
                            ThreadHandle, List>;
  Kind kind;
};

}  // namespace longarm::protocols::ur::script
