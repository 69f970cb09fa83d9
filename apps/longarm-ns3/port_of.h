// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// The port that both ends of a flow use.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace longarm_ns3 {

inline std::uint16_t port_of(std::int64_t flow) {
  constexpr std::int64_t kFirst = 1024;
  if (flow < 0 || flow + kFirst > UINT16_MAX) {
    throw std::runtime_error("more than 64000 flows");
  }
  return static_cast<std::uint16_t>(kFirst + flow);
}

}  // namespace longarm_ns3
