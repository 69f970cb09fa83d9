// SPDX-License-Identifier: Apache-2.0
// A host and a port, as people write them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "longarm/core/result.h"

namespace longarm::system {

/// In a simulation `host` is a host of the topology; among real processes a name or an IP address.
struct Address {
  std::string host;
  std::uint16_t port = 0;
  auto operator<=>(const Address&) const = default;
};

/// "10.0.0.1:7000", "[::1]:7000". The port may not be missing.
Result<Address> parse_address(std::string_view text);
std::string to_text(const Address& address);

}  // namespace longarm::system
