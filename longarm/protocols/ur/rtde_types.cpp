// SPDX-License-Identifier: Apache-2.0
// Names, sizes and bytes of RTDE's types.
#include "longarm/protocols/ur/rtde_types.h"

#include <cmath>
#include <type_traits>
#include <utility>

namespace longarm::protocols::ur {
namespace {

struct TypeRow {
  std::string_view name;
  std::size_t size_bytes;
};

constexpr std::array<TypeRow, std::variant_size_v<RtdeValue>> kTypes{{{"BOOL", 1},
                                                                      {"UINT8", 1},
                                                                      {"UINT32", 4},
                                                                      {"UINT64", 8},
                                                                      {"INT32", 4},
                                                                      {"DOUBLE", 8},
                                                                      {"VECTOR3D", 24},
                                                                      {"VECTOR6D", 48},
                                                                      {"VECTOR6INT32", 24},
                                                                      {"VECTOR6UINT32", 24}}};

/// The alternative that a type stands for, all zeros.
template <std::size_t... Index>
RtdeValue make_zero(std::size_t wanted, std::index_sequence<Index...>) {
  RtdeValue value;
  (void)((Index == wanted && (value.emplace<Index>(), true)) || ...);
  return value;
}

}  // namespace

std::string_view rtde_type_name(RtdeType type) {
  return kTypes[static_cast<std::size_t>(type)].name;
}

std::optional<RtdeType> rtde_type_named(std::string_view name) {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) {
      return static_cast<RtdeType>(i);
    }
  }
  return std::nullopt;
}

std::size_t rtde_size_bytes(RtdeType type) {
  return kTypes[static_cast<std::size_t>(type)].size_bytes;
}

RtdeValue rtde_zero(RtdeType type) {
  return make_zero(static_cast<std::size_t>(type),
                   std::make_index_sequence<std::variant_size_v<RtdeValue>>());
}

bool is_finite(const RtdeValue& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(held)>>) {
          return std::isfinite(static_cast<double>(held));
        } else {
          for (const auto number : held) {
            if (!std::isfinite(static_cast<double>(number))) {
              return false;
            }
          }
          return true;
        }
      },
      value);
}

void put_rtde(ByteWriter& out, const RtdeValue& value) {
  std::visit(
      [&](const auto& held) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(held)>>) {
          out.put(held);
        } else {
          for (const auto number : held) {
            out.put(number);
          }
        }
      },
      value);
}

RtdeValue get_rtde(ByteReader& in, RtdeType type) {
  RtdeValue value = rtde_zero(type);
  std::visit(
      [&](auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_arithmetic_v<Held>) {
          held = in.get<Held>();
        } else {
          for (auto& number : held) {
            number = in.get<std::decay_t<decltype(number)>>();
          }
        }
      },
      value);
  return value;
}

}  // namespace longarm::protocols::ur
