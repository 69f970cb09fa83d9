// SPDX-License-Identifier: Apache-2.0
// The types of RTDE variables, their names on the wire, and values of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "longarm/protocols/ur/bytes.h"
#include "longarm/protocols/ur/controller_state.h"

namespace longarm::protocols::ur {

/// In the order of RtdeValue's alternatives.
enum class RtdeType : std::uint8_t {
  kBool,
  kUint8,
  kUint32,
  kUint64,
  kInt32,
  kDouble,
  kVector3d,
  kVector6d,
  kVector6Int32,
  kVector6Uint32
};

using RtdeValue =
    std::variant<bool, std::uint8_t, std::uint32_t, std::uint64_t, std::int32_t, double, Vector3,
                 Vector6, std::array<std::int32_t, 6>, std::array<std::uint32_t, 6>>;

inline RtdeType type_of(const RtdeValue& value) {
  return static_cast<RtdeType>(value.index());
}

/// As setup answers spell it, e.g. "VECTOR6D".
std::string_view rtde_type_name(RtdeType type);
/// Nothing: it is no type, as "NOT_FOUND" is none.
std::optional<RtdeType> rtde_type_named(std::string_view name);
/// On the wire.
std::size_t rtde_size_bytes(RtdeType type);

/// All zeros, false.
RtdeValue rtde_zero(RtdeType type);
/// False: there is a number in it that is none, or infinite.
bool is_finite(const RtdeValue& value);

void put_rtde(ByteWriter& out, const RtdeValue& value);
/// Too few bytes make `in` bad.
RtdeValue get_rtde(ByteReader& in, RtdeType type);

}  // namespace longarm::protocols::ur
